#!/usr/bin/python3
"""Steps of ResNet-18, training (Adam) and inference, beside PyTorch's.

    bench/run_network.py [--program PATH] [--threads 2] [--rounds 7] [--only 32,8,train] [--net resnet18] [--clock wall|cpu]

Both start from the same weights, work on the same images and take turns; times are medians over the rounds. A step is
what a user's loop does: bytes to floats, forward, and in training the loss, backward and the optimizer. PyTorch runs
with the same number of threads and the better of its two memory formats. The products of a step are counted as the
layers define them, leaving out taps that never meet the image, whatever the algorithm; their part of the processor's
peak can exceed what the arithmetic units did, because Winograd's algorithm needs fewer.

Memory is what a training step needs besides parameters, gradients by them and moments: here the block of the compiled
program (activations, their gradients, scratch), in PyTorch how far the resident memory rises above what it was just before
a step, after freed memory has been given back. --clock cpu counts processor time, for a machine that others use meanwhile;
it is fair with one thread only.
"""
import argparse
import ctypes
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = [(32, 8, "train"), (32, 32, "train"), (32, 128, "train"), (224, 8, "train"), (224, 32, "train"),
         (32, 8, "infer"), (32, 32, "infer"), (32, 128, "infer"), (224, 8, "infer"), (224, 32, "infer")]
TARGETS = {(32, 8): 2.5, (32, 32): 2.0, (32, 128): 1.5, (224, 8): 1.7, (224, 32): 1.7}


def products(torch, model, image):
    """Multiplications of one image's forward pass that meet the image."""
    total = 0

    def convolution(layer, inputs, output):
        nonlocal total
        live = 1
        for axis in (2, 3):
            side, kernel = inputs[0].shape[axis], layer.kernel_size[axis - 2]
            stride, padding = layer.stride[axis - 2], layer.padding[axis - 2]
            live *= sum(0 <= o * stride + k - padding < side for o in range(output.shape[axis]) for k in range(kernel))
        total += live * layer.in_channels * layer.out_channels

    def linear(layer, inputs, output):
        nonlocal total
        total += layer.in_features * layer.out_features

    hooks = [m.register_forward_hook(convolution if isinstance(m, torch.nn.Conv2d) else linear)
             for m in model.modules() if isinstance(m, (torch.nn.Conv2d, torch.nn.Linear))]
    with torch.no_grad():
        model.eval()(image)
    for hook in hooks:
        hook.remove()
    return total


def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def rise(step):
    """How far resident memory rises above what it was before `step`."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = status("VmRSS")
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    step()
    return status("VmHWM") - before


class Gbv:
    def __init__(self, options, size, batch, mode, folder):
        self.process = subprocess.Popen(
            [options.program, options.net, str(size), str(batch), mode, str(options.threads), folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "BENCH_CLOCK": options.clock})

    def ask(self, steps):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer:
            sys.exit("run_network.py: bench_network failed")
        return [float(word) for word in answer]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Peer:
    """PyTorch with one of its memory formats."""

    def __init__(self, torch, options, mode, layout, images, targets, folder):
        import torchvision
        self.torch, self.layout, self.mode = torch, layout, mode
        self.clock = time.process_time if options.clock == "cpu" else time.perf_counter
        self.model = getattr(torchvision.models, options.net)(num_classes=10)
        self.load(folder)
        self.model = self.model.to(memory_format=layout)
        self.model.train(mode == "train")
        self.images, self.targets = images, targets
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-4)
        self.loss = torch.nn.CrossEntropyLoss()

    def load(self, folder):
        numpy = __import__("numpy")
        state = self.model.state_dict()
        with open(os.path.join(folder, "names")) as lines:
            for name, block, offset in map(str.split, lines):
                tensor = state[name]
                numbers = numpy.fromfile(os.path.join(folder, block), "f4", tensor.numel(), offset=4 * int(offset))
                tensor.copy_(self.torch.from_numpy(numbers).reshape(tensor.shape))

    def step(self):
        images = ((self.images.float() / 255 - 0.5) / 0.25).contiguous(memory_format=self.layout)
        if self.mode == "infer":
            with self.torch.inference_mode():
                return self.model(images)[0, 0].item()
        self.optimizer.zero_grad()
        loss = self.loss(self.model(images), self.targets)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def ask(self, steps):
        begin = self.clock()
        for _ in range(steps):
            result = self.step()
        return (self.clock() - begin) / steps, result


def measure(torch, options, size, batch, mode):
    numpy = __import__("numpy")
    random = numpy.random.default_rng(1)
    images = random.integers(0, 256, (batch, 3, size, size), dtype=numpy.uint8)
    targets = random.integers(0, 10, batch, dtype=numpy.int32)
    with tempfile.TemporaryDirectory() as folder:
        images.tofile(os.path.join(folder, "images"))
        targets.tofile(os.path.join(folder, "targets"))
        gbv = Gbv(options, size, batch, mode, folder)
        first = gbv.ask(1)
        peers = [Peer(torch, options, mode, layout, torch.from_numpy(images), torch.from_numpy(targets).long(), folder)
                 for layout in (torch.contiguous_format, torch.channels_last)]
    results = [peer.ask(1)[1] for peer in peers]
    differ = abs(first[1] - results[0]) / abs(results[0])
    if not differ < 1e-4:
        sys.exit(f"run_network.py: {size}, {batch}, {mode}: gbv has {first[1]}, PyTorch {results[0]}")
    steps = max(1, round(0.5 / min(peer.ask(1)[0] for peer in peers)))
    gbv.ask(steps)
    mine, theirs, peak = [], [[], []], []
    for _ in range(options.rounds):
        mine.append(gbv.ask(steps)[0])
        peak.append(gbv.ask(0)[0])
        for peer, times in zip(peers, theirs):
            times.append(peer.ask(steps)[0])
    mine, theirs = statistics.median(mine), [statistics.median(times) for times in theirs]
    best = 0 if theirs[0] <= theirs[1] else 1
    flops = 2 * batch * products(torch, peers[0].model, torch.zeros(1, 3, size, size)) * (3 if mode == "train" else 1)
    share = flops / mine / (max(peak) * 1e9)
    memory = "- | -"
    if mode == "train":
        peers[best].model.train()
        held = peers[best]
        peers[1 - best] = None
        held.step()
        memory = f"{first[2] / 1e6:.0f} | {max(rise(held.step) for _ in range(3)) / 1e6:.0f}"
    gbv.close()
    ratio, target = theirs[best] / mine, TARGETS[size, batch]
    shown = f"**{ratio:.2f}x**" if ratio >= target else f"{ratio:.2f}x (missed)"
    print(f"| {mode} | {size} | {batch} | {1e3 * mine:.2f} | {1e3 * theirs[best]:.2f} ({('plain', 'channels last')[best]}) "
          f"| {shown} | {target}x | {100 * share:.0f} % | {memory} | {differ:.0e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench", "bench", "bench_network"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", action="append", help="SIZE,BATCH,train|infer; may be given several times")
    parser.add_argument("--net", default="resnet18")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    import torch
    torch.set_num_threads(options.threads)
    print(f"{options.net}, {options.threads} threads\n\n| | pixels | batch | gbv, ms | PyTorch, ms | ratio | target "
          "| of the peak | memory, MB | PyTorch, MB | differ by |\n|---|---|---|---|---|---|---|---|---|---|---|")
    for size, batch, mode in CASES:
        if not options.only or f"{size},{batch},{mode}" in options.only:
            measure(torch, options, size, batch, mode)


if __name__ == "__main__":
    main()
