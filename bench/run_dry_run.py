#!/usr/bin/python3
"""What --dry-run says beside what the same run then takes: seconds and peak memory, and how far apart they are.

    bench/run_dry_run.py [--only demo,mlp] [--clock cpu] [--gbv build/gbv] [--data FASHION-MNIST-FOLDER]

With --clock cpu the run's processor time shared by its workers stands for the time taken: on a machine that has other
work to do, that is what the run would take without it.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def simulate(gbv, data, folder):
    images = [f"{data}/{part}-images-idx3-ubyte.gz,{data}/{part}-labels-idx1-ubyte.gz" for part in ("train", "t10k")]
    subprocess.run([gbv, "simulate", "--input", images[0], "--test", images[1], "--noise", "0,.2,.4,.6,.8", "--per-class",
                    "100", "--reference-per-class", "100", "--seed", "1", "-o", folder], check=True,
                   stdout=subprocess.DEVNULL)
    return [f"--reference={folder}/reference.npz", f"--sources={folder}/annotators"]


def synthetic(folder, sources, rows, columns):
    os.makedirs(f"{folder}/sources")
    random = np.random.default_rng(3)
    centres = random.normal(size=(10, columns)).astype(np.float32)

    def write(path, count):
        labels = np.arange(count) % 10
        np.savez(path, X=centres[labels] + 3 * random.normal(size=(count, columns)).astype(np.float32), y=labels)

    write(f"{folder}/reference.npz", 1000)
    for i in range(sources):
        write(f"{folder}/sources/s{i:04}.npz", rows)
    return [f"--reference={folder}/reference.npz", f"--sources={folder}/sources"]


def run(gbv, arguments, clock):
    """Expected and taken: (seconds, bytes) each."""
    plan = json.loads(subprocess.run([gbv, "value", *arguments, "--dry-run", "--format", "json"], check=True,
                                     stdout=subprocess.PIPE).stdout)
    with tempfile.NamedTemporaryFile() as metrics:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([gbv, "value", *arguments, "--metrics", metrics.name], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken = json.load(open(metrics.name))
    if clock == "cpu":
        taken["seconds"] = (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) / plan["workers"]
    return [(side["seconds"], side["peak_memory_bytes"]) for side in (plan, taken)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gbv", default=os.path.join(HERE, "..", "build", "gbv"))
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--only", help="names of the rows, with commas between")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        problems = {
            "demo": lambda: simulate(chosen.gbv, chosen.data, f"{folder}/demo"),
            "wide": lambda: synthetic(f"{folder}/wide", 100, 1000, 784),
            "many": lambda: synthetic(f"{folder}/many", 1000, 20, 512),
        }
        cases = {
            "demo": ("demo, linear", "demo", []),
            "off": ("demo, linear, `--intervals off`", "demo", ["--intervals", "off"]),
            "mlp": ("demo, `--model mlp`", "demo", ["--model", "mlp"]),
            "tau": ("demo, linear, `--tau auto`", "demo", ["--tau", "auto", "--refits", "0"]),
            "wide": ("100 sources x 1000 rows x 784", "wide", []),
            "many": ("1000 sources x 20 rows x 512", "many", []),
        }
        made = {}
        print("| run | expected, s | taken, s | ratio | expected, MB | taken, MB | ratio |\n|---|---|---|---|---|---|---|")
        for name, (title, problem, options) in cases.items():
            if chosen.only and name not in chosen.only.split(","):
                continue
            if problem not in made:
                made[problem] = problems[problem]()
            (seconds, peak), (took, had) = run(chosen.gbv, made[problem] + options, chosen.clock)
            print(f"| {title} | {seconds:.1f} | {took:.1f} | {seconds / took:.2f} | {peak / 1e6:.0f} | {had / 1e6:.0f} | "
                  f"{peak / had:.2f} |", flush=True)


if __name__ == "__main__":
    main()
