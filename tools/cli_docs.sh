#!/usr/bin/env bash
# Prints docs/cli.md from the program's own help, so that the two cannot differ: tools/cli_docs.sh build/gbv > docs/cli.md
set -euo pipefail
gbv=$1
cat <<'TOP'
# The command line

This page is the program's own help (`tools/cli_docs.sh build/gbv > docs/cli.md`); a test compares the two. File formats are
in [formats.md](formats.md).

Standard output carries only the result. Progress goes to standard error, and only to a terminal. With `-o FILE` the result
goes to FILE in the format of its ending (`.json`, `.csv`, anything else: table), and `gbv value` still prints its table unless
`-q` or `--format` is given. Output files appear whole or not at all.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed: output, memory |
| 2 | wrong usage |
| 3 | an input is missing, unreadable or malformed |
| 4 | no score is defined for any source |
| 5 | all is done and written, and a `--fail-if` condition holds |
| 130 | interrupted |

TOP
printf '```\n%s\n```\n' "$("$gbv" help)"
"$gbv" help | sed -n '/^commands:/,/^$/p' | awk '/^  [a-z]/ && $1 != "help" {print $1}' | while read -r command; do
    help=$("$gbv" help "$command") # a help that fails ends it all
    printf '\n## gbv %s\n\n```\n%s\n```\n' "$command" "$help"
done
