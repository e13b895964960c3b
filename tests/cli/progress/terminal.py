"""Runs a command on a terminal of its own, presses Ctrl-C once its bar says how long is left, and tells what was seen."""
import os
import pty
import re
import sys

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen, pressed = b"", False
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:  # the other side is closed
        piece = b""
    if not piece:
        break
    seen += piece
    if not pressed and re.search(rb"\rmodels [1-9]\d*/303 \[#* *\] \d+ s left", seen):
        pressed = True
        os.write(terminal, b"\x03")
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
last = re.split(rb"\r +\r", seen)[-1].decode()
print("bar drawn, Ctrl-C pressed" if pressed else f"no bar: {seen!r}")
print("after the bar was cleared:", re.sub(r"after \d+ of", "after N of", last.replace("^C", "")).strip())
print("exit", code)
