#!/bin/bash
# Installs a wheel into an environment of its own, away from the tree, and runs the quickstart with what is in it and
# NumPy alone: no other libgbv.so, no LD_LIBRARY_PATH.
#     tools/try_wheel.sh WHEEL
set -euo pipefail

wheel=$(realpath "${1:?usage: tools/try_wheel.sh WHEEL}")
root=$(realpath "$(dirname "$0")/..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python=/usr/bin/python3 # Debian's, which has NumPy
[ -x "$python" ] || python=python3

unset LD_LIBRARY_PATH GBV_LIBRARY PYTHONPATH PYTHONHOME
"$python" -m venv --system-site-packages "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps "$wheel"
cp "$root/examples/quickstart.py" "$scratch"
cd "$scratch"
venv/bin/python quickstart.py >printed
if ! tail -n 1 printed | grep -q 'test accuracy'; then
    echo "the quickstart printed:" >&2
    cat printed >&2
    exit 1
fi

# Every library of the wheel is in use, and OpenBLAS has the kernels that suit the processor.
venv/bin/python - <<'EOF'
import os
import sys

import numpy  # first, as people do
import gbv
from gbv import _library

with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps}
inside = os.path.join(gbv.__path__[0], "lib")
unused = {os.path.join(inside, name) for name in os.listdir(inside)} - loaded
if unused:
    sys.exit(f"not loaded from the wheel: {unused}")
if _library.library.gbv_blas_core() is not None:
    sys.exit("OpenBLAS runs with kernels of another processor")
EOF
echo "installed and tried: $(tail -n 1 printed)"
