#!/usr/bin/env python3
"""Golden numbers of training steps, computed by PyTorch and torchvision: writes training_steps.json beside itself.

    /usr/bin/python3 tests/golden/make_training_steps.py

Weights, images, labels and gradients come from hashed numbers (tests/hashed_numbers.h has the same formula), so that the
file holds results only: of every array its norm, its inner products with two hashed vectors and its first numbers.

PyTorch computes everything in double precision; the same is then done in single precision, and the script fails unless
both agree within AGREE (of the loss curve: CURVE_AGREE), so that what remains of a test's tolerance is for gbv. In single precision a whole net's gradients jump where a rounding error carries a number over the corner of a
rectifier or exchanges the two largest of a window. `margin` is how far the nearest number is from that, as a share of its
layer's root mean square; the seeds below are the best of a hundred (`--search NET`), so that errors of single precision,
about 1e-6, pass without a jump.
"""
import argparse
import json
import math
import os
import sys

import numpy
import torch
import torchvision

CLASSES = 10
AGREE, CURVE_AGREE = 2e-5, 2e-3

# name: (seed, batch, height, width, shift); shift is added to the positive biases of batch norm and taken from the
# negative ones, for a net that has too many rectifiers to keep away from all their corners by choice of a seed.
STEPS = {
    "cnn": (11, 6, 28, 28, 0),
    "resnet18": (78, 8, 32, 32, 0),
    "resnet34": (65, 8, 40, 24, 0),
    "resnet50": (21, 4, 40, 24, 2),
}
SMOOTH = dict(seed=1, batch=8, height=12, width=10, steps=20, rate=0.05, momentum=0.9, decay=5e-4)
CURVE = dict(seed=1, batch=16, height=32, width=32, steps=20, rate=2e-5, signal=2)


def hashed_stream(seed, name):
    """24 bits of FNV-1a of 'seed:name'."""
    h = 0xCBF29CE484222325
    for byte in f"{seed}:{name}".encode():
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return (h ^ h >> 32) & 0xFFFFFF


def hashed_bits(stream, count):
    z = numpy.uint64(stream << 40) + numpy.arange(1, count + 1, dtype=numpy.uint64)
    z = z * numpy.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
    return ((z ^ z >> numpy.uint64(31)) >> numpy.uint64(40)).astype(numpy.int64)


def hashed(seed, name, count):
    return ((hashed_bits(hashed_stream(seed, name), count) - 2**23) / 2**23).astype(numpy.float32)


def first_values(seed, name, shape, shift):
    """As first_values in tests/nn/test_golden_steps.c: single precision, so that both have the same bits."""
    values = hashed(seed, name, math.prod(shape))
    if len(shape) > 1:
        inputs = math.prod(shape[1:])
        values = values * numpy.float32(math.sqrt((6 if len(shape) == 4 else 3) / inputs))
    elif name.endswith("running_var"):
        values = 1 + values * numpy.float32(0.5)
    elif name.endswith(".weight"):
        values = 1 + values * numpy.float32(0.25)
    else:
        is_norm_bias = name.endswith(".bias") and ("bn" in name or "downsample" in name)
        shifts = numpy.where(values < 0, -shift, shift) if is_norm_bias else 0
        values = (shifts + values * numpy.float32(0.25)).astype(numpy.float32)
    return torch.from_numpy(values.reshape(shape))


def fill(model, seed, shift=0):
    state = model.state_dict()
    for name, value in state.items():
        if not name.endswith("num_batches_tracked"):
            value.copy_(first_values(seed, name, tuple(value.shape), shift))


def batch_of(seed, step, batch, height, width, signal=0):
    """Noise, `signal` times the picture of the image's class, labels and weights."""
    image = 3 * height * width
    images = 2 * hashed(seed, f"images {step}", batch * image).reshape(batch, 3, height, width)
    labels = hashed_bits(hashed_stream(seed, f"labels {step}"), batch) % CLASSES
    pictures = numpy.stack([hashed(seed, f"class {k}", image).reshape(3, height, width) for k in range(CLASSES)])
    images = images + numpy.float32(signal) * pictures[labels]
    weights = 1 + hashed(seed, f"weights {step}", batch) * numpy.float32(0.5)
    return torch.from_numpy(images), torch.from_numpy(labels), torch.from_numpy(weights)


