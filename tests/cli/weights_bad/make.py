"""Files of weights that are not what they should be: small, because what is wrong comes first."""
import json
import struct

import numpy as np


def write(path, arrays, metadata=None, length=None, replace=None):
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, kind, shape, raw in arrays:
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header)
    for old, new in (replace or {}).items():
        text = text.replace(old, new)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", length or len(text)) + text.encode() + data)


def floats(name, *shape, kind="F32"):
    numbers = np.full(shape, 0.5, {"F32": "<f4", "F16": "<f2", "I64": "<i8"}[kind])
    return (name, kind, list(shape), numbers.tobytes())


def names(blocks, parts):
    """Of a ResNet, without numbers: enough to be taken for one."""
    arrays = [("conv1.weight", "F32", [64, 3, 7, 0], b"")]
    for stage, count in enumerate(blocks, 1):
        arrays += [(f"layer{stage}.{b}.conv{i}.weight", "F32", [64, 0, 1, 1], b"") for b in range(count)
                   for i in range(1, parts + 1)]
    return arrays


first, block = floats("conv1.weight", 64, 3, 7, 7), ("layer1.0.conv1.weight", "F32", [64, 0, 1, 1], b"")
write("missing.safetensors", [first, block])
write("no_first.safetensors", [floats("bn1.weight", 64), block])
write("shape.safetensors", [floats("conv1.weight", 64, 3, 3, 3), block])
write("integer.safetensors", [floats("conv1.weight", 64, 3, 7, 7, kind="I64"), block])
half = floats("conv1.weight", 64, 3, 7, 7, kind="F16")
write("nan.safetensors", [(*half[:3], half[3][:10] + struct.pack("<H", 0x7E00) + half[3][12:]), block])
write("twice.safetensors", [floats("bn1.weight", 64), floats("bn1.bias", 64)], replace={"bn1.bias": "bn1.weight"})
write("long_header.safetensors", [first, block], length=123456789)
write("overlap.safetensors", [floats("a", 4), floats("b", 4)], replace={"[16, 32]": "[8, 24]"})
write("beyond.safetensors", [floats("a", 4)], replace={"[0, 16]": "[16, 32]"})
write("resnet50.safetensors", names([3, 4, 6, 3], 3), {"stride_in": "1x1"})
write("resnet101.safetensors", names([3, 4, 23, 3], 3))
write("headless.safetensors", names([2, 2, 2, 2], 2))
write("several.safetensors", [block, ("ema.layer1.0.conv1.weight", "F32", [64, 0, 1, 1], b"")])
write("other.safetensors", [floats("model.embed_tokens.weight", 8, 8)])
open("torch.safetensors", "wb").write(b"PK\3\4" + bytes(100))
open("pointer.safetensors", "w").write("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
open("empty.safetensors", "w").close()
np.save("images.npy", np.zeros((2, 3, 32, 32), np.uint8))
np.savez("a.npz", x=np.zeros((4, 3, 32, 32), np.uint8), y=[0, 1, 0, 1])
