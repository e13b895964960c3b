"""Writes networks.tsv: logits and features of torchvision's ResNets and of gbv's cnn, in PyTorch's eval mode, with weights
and pixels by a formula that tests/nn/test_network_golden.c repeats.

    /usr/bin/python3 tests/golden/make_networks.py > tests/golden/networks.tsv
"""
import numpy as np
import torch
import torchvision
from torch import nn

OUTPUTS, IMAGES = 5, 2


def mix(seed, count):
    """32 well mixed bits for each of `count` places."""
    x = np.arange(count, dtype=np.uint32) + np.uint32(seed)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = (x ^ (x >> np.uint32(shift))) * np.uint32(factor)
    return x ^ (x >> np.uint32(16))


def name_hash(name):
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 % 2**32
    return value


def fill(model):
    state = model.state_dict()
    for name, tensor in state.items():
        if tensor.dtype == torch.int64:
            continue
        centred = mix(name_hash(name), tensor.numel()) / 2**32 - 0.5
        fan_in = tensor[0].numel()
        if tensor.dim() > 1:
            numbers = centred * np.sqrt(24 / fan_in)
        elif name.endswith("running_var"):
            numbers = 1 + 0.4 * centred
        elif name.endswith("weight"):
            numbers = 0.6 + 0.4 * centred
        else:
            numbers = 0.4 * centred
        state[name] = torch.from_numpy(numbers.astype(np.float32)).reshape(tensor.shape)
    model.load_state_dict(state)
    return model.eval()


class Cnn(nn.Module):
    """gbv's small network: docs/formats.md."""

    def __init__(self, channels):
        super().__init__()
        for i, (outputs, stride) in enumerate([(16, 1), (32, 2), (32, 1), (64, 2), (64, 1)], 1):
            setattr(self, f"conv{i}", nn.Conv2d(channels, outputs, 3, stride, 1, bias=False))
            setattr(self, f"bn{i}", nn.BatchNorm2d(outputs))
            channels = outputs
        self.fc = nn.Linear(64, OUTPUTS)

    def forward(self, x):
        for i in range(1, 6):
            x = torch.relu(getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(x)))
        return self.fc(x.mean((2, 3)))


def old_resnet50(**options):
    """The stride of a block in its first convolution, as before torchvision's version 1.5."""
    model = torchvision.models.resnet50(**options)
    for layer in (model.layer2, model.layer3, model.layer4):
        layer[0].conv1.stride, layer[0].conv2.stride = (2, 2), (1, 1)
    return model


def show(case, model, channels, height, width, mean, deviation):
    pixels = (mix(name_hash(case), IMAGES * channels * height * width) & 255).astype(np.uint8)
    x = torch.from_numpy(pixels.reshape(IMAGES, channels, height, width)).float() / 255
    if channels == 1 and not isinstance(model, Cnn):
        x = x.repeat(1, 3, 1, 1)
    view = (1, -1, 1, 1)
    x = (x - torch.tensor(mean[: x.shape[1]]).view(view)) / torch.tensor(deviation[: x.shape[1]]).view(view)
    seen = []
    model.fc.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0]))
    with torch.no_grad():
        logits = model(x)
    for i in range(IMAGES):
        for k in range(OUTPUTS):
            print(f"{case}/logit/{i}/{k}\t{logits[i, k].item():.9g}")
        for k in range(4):
            print(f"{case}/feature/{i}/{k}\t{seen[0][i, k].item():.9g}")


if __name__ == "__main__":
    imagenet = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    half = ([0.5] * 3, [0.5] * 3)
    models = torchvision.models
    show("resnet18", fill(models.resnet18(num_classes=OUTPUTS)), 3, 32, 32, *imagenet)
    show("resnet18-gray", fill(models.resnet18(num_classes=OUTPUTS)), 1, 40, 24, *half)
    show("resnet34", fill(models.resnet34(num_classes=OUTPUTS)), 3, 32, 32, *imagenet)
    show("resnet50", fill(models.resnet50(num_classes=OUTPUTS)), 3, 33, 47, *imagenet)
    show("resnet50-old", fill(old_resnet50(num_classes=OUTPUTS)), 3, 33, 47, *imagenet)
    show("cnn", fill(Cnn(3)), 3, 32, 32, *half)
    show("cnn-gray", fill(Cnn(1)), 1, 28, 28, *imagenet)
