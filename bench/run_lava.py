#!/usr/bin/python3
"""Compares build/bench/bench/bench_lava with geomloss (bench/peers/lava.py).

    bench/run_lava.py [--program PATH] [--threads 1,2] [--rounds 5] [--clock wall|cpu] [--only pooled,classes,tiles]

Both work on the same arrays, turn about, and must agree; medians over the rounds, ratios as a markdown table. geomloss
comes from PyPI: run this with the interpreter of an environment that has it (bench/run.sh makes one, build/bench/peers).
--clock cpu counts processor time instead, for a machine that others use meanwhile; it is meant for one thread.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy
import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench", "peers"))
import lava as peers  # noqa: E402

ANNOTATORS = 5


def make_inputs(rows, reference_rows, columns, classes):
    """Features as those of a network (none below 0), annotators with 0 to 80 % of their labels wrong."""
    random = numpy.random.default_rng(1)
    centres = 0.5 * random.normal(size=(classes, columns))
    labels, reference_labels = numpy.arange(rows) % classes, numpy.arange(reference_rows) % classes
    train = numpy.maximum(0, centres[labels] + random.normal(size=(rows, columns)))
    reference = numpy.maximum(0, centres[reference_labels] + random.normal(size=(reference_rows, columns)))
    rate = numpy.repeat(numpy.arange(ANNOTATORS) / ANNOTATORS, rows // ANNOTATORS)
    labels = numpy.where(random.random(rows) < rate, random.integers(0, classes, rows), labels)
    return (train.astype("f4"), reference.astype("f4"), labels.astype("i4"), reference_labels.astype("i4"))


def median(values):
    return sorted(values)[len(values) // 2]


class Case:
    def __init__(self, options, threads, folder, rows, reference_rows, columns, classes):
        self.options, self.threads = options, threads
        self.shape = (rows, reference_rows, columns, classes)
        self.arrays = make_inputs(*self.shape)
        self.paths = [os.path.join(folder, f"{i}.bin") for i in range(5)]
        for array, path in zip(self.arrays, self.paths):
            array.tofile(path)

    def run(self, memory=0):
        """Seconds of the costs, the label distances, the transport and a half-sample; then the distance."""
        command = [self.options.program, str(self.threads), "1", str(memory)] + [str(n) for n in self.shape] + self.paths
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return [float(number) for number in output]

    def peer(self, function, *more):
        train, reference, labels, reference_labels = (torch.from_numpy(array) for array in self.arrays)
        clock = time.process_time if self.options.clock == "cpu" else time.perf_counter
        start = clock()
        result = function(train, labels.long(), reference, reference_labels.long(), self.shape[3], *more)
        return clock() - start, result

    def name(self):
        return ", ".join(f"{n}" for n in self.shape)


def compare_pooled(case):
    ours, same, released = [], [], []
    for _ in range(case.options.rounds):
        ours.append(case.run())
        seconds, (gradients, distance) = case.peer(peers.pooled)
        same.append(seconds)
        released.append(case.peer(peers.released, ANNOTATORS)[0])
    written = numpy.fromfile(case.paths[4])
    apart = numpy.abs(written - gradients.numpy()).max() / written.std()
    if not apart < 1e-3 or abs(ours[0][4] - distance) > 1e-4 * abs(distance):
        sys.exit(f"gradients are {apart:.2g} deviations apart, distances {ours[0][4]} here and {distance} there")
    parts = [median([run[k] for run in ours]) for k in range(4)]
    total = median([sum(run[:3]) for run in ours])
    print(f"| {case.name()} | {case.threads} | {total * 1e3:.0f} | " +
          " | ".join(f"{part * 1e3:.0f}" for part in parts) +
          f" | {median(same) * 1e3:.0f}, {median(same) / total:.1f}x | "
          f"{median(released) * 1e3:.0f}, {median(released) / total:.1f}x | {apart:.1g} |", flush=True)


def time_alone(case, memory):
    runs = [case.run(memory) for _ in range(min(3, case.options.rounds))]
    parts = [median([run[k] for run in runs]) for k in range(4)]
    how = "kept" if memory == 0 else "in tiles"
    print(f"| {case.name()} | {how} | {case.threads} | {sum(parts[:3]):.2f} | " +
          " | ".join(f"{part:.2f}" for part in parts) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_lava"))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--only", default="pooled,classes,tiles")
    options = parser.parse_args()
    os.environ["BENCH_CLOCK"] = options.clock
    wanted = options.only.split(",")
    with tempfile.TemporaryDirectory() as folder:
        if "pooled" in wanted:
            print("| rows, reference rows, features, classes | threads | all, ms | costs | label distances | transport | "
                  "a half-sample | geomloss, the same work, ms | geomloss, as released, ms | differ by |\n" +
                  "|---" * 10 + "|")
        for threads in options.threads.split(",") if "pooled" in wanted else []:
            torch.set_num_threads(int(threads))
            compare_pooled(Case(options, threads, folder, 5000, 1000, 512, 10))
        if {"classes", "tiles"} & set(wanted):
            print("\n| rows, reference rows, features, classes | costs | threads | all, s | costs | label distances | "
                  "transport | a half-sample |\n" + "|---" * 8 + "|")
        for threads in options.threads.split(","):
            if "classes" in wanted:
                time_alone(Case(options, threads, folder, 6000, 2000, 512, 200), 0)
            if "tiles" in wanted:
                time_alone(Case(options, threads, folder, 5000, 1000, 512, 10), 1)


if __name__ == "__main__":
    main()
