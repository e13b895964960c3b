#!/usr/bin/env python3
"""Five annotators of Fashion-MNIST with 0, 20, 40, 60 and 80 % of their labels wrong: which methods rank them right?

For each seed the annotators are simulated anew and valued by several methods. A method is right when its scores fall
with the noise. What is claimed: leep, logme (of an mlp), cmmd, lava (pooled) and knn-shapley are, for every seed. Ends
with status 1 where that does not hold.

    experiments/ranking/run.py [--gbv build/gbv] [--data FOLDER] [--seeds 5]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

NOISE = [0, 0.2, 0.4, 0.6, 0.8]
METHODS = {"linear": "gbv:leep,cmmd,lava,knn-shapley,loss,accuracy,davinz,mmd", "mlp": "gbv:logme,gbv:leep"}
CLAIMED = ("leep linear", "logme mlp", "cmmd linear", "lava linear", "knn-shapley linear")


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def rankings(gbv, data, seed, folder):
    """For each method: the annotators' numbers, best first."""
    train, test = (f"{data}/{part}-images-idx3-ubyte.gz,{data}/{part}-labels-idx1-ubyte.gz" for part in ("train", "t10k"))
    run(gbv, "simulate", "--input", train, "--test", test, "--noise", ",".join(map(str, NOISE)), "--per-class", 100,
        "--reference-per-class", 100, "--seed", seed, "-o", folder)
    found = {}
    for model, methods in METHODS.items():
        result = json.loads(run(gbv, "value", "--reference", folder / "reference.npz", "--sources",
                                folder / "annotators", "--model", model, "--method", methods, "--intervals", "off",
                                "--format", "json"))
        for way in result["measures"]:
            name = way["measure"] if way["method"] == "gbv" else way["method"]
            order = sorted(way["sources"], key=lambda source: -source["score"])
            found[f"{name} {model}"] = [int(source["name"].rsplit("-", 1)[1]) for source in order]
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--gbv", default="build/gbv")
    arguments.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    arguments.add_argument("--seeds", type=int, default=5)
    given = arguments.parse_args()
    by_method = {}
    for seed in range(1, given.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            for method, order in rankings(given.gbv, given.data, seed, pathlib.Path(folder) / "data").items():
                by_method.setdefault(method, []).append(order)
    right = {method: sum(order == sorted(order) for order in orders) for method, orders in by_method.items()}
    print("| method, model | right | orders that are not |\n|---|---|---|")
    for method, orders in by_method.items():
        wrong = ", ".join("".join(map(str, order)) for order in orders if order != sorted(order))
        print(f"| {method} | {right[method]} of {given.seeds} | {wrong} |")
    failed = [method for method in CLAIMED if right[method] < given.seeds]
    print("\nas claimed" if not failed else f"\nNOT as claimed: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
