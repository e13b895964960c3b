#!/bin/bash
# Fails, naming the places, when a C file is not as clang-format would write it.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

find . \( -path ./build -o -name .git \) -prune -o -name '*.[ch]' -print0 | sort -z |
    xargs -0 -r clang-format --dry-run -Werror
