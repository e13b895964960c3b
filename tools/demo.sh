#!/bin/bash
# The demonstration: five annotators label Fashion-MNIST with 0 to 80 % of their labels wrong. gbv ranks them against a
# small trusted set and trains on what they are worth. Results stay in build/demo.
set -euo pipefail
cd "$(dirname "$0")/.."

gbv=build/gbv
data=${FASHION_MNIST:-/usr/share/datasets/fashion-mnist}
out=build/demo
noise=0,.2,.4,.6,.8
seeds=(1 2 3 4 5)
per_class=${PER_CLASS:-100}
begin=$SECONDS

train=$data/train-images-idx3-ubyte.gz,$data/train-labels-idx1-ubyte.gz
test=$data/t10k-images-idx3-ubyte.gz,$data/t10k-labels-idx1-ubyte.gz
if [ ! -f "${train%%,*}" ]; then
    echo "tools/demo.sh: no Fashion-MNIST in $data: run make setup, or say where it is with FASHION_MNIST=FOLDER" >&2
    exit 1
fi
rm -rf "$out"
mkdir -p "$out"

value() { # value FOLDER OPTION...
    "$gbv" value --reference "$1/reference.npz" --sources "$1/annotators" "${@:2}"
}

# Trains one model (weighted, equal or pooled) on one seed's annotators and adds its test accuracy to the list.
train_one() { # train_one KIND SEED
    local folder=$out/seed-$2 how
    case $1 in
    weighted) how=(--result "$folder/result.json") ;;
    equal) how=(--equal-sources) ;;
    pooled) how=(--pooled) ;;
    esac
    "$gbv" train "${how[@]}" --sources "$folder/annotators" --threads 1 --progress off -o "$folder/$1.safetensors"
    "$gbv" evaluate "$folder/$1.safetensors" "$folder/test.npz" --format json | awk -v kind="$1" '
        match($0, /"accuracy": *[0-9.eE+-]+/) && !found++ {
            text = substr($0, RSTART, RLENGTH)
            sub(/.*: */, "", text)
            print kind, text
        }' >>"$out/accuracy.txt"
}

echo "Five annotators label $((per_class * 10)) images each: annotator-0 all right, annotator-4 four in five wrong."
echo "Each is valued on 1000 trusted images."
echo
for seed in "${seeds[@]}"; do
    folder=$out/seed-$seed
    "$gbv" simulate --input "$train" --test "$test" --noise "$noise" --per-class "$per_class" \
        --reference-per-class 100 --seed "$seed" -o "$folder"
    if [ "$seed" = "${seeds[0]}" ]; then
        value "$folder" -o "$folder/result.json" --report "$out/report.html"
        value "$folder" -q -o "$out/ranking.csv"
        cp "$folder/result.json" "$out/result.json"
        "$gbv" weights "$folder/result.json" -o "$out/weights.csv"
    else
        value "$folder" -q -o "$folder/result.json"
    fi
done

echo
echo "A model is then trained on all their labels and tested on 9000 other images; ${#seeds[@]} times with other rows."
echo
export -f train_one
export gbv out
for seed in "${seeds[@]}"; do
    printf '%s\0' weighted "$seed" equal "$seed" pooled "$seed"
done | xargs -0 -n 2 -P "$(nproc)" bash -euc 'set -o pipefail; train_one "$@"' train_one
cp "$out/seed-${seeds[0]}/weighted.safetensors" "$out/model.safetensors"

awk '
    { n[$1]++; sum[$1] += $2; squares[$1] += $2 * $2 }
    function line(kind, words,    mean, variance) {
        mean = sum[kind] / n[kind]
        variance = (squares[kind] - n[kind] * mean * mean) / (n[kind] - 1)
        printf "  %-24s %5.2f %% ± %.2f\n", words, 100 * mean, 100 * sqrt(variance > 0 ? variance / n[kind] : 0)
    }
    END {
        print "  trained with             test accuracy ± standard error"
        line("weighted", "the weights P(s)")
        line("equal", "equal sources")
        line("pooled", "all rows pooled")
    }' "$out/accuracy.txt"
echo
echo "In $out: result.json ranking.csv weights.csv model.safetensors ($((SECONDS - begin)) seconds)"
echo "The report of the first five: open $out/report.html in a browser."
