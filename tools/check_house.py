#!/usr/bin/env python3
"""Checks that the tree is the house ARCHITECTURE.md describes, and prints one line for each place where it is not.

    tools/check_house.py [ROOT]

Doors: the fenced block ```doors of ARCHITECTURE.md has one line per room, "room -> room, room". A quoted include in
src/<room>, cli or examples may name only the room's own files and those behind its doors; a door may be narrower than
a room ("compute/dense"). include/gbv is open to all and knows nothing but itself. tests and bench may include anything.
The Python package includes nothing; the names of the library that it speaks of must be in include/gbv.
"""
import os
import re
import subprocess
import sys

MAXIMUM_LINES = 600
CODE = (".c", ".h", ".def", ".py", ".sh")
# Data that others wrote or that a program found: not held to the rules for text.
NOT_OURS = ("tests/fuzz/corpus/", "tests/golden/")
UNWANTED = [
    (re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b"), "unfinished work is an issue, not a note in a file"),
    (re.compile(r"(?<![\w.-])/(?:work|home/\w+)/"), "a path that only one machine has"),
    (re.compile(r"\.\./shared\b"), "a path outside the repository"),
]


def list_files(root):
    """Tracked and new files; without git, every file outside build/ and hidden folders other than .ci."""
    git = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        if os.path.exists(os.path.join(root, ".git")):
            output = subprocess.run(git, check=True, capture_output=True).stdout.decode()
            return sorted(path for path in set(output.split("\0")) if os.path.isfile(os.path.join(root, path)))
    except (OSError, subprocess.CalledProcessError):
        pass
    found = []
    for folder, folders, names in os.walk(root):
        top = os.path.samefile(folder, root)
        folders[:] = [f for f in folders if f == ".ci" or not f.startswith(".")]
        folders[:] = [f for f in folders if f != "__pycache__" and not (top and f == "build")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def read_doors(text):
    block = re.search(r"^```doors\n(.*?)^```", text, re.M | re.S)
    if not block:
        return None
    doors = {}
    for line in block.group(1).splitlines():
        room, arrow, targets = line.partition("->")
        if arrow:
            doors[room.strip()] = [target.strip() for target in targets.split(",") if target.strip()]
    return doors


def room_of(path):
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return parts[0] if parts[0] in ("cli", "examples", "include") and len(parts) > 1 else None


def check_includes(path, text, doors, rooms):
    room = room_of(path)
    if room is None:
        return
    if room not in doors and room != "include":
        yield 1, f"room '{room}' is not in the doors of ARCHITECTURE.md"
        return
    for number, line in enumerate(text.splitlines(), 1):
        include = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if not include:
            continue
        quoted, target = include.group(1) == '"', include.group(2)
        target_room = target.split("/")[0]
        if room == "include":
            if quoted or target_room in rooms:
                yield number, f"public headers include only <gbv/...> and the system's, not {target}"
            continue
        if not quoted and target_room not in rooms:
            continue
        if ".." in target.split("/"):
            yield number, f"{target} climbs out of its folder: include it by its room"
        elif target_room in (room, "gbv") or "/" not in target:
            continue
        elif not any(target == door or target.startswith((door + "/", door + ".")) for door in doors[room]):
            yield number, f"{room} has no door to {target}; its doors: {', '.join(doors[room]) or 'none'}"


def check_library_names(path, text, doors, public):
    """The Python package knows of the library what include/gbv declares."""
    if "python" not in doors:
        yield 1, "room 'python' is not in the doors of ARCHITECTURE.md"
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r'"(gbv_\w+)"|^class (gbv_\w+)', line):
            if not re.search(rf"\b{''.join(name)}\b", public):
                yield number, f"{''.join(name)} is not in include/gbv"


def says_what_it_is(path, text):
    own_header = re.escape(os.path.splitext(os.path.basename(path))[0]) + r"\.h"
    return re.match(rf'/\*|#include "(?:[\w/]+/)?{own_header}"', text)


def check_public_header(text):
    """Every public name begins with gbv_, every macro with GBV_."""
    text = re.sub(r"/\*.*?\*/", lambda c: "\n" * c.group().count("\n"), text, flags=re.S)
    for macro in re.finditer(r"^\s*#\s*define\s+(\w+)", text, re.M):
        if not macro.group(1).startswith("GBV_"):
            yield text.count("\n", 0, macro.start(1)) + 1, f"macro {macro.group(1)} does not begin with GBV_"
    code = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    for statement in re.finditer(r"[^;{}]+", code):
        declaration = statement.group()
        function = re.search(r"\b(\w+)\s*\(", declaration)
        if not function or re.match(r"\s*typedef\b", declaration):
            continue
        line = code.count("\n", 0, statement.start() + function.start(1)) + 1
        if not function.group(1).startswith("gbv_"):
            yield line, f"public function {function.group(1)} does not begin with gbv_"
        elif "GBV_API" not in declaration and "static inline" not in declaration:
            yield line, f"{function.group(1)} is declared without GBV_API: nobody could link to it"


def check_plug_ins(root, path, files):
    """PROBLEM(vendor) lists the object problem_vendor: whoever defines such an object must be in the list."""
    folder, text = os.path.dirname(path), read(root, path)
    listed = {(kind.lower(), name) for kind, name in re.findall(r"^\s*([A-Z_]+)\((\w+)", text, re.M)}
    for kind in {kind for kind, _ in listed}:
        for source in files:
            if os.path.dirname(source) != folder or not source.endswith(".c"):
                continue
            for name in re.findall(rf"^const\s+\w+\s+{kind}_(\w+)\s*=", read(root, source), re.M):
                if (kind, name) not in listed:
                    yield source, 1, f"{kind}_{name} is not listed in {path}, so nothing will ever use it"


def read(root, path):
    with open(os.path.join(root, path), "rb") as file:
        content = file.read()
    return "" if b"\0" in content else content.decode("utf-8", "replace")


def check(root):
    files = list_files(root)
    doors = read_doors(read(root, "ARCHITECTURE.md")) if "ARCHITECTURE.md" in files else None
    if doors is None:
        yield "ARCHITECTURE.md", 1, "there is no fenced block of doors to check against"
        return
    rooms = {room_of(path) for path in files if path.startswith("src/")} - {None} | {"cli", "examples"}
    public = "".join(read(root, path) for path in files if path.startswith("include/gbv/"))
    for path in files:
        if path.startswith(NOT_OURS):
            continue
        text = read(root, path)
        if path.startswith("python/") and path.endswith(".py"):
            for number, reason in check_library_names(path, text, doors, public):
                yield path, number, reason
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, reason in UNWANTED:
                if pattern.search(line):
                    yield path, number, reason
        if path.endswith(CODE) and text.count("\n") > MAXIMUM_LINES:
            yield path, text.count("\n"), f"more than {MAXIMUM_LINES} lines: one idea a file"
        if path.endswith((".c", ".h")):
            if not says_what_it_is(path, text):
                yield path, 1, "does not open by saying what it is, nor with the header that does"
            for number, reason in check_includes(path, text, doors, rooms):
                yield path, number, reason
        if path.startswith("include/gbv/") and path.endswith(".h"):
            for number, reason in check_public_header(text):
                yield path, number, reason
        if path.startswith(("src/", "cli/")) and path.endswith(".def"):
            yield from check_plug_ins(root, path, files)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    problems = list(check(root))
    for path, number, reason in problems:
        print(f"{path}:{number}: {reason}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
