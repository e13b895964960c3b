#!/usr/bin/python3
"""Operators on one image of 224 x 224 in colour beside Pillow and torchvision (uint8 tensors), one thread each: times, turn
about, and how far the bytes of Pillow's are apart.

    bench/run_augment.py [--program PATH] [--only rotate,invert] [--rounds 15]

gaussian_blur: Pillow's own is another, cheaper thing (three box blurs), so its bytes are not compared. gaussian_noise:
Pillow has none; NumPy does it to its pixels.
"""
import argparse
import math
import os
import statistics
import subprocess
import tempfile
import time

import numpy
import torch
from PIL import Image, ImageEnhance, ImageFilter, ImageOps
from torchvision.transforms import functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZE = 224
OPERATORS = [("shear_x", 0.3), ("shear_y", 0.3), ("translate_x", 76), ("translate_y", 76), ("rotate", 45), ("rotate", 90),
             ("brightness", 0.5), ("brightness", 2.5), ("color", 2.5), ("contrast", 0.45), ("sharpness", 2.5), ("posterize", 4),
             ("solarize", 128), ("gaussian_blur", 2.55), ("gaussian_noise", 0.1), ("auto_contrast", 0), ("equalize", 0),
             ("invert", 0)]
MEMORY_BOUND = {"translate_x", "translate_y", "posterize", "solarize", "invert", "brightness"}


def affine(image, translate=(0, 0), shear=(0.0, 0.0), center=None):
    return F.affine(image, angle=0.0, translate=list(translate), scale=1.0, shear=list(shear), center=center)


def shear(m):
    return math.degrees(math.atan(m))


random = numpy.random.default_rng(1)


def pillow_noise(image, m):
    noisy = numpy.asarray(image) * numpy.float32(1 / 255) + numpy.float32(m) * random.standard_normal((SIZE, SIZE, 3), "f4")
    return Image.fromarray((numpy.clip(noisy, 0, 1) * 255).round().astype("u1"))


PILLOW = {
    "shear_x": lambda i, m: affine(i, shear=(shear(m), 0.0), center=[0, 0]),
    "shear_y": lambda i, m: affine(i, shear=(0.0, shear(m)), center=[0, 0]),
    "translate_x": lambda i, m: affine(i, (int(m), 0)),
    "translate_y": lambda i, m: affine(i, (0, int(m))),
    "rotate": lambda i, m: i.rotate(m),
    "brightness": lambda i, m: ImageEnhance.Brightness(i).enhance(m),
    "color": lambda i, m: ImageEnhance.Color(i).enhance(m),
    "contrast": lambda i, m: ImageEnhance.Contrast(i).enhance(m),
    "sharpness": lambda i, m: ImageEnhance.Sharpness(i).enhance(m),
    "posterize": lambda i, m: ImageOps.posterize(i, int(m)),
    "solarize": lambda i, m: ImageOps.solarize(i, m),
    "gaussian_blur": lambda i, m: i.filter(ImageFilter.GaussianBlur(m)),
    "gaussian_noise": pillow_noise,
    "auto_contrast": lambda i, m: ImageOps.autocontrast(i),
    "equalize": lambda i, m: ImageOps.equalize(i),
    "invert": lambda i, m: ImageOps.invert(i),
}
TENSORS = dict(PILLOW, **{
    "rotate": F.rotate,
    "brightness": F.adjust_brightness,
    "color": F.adjust_saturation,
    "contrast": F.adjust_contrast,
    "sharpness": F.adjust_sharpness,
    "posterize": lambda i, m: F.posterize(i, int(m)),
    "solarize": F.solarize,
    "gaussian_blur": lambda i, m: F.gaussian_blur(i, [11, 11], [m, m]),
    "gaussian_noise": lambda i, m: ((i / 255 + m * torch.randn(i.shape)).clamp(0, 1) * 255).round().to(torch.uint8),
    "auto_contrast": lambda i, m: F.autocontrast(i),
    "equalize": lambda i, m: F.equalize(i),
    "invert": lambda i, m: F.invert(i),
})
NOT_COMPARED = {"gaussian_blur", "gaussian_noise"}


def formula_image():
    y, x = numpy.mgrid[0:SIZE, 0:SIZE]
    waves = [127 + 60 * numpy.sin(x / (9 + 3 * c) + c) + 50 * numpy.cos(y / (17 - 4 * c)) for c in range(3)]
    return (numpy.stack(waves, 2) + random.integers(-12, 13, (SIZE, SIZE, 3))).clip(3, 250).astype("u1")


def seconds(call, image, magnitude, times):
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        made = call(image, magnitude)
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken), made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_augment"))
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    torch.set_num_threads(1)
    pixels = formula_image()
    image, tensor = Image.fromarray(pixels), torch.from_numpy(pixels).permute(2, 0, 1).contiguous()
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in"), os.path.join(folder, "out")
        tensor.numpy().tofile(source)
        program = subprocess.Popen([options.program, str(SIZE), str(SIZE), source, target], text=True, bufsize=1,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, OMP_NUM_THREADS="1"))

        def gbv(op, magnitude, times):
            program.stdin.write(f"{op} {magnitude!r} {times}\n")
            program.stdin.flush()
            return float(program.stdout.readline())

        print("| operator | magnitude | gbv, us | copies | Pillow, us | ratio | torchvision, us | ratio | pixels that differ |\n"
              "|---|---|---|---|---|---|---|---|---|")
        ratios, worst, slow = [], 9e9, []
        for op, magnitude in OPERATORS:
            if options.only and op not in options.only.split(","):
                continue
            ours, copies, pillow, torchvision = [], [], [], []
            for _ in range(options.rounds):
                copies.append(gbv("copy", 0, 50))
                ours.append(gbv(op, magnitude, 50))
                spent, made = seconds(PILLOW[op], image, magnitude, 5)
                pillow.append(spent)
                torchvision.append(seconds(TENSORS[op], tensor, magnitude, 5)[0])
            differ = (numpy.fromfile(target, "u1").reshape(3, SIZE, SIZE) != numpy.asarray(made).transpose(2, 0, 1)).sum()
            a, c, p, t = (statistics.median(x) for x in (ours, copies, pillow, torchvision))
            ratios.append(p / a)
            worst = min(worst, p / a)
            if op in MEMORY_BOUND and a > 2 * c:
                slow.append(f"{op} {a / c:.1f}")
            print(f"| {op} | {magnitude:g} | {a * 1e6:.1f} | {a / c:.1f} | {p * 1e6:.0f} | {p / a:.1f}x | {t * 1e6:.0f} | {t / a:.1f}x "
                  f"| {'-' if op in NOT_COMPARED else differ} |", flush=True)
        print(f"\nGeometric mean of Pillow / gbv: {math.exp(statistics.mean(map(math.log, ratios))):.1f}x, the least {worst:.1f}x. "
              f"Memory-bound operators above two copies: {', '.join(slow) or 'none'}.")
        program.stdin.close()
        program.wait()


if __name__ == "__main__":
    main()
