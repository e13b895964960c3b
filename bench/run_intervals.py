#!/usr/bin/env python3
"""What the intervals add to a valuation: 100 annotators of Fashion-MNIST (600 images each, 784 pixels, 1000 reference
rows) by leep of linear models, without intervals, with 200 resamplings of the reference rows, and with 20 refits of every
model besides. Processor time, which other work on the machine does not disturb; runs alternate, and medians are taken.

    bench/run_intervals.py [--program build/gbv] [--data FOLDER] [--runs 3]
"""

import argparse
import pathlib
import resource
import statistics
import subprocess
import tempfile

WAYS = {
    "no intervals": ["--intervals", "off"],
    "200 resamplings": ["--intervals", "200", "--refits", "0"],
    "200 resamplings, 20 refits (default)": [],
}


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default="build/gbv")
    arguments.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    train, test = (f"{given.data}/{part}-images-idx3-ubyte.gz,{given.data}/{part}-labels-idx1-ubyte.gz"
                   for part in ("train", "t10k"))
    noise = ",".join(str(round(i / 125, 3)) for i in range(100))
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "made"
        subprocess.run([given.program, "simulate", "--input", train, "--test", test, "--noise", noise, "--per-class",
                        "60", "--reference-per-class", "100", "--seed", "1", "-o", str(made)], check=True)
        value = [given.program, "value", "--reference", made / "reference.npz", "--sources", made / "annotators", "-q",
                 "-o", pathlib.Path(folder) / "result.json"]
        taken = {way: [] for way in WAYS}
        for _ in range(given.runs):
            for way, options in WAYS.items():
                taken[way].append(processor_seconds(value + options))
    first = statistics.median(taken["no intervals"])
    print("| 100 sources, leep | processor seconds | of the run without |\n|---|---|---|")
    for way, seconds in taken.items():
        median = statistics.median(seconds)
        print(f"| {way} | {median:.2f} | {median / first:.2f} |")


if __name__ == "__main__":
    main()
