#!/usr/bin/python3
"""What a ledger takes beyond scoring: many updates of many sources, its size, its history (bench/bench_ledger.c).

    bench/run_ledger.py [--updates 1000] [--sources 1000] [--folder FOLDER] [--clock wall|cpu]

Prints a markdown table, without and with 200 resampled scores of each source. The ledger lies in FOLDER, whose disk is
measured with it. With --clock cpu times are of this process's processor time, for a machine with other work."""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = [("update, ms (median)", "update_median_ms"), ("update, ms (99 %)", "update_99_ms"), ("update, ms (most)", "update_most_ms"),
        ("with the disk's part, ms (median)", "update_with_disk_median_ms"),
        ("with the disk's part, ms (most)", "update_with_disk_most_ms"), ("calls to make sure of writes, an update", "disk_calls"),
        ("file, MB", "megabytes"), ("history of one source, ms (median)", "history_of_one_median_ms"),
        ("`gbv history --source`, start to end, ms (median)", "program_median_ms"),
        ("history of all sources, s", "history_seconds"), ("verify, s", "verify_seconds"), ("undo, s", "undo_seconds")]


def program_ms(ledger):
    """A whole run of the program, of 21."""
    command = [os.path.join(ROOT, "build", "bench", "gbv"), "history", "--ledger", ledger, "--source", "vendor-0007"]
    taken = []
    for _ in range(21):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        taken.append(1e3 * (time.perf_counter() - began))
    return f"{statistics.median(taken):.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", default="1000")
    parser.add_argument("--sources", default="1000")
    parser.add_argument("--folder")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    options = parser.parse_args()
    found = []
    for resamples in ("0", "200"):
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            program = os.path.join(ROOT, "build", "bench", "bench", "bench_ledger")
            output = subprocess.run([program, options.updates, options.sources, resamples, os.path.join(folder, "ledger.db")],
                                    check=True, capture_output=True, text=True,
                                    env=dict(os.environ, BENCH_CLOCK=options.clock)).stdout
            found.append(dict(line.split() for line in output.splitlines()))
            found[-1]["program_median_ms"] = program_ms(os.path.join(folder, "ledger.db"))
    print(f"| {options.updates} updates of {options.sources} sources | without resamples | with 200 |\n|---|---|---|")
    for title, key in ROWS:
        print(f"| {title} | {found[0][key]} | {found[1][key]} |")


if __name__ == "__main__":
    main()
