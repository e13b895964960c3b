#!/usr/bin/python3
"""Compares build/bench/bench_measure with the NumPy and torch programs of bench/peers/measure.py.

    bench/run_measure.py [--program PATH] [--threads 1,2] [--rounds 5] [--only leep,logme,...] [--core SkylakeX]
                         [--clock wall|cpu]

Both work on the same arrays, turn about, and must agree; medians over the rounds, ratios as a markdown table. An
asterisk marks features that are correlated, as those of networks are. Each number of threads is a run of its own (both
sides get it; this library uses one all the same, but for MMD).
--core sets OPENBLAS_CORETYPE for both sides: OpenBLAS 0.3.21 does not know the newest processors and falls back to its
oldest kernels there, four times slower; without --core both sides run as the system does.
--clock cpu counts processor time instead, for a machine that others use meanwhile; it is meant for one thread.
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
import measure as peers  # noqa: E402

CORRELATED = True

# measure, type, mode (a variant, "fast", "-", or "joined", a form of the peer), rows, columns, classes, tolerance of the
# agreement (relative), and whether the features are correlated
CASES = [
    ("leep", "f64", "-", 1000, 10, 10, 1e-10),
    ("leep", "f64", "-", 5994, 1000, 200, 1e-10),
    ("leep", "f64", "-", 50000, 10, 10, 1e-10),
    ("leep", "f32", "-", 1000, 10, 10, 1e-6),
    ("leep", "f32", "-", 5994, 1000, 200, 1e-6),
    ("leep", "f32", "-", 50000, 10, 10, 1e-6),
    ("nce", "f32", "-", 1000, 10, 10, 1e-10),
    ("nce", "f32", "-", 5994, 1000, 200, 1e-10),
    ("nce", "f32", "-", 50000, 10, 10, 1e-10),
    ("nleep", "f32", "log", 1000, 512, 10, 0.15, CORRELATED),  # each side starts its mixture elsewhere
    ("nleep", "f32", "log", 4000, 512, 10, 0.15, CORRELATED),
    ("logme", "f32", "-", 1000, 512, 10, 1e-8),
    ("logme", "f32", "-", 5994, 512, 200, 1e-8),
    ("logme", "f32", "-", 50000, 512, 10, 1e-8),
    ("logme", "f32", "fast", 1000, 512, 10, 1e-6),
    ("logme", "f32", "fast", 5994, 512, 200, 1e-6),
    ("logme", "f32", "fast", 50000, 512, 10, 1e-6),
    ("pactran-dirichlet", "f32", "-", 1000, 10, 10, 1e-10),
    ("pactran-dirichlet", "f32", "-", 5994, 1000, 200, 1e-10),
    ("pactran-dirichlet", "f32", "-", 50000, 10, 10, 1e-10),
    ("pactran-gamma", "f32", "-", 1000, 10, 10, 1e-10),
    ("pactran-gamma", "f32", "-", 5994, 1000, 200, 1e-10),
    ("pactran-gamma", "f32", "-", 50000, 10, 10, 1e-10),
    ("pactran-gauss", "f32", "-", 1000, 512, 10, 1e-6),
    ("pactran-gauss", "f32", "-", 1000, 512, 10, 1e-6, CORRELATED),
    ("pactran-gauss", "f32", "-", 4000, 512, 10, 1e-6, CORRELATED),
    ("pactran-gauss", "f32", "joined", 1000, 512, 10, 1e-6),
    ("pactran-gauss", "f32", "joined", 1000, 512, 10, 1e-6, CORRELATED),
    ("pactran-gauss", "f32", "joined", 4000, 512, 10, 1e-6, CORRELATED),
    ("etran-energy", "f32", "paper", 1000, 512, 10, 1e-6),
    ("etran-energy", "f32", "paper", 50000, 512, 10, 1e-6),
    ("etran-energy", "f32", "code", 50000, 10, 10, 1e-6),
    ("etran-lda", "f32", "paper", 1000, 512, 10, 1e-8),
    ("etran", "f32", "paper", 1000, 512, 10, 1e-8),
    ("hscore", "f32", "-", 1000, 512, 10, 1e-8),
    ("hscore-regularized", "f32", "-", 1000, 512, 10, 1e-8),
    ("sfda", "f32", "-", 1000, 512, 10, 1e-8),
    ("gbc", "f32", "-", 1000, 512, 10, 1e-10),
    ("transrate", "f32", "-", 1000, 512, 10, 1e-8),
    ("lfc", "f32", "-", 1000, 512, 10, 1e-10),
    ("mmd", "f32", "-", 2000, 512, 10, 1e-3),
    ("mmd", "f32", "-", 5000, 512, 10, 1e-3),
    ("cmmd", "f32", "exact", 1000, 10, 10, 1e-3),
    ("cmmd", "f32", "exact", 5994, 200, 200, 1e-3),
    ("cmmd", "f32", "code", 1000, 10, 10, 1e-3),
    ("cmmd", "f32", "code", 5994, 200, 200, 1e-3),
    ("cmmd", "f32", "code", 50000, 10, 10, 1e-3),
    ("accuracy", "f32", "-", 1000, 10, 10, 0),
    ("accuracy", "f32", "-", 5994, 1000, 200, 0),
    ("accuracy", "f32", "-", 50000, 10, 10, 0),
    ("nll", "f32", "-", 1000, 10, 10, 1e-6),
    ("nll", "f32", "-", 5994, 1000, 200, 1e-6),
    ("nll", "f32", "-", 50000, 10, 10, 1e-6),
    ("loss", "f32", "-", 1000, 10, 10, 1e-6),
    ("loss", "f32", "-", 5994, 1000, 200, 1e-6),
    ("loss", "f32", "-", 50000, 10, 10, 1e-6),
]
ON_PROBABILITIES = {"leep", "nce", "pactran-dirichlet", "pactran-gamma", "cmmd", "accuracy", "nll", "loss"}


def make_inputs(measure, kind, rows, columns, classes, correlated=False):
    random = numpy.random.default_rng(rows + columns)
    labels = numpy.arange(rows, dtype=numpy.int32) % classes
    random.shuffle(labels)
    # Features as a network's last layer has them: not negative, some of the classes showing.
    centres = random.normal(size=(classes, columns))
    values = numpy.maximum(0, random.normal(size=(rows, columns)) + 0.3 * centres[labels] + 0.3)
    kind = numpy.float32 if kind == "f32" else numpy.float64
    if correlated:
        # 0.8 of the variance in about 60 directions, as networks have it.
        spread = numpy.arange(1, 65) ** -0.5
        factors = (random.normal(size=(rows, 64)) + 0.5 * random.normal(size=(classes, 64))[labels]) * spread
        values = numpy.maximum(0, factors @ random.normal(size=(64, columns)) + 0.3 * values)
    if measure in ON_PROBABILITIES:
        if measure != "leep":  # most rows lean towards the column of their class
            values[numpy.arange(rows), labels] += random.uniform(-1, 5, size=rows)
        values = numpy.exp(2 * values)
        values /= values.sum(axis=1, keepdims=True)
    if measure == "mmd":
        # Close enough for the kernel to see something: most distances within a few bandwidths.
        values *= 0.2
        return values.astype(kind), (0.2 * numpy.maximum(0, random.normal(size=(rows, columns)) + 0.2)).astype(kind)
    return values.astype(kind), labels


def peer_calls(measure, mode, first, second):
    """What is timed, and what the score is compared with: the same but for pactran-gauss, whose authors stop early."""
    function = getattr(peers, measure.replace("-", "_"))
    if measure == "pactran-gauss":
        joined = mode == "joined"
        return lambda: function(first, second, joined), lambda: function(first, second, joined, 1e-14, 15000)
    arguments = (first, second) if mode in ("-", "fast") else (first, second, mode)
    return (lambda: function(*arguments),) * 2


def median(values):
    return sorted(values)[len(values) // 2]


def seconds_of(call, clock):
    start = clock()
    call()
    return clock() - start


def compare(case, program, rounds, clock, folder):
    measure, kind, mode, rows, columns, classes, tolerance, *correlated = case
    first, second = make_inputs(measure, kind, rows, columns, classes, *correlated)
    paths = [os.path.join(folder, "first.bin"), os.path.join(folder, "second.bin")]
    first.tofile(paths[0])
    second.tofile(paths[1])
    peer, reference = peer_calls(measure, mode, first, second)
    start = clock()
    peer_score = reference()
    reference_seconds = clock() - start
    # As many repetitions as fit in a tenth of a second of the peer's time; both sides take the median of as many.
    once = seconds_of(peer, time.perf_counter)
    repetitions = max(1, min(21, int(0.1 / once)))
    if once > 2:
        rounds = min(rounds, 3)
    form = "-" if mode == "joined" else mode
    ours, theirs = [], []
    for _ in range(rounds):
        output = subprocess.run([program, measure, kind, form, str(repetitions), str(rows), str(columns)] + paths,
                                check=True, capture_output=True, text=True).stdout.split()
        ours.append(float(output[0]))
        theirs.append(median([seconds_of(peer, clock) for _ in range(repetitions)]))
    score = float(output[1])
    error = abs(score - peer_score) / abs(peer_score)
    if not error <= tolerance:
        sys.exit(f"{measure} {kind} {mode} {rows}x{columns}: {score} here, {peer_score} there, {error:.2g} apart")
    ours, theirs = median(ours), median(theirs)
    shape = f"{rows}, {columns}{'*' * len(correlated)}, {classes}"
    print(f"| {measure} | {kind} | {mode} | {shape} | {ours * 1e3:.3f} | {theirs * 1e3:.2f} | "
          f"{theirs / ours:.1f}x | {error:.1g} |", flush=True)
    if measure == "nleep":
        return f"nleep, {rows} rows: {output[2]} rounds of expectation maximisation here, {peers.nleep.rounds} there"
    if measure == "pactran-gauss":
        return (f"pactran-gauss, {shape}, {mode}: the peer stops "
                f"{abs(peer() / peer_score - 1):.1g} short of the score, and takes {reference_seconds * 1e3:.0f} ms to "
                "reach it")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_measure"))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(dict.fromkeys(case[0] for case in CASES)))
    parser.add_argument("--core")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.here:
        # The number of threads must be known before NumPy and torch are loaded: one child for each.
        for threads in options.threads.split(","):
            names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
            environment = dict(os.environ, **{name: threads for name in names})
            if options.core:
                environment["OPENBLAS_CORETYPE"] = options.core
            core = environment.get("OPENBLAS_CORETYPE", "as detected")
            print(f"\n{threads} thread(s) on both sides, OpenBLAS kernels: {core}, {options.clock} time\n\n"
                  "| measure | type | mode | rows, columns, classes | here, ms | peer, ms | ratio | differ by |\n"
                  "|---|---|---|---|---|---|---|---|", flush=True)
            subprocess.run([sys.executable, __file__, "--here", "--program", options.program, "--threads", threads,
                            "--rounds", str(options.rounds), "--only", options.only, "--clock", options.clock],
                           check=True, env=environment)
        return
    if {"mmd", "cmmd"} & set(options.only.split(",")):
        import torch
        torch.set_num_threads(int(options.threads))
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    os.environ["BENCH_CLOCK"] = options.clock
    with tempfile.TemporaryDirectory() as folder:
        notes = [compare(case, options.program, options.rounds, clock, folder)
                 for case in CASES if case[0] in options.only.split(",")]
    for note in filter(None, notes):
        print(f"\n{note}", flush=True)


if __name__ == "__main__":
    main()
