#!/usr/bin/env python3
"""Times the nets of `burn-bench steps` in PyTorch, on the CPU, from the same weights and data.

usage: steps.py --mode eager|channels_last|compile [--threads N] [--filter TEXT] [--losses] [--json FILE]

`first` is the time from the start of the process to the first loss, imports and, with --mode compile, compilation
included (of an empty cache where TORCHINDUCTOR_CACHE_DIR names an empty folder).
"""

import argparse
import json
import platform
import time

STARTED = time.clock_gettime(time.CLOCK_BOOTTIME)

import numpy  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402


def hashes(name, count):
    """The formula of tools/burn-bench/Nets.h."""
    start = 2166136261
    for letter in name.encode():
        start = (start ^ letter) * 16777619 % 2**32
    value = numpy.uint32(start) + numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(0x9E3779B9)
    value = (value ^ (value >> numpy.uint32(16))) * numpy.uint32(0x85EBCA6B)
    value = (value ^ (value >> numpy.uint32(13))) * numpy.uint32(0xC2B2AE35)
    return value ^ (value >> numpy.uint32(16))


def formula(name, shape, bound=1.0):
    count = int(numpy.prod(shape))
    unit = (hashes(name, count) >> numpy.uint32(8)).astype(numpy.float32) * numpy.float32(2**-23) - numpy.float32(1)
    return torch.from_numpy((unit * numpy.float32(bound)).reshape(shape))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(784, 512), nn.Linear(512, 512), nn.Linear(512, 10)

    def forward(self, x):
        return self.fc3(functional.relu(self.fc2(functional.relu(self.fc1(x)))))


