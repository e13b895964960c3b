#!/bin/bash
# The picture of the README: docs/contact-sheet.png, as gbv augment draws it of Fashion-MNIST (MIT licence), grey
# pictures of clothes. The universal model is a small network trained on other such pictures.
set -euo pipefail
cd "$(dirname "$0")/.."

data=${FASHION_MNIST:-/usr/share/datasets/fashion-mnist}
train=$data/train-images-idx3-ubyte.gz,$data/train-labels-idx1-ubyte.gz
test=$data/t10k-images-idx3-ubyte.gz,$data/t10k-labels-idx1-ubyte.gz
out=build/contact-sheet
rm -rf "$out"
mkdir -p "$out"
build/gbv simulate --input "$train" --test "$test" --noise 0,0 --per-class 200 --reference-per-class 40 --seed 1 \
    -o "$out/data"
build/gbv train --pooled --sources "$out/data/annotators" --model cnn --epochs 8 --seed 1 -o "$out/universal.safetensors"
build/gbv augment --images "$out/data/reference.npz" --pretrained "$out/universal.safetensors" --cache off \
    --contact-sheet docs/contact-sheet.png -o "$out/policy.json"
