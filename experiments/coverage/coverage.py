#!/usr/bin/env python3
"""How often the 90 % intervals of a score hold what they are about, on Fashion-MNIST.

    make build
    python3 experiments/coverage/coverage.py             the whole table
    python3 experiments/coverage/coverage.py --quick     one corner of it

Each trial draws one source for each share of wrong labels, and a reference, and asks `gbv value` for both intervals:

    model     `score_interval_model`, about this model on ever more reference rows. The truth is its score on every image
              that is set aside, corrected for the bias of a score on so many rows. logme's score depends on the number
              of rows by its definition, so there it is the mean over many references of the same size.
    source    `score_interval`, about the source: its value had other rows been drawn from it. The truth is the mean of
              the above over the sources of all trials.

A row is printed for each measure, share of wrong labels and size of the reference: the shares of trials in which the
intervals held the truth, each with its standard error.
"""
import argparse
import csv
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PROGRAM = os.environ.get("GBV_PROGRAM", str(Path(__file__).resolve().parents[2] / "build" / "gbv"))
IMAGES = os.environ.get("FASHION_MNIST", "/usr/share/datasets/fashion-mnist")
CLASSES = 10


@dataclass(frozen=True)
class Case:
    """One measure and the model it looks at."""
    measure: str
    model: str
    at_these_rows: bool = False  # the score is about references of this size


CASES = {"leep": Case("leep", "linear"), "cmmd": Case("cmmd", "linear"), "logme": Case("logme", "linear", True),
         "logme-mlp": Case("logme", "mlp", True)}


