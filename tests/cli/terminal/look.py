"""Runs commands on terminals of their own and checks what they show; prints some of the screens."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata

SOURCES = ["--source", "anna=anna.csv", "--source", "a-vendor-with-quite-a-long-name-2026=ben.csv",
           "--source", "数据源=cleo.csv", "--source", "copy=copy.csv"]
ASCII_SOURCES = [text.replace("数据源", "cleo") for text in SOURCES]
FAST = ["--reference", "reference.csv", "--intervals", "20", "--refits", "2"]
COMMANDS = {
    "value": ["value", *FAST, *SOURCES, "--tau-curve", "--measure", "leep,logme,nce"],
    "compare": ["compare", "--reference", "reference.csv", *SOURCES, "--methods", "gbv,uniform,dawid-skene,cmmd", "--test",
                "test.csv", "--seeds", "2"],
    "update": ["update", "--ledger", "NEW.db", "--batch", "2026-11", *FAST, *SOURCES, "--strategies", "all"],
    "history": ["history", "--ledger", "ledger.db", "--strategies", "all"],
    "history of one": ["history", "--ledger", "ledger.db", "--source", "copy"],
    "report": ["report", "nothing-to-make-a-page-of-in-this-folder.json", "-o", "page.html"],
    "check": ["check", "--reference", "reference.csv", *SOURCES, "--source", "none=not-there.csv"],
    "evaluate": ["evaluate", "model.safetensors", "test.csv"],
    "train -v": ["train", "--pooled", "--model", "mlp", "--epochs", "2", "-v", *SOURCES, "--test", "test.csv"],
    "dry run": ["value", *FAST, *SOURCES, "--dry-run"],
    "list": ["list"],
    "cache": ["cache", "--cache", "."],
    "help": ["help"],
    "value --help": ["value", "--help"],
    "train --help": ["train", "--help"],
    "error": ["value", "--reference", "a/long/path/to/a/file/that/nobody/has/ever/seen.csv", *SOURCES],
}


def screen(arguments, width, **environment):
    """What the command writes to a terminal of this width, which is not its controlling one: that would be hung up when
    it ends, perhaps before all was read."""
    terminal, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name != "LC_ALL"}
    child = subprocess.Popen(["gbv", *arguments], stdin=other, stdout=other, stderr=other,
                             env={**inherited, **environment})
    os.close(other)
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            piece = b""
        if not piece:
            break
        seen += piece
    child.wait()
    os.close(terminal)
    return seen.replace(b"\r\n", b"\n")


def cells(line):
    """One character for each column: a wide one is followed by a blank, a mark that combines has none."""
    return "".join(c + " " * (unicodedata.east_asian_width(c) in "WF") for c in line if not unicodedata.combining(c))


def check_alignment(name, lines):
    """Below the head of the first table the weights end where their head does."""
    head = next(i for i, line in enumerate(lines) if " weight" in line and "source" in line)
    end = lines[head].index(" weight") + len(" weight")
    rows = [line for line in lines[head + 1:] if re.search(r"\d\.\d{4}", line)][:4]
    for row in rows:
        assert re.search(r"\d\.\d{4}$", row[:end]) and row[end:end + 1] in ("", " "), (name, lines[head], row)
    assert len(rows) == 4, (name, rows)


def check(name, width, utf8, color, **environment):
    arguments = COMMANDS[name] if utf8 else [dict(zip(SOURCES, ASCII_SOURCES)).get(a, a) for a in COMMANDS[name]]
    if os.path.exists("NEW.db"):
        os.remove("NEW.db")
    seen = screen(arguments, width, LC_CTYPE="C.UTF-8" if utf8 else "C", **environment)
    where = (name, width, utf8, color, environment)
    assert seen.strip(), where
    if not color:
        assert b"\x1b" not in seen, (where, seen)
    elif name in ("value", "compare", "evaluate", "help"):
        assert b"\x1b[1m" in seen, (where, seen)
    assert utf8 or seen.isascii(), (where, seen)
    text = re.sub(r"\x1b\[\d*m", "", seen.decode())
    assert "\x1b" not in text, where
    lines = [cells(line) for line in text.split("\n")]
    for line in lines:
        assert len(line) <= width, (where, len(line), line)
    assert " \n" not in text, (where, text)
    if name == "value":
        check_alignment(where, lines)
    return text


runs = 0
for name in COMMANDS:
    for width in (40, 60, 80):
        check(name, width, True, True, TERM="xterm-256color")
        runs += 1
    for width in (40, 80, 120):
        check(name, width, False, False, TERM="xterm-256color", NO_COLOR="1")
        runs += 1
for name in ("value", "compare", "history", "check", "error"):
    check(name, 28, True, False, TERM="dumb")
    runs += 1
# $COLUMNS counts more than the terminal; one that does not know its width is taken for 80.
assert "\n" in check("help", 200, True, True, TERM="xterm", COLUMNS="200")
assert max(map(len, screen(COMMANDS["help"], 200, TERM="xterm", COLUMNS="50", LC_CTYPE="C").decode().split("\n"))) <= 50
assert 70 < max(map(len, screen(COMMANDS["help"], 0, TERM="dumb", LC_CTYPE="C").decode().split("\n"))) <= 80
print(runs, "screens are as they should be")
for name, width in ("value", 44), ("value", 64), ("history", 60), ("history", 100):
    print(f"--- {name}, {width} columns")
    sys.stdout.write(check(name, width, True, False, TERM="xterm", NO_COLOR="1"))
