#!/usr/bin/env python3
"""How often the intervals of `gbv augment --subset` hold what all images give.

    experiments/coverage/augment_subset.py --images FOLDER --pretrained WEIGHTS [--subset 60,120] [--seeds 4] [--resize 32]

For each seed, all images and each subset of them are valued; of the augmentors, the share whose score and probability of
all images lie in the subset's 90 % intervals is printed. The augmentors of a seed share their images: a seed is one draw.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def augmentors(program, arguments, options, folder):
    """The augmentors of one valuation, in the order of the grid."""
    policy = os.path.join(folder, "policy.json")
    subprocess.run([program, "augment", "--images", arguments.images, "--pretrained", arguments.pretrained, "--resize",
                    str(arguments.resize), "--cache", os.path.join(folder, "cache"), "--progress", "off", "-q", *options,
                    "-o", policy], check=True)
    with open(policy, encoding="utf-8") as file:
        return json.load(file)["augmentors"]


def holds(interval, value):
    return interval[0] <= value <= interval[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--images", required=True)
    parser.add_argument("--pretrained", required=True)
    parser.add_argument("--subset", default="60,120")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--resize", type=int, default=32)
    parser.add_argument("--gbv", default=os.path.join(os.path.dirname(__file__), "../../build/gbv"))
    arguments = parser.parse_args()
    print("subset  seed  scores  probabilities  mean error  mean half-width")
    with tempfile.TemporaryDirectory() as folder:
        for subset in arguments.subset.split(","):
            for seed in range(1, arguments.seeds + 1):
                whole = augmentors(arguments.gbv, arguments, ["--seed", str(seed), "--intervals", "off"], folder)
                part = augmentors(arguments.gbv, arguments, ["--seed", str(seed), "--subset", subset], folder)
                count = len(part)
                scores = sum(holds(p["score_interval"], w["score"]) for p, w in zip(part, whole))
                chances = sum(holds(p["probability_interval"], w["probability"]) for p, w in zip(part, whole))
                error = sum(p["score"] - w["score"] for p, w in zip(part, whole)) / count
                width = sum(p["score_interval"][1] - p["score_interval"][0] for p in part) / 2 / count
                print(f"{subset:>6} {seed:>5}  {scores / count:>6.2f} {chances / count:>14.2f} {error:>11.3f} {width:>16.3f}")


if __name__ == "__main__":
    sys.exit(main())