def weighted_loss(logits, labels, weights):
    losses = torch.nn.functional.cross_entropy(logits, labels, reduction="none")
    return (losses * weights.to(losses)).sum() / len(labels)


class Cnn(torch.nn.Module):
    """src/nn/cnn.c."""

    def __init__(self):
        super().__init__()
        channels = 3
        for i, (outputs, stride) in enumerate([(16, 1), (32, 2), (32, 1), (64, 2), (64, 1)], 1):
            self.add_module(f"conv{i}", torch.nn.Conv2d(channels, outputs, 3, stride, 1, bias=False))
            self.add_module(f"bn{i}", torch.nn.BatchNorm2d(outputs))
            channels = outputs
        self.relu = torch.nn.ReLU()
        self.fc = torch.nn.Linear(channels, CLASSES)

    def forward(self, x):
        for i in range(1, 6):
            x = self.relu(getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(x)))
        return self.fc(x.mean((2, 3)))


class Smooth(torch.nn.Module):
    """smooth_net in tests/nn/test_golden_steps.c: nothing in it has a corner, so that errors stay small."""

    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(16)
        self.conv2 = torch.nn.Conv2d(16, 16, 3, 1, 1, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(16)
        self.conv3 = torch.nn.Conv2d(16, 24, 5, 2, 2, bias=True)
        self.fc = torch.nn.Linear(24, CLASSES)

    def forward(self, x):
        x = self.bn1(self.conv1(x))
        x = self.bn2(self.conv2(x)) + x
        return self.fc(self.conv3(x).mean((2, 3)))


def model_of(name):
    if name == "cnn":
        return Cnn()
    return getattr(torchvision.models, name)(weights=None, num_classes=CLASSES)


def watch_margin(model):
    """Afterwards margin[0] is the least distance from a corner that any forward pass came to."""
    margin = [math.inf]

    def rectifier(module, inputs):
        x = inputs[0]
        margin[0] = min(margin[0], (x.abs().min() / x.pow(2).mean().sqrt()).item())

    def pool(module, inputs):
        x = inputs[0]
        padded = torch.nn.functional.pad(x, (1, 1, 1, 1), value=0)
        windows = torch.nn.functional.unfold(padded.flatten(0, 1)[:, None], 3, stride=2)
        top = windows.topk(2, dim=1).values
        gap = (top[:, 0] - top[:, 1])[top[:, 0] > 0]
        margin[0] = min(margin[0], (gap.min() / x.pow(2).mean().sqrt()).item())

    for module in model.modules():
        if isinstance(module, torch.nn.ReLU):
            module.register_forward_pre_hook(rectifier)
        if isinstance(module, torch.nn.MaxPool2d):
            module.register_forward_pre_hook(pool)
    return margin


def one_step(name, seed, batch, height, width, shift, dtype, backward=True):
    """Every array that a step computes, by its name, and the margin."""
    model = model_of(name).to(dtype)
    fill(model, seed, shift)
    images, labels, weights = batch_of(seed, 0, batch, height, width)
    model.train()
    margin = watch_margin(model)
    with torch.set_grad_enabled(backward):
        logits = model(images.to(dtype))
        loss = weighted_loss(logits, labels, weights)
    arrays = dict(loss=loss.detach()[None], logits=logits.detach())
    if backward:
        loss.backward()
        arrays.update({key: parameter.grad for key, parameter in model.named_parameters()})
        arrays.update({key: value for key, value in model.named_buffers() if "num_batches" not in key})
    return arrays, margin[0]


def smooth_training(dtype):
    s = SMOOTH
    model = Smooth().to(dtype)
    fill(model, s["seed"])
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), s["rate"], s["momentum"], weight_decay=s["decay"])
    losses = []
    for step in range(s["steps"]):
        images, labels, weights = batch_of(s["seed"], step, s["batch"], s["height"], s["width"])
        loss = weighted_loss(model(images.to(dtype)), labels, weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    arrays = {key: value for key, value in model.state_dict().items() if "num_batches" not in key}
    return dict(arrays, losses=torch.tensor(losses, dtype=dtype))


def loss_curve(dtype):
    c = CURVE
    model = model_of("resnet18").to(dtype)
    fill(model, c["seed"])
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), c["rate"])
    losses = []
    for step in range(c["steps"]):
        images, labels, weights = batch_of(c["seed"], step, c["batch"], c["height"], c["width"], c["signal"])
        loss = weighted_loss(model(images.to(dtype)), labels, weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses, dtype=torch.float64)


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, 0.1, 0.9, weight_decay=0.01),
    "nesterov": lambda p: torch.optim.SGD(p, 0.1, 0.9, weight_decay=0.01, nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, 0.01, weight_decay=0.01),
    "adamw": lambda p: torch.optim.AdamW(p, 0.01, weight_decay=0.1),
}


