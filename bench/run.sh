#!/bin/bash
# Every benchmark, one after the other; results are markdown tables for bench/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."
program=build/bench/gbv

echo "## Measures"
/usr/bin/python3 bench/run_measure.py
echo
echo "## CSV"
/usr/bin/python3 bench/run_csv.py
echo
echo "## Number of sources"
/usr/bin/python3 bench/run_sources.py --program "$program"
