#!/usr/bin/python3
"""The two parts of DAVINZ for one source, beside a NumPy form of the authors' program.

    bench/run_davinz.py [--program PATH] [--rounds 5] [--clock wall|cpu]

Both work on the same arrays and the same network with one thread; medians. The peer's single precision shows in the last
column. --clock cpu counts processor time, for a machine that others use meanwhile.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
import numpy  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench", "peers"))
import davinz as peer  # noqa: E402

CLASSES, HIDDEN, REFERENCE = 10, 128, 1000
CASES = [("linear", 1000, 512), ("mlp", 1000, 512), ("mlp", 1000, 64)]


def network(folder, kind, columns):
    numbers = numpy.fromfile(os.path.join(folder, "parameters"), "f8").astype("f4")
    if kind == "linear":
        return None, None, numbers[:columns * CLASSES].reshape(columns, CLASSES), numbers[columns * CLASSES:]
    ends = numpy.cumsum([columns * HIDDEN, HIDDEN, HIDDEN * CLASSES])
    first, second, third, fourth = numpy.split(numbers, ends)
    return first.reshape(columns, HIDDEN), second, third.reshape(HIDDEN, CLASSES), fourth


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_davinz"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    options = parser.parse_args()
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    random = numpy.random.default_rng(1)
    print("| model | rows, reference rows, columns | gbv, ms | peer, ms | ratio | differ by |\n|---|---|---|---|---|---|")
    for kind, rows, columns in CASES:
        centres = random.standard_normal((CLASSES, columns), dtype=numpy.float32)
        labels = random.integers(0, CLASSES, rows, dtype=numpy.int32)
        # Near enough for the kernel to see something.
        x = 0.3 * (random.standard_normal((rows, columns), dtype=numpy.float32) + centres[labels])
        y = 0.3 * (random.standard_normal((REFERENCE, columns), dtype=numpy.float32) + centres[labels[:1]])
        with tempfile.TemporaryDirectory() as folder:
            for name, array in (("features", x), ("reference", y), ("labels", labels)):
                array.tofile(os.path.join(folder, name))
            mine, theirs = [], []
            for _ in range(options.rounds):
                output = subprocess.run(
                    [options.program, kind, str(rows), str(REFERENCE), str(columns), str(HIDDEN), str(CLASSES), "1", "1",
                     folder], check=True, capture_output=True, text=True,
                    env={**os.environ, "BENCH_CLOCK": options.clock}).stdout.split()
                mine.append(float(output[0]))
                arrays = network(folder, kind, columns)
                begin = clock()
                parts = peer.complexity(x, labels, *arrays), peer.distance(x, y)
                theirs.append(clock() - begin)
        differ = max(abs(float(a) / b - 1) for a, b in zip(output[1:], parts))
        if not differ < 1e-2:
            sys.exit(f"run_davinz.py: {kind}: gbv has {output[1:]}, the peer {parts}")
        a, b = sorted(mine)[len(mine) // 2], sorted(theirs)[len(theirs) // 2]
        print(f"| {kind} | {rows}, {REFERENCE}, {columns} | {1e3 * a:.0f} | {1e3 * b:.0f} | {b / a:.1f}x | {differ:.0e} |",
              flush=True)


if __name__ == "__main__":
    main()
