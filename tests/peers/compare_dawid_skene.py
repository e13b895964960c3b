#!/usr/bin/env python3
"""Compares crowd-kit's DawidSkene with the golden numbers that gbv is tested against, on the same labels.

    compare_dawid_skene.py FOLDER-OF-GOLDEN-NUMBERS
"""
import os
import sys

import pandas
from crowdkit.aggregation import DawidSkene

TOLERANCE = 1e-6  # its 1e-10 is a lower bound of a count, not added to it


def main(folder):
    golden = dict(line.rstrip("\n").split("\t") for line in open(os.path.join(folder, "dawid_skene.tsv")))
    labels = pandas.read_csv(os.path.join(folder, "crowd_labels.csv"))
    peer = DawidSkene(n_iter=100, tol=-1).fit(labels)  # no stop before 100 steps
    worst, compared = 0, 0
    for true, frequency in peer.priors_.items():
        worst = max(worst, abs(frequency - float(golden[f"plain/frequency/{true}"])))
    for worker in labels.worker.unique():
        score = 0
        for true, frequency in peer.priors_.items():
            for said in sorted(labels.label.unique()):
                known = (worker, said) in peer.errors_.index
                error = peer.errors_.loc[(worker, said), true] if known else 0
                worst = max(worst, abs(error - float(golden[f"plain/confusion/{worker}/{true}/{said}"])))
                score += frequency * error if true == said else 0
                compared += 1
        worst = max(worst, abs(score - float(golden[f"plain/score/{worker}"])))
    print(f"{compared} cells of confusion matrices differ by at most {worst:.2g}")
    if not worst <= TOLERANCE:
        sys.exit(f"that is more than {TOLERANCE}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
