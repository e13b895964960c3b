"""Colour images of three classes under noise, as PNG files in folders: enough for a small network to learn."""
import os
import random
import struct
import sys
import zlib


def write_png(path, side, pixel):
    rows = b"".join(b"\0" + bytes(pixel(x, y, c) for x in range(side) for c in range(3)) for y in range(side))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_class(folder, name, stripes, count, side=12):
    draw = random.Random(name)
    os.makedirs(f"{folder}/{name}", exist_ok=True)
    for i in range(count):
        write_png(f"{folder}/{name}/{i:02d}.png", side, lambda x, y, c: min(255, max(0, int(
            draw.gauss(150 if stripes(x, y) // 3 % 2 else 100, 40)))))


write_class("images", "across", lambda x, y: y, 12)
write_class("images", "down", lambda x, y: x, 12)
write_class("images", "slanted", lambda x, y: x + y, 12)
write_class("one", "across", lambda x, y: y, 3)
write_class("small", "across", lambda x, y: y, 2, 1)
write_class("small", "down", lambda x, y: x, 2, 1)
