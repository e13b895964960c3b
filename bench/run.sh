#!/bin/bash
# Every benchmark, one after the other; results are markdown tables for bench/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

# An OpenBLAS older than the processor falls back to slow kernels; both sides get the ones that suit it, as gbv does.
if [ -z "${OPENBLAS_CORETYPE:-}" ]; then
    if grep -qw avx512bw /proc/cpuinfo; then
        export OPENBLAS_CORETYPE=SkylakeX
    elif grep -qw avx2 /proc/cpuinfo; then
        export OPENBLAS_CORETYPE=Haswell
    fi
fi

# What Debian does not have, beside what it has. Building geomloss looks for the torch that is there.
peers=build/bench/peers
if [ ! "$peers/.ready" -nt bench/peers/requirements.txt ]; then
    rm -rf "$peers"
    /usr/bin/python3 -m venv --system-site-packages "$peers"
    "$peers/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation -r bench/peers/requirements.txt
    touch "$peers/.ready"
fi

echo "## Measures"
/usr/bin/python3 bench/run_measure.py
echo
echo "## KNN-Shapley"
python=build/peers/bin/python # has pyDVL after make test-peers
/usr/bin/python3 bench/run_knn_shapley.py $([ -x $python ] && echo --python $python)
echo
echo "## DAVINZ"
/usr/bin/python3 bench/run_davinz.py
echo
echo "## Replicates"
/usr/bin/python3 bench/run_replicates.py
echo
echo "## CSV"
/usr/bin/python3 bench/run_csv.py
echo
echo "## Images"
/usr/bin/python3 bench/run_images.py
echo
echo "## Operators on images"
/usr/bin/python3 bench/run_augment.py
echo
echo "## Number of sources"
/usr/bin/python3 bench/run_sources.py --program build/bench/gbv
echo
echo "## Annotations"
/usr/bin/python3 bench/run_annotations.py --program build/bench/gbv
echo
echo "## LAVA"
"$peers/bin/python" bench/run_lava.py
echo
echo "## Dawid-Skene"
/usr/bin/python3 bench/run_dawid_skene.py
echo "## Comparison of methods"
/usr/bin/python3 bench/run_compare.py --program build/bench/gbv
echo
echo "## Intervals"
/usr/bin/python3 bench/run_intervals.py --program build/bench/gbv
echo "## What --dry-run expects"
/usr/bin/python3 bench/run_dry_run.py --gbv build/bench/gbv
echo
echo "## Ledger"
/usr/bin/python3 bench/run_ledger.py
echo
echo "## Networks"
/usr/bin/python3 bench/run_network.py
echo
echo "## Features of JPEG files"
/usr/bin/python3 bench/run_features.py
echo
echo "## Valuation of augmentors"
/usr/bin/python3 bench/run_augment_valuation.py
echo
echo "## Report"
tools/setup.sh browser
/usr/bin/python3 bench/run_report.py --program build/bench/gbv
