#!/usr/bin/python3
"""Compares replicates of build/bench/bench_measure with the NumPy loops of bench/peers/replicate.py.

    bench/run_replicates.py [--program PATH] [--replicates 200] [--rounds 5] [--only leep,...] [--threads 1]
                            [--clock wall|cpu]

The program draws the weights and half-samples and hands them over; both work on the same arrays, turn about, and must
agree. Medians over the rounds as a markdown table.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "bench", "peers")]

# measure, rows, columns, classes, tolerance of the agreement (relative)
CASES = [
    ("leep", 1000, 10, 10, 1e-10),
    ("leep", 5994, 200, 200, 1e-10),
    ("leep", 50000, 10, 10, 1e-10),
    ("logme", 1000, 64, 10, 1e-8),
    ("logme", 1000, 512, 10, 1e-8),
    ("cmmd", 1000, 10, 10, 1e-6),
    ("mmd", 1000, 64, 10, 1e-6),
]


def compare(case, options, clock, folder):
    import replicate as peers
    from run_measure import make_inputs, median, seconds_of
    measure, rows, columns, classes, tolerance = case
    # As a model hands them over: doubles.
    first, second = make_inputs(measure, "f64", rows, columns, classes)
    paths = [os.path.join(folder, name) for name in ("first.bin", "second.bin", "draws.bin")]
    first.tofile(paths[0])
    second.tofile(paths[1])
    count, rounds = options.replicates, options.rounds
    arguments = [options.program, measure, "f64", "-", "1", str(rows), str(columns)] + paths[:2]
    ours, theirs, once = [], [], []
    while len(ours) < rounds:
        once.append(float(subprocess.run(arguments, check=True, capture_output=True).stdout.split()[0]))
        found = subprocess.run(arguments + [str(count), paths[2]], check=True, capture_output=True).stdout.split()
        ours.append(float(found[0]))
        if not theirs:
            weights = numpy.fromfile(paths[2], count=count * rows).reshape(count, rows)
            halves = numpy.fromfile(paths[2], dtype=numpy.uint32, offset=weights.nbytes).reshape(count, rows // 2)
            expected = getattr(peers, measure)(first, second, weights, halves)
        theirs.append(seconds_of(lambda: getattr(peers, measure)(first, second, weights, halves), clock))
        if theirs[-1] > 5:
            rounds = min(rounds, 2)
    error = float(numpy.max(numpy.abs(numpy.array(found[2:], dtype=float) / expected - 1)))
    if not error <= tolerance:
        sys.exit(f"replicates of {measure} {rows}x{columns}: {error:.2g} apart")
    print(f"| {measure} | {rows}, {columns}, {classes} | {median(ours) * 1e3:.2f} | {median(ours) / median(once):.0f} | "
          f"{median(theirs) * 1e3:.1f} | {median(theirs) / median(ours):.1f}x | {error:.1g} |", flush=True)
    return float(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_measure"))
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--only", default=",".join(dict.fromkeys(case[0] for case in CASES)))
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.here:
        # The number of threads must be known before NumPy is loaded.
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
        environment = dict(os.environ, BENCH_CLOCK=options.clock, **{name: options.threads for name in names})
        sys.exit(subprocess.run([sys.executable, __file__, "--here"] + sys.argv[1:], env=environment).returncode)
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    print(f"{options.replicates} replicates, {options.threads} thread(s) on both sides, {options.clock} time\n\n"
          "| measure | rows, columns, classes | here, ms | of one score | NumPy loop, ms | ratio | differ by |\n"
          "|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        draws = [compare(case, options, clock, folder) for case in CASES if case[0] in options.only.split(",")]
    print(f"\nThe draws, made once for all sources: {min(draws) * 1e3:.1f} to {max(draws) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
