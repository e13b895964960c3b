#!/usr/bin/env python3
"""Runs every block of docs/beside.md, in order and in a fresh folder with the crowd's files, as a reader would.

    run_document.py DOCUMENT PATH-OF-GBV

Every block must succeed, and each ranking that gbv prints must begin with w1, who is never wrong, and end with w6, who
answers at random.
"""
import os
import re
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORKERS = re.compile(r"^ +[1-6](?: \([1-6-]+\))? +(w[1-6]) ", re.M)


def run(kind, block, folder, environment):
    command = ["bash", "-euc", block] if kind == "sh" else [sys.executable, "-W", "ignore", "-c", block]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    print(done.stdout)
    if done.returncode != 0:
        sys.exit(f"{done.stderr}\nthis block failed with status {done.returncode}:\n{block}")
    ranking = WORKERS.findall(done.stdout)
    if kind == "sh" and (ranking[:1] != ["w1"] or ranking[5:6] != ["w6"]):
        sys.exit(f"expected w1 first and w6 last, not {ranking}, from:\n{block}")


def main(document, program):
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", open(document).read(), re.M | re.S)
    if not blocks:
        sys.exit(f"{document}: has no block to run")
    with tempfile.TemporaryDirectory() as folder:
        make = os.path.join(TESTS, "walk", "make_inputs.py")
        subprocess.run([sys.executable, make, "crowd", folder], check=True)
        path = os.path.dirname(os.path.abspath(program)) + os.pathsep + os.environ["PATH"]
        for kind, block in blocks:
            run(kind, block, folder, dict(os.environ, PATH=path))
    print(f"{len(blocks)} blocks ran")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
