# What the cases about ledgers share: three batches of sources, of which ben misses the second, dora comes with it, and
# cleo leaves with the third.
export SOURCE_DATE_EPOCH=1794000000

part() { # part NAME FIRST COUNT: some rows of a table
    sed -n "1p;$((1 + $2)),$(($2 + $3))p" "$CASE/../data/$1.csv"
}

batches() {
    mkdir first second third
    part anna 1 30 > first/anna.csv
    part ben 1 30 > first/ben.csv
    part cleo 1 30 > first/cleo.csv
    part anna 31 30 > second/anna.csv
    part cleo 31 30 > second/cleo.csv
    part test 1 40 > second/dora.csv
    part test 41 30 > third/anna.csv
    part ben 31 30 > third/ben.csv
    part cleo 1 50 > third/dora.csv # as noisy as cleo was
    cp "$CASE/../data/reference.csv" .
}

update() { # update BATCH OPTIONS...: the sources of the folder by its name
    gbv update --ledger vendors.db --batch "$1" --reference reference.csv --sources "$1" "${@:2}"
}

walk() { # walk OPTIONS...: the three batches
    update first "$@"
    update second "$@"
    update third --leave cleo "$@"
}
