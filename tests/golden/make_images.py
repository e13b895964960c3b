"""Writes image_* beside itself: small images in every form that is read, and as .npy the bytes by channel, row and column
that they hold. Needs NumPy, Pillow and torchvision.

    python3 tests/golden/make_images.py
"""
import os
import struct
import zlib

import numpy as np
from PIL import Image
from torchvision import transforms

HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(HERE, "image_" + name)


def picture(height, width, channels=3):
    """Smooth colours with noise on top, from a seeded generator."""
    random = np.random.default_rng(height * 1000 + width)
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    smooth = 127 + 100 * np.sin(x / 5 + c) * np.cos(y / 4 - c)
    return np.clip(smooth + random.normal(0, 12, smooth.shape), 0, 255).astype("u1")


def expect(name, pixels):
    """Stores height x width (x channels) bytes as one row of planes."""
    pixels = np.asarray(pixels, dtype="u1")
    planes = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
    np.save(path(name + ".npy"), planes.reshape(1, -1))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(name, color, depth, height, width, data, interlaced=0):
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    with open(path(name), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def save(name, image, **options):
    """An image as Pillow writes it, and what Pillow reads from it."""
    image.save(path(name), **options)
    again = Image.open(path(name))
    expect(name.split(".")[0], again.convert("L" if again.mode in ("1", "L", "LA") else "RGB"))


rgb = Image.fromarray(picture(9, 13))
gray = rgb.convert("L")
alpha = Image.fromarray(picture(9, 13, 1)[:, :, 0])
save("rgb.png", rgb)
save("gray.png", gray)
save("bits.png", gray.convert("1"))
save("palette.png", rgb.quantize(16))
save("palette_transparent.png", rgb.quantize(7), transparency=3)
rgba = rgb.copy()
rgba.putalpha(alpha)
save("alpha.png", rgba)
save("gray_alpha.png", Image.merge("LA", (gray, alpha)))
save("colour.jpg", rgb, quality=90)
save("progressive.jpg", rgb, quality=80, progressive=True, subsampling=0)
save("luminance.jpg", gray, quality=85)
save("cmyk.jpg", rgb.convert("CMYK"), quality=95)
save("halved.jpg", rgb, quality=76, subsampling=2)

# What Pillow does not write: Adam7, and 16 bits a channel, rounded to the nearest of 255.
passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
array = np.asarray(rgb)
lines = [b"\0" + row.tobytes() for y, x, dy, dx in passes for row in array[y::dy, x::dx] if row.size]
write_png("interlaced.png", 2, 8, 9, 13, b"".join(lines), interlaced=1)
expect("interlaced", array)
wide = (np.arange(5 * 7 * 3).reshape(5, 7, 3) * 619 + 40).astype(">u2")
write_png("rgb16.png", 2, 16, 5, 7, b"".join(b"\0" + row.tobytes() for row in wide))
expect("rgb16", (wide.astype("u8") * 255 + 32767) // 65535)
write_png("gray16.png", 0, 16, 5, 7, b"".join(b"\0" + row.tobytes() for row in wide[:, :, 0]))
expect("gray16", (wide[:, :, 0].astype("u8") * 255 + 32767) // 65535)

# The shorter side to N, bilinear with antialiasing, then the middle.
for name, height, width, side, crop, gray_only in [
        ("shrunk", 27, 40, 16, 16, False), ("grown", 7, 5, 12, 12, False), ("narrow", 64, 33, 8, 8, True),
        ("even", 12, 12, 12, 12, False), ("odd", 31, 47, 20, 17, False), ("tall", 97, 13, 24, 18, False),
        ("wide", 11, 120, 9, 7, True), ("pixel", 1, 1, 5, 4, False), ("line", 1, 37, 3, 8, False),
        ("padded", 10, 14, 12, 21, False), ("small", 80, 109, 11, 8, False), ("one", 19, 23, 1, 1, False),
        ("photo", 75, 100, 64, 56, False)]:
    image = Image.fromarray(picture(height, width))
    if gray_only:
        image = image.convert("L")
    file = path(name + (".jpg" if name == "photo" else ".png"))
    image.save(file, **({"quality": 76} if name == "photo" else {}))
    expect(name, transforms.CenterCrop(crop)(transforms.Resize(side)(Image.open(file))))