class Mnist(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(1, 64, 3), nn.BatchNorm2d(64)
        self.conv2, self.bn2 = nn.Conv2d(64, 64, 3), nn.BatchNorm2d(64)
        self.fc1, self.fc2, self.fc3 = nn.Linear(1600, 128), nn.Linear(128, 128), nn.Linear(128, 10)
        self.dropout = nn.Dropout(0.25)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.bn1(self.conv1(x))), 2)
        x = functional.max_pool2d(functional.relu(self.bn2(self.conv2(x))), 2)
        x = self.dropout(functional.gelu(self.fc1(x.flatten(1))))
        x = self.dropout(functional.gelu(self.fc2(x)))
        return self.fc3(x)


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(256), nn.LayerNorm(256)
        self.attention = nn.MultiheadAttention(256, 4, batch_first=True)
        self.fc1, self.fc2 = nn.Linear(256, 1024), nn.Linear(1024, 256)

    def forward(self, x):
        normed = self.norm1(x)
        x = x + self.attention(normed, normed, normed, need_weights=False)[0]
        return x + self.fc2(functional.gelu(self.fc1(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer0, self.layer1, self.layer2, self.layer3 = (EncoderLayer() for _ in range(4))

    def forward(self, x):
        return self.layer3(self.layer2(self.layer1(self.layer0(x))))


def labels(count):
    return torch.from_numpy((hashes("labels", count) % 10).astype(numpy.int64))


CASES = {
    "mlp-64": (Mlp, "rows", (64, 784)),
    "mlp-1024": (Mlp, "rows", (1024, 784)),
    "mnist-64": (Mnist, "images", (64, 1, 28, 28)),
    "mnist-256": (Mnist, "images", (256, 1, 28, 28)),
    "mnist-inference-256": (Mnist, "images", (256, 1, 28, 28)),
    "encoder-8": (Encoder, "tokens", (8, 256, 256)),
}


class Step:
    """A net, its data and its optimizer."""

    def __init__(self, name, mode, dropout=True):
        net, data, shape = CASES[name]
        self.trains = not "inference" in name
        self.net = net()
        with torch.no_grad():
            for key, parameter in self.net.named_parameters():
                if parameter.dim() > 1:
                    bound = 1 / (parameter.numel() // parameter.shape[0]) ** 0.5
                    parameter.copy_(formula(key, tuple(parameter.shape), bound))
                else:
                    parameter.fill_(0 if key.endswith("bias") else 1)
        if not dropout and hasattr(self.net, "dropout"):
            self.net.dropout.p = 0.0
        self.net.train(self.trains)
        self.input = formula(data, shape)
        is_encoder = net is Encoder
        self.target = formula("target", shape) if is_encoder else labels(shape[0])
        if mode == "channels_last":
            self.net = self.net.to(memory_format=torch.channels_last)
            if self.input.dim() == 4:
                self.input = self.input.to(memory_format=torch.channels_last)
        # The fastest of its forms on a CPU: one kernel for all parameters.
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3, eps=1e-5, weight_decay=5e-5, fused=True)
        loss = functional.mse_loss if is_encoder else functional.cross_entropy

        def forward(x, target):
            return loss(self.net(x), target)

        self.loss_of = torch.compile(forward) if mode == "compile" else forward
        self.logits_of = torch.compile(self.net) if mode == "compile" else self.net

    def run(self):
        if not self.trains:
            with torch.no_grad():
                return self.logits_of(self.input)
        loss = self.gradient()
        self.optimizer.step()
        return loss

    def forward(self):
        with torch.no_grad():
            return self.loss_of(self.input, self.target)

    def gradient(self):
        self.optimizer.zero_grad()
        loss = self.loss_of(self.input, self.target)
        loss.backward()
        return loss

    def saved_bytes(self):
        """What the forward pass keeps for the backward pass, less parameters and inputs, each storage once."""
        known = {t.untyped_storage().data_ptr() for t in [*self.net.parameters(), *self.net.buffers(), self.input]}
        known.add(self.target.untyped_storage().data_ptr())
        kept = {}

        def pack(tensor):
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in known:
                kept[storage.data_ptr()] = storage.nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            loss = self.loss_of(self.input, self.target)
        loss.backward()
        return sum(kept.values())


def summary(times):
    """As `burn-bench` reports: the spread is the distance between the quartiles over the median."""
    times = sorted(times)
    half = len(times) // 2
    median = times[half] if len(times) % 2 else (times[half - 1] + times[half]) / 2
    return {
        "best": times[0],
        "median": median,
        "spread": (times[len(times) * 3 // 4] - times[len(times) // 4]) / median,
    }


def measure(seconds, run):
    for _ in range(3):
        run()
    times = []
    while len(times) < 5 or sum(times) < seconds:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return summary(times)


def losses_of(name, mode):
    step = Step(name, mode, dropout=False)
    if not step.trains:
        return [step.run().square().mean().item()]
    return [step.run().item() for _ in range(5)]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=["eager", "channels_last", "compile"], required=True)
    parser.add_argument("--threads", type=int, default=0, help="0: as PyTorch decides")
    parser.add_argument("--filter", default="", help="cases whose name holds this text alone")
    parser.add_argument("--losses", action="store_true", help="the first losses without dropout too")
    parser.add_argument("--quick", action="store_true", help="shorter")
    parser.add_argument("--json", help="write the report to this file")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    seconds = 0.2 if options.quick else 1
    cases = {}
    for name in CASES:
        if options.filter not in name:
            continue
        entry = cases[name] = {}
        begin = STARTED if not cases.keys() - {name} else time.clock_gettime(time.CLOCK_BOOTTIME)
        step = Step(name, options.mode)
        step.run().sum().item()
        # Imports are part of the first case's time alone, so only that is a start of a process.
        if begin == STARTED:
            entry["first"] = time.clock_gettime(time.CLOCK_BOOTTIME) - STARTED
        entry["step"] = measure(seconds, step.run)
        if step.trains:
            entry["forward"] = measure(seconds / 4, step.forward)
            entry["gradient"] = measure(seconds / 4, step.gradient)
            entry["saved_bytes"] = step.saved_bytes()
        if options.losses:
            entry["losses"] = losses_of(name, options.mode)
        print(f"{name:<20} best {entry['step']['best'] * 1e3:.2f} ms, median {entry['step']['median'] * 1e3:.2f}")
    report = {
        "version": torch.__version__,
        "processor": processor(),
        "steps": {"unit": "s", "mode": options.mode, "threads": torch.get_num_threads(), "cases": cases},
    }
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=2)


if __name__ == "__main__":
    main()
