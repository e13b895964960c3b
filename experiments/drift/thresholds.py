#!/usr/bin/env python3
"""How many batches lie between two false alarms of a source that does not change.

    python3 experiments/drift/thresholds.py             the table of src/value/drift.c
    python3 experiments/drift/thresholds.py --quick     a corner of it; exit code 1 when the two ways disagree

z is standard normal. up = max(0, up + z - 1/2) and down = max(0, down - z - 1/2) begin at zero; beyond h there is an
alarm, and both begin anew. For each h the mean number of z from one alarm to the next is found in two ways:

    simulated   many sources side by side: all their z by all their alarms, with the standard error of that
    chain       one of the two sums as a Markov chain on a grid from 0 to h (Brook and Evans, 1972); two sums that cannot
                both be away from zero when one alarms have half the time of one
"""
import argparse
import math
import sys

import numpy as np

STEP = 0.5  # k: half the shift, in standard errors, that is looked for
SOURCES = 2000


def simulate(threshold: float, batches: int, generator: np.random.Generator) -> tuple[float, float]:
    """The mean time between alarms and its standard error."""
    up = np.zeros(SOURCES, dtype=np.float32)
    down = np.zeros_like(up)
    alarms = np.zeros(SOURCES, dtype=np.int64)
    for _ in range(batches):
        z = generator.standard_normal(SOURCES, dtype=np.float32)
        up = np.maximum(0, up + z - STEP)
        down = np.maximum(0, down - z - STEP)
        alarm = (up > threshold) | (down > threshold)
        alarms += alarm
        up[alarm] = 0
        down[alarm] = 0
    rate = alarms.mean() / batches
    return 1 / rate, alarms.std(ddof=1) / math.sqrt(SOURCES) / batches / rate**2


def chain(threshold: float, states: int = 800) -> float:
    """The same by the Markov chain: state 0 is a sum of zero, state i > 0 the i-th cell of (0, threshold]."""
    normal = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))
    if threshold == 0:
        return 0.5 / (1 - float(normal(STEP)))
    width = threshold / states
    middles = np.concatenate(([0.0], (np.arange(states) + 0.5) * width))
    ends = np.arange(states + 1) * width
    below = normal(ends[None, :] - middles[:, None] + STEP)
    moves = np.hstack((below[:, :1], np.diff(below, axis=1)))
    return float(np.linalg.solve(np.eye(states + 1) - moves, np.ones(states + 1))[0]) / 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    generator = np.random.default_rng(given.seed)
    far = 0
    print("| h | simulated | ± | chain |\n|---|---|---|---|")
    for threshold in np.arange(0, 3 if given.quick else 10.25, 0.5):
        expected = chain(threshold)
        mean, error = simulate(threshold, max(1000, int(5 * expected)), generator)
        far += abs(mean - expected) > 4 * error + 0.002 * expected
        print(f"| {threshold:g} | {mean:.5g} | {error:.2g} | {expected:.5g} |", flush=True)
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
