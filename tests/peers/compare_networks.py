"""Networks of gbv beside PyTorch: weights that PyTorch wrote, in the types and under the names that hubs have, give
PyTorch's logits in gbv; models that gbv trained give gbv's logits in PyTorch.

    compare_networks.py PATH-OF-GBV

Needs torch and torchvision (Debian: python3-torch, python3-torchvision); without them it says so and ends with 77. With
the pretrained weights and images of $GBV_DATA these are compared, too.
"""
import csv
import json
import os
import struct
import subprocess
import sys
import tarfile
import tempfile

try:
    import numpy as np
    import torch
    import torchvision
    from PIL import Image
except ImportError as problem:
    print(f"skipped: {problem}")
    sys.exit(77)

TOLERANCE = 1e-4
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
TYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float64: "F64", torch.int64: "I64"}


def write_safetensors(path, state, metadata=None):
    header, blocks, offset = {"__metadata__": metadata or {"format": "pt"}}, [], 0
    for name, tensor in state.items():
        raw = tensor.contiguous()
        raw = raw.view(torch.int16).numpy().tobytes() if tensor.dtype == torch.bfloat16 else raw.numpy().tobytes()
        header[name] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + len(raw)]}
        blocks.append(raw)
        offset += len(raw)
    text = json.dumps(header).encode()  # not padded: tensors may begin anywhere
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blocks))


def read_safetensors(path):
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    numpy_types = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "I64": "<i8"}
    state = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        numbers = np.frombuffer(data[8 + length + begin:8 + length + end], numpy_types[entry["dtype"]])
        state[name] = torch.from_numpy(numbers.astype("f4" if entry["dtype"] != "I64" else "i8").reshape(entry["shape"]))
    return state, metadata


def move_stride(model):
    for layer in (model.layer2, model.layer3, model.layer4):
        layer[0].conv1.stride, layer[0].conv2.stride = (2, 2), (1, 1)
    return model


class Cnn(torch.nn.Module):
    def __init__(self, channels, outputs):
        super().__init__()
        for i, (width, stride) in enumerate([(16, 1), (32, 2), (32, 1), (64, 2), (64, 1)], 1):
            setattr(self, f"conv{i}", torch.nn.Conv2d(channels, width, 3, stride, 1, bias=False))
            setattr(self, f"bn{i}", torch.nn.BatchNorm2d(width))
            channels = width
        self.fc = torch.nn.Linear(64, outputs)

    def forward(self, x):
        for i in range(1, 6):
            x = torch.relu(getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(x)))
        return self.fc(x.mean((2, 3)))


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"gbv {' '.join(arguments)}\n{done.stderr}")
    return done.stdout


def gbv_log_probabilities(program, model, images, *options):
    rows = list(csv.reader(run(program, "predict", model, images, "--all", *options).splitlines()))
    assert rows[0][-1] == "file", rows[0]
    return np.log(np.array([[float(x) for x in row[3:-1]] for row in rows[1:]])), rows[0][3:-1]


def torch_log_probabilities(model, folder, mean=MEAN, deviation=DEVIATION):
    """Of the images of a folder in the order that gbv has: classes and files sorted."""
    logits = []
    for where, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            x = torch.from_numpy(np.asarray(Image.open(os.path.join(where, name)).convert("RGB")).copy())
            x = x.permute(2, 0, 1).float() / 255
            x = (x - torch.tensor(mean).view(3, 1, 1)) / torch.tensor(deviation).view(3, 1, 1)
            with torch.no_grad():
                logits.append(model(x[None])[0].double())
    return torch.log_softmax(torch.stack(logits), 1).numpy()


def compare(what, ours, theirs):
    worst = np.abs(ours - theirs).max()
    print(f"{what}: {len(ours)} images, {ours.shape[1]} classes, largest difference {worst:.2g}")
    if not worst <= TOLERANCE:
        sys.exit(f"{what}: more than {TOLERANCE}")