def optimized(name, dtype):
    """100 numbers after 8 steps along hashed gradients."""
    weights = torch.nn.Parameter(torch.from_numpy(hashed(1, "weights", 100)).to(dtype))
    optimizer = OPTIMIZERS[name]([weights])
    for step in range(8):
        weights.grad = torch.from_numpy(hashed(1, f"gradient {step}", 100)).to(dtype)
        optimizer.step()
    return weights.detach()


def rounded(numbers):
    return [float(f"{x:.10g}") for x in numbers]


def summary(name, array):
    numbers = array.detach().double().numpy().ravel()
    dots = [numbers @ hashed(k, name, len(numbers)).astype(numpy.float64) for k in range(2)]
    return dict(count=len(numbers), norm=rounded([numpy.linalg.norm(numbers)])[0], dots=rounded(dots),
                first=rounded(numbers[:3]))


def summaries(double, single, what):
    for key, value in double.items():
        apart = ((single[key].double() - value).norm() / value.norm()).item()
        if not apart <= AGREE:
            sys.exit(f"{what}: {key} differs by {apart:.1e} between single and double precision")
    return {key: summary(key, value) for key, value in double.items()}


def worst(double, single):
    return max(((single[k].double() - v).norm() / v.norm()).item() for k, v in double.items())


def search(name):
    margins = {seed: one_step(name, seed, *STEPS[name][1:], torch.float64, backward=False)[1] for seed in range(1, 101)}
    for seed in sorted(margins, key=margins.get)[-5:]:
        print(f"{name} seed {seed} margin {margins[seed]:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", metavar="NET", choices=STEPS, help="seeds that keep away from corners")
    arguments = parser.parse_args()
    if arguments.search:
        search(arguments.search)
        return
    golden = dict(torch=torch.__version__, torchvision=torchvision.__version__, steps=[], optimizers={})
    for name, (seed, *sizes) in STEPS.items():
        double, margin = one_step(name, seed, *sizes, torch.float64)
        single, _ = one_step(name, seed, *sizes, torch.float32)
        batch, height, width, shift = sizes
        golden["steps"].append(dict(net=name, seed=seed, batch=batch, height=height, width=width, shift=shift, margin=margin,
                                    single_precision=worst(double, single), arrays=summaries(double, single, name)))
    double, single = smooth_training(torch.float64), smooth_training(torch.float32)
    golden["smooth"] = dict(SMOOTH, single_precision=worst(double, single),
                            arrays=summaries(double, single, "the smooth net"))
    double, single = loss_curve(torch.float64), loss_curve(torch.float32)
    apart = ((single - double).abs() / double).max().item()
    if not apart <= CURVE_AGREE:
        sys.exit(f"the loss curve differs by {apart:.1e} between single and double precision")
    golden["curve"] = dict(CURVE, single_precision=apart, losses=rounded(double.tolist()))
    for name in OPTIMIZERS:
        double, single = optimized(name, torch.float64), optimized(name, torch.float32)
        golden["optimizers"].update(summaries({name: double}, {name: single}, name))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "training_steps.json"), "w") as stream:
        stream.write(json.dumps(golden).replace("}, ", "},\n") + "\n")  # a line for each array


if __name__ == "__main__":
    main()
