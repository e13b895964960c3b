#!/usr/bin/python3
"""Features of JPEG files: `gbv features` with a ResNet-18 beside PyTorch's DataLoader and the same network, on the same cores. Both start as
whole programs and write an array; the numbers are compared.

    bench/run_features.py [--program build/bench/gbv] [--images 400] [--rounds 3] [--threads 2]

Photographs are those of run_images.py, enlarged to 500 x 375 and preprocessed as for ImageNet (256/224). The weights are random
and the same for both. Of PyTorch the better of no and `threads` loading processes and of both memory formats counts.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
import torchvision

import run_images

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEER = """
import sys, numpy, torch, torchvision
from torchvision import transforms
folder, weights, out, threads, workers, layout = sys.argv[1:]
torch.set_num_threads(int(threads))
network = torchvision.models.resnet18()
network.load_state_dict(torch.load(weights))
network.fc = torch.nn.Identity()
network.eval()
form = torch.channels_last if layout == "channels last" else torch.contiguous_format
network = network.to(memory_format=form)
steps = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(),
                            transforms.Normalize([.485, .456, .406], [.229, .224, .225])])
loader = torch.utils.data.DataLoader(torchvision.datasets.ImageFolder(folder, steps), batch_size=32, num_workers=int(workers))
with torch.no_grad():
    numpy.save(out, torch.cat([network(images.to(memory_format=form)) for images, _ in loader]).numpy())
"""


def write_safetensors(path, state):
    """As far as gbv needs it: F32 only."""
    import json
    header, offset, blocks = {}, 0, []
    for name, tensor in state.items():
        if tensor.dtype == torch.float32:
            data = tensor.contiguous().numpy().tobytes()
            header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [offset, offset + len(data)]}
            offset += len(data)
            blocks.append(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(blocks))


def seconds(command):
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=os.path.join(ROOT, "build/bench/gbv"))
    parser.add_argument("--images", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        photos = os.path.join(folder, "photos", "bird")
        os.makedirs(photos)
        run_images.make(photos, run_images.photographs(asked.images), (500, 375))
        torch.manual_seed(1)
        network = torchvision.models.resnet18()
        torch.save(network.state_dict(), os.path.join(folder, "weights.pt"))
        write_safetensors(os.path.join(folder, "weights.safetensors"), network.state_dict())
        ours = [asked.program, "features", "--model", "resnet18", "--pretrained", os.path.join(folder, "weights.safetensors"),
                os.path.dirname(photos), "--threads", str(asked.threads), "-o", os.path.join(folder, "ours.npy")]
        peers = {f"{workers} loaders, {layout}": [sys.executable, "-c", PEER, os.path.dirname(photos),
                                                  os.path.join(folder, "weights.pt"), os.path.join(folder, "theirs.npy"),
                                                  str(asked.threads), str(workers), layout]
                 for workers in (0, asked.threads) for layout in ("plain", "channels last")}
        own, others = [], {name: [] for name in peers}
        for _ in range(asked.rounds):
            own.append(seconds(ours))
            for name, command in peers.items():
                others[name].append(seconds(command))
        differ = numpy.abs(numpy.load(os.path.join(folder, "ours.npy")) - numpy.load(os.path.join(folder, "theirs.npy"))).max()
    best = min(others, key=lambda name: statistics.median(others[name]))
    ours, theirs = statistics.median(own), statistics.median(others[best])
    print("| images | threads | gbv, s | PyTorch, s | ratio | largest difference |\n|---|---|---|---|---|---|")
    print(f"| {asked.images} | {asked.threads} | {ours:.2f} | {theirs:.2f} ({best}) | **{theirs / ours:.2f}x** | {differ:.0e} |")


if __name__ == "__main__":
    main()