def make_images(folder, width, height, seed):
    generator = np.random.default_rng(seed)
    for kind in "ab":
        os.makedirs(os.path.join(folder, kind))
        for i in range(12):
            coarse = generator.integers(0, 256, (height // 4, width // 4, 3), dtype=np.uint8)
            tint = np.array([255, 180, 60] if kind == "a" else [60, 180, 255])
            picture = Image.fromarray((coarse * (tint / 255)).astype(np.uint8)).resize((width, height))
            picture.save(os.path.join(folder, kind, f"{i}.png"))


def randomise(model):
    """Statistics that are not those of a fresh network, so that forgetting one is seen."""
    generator = torch.Generator().manual_seed(5)
    for name, tensor in model.state_dict().items():
        if "running" in name or "bn" in name and tensor.dtype == torch.float32:
            tensor.copy_(0.5 + torch.rand(tensor.shape, generator=generator) * 0.3)
    return model.eval()


def compare_hub_files(program, folder):
    images = os.path.join(folder, "hub")
    make_images(images, 64, 48, 1)
    torch.manual_seed(1)
    for case, build, convert, prefix, metadata in [
            ("resnet18, F32", torchvision.models.resnet18, None, "", None),
            ("resnet34, F16", torchvision.models.resnet34, torch.float16, "module.", None),
            ("resnet50, BF16", torchvision.models.resnet50, torch.bfloat16, "backbone.", None),
            ("resnet50 of old, F64", lambda **o: move_stride(torchvision.models.resnet50(**o)), torch.float64, "",
             {"stride_in": "1x1"})]:
        model = randomise(build(num_classes=7))
        state = {name: t.to(convert) if convert and t.dtype == torch.float32 else t
                 for name, t in model.state_dict().items()}
        model.load_state_dict({name: t.float() if t.is_floating_point() else t for name, t in state.items()})
        path = os.path.join(folder, "hub.safetensors")
        write_safetensors(path, {prefix + name: t for name, t in state.items()}, metadata)
        ours, classes = gbv_log_probabilities(program, path, images, "--preprocess", "none")
        assert classes == list("0123456")
        compare(case, ours, torch_log_probabilities(model, images))


def compare_trained(program, folder):
    images = os.path.join(folder, "train")
    make_images(images, 32, 32, 2)
    for kind in ("cnn", "resnet18"):
        path = os.path.join(folder, "trained.safetensors")
        run(program, "train", "--pooled", "--source", f"all={images}", "--model", kind, "--epochs", "1", "--preprocess",
            "none", "-o", path)
        state, metadata = read_safetensors(path)
        preprocessing = json.loads(metadata["preprocessing"])
        assert json.loads(metadata["classes"]) == ["a", "b"] and metadata["model"] == kind
        model = Cnn(3, 2) if kind == "cnn" else torchvision.models.resnet18(num_classes=2)
        model.load_state_dict(state)
        ours, classes = gbv_log_probabilities(program, path, images)
        assert classes == ["a", "b"]
        compare(f"{kind} trained by gbv", ours,
                torch_log_probabilities(model.eval(), images, preprocessing["mean"], preprocessing["std"]))


def compare_pretrained(program, folder, data):
    images = os.path.join(folder, "cub")
    with tarfile.open(os.path.join(data, "cub200-224-test-1.tar")) as archive:
        for index, member in enumerate(m for m in archive if m.name.endswith(".jpg")):
            if index % 310 == 0:
                target = os.path.join(images, f"class{index}")
                os.makedirs(target)
                with open(os.path.join(target, "image.jpg"), "wb") as file:
                    file.write(archive.extractfile(member).read())
    for name, build in [("resnet18-imagenet-restored", torchvision.models.resnet18),
                        ("resnet50-imagenet-v1", lambda: move_stride(torchvision.models.resnet50()))]:
        path = os.path.join(data, name + ".safetensors")
        model = build()
        model.load_state_dict(read_safetensors(path)[0])
        ours, _ = gbv_log_probabilities(program, path, images, "--preprocess", "none")
        compare(name, ours, torch_log_probabilities(model.eval(), images))


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        compare_hub_files(program, folder)
        compare_trained(program, folder)
        data = os.environ.get("GBV_DATA")
        if data and os.path.exists(os.path.join(data, "cub200-224-test-1.tar")):
            compare_pretrained(program, folder, data)
        else:
            print("pretrained weights were skipped: $GBV_DATA has none")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]))
