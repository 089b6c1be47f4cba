"""What the peers share: data made as lucid bench makes it, the clock, and the protocol of the driver.

A worker reads lines "name [milliseconds]" and answers each with a JSON timing; "about" is answered with its versions.
A peer gives make(name), which returns (run, result): run does the work once until its result stands in memory; result
returns the arrays to be compared, as numpy.
"""

import json
import math
import subprocess
import sys
import time

import numpy as np


def noise(seed, *sizes, scale=1.0):
    """Numbers from -1 to 1 by a hash of position and seed, times scale."""
    h = hashes(seed, math.prod(sizes))
    v = (h >> np.uint32(8)).astype(np.float32) / np.float32(1 << 23) - np.float32(1)
    return (v * np.float32(scale)).reshape(sizes)


def repeated(seed, *sizes):
    """4M numbers of noise, again and again: for arrays of gigabytes."""
    return np.resize(noise(seed, 1 << 22), math.prod(sizes)).reshape(sizes)


def hashes(seed, n):
    with np.errstate(over="ignore"):
        h = np.arange(n, dtype=np.uint32) * np.uint32(0x9E3779B1) + np.uint32(seed * 0x85EBCA6B % 2**32)
        h = (h ^ h >> np.uint32(16)) * np.uint32(0x85EBCA6B)
        h = (h ^ h >> np.uint32(13)) * np.uint32(0xC2B2AE35)
        return h ^ h >> np.uint32(16)


def integers(seed, below, n):
    return (hashes(seed, n) % np.uint32(below)).astype(np.int64)


# name: channels in and out, size, kernel, groups, stride, padding, channels last; the batch is 8.
CONVOLUTIONS = {
    "conv3x3_nchw": (64, 64, 56, 3, 1, 1, 1, False),
    "conv3x3_nhwc": (64, 64, 56, 3, 1, 1, 1, True),
    "conv3x3_winograd": (64, 64, 56, 3, 1, 1, 1, False),
    "conv1x1": (64, 256, 56, 1, 1, 1, 0, False),
    "conv_depthwise": (64, 64, 56, 3, 64, 1, 1, False),
    "conv7x7": (3, 64, 224, 7, 1, 2, 3, False),
}
BATCH = 8


def convolution(name):
    """x, weight, cotangent and the numbers of a convolution."""
    cin, cout, size, kernel, groups, stride, padding, last = c = CONVOLUTIONS[name.removesuffix("_backward")]
    out = (size + 2 * padding - kernel) // stride + 1
    x = noise(1, BATCH, cin, size, size)
    w = noise(2, cout, cin // groups, kernel, kernel, scale=0.1)
    return x, w, noise(3, BATCH, cout, out, out), c


class Params:
    """Parameters of noise, seeded by their number."""

    def __init__(self):
        self.all = []

    def add(self, scale, *sizes):
        self.all.append(noise(100 + len(self.all), *sizes, scale=scale))
        return len(self.all) - 1

    def linear(self, cin, cout):
        s = 1 / math.sqrt(cin)
        return self.add(s, cout, cin), self.add(s, cout)

    def conv(self, cin, cout):
        s = 1 / math.sqrt(cin * 9)
        return self.add(s, cout, cin, 3, 3), self.add(s, cout)


# GPT-2 124M and its batch.
VOCAB, CONTEXT, WIDTH, HEADS, LAYERS, GPT_BATCH, LENGTH = 50257, 1024, 768, 12, 12, 4, 64


def gpt2_params():
    """The parameters of GPT-2, and the indices of a layer's: its first, then 12 in a row."""
    p = Params()
    p.add(0.03, VOCAB, WIDTH), p.add(0.03, CONTEXT, WIDTH)
    for _ in range(LAYERS):
        p.add(1, WIDTH), p.add(0.02, WIDTH)
        p.linear(WIDTH, 3 * WIDTH), p.linear(WIDTH, WIDTH)
        p.add(1, WIDTH), p.add(0.02, WIDTH)
        p.linear(WIDTH, 4 * WIDTH), p.linear(4 * WIDTH, WIDTH)
    p.add(1, WIDTH), p.add(0.02, WIDTH)
    return p


def thin(x):
    """Of a large result on a device some elements in one order, enough to compare: the step is odd, so that repeated data is not always
    sampled at the same positions."""
    n = math.prod(x.shape)
    return x.reshape(-1)[:: -(-n // (1 << 22)) | 1] if n > 1 << 22 else x


def summarize(x):
    v = np.asarray(x, dtype=np.float64).reshape(-1)
    k = min(8, len(v))
    rms = float(np.sqrt(np.mean(v * v)))
    return {"n": len(v), "mean": float(v.mean()), "rms": rms, "samples": [float(v[i * len(v) // k]) for i in range(k)]}


class Worker:
    """sync, if given, waits for a device; a batch of runs then lasts 20 ms, since waiting costs too."""

    def __init__(self, make, sync=None):
        self.make, self.name = make, None
        self.sync, self.enough = sync or (lambda: None), 20e-3 if sync else 50e-6
        self.wakes = sync is None

    def prepare(self, name):
        self.name = self.run = None  # lets go of the last one's memory
        self.long = name == "start"
        self.run, result = start() if name == "start" else self.make(name)
        self.check = [summarize(r) for r in result()]
        if name == "start":  # seconds each, and what a process leaves behind is only what the disk's cache holds: this one has read it all
            self.name, self.batch = name, 1
            return
        begin = time.perf_counter()
        for _ in range(8):
            if time.perf_counter() - begin < 1:
                self.run()
        self.batch = 1
        while True:
            begin = time.perf_counter()
            for _ in range(self.batch):
                self.run()
            self.sync()
            if time.perf_counter() - begin > self.enough or self.batch > 1 << 20:
                break
            self.batch *= 2
        self.name = name

    def wake(self):
        """Runs for 10 ms, as lucid bench does: after a pause the system may wake two threads on one processor."""
        begin = time.perf_counter()
        while self.wakes and not self.long and time.perf_counter() - begin < 10e-3:
            self.run()

    def time(self, name, budget):
        if name != self.name:
            self.prepare(name)
        self.wake()
        self.sync()
        each = []
        begin = time.perf_counter()
        while len(each) < 1 or time.perf_counter() - begin < budget:
            t = time.perf_counter()
            for _ in range(self.batch):
                self.run()
            self.sync()
            each.append((time.perf_counter() - t) / self.batch)
        each.sort()
        self.long = name == "start" or each[len(each) // 2] > 0.1
        return {"name": name, "seconds": each[len(each) // 2], "best": each[0], "runs": len(each) * self.batch, "check": self.check}


def start():
    """The whole process: import, one small product, exit."""
    run = lambda: subprocess.run([sys.executable, *sys.argv, "--first"], check=True, stdout=subprocess.DEVNULL)
    return run, lambda: []


def serve(make, about, first, sync=None):
    if "--first" in sys.argv:
        print(first())
        return
    w = Worker(make, sync)
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] == "about":
            answer = about
        else:
            try:
                answer = w.time(words[0], float(words[1]) / 1e3 if len(words) > 1 else 0.1)
            except Exception as e:
                answer = {"name": words[0], "error": f"{type(e).__name__}: {e}"[:300]}
        print(json.dumps(answer), flush=True)
