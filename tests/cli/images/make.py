"""Small pictures whose colour says the class: a CIFAR-10 batch, and folders of PNG files with the same and other sizes."""
import os
import random
import struct
import zlib

COLOURS = [(200, 40, 40), (40, 200, 40), (40, 40, 200)]
NAMES = ["0", "1", "2"]


def pixels(generator, colour, side):
    """By row, column, channel."""
    return bytes(min(255, max(0, value + generator.randint(-30, 30))) for _ in range(side * side) for value in colour)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(data, side):
    rows = b"".join(b"\0" + data[3 * side * y : 3 * side * (y + 1)] for y in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def batch(seed, count):
    generator, records = random.Random(seed), []
    for i in range(count):
        data = pixels(generator, COLOURS[i % 3], 32)
        records.append(bytes([i % 3]) + data[0::3] + data[1::3] + data[2::3])
    return b"".join(records)


def folder(path, seed, count, side, wrong=0.0):
    generator = random.Random(seed)
    for i in range(count):
        label = generator.randrange(3) if generator.random() < wrong else i % 3
        os.makedirs(os.path.join(path, NAMES[label]), exist_ok=True)
        with open(os.path.join(path, NAMES[label], f"{i:02}.png"), "wb") as file:
            file.write(png(pixels(generator, COLOURS[i % 3], side), side))


with open("reference.bin", "wb") as file:
    file.write(batch(1, 30))
os.makedirs("vendors")
folder("vendors/good", 2, 12, 32)
folder("vendors/poor", 3, 12, 32, wrong=0.8)
folder("photos", 4, 6, 80)
