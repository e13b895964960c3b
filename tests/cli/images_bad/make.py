"""Images that are broken or odd, each in a few bytes: a folder of classes a (good) and b (bad)."""
import os
import struct
import zlib

SCAN = b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\xff\xd9"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth=8, color=0, data=None, interlaced=0):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    row = b"\0" + bytes(range(7, 7 + (width * depth * channels + 7) // 8)) if data is None else b""
    pixels = zlib.compress(row * height if data is None else data)
    palette = chunk(b"PLTE", bytes(range(3 * 2 ** depth))) if color == 3 else b""
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + palette + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


for name in "odd/a", "odd/b", "bad/a", "bad/b":
    os.makedirs(name)
# 4 x 4 pixels in every form: gray, gray of 16 bits, colours of 16 bits, palette, transparency
write("odd/a/gray.png", png(4, 4))
write("odd/a/gray16.png", png(4, 4, 16))
write("odd/a/rgb16.png", png(4, 4, 16, 2))
write("odd/b/palette.png", png(4, 4, 4, 3, b"\0\x01\x23" * 4))
write("odd/b/gray_alpha.png", png(4, 4, 8, 4))
write("odd/b/rgba.png", png(4, 4, 8, 6))
good = png(4, 4)
for name in "bad/a/1.png", "bad/a/2.png", "bad/b/good.png":
    write(name, good)
write("bad/b/cut.png", good[:-20])
write("bad/b/damaged.png", good[:45] + bytes([good[45] ^ 255]) + good[46:])
write("bad/b/empty.jpg", b"")
write("bad/b/giant.png", png(30000, 30000, data=b"\0" * 900))
write("bad/b/bomb.png", png(16000, 16000, data=b"\0" * 900))
write("bad/b/giant.jpg", b"\xff\xd8\xff\xc0\x00\x0b\x08\x75\x30\x75\x30\x01\x01\x11\x00" + SCAN)
write("bad/b/gif.png", b"GIF89a" + bytes(20))
write("bad/b/start.jpg", b"\xff\xd8\xff")
write("bad/b/two_colours.jpg", b"\xff\xd8\xff\xc0\x00\x0e\x08\x00\x04\x00\x04\x02\x01\x11\x00\x02\x11\x00" + SCAN)
write("bad/b/zero.png", png(0, 4, data=b""))
