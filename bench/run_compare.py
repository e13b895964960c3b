#!/usr/bin/python3
"""gbv compare with ten methods on the demonstration's problem: five annotators of 1,000 images of Fashion-MNIST, 1,000
reference images, 9,000 test images, 5 seeds.

    bench/run_compare.py [--program PATH] [--data FOLDER] [--threads 2] [--runs 3] [--model linear]

Every method that needs no overlapping annotations, filled up to ten by further measures of gbv. Prints a markdown table of
medians; processor time is beside wall-clock time, because the machine may have other work.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANNOTATION_METHODS = {"gold-accuracy", "peer-agreement", "dawid-skene"}
MORE = ["gbv:nce", "gbv:nll", "gbv:etran-energy", "gbv:hscore", "gbv:logme", "gbv:gbc"]


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "gbv"))
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--model", default="linear")
    options = parser.parse_args()
    listed = subprocess.run([options.program, "list", "methods"], check=True, capture_output=True, text=True).stdout
    methods = [line.split()[0] for line in listed.splitlines() if line.split()[0] not in ANNOTATION_METHODS]
    methods = (methods + MORE)[:10]

    def idx(part):
        return ",".join(os.path.join(options.data, f"{part}-{kind}-ubyte.gz") for kind in ("images-idx3", "labels-idx1"))

    with tempfile.TemporaryDirectory() as folder:
        demo, metrics = os.path.join(folder, "demo"), os.path.join(folder, "metrics.json")
        subprocess.run(
            [options.program, "simulate", "--input", idx("train"), "--test", idx("t10k"), "--noise", "0,.2,.4,.6,.8",
             "--per-class", "100", "--reference-per-class", "100", "--seed", "1", "-o", demo],
            check=True, stdout=subprocess.DEVNULL)
        rows = []
        for _ in range(options.runs):
            begin, used = time.perf_counter(), processor_seconds()
            subprocess.run(
                [options.program, "compare", "--reference", os.path.join(demo, "reference.npz"), "--sources",
                 os.path.join(demo, "annotators"), "--test", os.path.join(demo, "test.npz"), "--methods",
                 ",".join(methods), "--model", options.model, "--threads", options.threads, "-q", "-o",
                 os.path.join(folder, "compare.json"), "--metrics", metrics],
                check=True)
            with open(metrics) as stream:
                written = json.load(stream)
            rows.append((time.perf_counter() - begin, processor_seconds() - used, written["valuing_seconds"],
                         written["training_seconds"], written["peak_memory_bytes"] / 1e6))
    seconds, processor, valuing, training, memory = (statistics.median(column) for column in zip(*rows))
    print("| model | methods | threads | seconds | CPU seconds | valuing, s | final models, s | peak memory, MB |")
    print("|---|---|---|---|---|---|---|---|")
    print(f"| {options.model} | {len(methods)} | {options.threads} | {seconds:.1f} | {processor:.1f} | {valuing:.1f} "
          f"| {training:.1f} | {memory:.0f} |")
    print(f"\nMethods: {', '.join(methods)}.")


if __name__ == "__main__":
    main()
