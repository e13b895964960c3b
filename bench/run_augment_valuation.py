#!/usr/bin/python3
"""How much of the valuation of augmentors is the network itself: gbv augment over a folder of images, without a cache.

    bench/run_augment_valuation.py [--program PATH] [--images DIR] [--weights FILE] [--count 26] [--threads N]

The rest is decoding, the operators, feeding pixels and the measure. Weights and birds come from $GBV_DATA unless named;
without them nothing is measured.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("GBV_DATA", os.path.expanduser("~/.cache/gbv/data"))


def few_images(folder, count, to):
    """The first images of each class in turn, until there are enough."""
    classes = sorted(os.listdir(folder))[:max(2, count // 6)]
    lists = {c: sorted(os.listdir(os.path.join(folder, c))) for c in classes}
    for i in range(count):
        name = classes[i % len(classes)]
        os.makedirs(os.path.join(to, name), exist_ok=True)
        shutil.copy(os.path.join(folder, name, lists[name][i // len(classes)]), os.path.join(to, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "gbv"))
    parser.add_argument("--images", default=os.path.join(DATA, "cub200-224", "train"))
    parser.add_argument("--weights", default=os.path.join(DATA, "resnet18-imagenet-restored.safetensors"))
    parser.add_argument("--count", type=int, default=26, help="images (two batches)")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    for path in (asked.images, asked.weights):
        if not os.path.exists(path):
            print(f"skipped: {path} is not there")
            return 0
    with tempfile.TemporaryDirectory() as folder:
        few_images(asked.images, asked.count, os.path.join(folder, "images"))
        metrics = os.path.join(folder, "metrics.json")
        subprocess.run([asked.program, "augment", "--images", os.path.join(folder, "images"), "--pretrained", asked.weights,
                        "--preprocess", "none", "--cache", "off", "--threads", str(asked.threads), "--progress", "off",
                        "--metrics", metrics, "-q", "-o", os.path.join(folder, "policy.json")], check=True)
        with open(metrics) as file:
            found = json.load(file)
    share = found["forward_seconds"] / found["valuation_seconds"]
    passes = found["evaluations"] * asked.count
    print(f"{os.path.basename(asked.weights)}, {asked.count} images, {asked.threads} threads: {passes / found['valuation_seconds']:.1f} "
          f"images/s, {100 * share:.1f} % of the time in the network (wanted: more than 80 %)")
    return 0 if share > 0.8 else 1


if __name__ == "__main__":
    sys.exit(main())
