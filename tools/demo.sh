#!/bin/bash
# The demonstration: five annotators label Fashion-MNIST with 0 to 80 % of their labels wrong. gbv ranks them against a
# small trusted set and trains on what they are worth. Results stay in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

gbv=build/gbv
data=${FASHION_MNIST:-/usr/share/datasets/fashion-mnist}
out=build/demo
noise=(0 .2 .4 .6 .8)
seeds=(1 2 3 4 5)
per_class=${PER_CLASS:-200}

train=$data/train-images-idx3-ubyte.gz,$data/train-labels-idx1-ubyte.gz
test=$data/t10k-images-idx3-ubyte.gz,$data/t10k-labels-idx1-ubyte.gz
if [ ! -f "${train%%,*}" ]; then
    echo "tools/demo.sh: no Fashion-MNIST in $data: run make setup, or say where it is with FASHION_MNIST=FOLDER" >&2
    exit 1
fi
rm -rf "$out"
mkdir -p "$out"

join() { # join SEPARATOR WORD...
    local IFS=$1
    shift
    echo "$*"
}

simulate() { # simulate SEED FOLDER
    "$gbv" simulate --input "$train" --test "$test" --annotators ${#noise[@]} --noise "$(join , "${noise[@]}")" \
        --per-class "$per_class" --reference-per-class 100 --seed "$1" -o "$2"
}

sources() { # sources FOLDER: fills the array of --source options
    source_options=()
    local i
    for i in "${!noise[@]}"; do
        source_options+=(--source "annotator-$i=$1/annotators/annotator-$i.npz")
    done
}

accuracy() { # accuracy MODEL FOLDER
    "$gbv" evaluate "$1" "$2/test.npz" --format json | awk '
        match($0, /"accuracy": *[0-9.eE+-]+/) && !found++ {
            text = substr($0, RSTART, RLENGTH)
            sub(/.*: */, "", text)
            print text
        }'
}

echo "Five annotators label $((per_class * 10)) images each; annotator-0 gets all of them right, annotator-4 one in five."
echo "Each is valued on 1000 trusted images:"
echo
for seed in "${seeds[@]}"; do
    folder=$out/seed-$seed
    simulate "$seed" "$folder"
    sources "$folder"
    "$gbv" value --reference "$folder/reference.npz" "${source_options[@]}" --format json -o "$folder/result.json"
    if [ "$seed" = "${seeds[0]}" ]; then
        "$gbv" value --reference "$folder/reference.npz" "${source_options[@]}" --format table
        "$gbv" value --reference "$folder/reference.npz" "${source_options[@]}" --format csv -o "$out/ranking.csv"
        cp "$folder/result.json" "$out/result.json"
        "$gbv" weights "$folder/result.json" -o "$out/weights.csv"
        echo
        echo "Then a model is trained on all of their rows, ${#seeds[@]} times over with other images and other mistakes:"
        echo
    fi
    "$gbv" train --result "$folder/result.json" "${source_options[@]}" -o "$folder/weighted.safetensors"
    "$gbv" train --equal-sources "${source_options[@]}" -o "$folder/equal.safetensors"
    "$gbv" train --pooled "${source_options[@]}" -o "$folder/pooled.safetensors"
    for kind in weighted equal pooled; do
        echo "$kind $seed $(accuracy "$folder/$kind.safetensors" "$folder")" >>"$out/accuracy.txt"
    done
done
cp "$out/seed-${seeds[0]}/weighted.safetensors" "$out/model.safetensors"

awk '
    { n[$1]++; sum[$1] += $3; squares[$1] += $3 * $3 }
    function line(kind, words,    mean, variance) {
        mean = sum[kind] / n[kind]
        variance = (squares[kind] - n[kind] * mean * mean) / (n[kind] - 1)
        printf "  %-28s %5.2f %% +- %.2f\n", words, 100 * mean, 100 * sqrt(variance > 0 ? variance / n[kind] : 0)
    }
    END {
        print "  final model trained with      test accuracy (mean +- standard error)"
        line("weighted", "weights P(s)")
        line("equal", "equal sources")
        line("pooled", "all rows pooled")
    }' "$out/accuracy.txt"
echo
echo "In $out: result.json, ranking.csv, weights.csv, model.safetensors; for other images: $gbv value --help"
