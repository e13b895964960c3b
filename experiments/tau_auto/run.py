#!/usr/bin/env python3
"""tau auto against the paper's quick tau and equal sources, by the test accuracy of the final model.

Simulated annotators of Fashion-MNIST in five scenarios. For each seed the sources are valued with --tau auto and
--tau quick, the final model is trained with either result and with equal sources, and tested on rows nobody has seen.
What is claimed: auto is never below equal sources by more than one standard error (of the paired difference), and above
quick where one source of twenty is good. Ends with status 1 where that does not hold.

    experiments/tau_auto/run.py [--gbv build/gbv] [--data FOLDER] [--seeds 20] [--work FOLDER] [SCENARIO ...]
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import zlib

import numpy

# noise of each annotator, rows of each class, whether sizes are cut to 1, 1/2, 1/4 or 1/8 by chance
SCENARIOS = {
    "five at 0 to .8": ([0, 0.2, 0.4, 0.6, 0.8], 100, False),
    "20 equal": ([0.3] * 20, 20, False),
    "one good of 20": ([0] + [0.6] * 19, 20, False),
    "one bad of 20": ([0.8] + [0.2] * 19, 20, False),
    "five unequal in size": ([0, 0.2, 0.4, 0.6, 0.8], 100, True),
    "one good of 20 unequal in size": ([0] + [0.6] * 19, 20, True),
}
WAYS = ("equal", "auto", "quick")


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def simulate(gbv, data, scenario, seed, folder):
    noise, per_class, unequal = SCENARIOS[scenario]
    train, test = (f"{data}/{part}-images-idx3-ubyte.gz,{data}/{part}-labels-idx1-ubyte.gz" for part in ("train", "t10k"))
    run(gbv, "simulate", "--input", train, "--test", test, "--noise", ",".join(map(str, noise)), "--per-class",
        per_class, "--reference-per-class", 100, "--seed", seed, "-o", folder)
    if not unequal:
        return
    for path in sorted((folder / "annotators").iterdir()):
        random = numpy.random.default_rng([seed, zlib.crc32(path.name.encode())])
        arrays = dict(numpy.load(path))
        rows = len(next(iter(arrays.values())))
        kept = random.permutation(rows)[: rows >> random.integers(4)]
        numpy.savez(path, **{name: values[kept] for name, values in arrays.items()})


def accuracies(gbv, folder, seed):
    """The test accuracy of each way, and the tau that auto chose."""
    sources = ("--sources", folder / "annotators")
    found, tau = {}, None
    for way in WAYS:
        result, model = folder / f"{way}.json", folder / f"{way}.safetensors"
        how = ["--equal-sources"]
        if way != "equal":
            run(gbv, "value", "--reference", folder / "reference.npz", *sources, "--tau", way, "--intervals", "off",
                "--seed", seed, "-q", "-o", result)
            how = ["--result", result]
            if way == "auto":
                tau = json.loads(result.read_text())["tau"]["value"]
        run(gbv, "train", *how, *sources, "--progress", "off", "-o", model)
        found[way] = json.loads(run(gbv, "evaluate", model, folder / "test.npz", "--format", "json"))["accuracy"]
    return found, tau


def standard_error(values):
    return statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")


def report(scenario, runs):
    """A line of the table; the claims that do not hold."""
    columns = {way: [found[way] for found, _ in runs] for way in WAYS}
    cells = [f"{statistics.mean(columns[way]):.4f} ± {standard_error(columns[way]):.4f}" for way in WAYS]
    broken = []
    for other in ("equal", "quick"):
        differences = [a - b for a, b in zip(columns["auto"], columns[other])]
        mean, error = statistics.mean(differences), standard_error(differences)
        cells.append(f"{mean:+.4f} ± {error:.4f}")
        if other == "equal" and mean < -error:
            broken.append(f"{scenario}: auto is below equal sources by more than one standard error")
        if other == "quick" and scenario == "one good of 20" and not mean > 0:
            broken.append(f"{scenario}: auto is not above quick")
    taus = sorted((float("inf") if tau is None else tau for _, tau in runs), reverse=True)
    cells.append(f"{taus[len(taus) // 2]:g} ({taus[0]:g} to {taus[-1]:g})")
    print("| " + " | ".join([scenario, *cells]) + " |", flush=True)
    return broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gbv", default="build/gbv")
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--work", help="where files go (default: a folder that is removed)")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    asked = parser.parse_args()
    chosen = asked.scenarios or list(SCENARIOS)
    unknown = [name for name in chosen if name not in SCENARIOS]
    if unknown:
        parser.error(f"there is no scenario '{unknown[0]}': choose from {', '.join(SCENARIOS)}")
    print("| scenario | equal | auto | quick | auto - equal | auto - quick | tau: median (range) |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    broken = []
    for scenario in chosen:
        runs = []
        for seed in range(1, asked.seeds + 1):
            with tempfile.TemporaryDirectory(dir=asked.work) as work:
                folder = pathlib.Path(work) / "crowd"
                simulate(asked.gbv, asked.data, scenario, seed, folder)
                runs.append(accuracies(asked.gbv, folder, seed))
        broken += report(scenario, runs)
    print("\n".join(broken) if broken else "The claims hold.")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
