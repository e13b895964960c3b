#!/bin/bash
# Installs a build into a folder of its own, compiles examples/minimal.c against what was installed and nothing else,
# and runs it on two small sources, one of which has its labels wrong.
#     tests/example.sh BUILD
set -euo pipefail

build=$(realpath "${1:?usage: tests/example.sh BUILD}")
root=$(realpath "$(dirname "$0")/..")
scratch=$(realpath "$(mktemp -d)")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

DESTDIR="$scratch/stage" cmake --install "$build" --prefix /opt/gbv >install.log
prefix=$scratch/stage/opt/gbv
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name gbv.pc)")
library=$(pkg-config --variable=libdir gbv)
read -ra flags <<<"$(pkg-config --cflags --libs gbv)"
cp "$root/examples/minimal.c" .
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror minimal.c "${flags[@]}" -Wl,-rpath,"$library" -o minimal

# The installed program finds its library by itself, and the library offers public names only.
"$prefix/bin/gbv" --version >version
grep -q "$(pkg-config --modversion gbv)" version
if nm -D --defined-only "$library/libgbv.so" | awk '{ print $3 }' | grep -v '^gbv_'; then
    echo "libgbv.so exports the names above, which do not begin with gbv_" >&2
    exit 1
fi

# Two classes on either side of zero; ben gives every third row the wrong name.
rows() { # rows FILE WRONG-EVERY
    awk -v every="$2" 'BEGIN {
        print "width,height,label"
        for (i = 1; i <= 60; i++) {
            side = i % 2 ? 1 : -1
            right = every == 0 || i % every != 0
            printf "%.3f,%.3f,%s\n", side * (1 + i % 7 / 7), i % 5 / 5, (side > 0) == right ? "shirt" : "shoe"
        }
    }' >"$1"
}
rows reference.csv 0
rows anna.csv 0
rows ben.csv 3

./minimal reference.csv ben.csv anna.csv >table
if [ "$(grep -oE 'anna|ben' table | head -n 1)" != anna ]; then
    echo "the example does not name the better source first:" >&2
    cat table >&2
    exit 1
fi

code=0
./minimal missing.csv anna.csv 2>message || code=$?
if [ "$code" != 3 ] || ! grep -q missing.csv message; then
    echo "a missing file gave status $code and: $(cat message)" >&2
    exit 1
fi
