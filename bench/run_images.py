#!/usr/bin/python3
"""JPEG files to pixels for a network beside Pillow and torchvision, on one thread: images a second and the ratio. The bytes
of both are compared.

    bench/run_images.py [--program PATH] [--images 60]

Photographs are those of CUB-200-2011 in $GBV_DATA, enlarged and written again (224 x 224: as they are); without them,
smooth noise. Both sides are timed by processor time, in turn.
"""
import argparse
import glob
import io
import os
import statistics
import subprocess
import tarfile
import tempfile
import time

import numpy
from PIL import Image
from torchvision import transforms

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZES = [(224, 224), (500, 375), (375, 500), (1024, 768), (3000, 2000)]


def photographs(count):
    """JPEG files as bytes."""
    tars = sorted(glob.glob(os.path.join(os.environ.get("GBV_DATA", ""), "cub200-224-test-*.tar")))
    found = []
    for path in tars[:1]:
        with tarfile.open(path) as tar:
            for member in tar:
                if member.isfile() and len(found) < count:
                    found.append(tar.extractfile(member).read())
    random = numpy.random.default_rng(1)
    while len(found) < count:
        small = Image.fromarray(random.integers(0, 256, (28, 28, 3), dtype="u1"))
        data = io.BytesIO()
        small.resize((224, 224), Image.BICUBIC).save(data, "JPEG", quality=76)
        found.append(data.getvalue())
    return found


def make(folder, photos, size):
    paths = []
    for i, photo in enumerate(photos):
        path = os.path.join(folder, f"{i:03}.jpg")
        if size == (224, 224):
            with open(path, "wb") as file:
                file.write(photo)
        else:
            Image.open(io.BytesIO(photo)).convert("RGB").resize(size, Image.BICUBIC).save(path, quality=90)
        paths.append(path)
    return paths


def pillow(paths, resize, crop):
    """Seconds and bytes."""
    prepare = transforms.Compose([transforms.Resize(resize), transforms.CenterCrop(crop), transforms.PILToTensor()])
    begin = time.process_time()
    rows = [prepare(Image.open(path).convert("RGB")).numpy() for path in paths]
    return time.process_time() - begin, b"".join(row.tobytes() for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_images"))
    parser.add_argument("--images", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    environment = dict(os.environ, OMP_NUM_THREADS="1", BENCH_CLOCK="cpu")
    photos = photographs(options.images)
    print("| JPEG | to | gbv, images/s | Pillow + torchvision, images/s | ratio | of gbv's time, decoding | same bytes |\n"
          "|---|---|---|---|---|---|---|")
    for size in SIZES:
        count = max(4, min(options.images, options.images * 500 * 375 // (size[0] * size[1])))
        with tempfile.TemporaryDirectory() as folder:
            paths, out = make(folder, photos[:count], size), os.path.join(folder, "out")
            ours, decoding, theirs = [], [], []
            for _ in range(options.rounds):
                text = subprocess.run([options.program, "256", "224", "3", out, *paths], check=True, env=environment,
                                      capture_output=True, text=True).stdout
                ours.append(float(text.split()[0]))
                decoding.append(float(text.split()[1]))
                seconds, expected = pillow(paths, 256, 224)
                theirs.append(seconds)
            with open(out, "rb") as file:
                same = file.read() == expected
        a, d, b = (statistics.median(times) for times in (ours, decoding, theirs))
        print(f"| {size[0]} x {size[1]} | 256/224 | {count / a:.0f} | {count / b:.0f} | {b / a:.2f} | {100 * d / a:.0f} % "
              f"| {'yes' if same else 'NO'} |", flush=True)


if __name__ == "__main__":
    main()