def images(name: str, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Pixels averaged to side x side, and labels."""
    with gzip.open(f"{IMAGES}/{name}-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 28, 28)
    with gzip.open(f"{IMAGES}/{name}-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8).astype(np.int32)
    step = 28 // side
    means = pixels.reshape(-1, side, step, side, step).mean(axis=(2, 4), dtype=np.float32)
    return means.reshape(len(pixels), -1), labels


def mislabel(rng: np.random.Generator, labels: np.ndarray, share: float) -> np.ndarray:
    wrong = rng.random(len(labels)) < share
    other = (labels + rng.integers(1, CLASSES, len(labels))) % CLASSES
    return np.where(wrong, other, labels).astype(np.int32)


class Simulation:
    def __init__(self, options: argparse.Namespace, folder: str):
        self.options = options
        self.folder = Path(folder)
        self.rng = np.random.default_rng(options.seed)
        train, test = images("train", options.side), images("t10k", options.side)
        x, y = np.concatenate([train[0], test[0]]), np.concatenate([train[1], test[1]])
        order = self.rng.permutation(len(x))
        half = len(x) // 2
        self.source_x, self.source_y = x[order[:half]], y[order[:half]]  # what sources are drawn from
        held = order[half:half + options.held]
        self.held_x, self.held_y = x[held], y[held]  # what references are drawn from, and the truth
        everything = np.arange(len(held))
        self.whole = self.reference("whole", everything)
        self.halves = [self.reference(f"half-{k}", part) for k, part in enumerate(np.array_split(everything, 2))]

    def write(self, name: str, x: np.ndarray, y: np.ndarray) -> Path:
        path = self.folder / f"{name}.npz"
        np.savez(path, x=x, y=y)
        return path

    def reference(self, name: str, rows: np.ndarray) -> Path:
        return self.write(name, self.held_x[rows], self.held_y[rows])

    def draw_sources(self) -> dict[str, Path]:
        sources = {}
        for share_wrong in self.options.noise:
            rows = self.rng.choice(len(self.source_x), self.options.rows, replace=False)
            labels = mislabel(self.rng, self.source_y[rows], share_wrong)
            sources[f"{share_wrong:g}"] = self.write(f"source-{share_wrong:g}", self.source_x[rows], labels)
        return sources

    def value(self, case: Case, sources: dict[str, Path], reference: Path, *intervals: str) -> list[dict]:
        """The sources of the result."""
        named = [argument for name, path in sources.items() for argument in ("--source", f"{name}={path}")]
        done = subprocess.run([PROGRAM, "value", "--reference", str(reference), *named, "--measure", case.measure,
                               "--model", case.model, "--format", "json", "--progress", "off", "-q", *intervals],
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)["sources"]

    def scores(self, case: Case, sources: dict[str, Path], reference: Path) -> dict[str, float]:
        return {source["name"]: source["score"] for source in self.value(case, sources, reference, "--intervals", "off")}

    def truth_at(self, case: Case, sources: dict[str, Path], reference_rows: int) -> dict[str, float]:
        """What the models of these sources score on average over references of this size."""
        order = self.rng.permutation(len(self.held_x))
        many = min(self.options.references, len(order) // reference_rows)
        parts = np.split(order[:many * reference_rows], many)
        found = [self.scores(case, sources, self.reference("part", part)) for part in parts]
        return {name: float(np.mean([one[name] for one in found])) for name in sources}

    def truth(self, case: Case, sources: dict[str, Path]) -> dict[str, float]:
        """What they score on ever more rows: a bias that goes with 1/rows is as large again on half of them."""
        whole = self.scores(case, sources, self.whole)
        halves = [self.scores(case, sources, half) for half in self.halves]
        return {name: 2 * whole[name] - (halves[0][name] + halves[1][name]) / 2 for name in sources}

    def trial(self, case: Case) -> list[dict]:
        """Both intervals of each source at each size of the reference, and the truth of its model."""
        sources, found = self.draw_sources(), []
        order = self.rng.permutation(len(self.held_x))
        truth = None if case.at_these_rows else self.truth(case, sources)
        for size in self.options.reference_rows:
            result = self.value(case, sources, self.reference("reference", order[:size]), "--intervals",
                                str(self.options.intervals), "--refits", str(self.options.refits))
            aimed = truth or self.truth_at(case, sources, size)
            for source in result:
                found.append({"noise": source["name"], "size": size, "truth": aimed[source["name"]],
                              "model": source["score_interval_model"], "source": source["score_interval"]})
        return found


def share(hits: list[bool]) -> tuple[float, float]:
    """A share and its standard error, never zero."""
    p, n = sum(hits) / len(hits), len(hits)
    smoothed = (sum(hits) + 1) / (n + 2)
    return p, math.sqrt(smoothed * (1 - smoothed) / n)


def holds(interval: list, value: float) -> bool:
    return interval is not None and interval[0] <= value <= interval[1]


def summarise(name: str, trials: list[dict]) -> list[dict]:
    table = []
    for noise, size in sorted({(float(t["noise"]), t["size"]) for t in trials}):
        mine = [t for t in trials if float(t["noise"]) == noise and t["size"] == size]
        value = float(np.mean([t["truth"] for t in mine]))  # of the source
        model, model_error = share([holds(t["model"], t["truth"]) for t in mine])
        source, source_error = share([holds(t["source"], value) for t in mine])
        width = float(np.mean([t["source"][1] - t["source"][0] for t in mine if t["source"]]))
        table.append({"measure": name, "noise": noise, "reference_rows": size, "trials": len(mine),
                      "model": round(model, 3), "model_se": round(model_error, 3), "source": round(source, 3),
                      "source_se": round(source_error, 3), "value": round(value, 5), "width": round(width, 5)})
    return table


def read_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small images, few trials, leep and cmmd at 100 rows")
    parser.add_argument("--measures", default="leep,logme,cmmd", help=f"of {', '.join(CASES)}")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--noise", default="0,.4,.8", help="shares of wrong labels")
    parser.add_argument("--reference-rows", default="100,300,1000")
    parser.add_argument("--rows", type=int, default=1000, help="of a source")
    parser.add_argument("--held", type=int, default=20000, help="images set aside for references and the truth")
    parser.add_argument("--references", type=int, default=40, help="for the truth of logme")
    parser.add_argument("--side", type=int, default=14, choices=(4, 7, 14, 28), help="of the images, in pixels")
    parser.add_argument("--intervals", type=int, default=200)
    parser.add_argument("--refits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", help="also as CSV")
    options = parser.parse_args(arguments)
    if options.quick:
        options.measures, options.noise, options.reference_rows = "leep,cmmd", ".4", "100"
        options.trials, options.rows, options.held, options.side = 40, 200, 4000, 7
        options.intervals, options.refits = 100, 10
    options.noise = [float(text) for text in options.noise.split(",")]
    options.reference_rows = [int(text) for text in options.reference_rows.split(",")]
    return options


def main(arguments: list[str]) -> int:
    options = read_options(arguments)
    table: list[dict] = []
    for name in options.measures.split(","):
        with tempfile.TemporaryDirectory() as folder:
            simulation, trials = Simulation(options, folder), []  # the same draws for every measure
            for number in range(options.trials):
                trials += simulation.trial(CASES[name])
                if sys.stderr.isatty():
                    print(f"\r{name}: {number + 1} of {options.trials}", end="", file=sys.stderr)
        table += summarise(name, trials)
        if sys.stderr.isatty():
            print(file=sys.stderr)
    print("measure    wrong labels  reference rows  trials  model           source")
    for row in table:
        print(f"{row['measure']:10} {row['noise']:12.1f} {row['reference_rows']:15d} {row['trials']:7d}  "
              f"{row['model']:.3f} ± {row['model_se']:.3f}   {row['source']:.3f} ± {row['source_se']:.3f}")
    if options.output:
        with open(options.output, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, table[0].keys())
            writer.writeheader()
            writer.writerows(table)
    # A table this small is noisy: what it says is only an alarm when it is far from 85 to 95 %.
    far = [row for row in table for key in ("model", "source")
           if not .85 - 3 * row[key + "_se"] <= row[key] <= .95 + 3 * row[key + "_se"]]
    for row in far:
        print(f"{row['measure']} at {row['noise']:g} and {row['reference_rows']} rows is far from 85 to 95 %")
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
