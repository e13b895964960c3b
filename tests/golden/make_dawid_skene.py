#!/usr/bin/env python3
"""Makes crowd_labels.csv and dawid_skene.tsv: a simulated crowd, and what Dawid and Skene's EM in plain NumPy says of it.

    make_dawid_skene.py FOLDER

The EM works on dense arrays and sums in another order than gbv. It runs twice: with gbv's smoothing of 0.01 labels a cell,
and with 1e-10, which is as good as none and what crowd-kit does (tests/peers/compare_dawid_skene.py).
"""
import csv
import os
import sys

import numpy

ITEMS, CLASSES = 160, 4
ACCURACY = [0.97, 0.9, 0.8, 0.7, 0.55, 0.25, None]  # the last but one guesses, the last always says 1
FREQUENCY = [0.4, 0.3, 0.2, 0.1]


def simulate():
    random = numpy.random.default_rng(11)
    labels = []
    for item in range(ITEMS):
        true = random.choice(CLASSES, p=FREQUENCY)
        for worker in sorted(random.choice(len(ACCURACY), size=random.integers(2, 6), replace=False)):
            said = 1 if ACCURACY[worker] is None else true
            if ACCURACY[worker] is not None and random.random() > ACCURACY[worker]:
                said = random.choice([c for c in range(CLASSES) if c != true])
            labels.append((item, int(worker), int(said)))
    return labels


def expectation_maximisation(labels, smoothing, iterations=100, tolerance=1e-8):
    """Returns how frequent the classes are, confusion[worker, true, said], and the steps taken."""
    items, workers, said = numpy.array(labels).T
    given = numpy.zeros((ITEMS, len(ACCURACY), CLASSES))
    given[items, workers, said] = 1
    posterior = given.sum(1) / given.sum((1, 2))[:, None]
    for step in range(1, iterations + 2):
        frequency = posterior.mean(0)
        confusion = numpy.einsum("it,iws->wts", posterior, given) + smoothing
        confusion /= confusion.sum(2, keepdims=True)
        if step > iterations:
            break
        logs = numpy.log(frequency) + numpy.einsum("iws,wts->it", given, numpy.log(confusion))
        logs -= logs.max(1, keepdims=True)
        updated = numpy.exp(logs) / numpy.exp(logs).sum(1, keepdims=True)
        change = abs(updated - posterior).max()
        posterior = updated
        if change <= tolerance:
            iterations = step
    return frequency, confusion, iterations


def main(folder):
    labels = simulate()
    with open(os.path.join(folder, "crowd_labels.csv"), "w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["task", "worker", "label"])
        writer.writerows(labels)
    with open(os.path.join(folder, "dawid_skene.tsv"), "w") as stream:
        for case, smoothing in (("smoothed", 0.01), ("plain", 1e-10)):
            frequency, confusion, steps = expectation_maximisation(labels, smoothing)
            numbers = {"iterations": steps}
            for true in range(CLASSES):
                numbers[f"frequency/{true}"] = frequency[true]
            for worker, matrix in enumerate(confusion):
                numbers[f"score/{worker}"] = (frequency * numpy.diag(matrix)).sum()
                for true in range(CLASSES):
                    for said in range(CLASSES):
                        numbers[f"confusion/{worker}/{true}/{said}"] = matrix[true, said]
            stream.writelines(f"{case}/{key}\t{value:.17g}\n" for key, value in numbers.items())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
