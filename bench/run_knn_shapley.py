#!/usr/bin/python3
"""KNN-Shapley beside the matrix product its distances cost, a NumPy form and pyDVL.

    bench/run_knn_shapley.py [--program PATH] [--threads 1,2] [--rounds 5] [--clock wall|cpu] [--python PATH]

The first table compares with the product alone (same arrays, same threads, turn about, medians; target: at most 2). The
second compares with the peers on fewer reference rows, of which their time is a multiple. pyDVL is run by --python, an
interpreter that has it (make test-peers makes one), and left out without. --clock cpu counts processor time, for a
machine that others use meanwhile; it is meant for one thread.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench", "peers"))
import knn_shapley as peers  # noqa: E402

NEIGHBOURS = 10
# training rows, reference rows, columns, classes
PRODUCT_CASES = [(50000, 1000, 512, 10), (50000, 1000, 512, 2), (50000, 1000, 512, 200), (5000, 1000, 512, 10),
                 (50000, 1000, 64, 10)]
PEER_CASES = [(50000, 100, 512, 10, "numpy"), (50000, 20, 512, 10, "pydvl")]


def make_inputs(folder, rows, reference_rows, columns, classes):
    random = numpy.random.default_rng(rows + classes)
    centres = 0.3 * random.standard_normal((classes, columns), dtype=numpy.float32)
    arrays = []
    for name, count in (("train", rows), ("reference", reference_rows)):
        labels = random.integers(0, classes, count, dtype=numpy.int32)
        features = random.standard_normal((count, columns), dtype=numpy.float32) + centres[labels]
        features.tofile(os.path.join(folder, name))
        labels.tofile(os.path.join(folder, name + "_labels"))
        arrays += [features, labels]
    return arrays


def ours(options, threads, folder, rows, reference_rows, columns):
    command = [options.program, str(threads), str(options.rounds), str(rows), str(reference_rows), str(columns), folder]
    output = subprocess.run(command, check=True, capture_output=True, text=True,
                            env={**os.environ, "BENCH_CLOCK": options.clock, "OMP_NUM_THREADS": str(threads)}).stdout
    return [float(number) for number in output.split()]


def against_product(options, folder):
    print("| rows, reference rows, columns, classes | threads | knn-shapley, ms | product alone, ms | ratio |")
    print("|---|---|---|---|---|")
    for rows, reference_rows, columns, classes in PRODUCT_CASES:
        make_inputs(folder, rows, reference_rows, columns, classes)
        for threads in map(int, options.threads.split(",")):
            seconds, product, ratio = ours(options, threads, folder, rows, reference_rows, columns)
            print(f"| {rows}, {reference_rows}, {columns}, {classes} | {threads} | {1e3 * seconds:.0f} "
                  f"| {1e3 * product:.0f} | {ratio:.2f} |", flush=True)


def against_peers(options, folder):
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    print("| rows, reference rows, columns, classes | peer | gbv, ms | peer, ms | ratio | differ by |")
    print("|---|---|---|---|---|---|")
    for rows, reference_rows, columns, classes, peer in PEER_CASES:
        if peer == "pydvl" and not options.python:
            continue
        arrays = make_inputs(folder, rows, reference_rows, columns, classes)
        times = []
        for _ in range(1 if peer == "pydvl" else options.rounds):
            if peer == "pydvl":
                script = os.path.join(ROOT, "bench", "peers", "knn_shapley.py")
                times.append(float(subprocess.run(
                    [options.python, "-W", "ignore", script, folder, str(columns), options.clock], check=True,
                    capture_output=True, text=True).stdout.split()[-1]))
                values = numpy.fromfile(os.path.join(folder, "pydvl"), "f8")
            else:
                begin = clock()
                values = peers.with_numpy(*arrays, NEIGHBOURS)
                times.append(clock() - begin)
        seconds = ours(options, 1, folder, rows, reference_rows, columns)[0]
        mine = numpy.fromfile(os.path.join(folder, "values"), "f8")
        differ = abs(mine - values).max() / abs(values).max()
        if not differ < 1e-3:
            sys.exit(f"run_knn_shapley.py: gbv and {peer} differ by {differ}")
        taken = sorted(times)[len(times) // 2]
        print(f"| {rows}, {reference_rows}, {columns}, {classes} | {peer} | {1e3 * seconds:.1f} | {1e3 * taken:.0f} "
              f"| {taken / seconds:.0f}x | {differ:.0e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_knn_shapley"))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--python")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        against_product(options, folder)
        print()
        against_peers(options, folder)


if __name__ == "__main__":
    main()
