#!/bin/bash
# Runs one command-line case and compares what it did with what its folder says:
#     cmd      a bash script, run with -eu -o pipefail in a fresh folder with gbv on the PATH
#     stdout   what it must print, exactly; no file: nothing
#     stderr   the same for standard error
#     code     its exit status; no file: 0
#     files    if there, the files it must leave in its folder, one a line, sorted
# In the script $CASE is the case's own folder and $TMP the fresh one; in expected text they are written @CASE@ and
# @TMP@. UPDATE=1 in the environment rewrites the expectations with what happened: read the diff before keeping it.
#     tests/cli/run_case.sh PATH-OF-GBV CASE-FOLDER
set -euo pipefail

program=$(realpath "${1:?usage: run_case.sh PATH-OF-GBV CASE-FOLDER}")
case_folder=$(realpath "${2:?usage: run_case.sh PATH-OF-GBV CASE-FOLDER}")
scratch=$(realpath "$(mktemp -d)")
trap 'chmod -R u+rwX "$scratch" && rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/tmp" "$scratch/got"
ln -s "$program" "$scratch/bin/gbv"

# A bare environment: no locale, no terminal, no user settings. A sanitizer's report must not look like a status of ours.
code=0
(
    cd "$scratch/tmp"
    exec env -i PATH="$scratch/bin:/usr/local/bin:/usr/bin:/bin" HOME="$scratch/tmp" TMPDIR="$scratch" LC_ALL=C TZ=UTC \
        CASE="$case_folder" TMP="$scratch/tmp" ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=print_stacktrace=1 \
        bash -eu -o pipefail "$case_folder/cmd"
) </dev/null >"$scratch/stdout" 2>"$scratch/stderr" || code=$?

for stream in stdout stderr; do
    sed -e "s|$scratch/tmp|@TMP@|g" -e "s|$case_folder|@CASE@|g" "$scratch/$stream" >"$scratch/got/$stream"
done
echo "$code" >"$scratch/got/code"
(cd "$scratch/tmp" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) >"$scratch/got/files"

if [ -n "${UPDATE:-}" ]; then
    for stream in stdout stderr; do
        if [ -s "$scratch/got/$stream" ]; then
            cp "$scratch/got/$stream" "$case_folder/$stream"
        else
            rm -f "$case_folder/$stream"
        fi
    done
    if [ "$code" = 0 ]; then rm -f "$case_folder/code"; else cp "$scratch/got/code" "$case_folder/code"; fi
    [ ! -f "$case_folder/files" ] || cp "$scratch/got/files" "$case_folder/files"
    exit 0
fi

mkdir "$scratch/expected"
: >"$scratch/expected/stdout"
: >"$scratch/expected/stderr"
echo 0 >"$scratch/expected/code"
[ -f "$case_folder/files" ] || rm "$scratch/got/files"
for name in stdout stderr code files; do
    [ ! -f "$case_folder/$name" ] || cp "$case_folder/$name" "$scratch/expected/$name"
done
cd "$scratch"
diff -ru expected got
