#!/usr/bin/python3
"""CSV reading beside what people use now, on one thread: megabytes a second and the ratio.

    bench/run_csv.py [--program PATH] [--megabytes 100]

Three kinds of numbers: features as float32 prints them (9 digits), doubles in full (17 digits), and small integers.
numpy.loadtxt reads a tenth of the file, being slow; pandas is used where it is installed.
"""
import argparse
import os
import subprocess
import tempfile
import time

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS = 64


def write(path, text_of, target):
    header = ",".join(f"f{j}" for j in range(COLUMNS)) + ",label\n"
    random = numpy.random.default_rng(2)
    size = 0
    with open(path, "w") as out:
        out.write(header)
        while size < target:
            block = "".join(",".join(text_of(row)) + f",{i % 10}\n" for i, row in enumerate(text_rows(random)))
            out.write(block)
            size += len(block)
    return size


def text_rows(random):
    return random.standard_normal((500, COLUMNS))


KINDS = {
    "float32, 9 digits": lambda row: ["%.9g" % v for v in row.astype(numpy.float32)],
    "float64, 17 digits": lambda row: [repr(float(v)) for v in row],
    "integers": lambda row: ["%d" % (100 * v) for v in row],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_csv"))
    parser.add_argument("--megabytes", type=float, default=100)
    options = parser.parse_args()
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    try:
        import pandas
    except ImportError:
        pandas = None
    print("| numbers | gbv, MB/s | numpy.loadtxt, MB/s | ratio | pandas.read_csv, MB/s | ratio |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, text_of in KINDS.items():
            path, short = os.path.join(folder, "data.csv"), os.path.join(folder, "short.csv")
            size = write(path, text_of, options.megabytes * 1e6)
            short_size = write(short, text_of, options.megabytes * 1e5)
            seconds = float(subprocess.run([options.program, path, "5"], check=True, env=environment,
                                           capture_output=True, text=True).stdout)
            begin = time.perf_counter()
            numpy.loadtxt(short, delimiter=",", skiprows=1)
            ours, numpys = size / seconds / 1e6, short_size / (time.perf_counter() - begin) / 1e6
            cells = ["–", "–"]
            if pandas:
                begin = time.perf_counter()
                pandas.read_csv(path, float_precision="round_trip")
                theirs = size / (time.perf_counter() - begin) / 1e6
                cells = [f"{theirs:.0f}", f"{ours / theirs:.1f}"]
            print(f"| {name} | {ours:.0f} | {numpys:.0f} | {ours / numpys:.1f} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
