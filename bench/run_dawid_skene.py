#!/usr/bin/python3
"""Dawid and Skene's EM beside the same in NumPy, and beside crowd-kit where it is installed, for the same number of steps.

    bench/run_dawid_skene.py [--program PATH] [--threads 1] [--repetitions 3] [--clock wall|cpu]

Three labels an item, by workers who are right in 40 to 95 % of them. The NumPy version sums with bincount and matrix
products of scipy.sparse, which is how one would write it by hand; crowd-kit does it with pandas' groupby and join.
"""
import argparse
import os
import subprocess
import tempfile
import time

import numpy
import scipy.sparse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = [(10_000, 30, 10), (33_333, 300, 10), (333_333, 1000, 10), (33_333, 300, 100)]  # items, workers, classes
SMOOTHING = 0.01


def simulate(items, workers, classes):
    random = numpy.random.default_rng(5)
    skill = numpy.linspace(0.4, 0.95, workers)
    true = random.integers(classes, size=items)
    # three different workers: a random one and two at fixed distances
    who = (random.integers(workers, size=items)[:, None] + numpy.array([0, workers // 3, workers // 2])) % workers
    said = numpy.where(random.random(who.shape) < skill[who], true[:, None],
                       (true[:, None] + random.integers(1, classes, size=who.shape)) % classes)
    rows = numpy.stack([who.ravel(), numpy.repeat(numpy.arange(items), 3), said.ravel()], 1).astype(numpy.int32)
    return rows[numpy.lexsort((rows[:, 1], rows[:, 0]))]


def by_numpy(labels, items, workers, classes, steps):
    who, item, said = labels.T.astype(numpy.int64)
    given = scipy.sparse.csr_matrix((numpy.ones(len(labels)), (item, who * classes + said)), (items, workers * classes))
    turned = given.T.tocsr()
    posterior = numpy.bincount(item * classes + said, minlength=items * classes).reshape(items, classes) / 3.0
    for step in range(steps + 1):
        frequency = posterior.mean(0)
        confusion = (turned @ posterior).reshape(workers, classes, classes) + SMOOTHING  # worker, said, true
        confusion /= confusion.sum(1, keepdims=True)
        if step == steps:
            break
        logs = given @ numpy.log(confusion).reshape(workers * classes, classes) + numpy.log(frequency)
        logs -= logs.max(1, keepdims=True)
        posterior = numpy.exp(logs)
        posterior /= posterior.sum(1, keepdims=True)
    return (frequency * numpy.diagonal(confusion, axis1=1, axis2=2)).sum()


def by_crowd_kit(table, steps):
    from crowdkit.aggregation import DawidSkene
    DawidSkene(n_iter=steps, tol=-1).fit(table)


def timed(clock, work, *arguments):
    start = clock()
    result = work(*arguments)
    return clock() - start, result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_dawid_skene"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--clock", default="wall", choices=("wall", "cpu"))
    options = parser.parse_args()
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    environment = dict(os.environ, BENCH_CLOCK=options.clock)
    try:
        import crowdkit.aggregation  # noqa: F401
        import pandas
    except ImportError:
        pandas = None
    print("| labels, workers, classes | steps | gbv, s | NumPy, s | ratio | crowd-kit, s | ratio | sums of scores differ by |")
    print("|---|---|---|---|---|---|---|---|")
    for items, workers, classes in CASES:
        labels = simulate(items, workers, classes)
        own, dense, kit = [], [], []
        with tempfile.NamedTemporaryFile() as file:
            labels.tofile(file.name)
            for turn in range(options.repetitions):
                command = [options.program, str(options.threads), "1", str(items), str(workers), str(classes), file.name]
                answer = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
                seconds, steps, total = answer.split()
                own.append(float(seconds))
                seconds, other = timed(clock, by_numpy, labels, items, workers, classes, int(steps))
                dense.append(seconds)
                if pandas and len(labels) * classes <= 1_000_000 and turn == 0:  # the others take minutes
                    table = pandas.DataFrame(labels, columns=["worker", "task", "label"])
                    kit.append(timed(clock, by_crowd_kit, table, int(steps))[0])
        gbv, peer = numpy.median(own), numpy.median(dense)
        last = f"{kit[0]:.1f} | {kit[0] / gbv:.0f}x" if kit else "- | -"
        print(f"| {len(labels)}, {workers}, {classes} | {steps} | {gbv:.3f} | {peer:.3f} | {peer / gbv:.1f}x | {last} | "
              f"{abs(float(total) - other) / workers:.0e} |", flush=True)


if __name__ == "__main__":
    main()
