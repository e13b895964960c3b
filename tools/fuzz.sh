#!/bin/bash
# Runs every libFuzzer target for a number of seconds and prints what came of it. New inputs that reach new code go to
# build/fuzz/found/<name>, inputs that crash to build/fuzz/crashes/<name>, where they are tried again first by the next
# run; the corpus in the repository is only read. A target stops at its first crash.
#     tools/fuzz.sh SECONDS [NAME...]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: tools/fuzz.sh SECONDS [NAME...]}
shift
if [ $# -gt 0 ]; then
    targets=("${@/#/build/fuzz/tests/fuzz/fuzz_}")
else
    targets=()
    for target in build/fuzz/tests/fuzz/fuzz_*; do
        [ -f "$target" ] && [ -x "$target" ] && targets+=("$target")
    done
fi
if [ ${#targets[@]} = 0 ]; then
    echo "tools/fuzz.sh: no targets in build/fuzz/tests/fuzz: run make fuzz" >&2
    exit 1
fi

failed=0
TIMEFORMAT='%U'
printf '%-20s %11s %12s %9s %8s\n' target 'CPU seconds' executions coverage crashes
for target in "${targets[@]}"; do
    name=${target##*/fuzz_}
    found=build/fuzz/found/$name crashes=build/fuzz/crashes/$name log=build/fuzz/$name.log
    mkdir -p "$found" "$crashes"
    corpus=("$crashes")
    [ ! -d "tests/fuzz/corpus/$name" ] || corpus+=("tests/fuzz/corpus/$name")
    status=0
    { time "$target" -max_total_time="$seconds" -rss_limit_mb=512 -malloc_limit_mb=256 -timeout=10 -print_final_stats=1 \
        -artifact_prefix="$crashes/" "$found" "${corpus[@]}" >"$log" 2>&1; } 2>"$log.time" || status=$?
    cpu=$(tail -n 1 "$log.time")
    executions=$(awk '/^stat::number_of_executed_units/ { n = $2 } END { print n + 0 }' "$log")
    coverage=$(awk '{ for (i = 1; i < NF; i++) if ($i == "cov:") n = $(i + 1) } END { print n + 0 }' "$log")
    count=$((status != 0))
    printf '%-20s %11s %12d %9d %8d\n' "$name" "$cpu" "$executions" "$coverage" "$count"
    if [ "$status" != 0 ]; then
        failed=1
        grep -m 3 -E 'ERROR|SUMMARY|runtime error' "$log" >&2 || tail -n 3 "$log" >&2
        echo "  see $log and $crashes" >&2
    fi
done
exit $failed
