#!/bin/bash
# The runner of command-line cases must fail when a case does anything else than its folder says.
set -euo pipefail

run_case=$(realpath "$(dirname "$0")/../cli/run_case.sh")
scratch=$(realpath "$(mktemp -d)")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir case
cat >gbv <<'END'
#!/bin/bash
echo "wrote $PWD/$1"
echo "read $CASE/cmd" >&2
touch "$1"
exit 3
END
chmod +x gbv
echo 'gbv result' >case/cmd

expect() { # expect pass|fail WHAT
    local outcome=pass
    "$run_case" gbv case >log || outcome=fail
    if [ "$outcome" != "$1" ]; then
        echo "$2: expected the case to $1" >&2
        cat log >&2
        exit 1
    fi
}

expect fail "no expectations"
echo 'wrote @TMP@/result' >case/stdout
echo 'read @CASE@/cmd' >case/stderr
echo 3 >case/code
expect pass "all as expected"
echo result >case/files
expect pass "files as expected"
for name in stdout stderr code files; do
    cp case/$name kept
    echo other >case/$name
    expect fail "another $name"
    mv kept case/$name
done
expect pass "all as expected again"

echo other >case/stdout
rm case/code
UPDATE=1 "$run_case" gbv case
expect pass "after UPDATE=1"
