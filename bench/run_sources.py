#!/usr/bin/python3
"""How time and memory grow with the number of sources: 20 rows of 512 float32 features each, 1,000 reference rows.

    bench/run_sources.py [--program PATH] [--counts 1250,2500,5000,10000] [--threads 2]

One NPZ file holds all sources with an array that names each row's; the features are mapped, so that peak memory is to be
compared with the size of the features. Prints a markdown table.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS, COLUMNS, CLASSES, REFERENCE = 20, 512, 10, 1000


def labelled_rows(random, count, centres):
    labels = random.integers(0, CLASSES, count)
    features = random.standard_normal((count, COLUMNS), dtype=numpy.float32)
    features += centres[labels]
    return features, labels


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "gbv"))
    parser.add_argument("--counts", default="1250,2500,5000,10000")
    parser.add_argument("--threads", default="2")
    options = parser.parse_args()
    random = numpy.random.default_rng(1)
    centres = 0.3 * random.standard_normal((CLASSES, COLUMNS), dtype=numpy.float32)
    print("| sources | seconds | ms a source | features, MB | peak memory, MB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        x, y = labelled_rows(random, REFERENCE, centres)
        numpy.savez(os.path.join(folder, "reference.npz"), x=x, y=y)
        for count in map(int, options.counts.split(",")):
            x, y = labelled_rows(random, count * ROWS, centres)
            names = numpy.repeat([f"source-{i:05d}" for i in range(count)], ROWS)
            numpy.savez(os.path.join(folder, "sources.npz"), x=x, y=y, who=names)
            begin = time.perf_counter()
            subprocess.run(
                [options.program, "value", "--reference", os.path.join(folder, "reference.npz"), "--sources",
                 os.path.join(folder, "sources.npz"), "--source-column", "who", "--threads", options.threads, "-q",
                 "-o", os.path.join(folder, "result.json"), "--metrics", os.path.join(folder, "metrics.json")],
                check=True)
            seconds = time.perf_counter() - begin
            metrics = json.load(open(os.path.join(folder, "metrics.json")))
            print(f"| {count} | {seconds:.2f} | {1e3 * seconds / count:.3f} | {x.nbytes / 1e6:.0f} "
                  f"| {metrics['peak_memory_bytes'] / 1e6:.0f} |", flush=True)


if __name__ == "__main__":
    main()
