"""The ops of bench/ops in PyTorch: lines of JSON with an expression and what its gradient is of; answers have the seconds of the best run."""

import json
import math
import sys
import time

import torch
import torch.nn.functional as F

from worker import integers, noise

size, dtype, threads = int(sys.argv[1]), getattr(torch, sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(threads)


def tensor(seed, *sizes):
    return torch.from_numpy(noise(seed, *sizes)).to(dtype)


def positions(seed, below, *sizes):
    return torch.from_numpy(integers(seed, below, math.prod(sizes))).reshape(sizes)


def data(n):
    """The operands, as newValues in bench/ops makes them."""
    v = {"x": tensor(1, n, n), "y": tensor(2, n, n), "v": tensor(3, n), "w": tensor(4, n).abs() + 0.1}
    v |= {"i": positions(5, n, n, n), "few": positions(5, 8, n, n), "t": positions(6, n, n), "m": v["x"] > 0}
    side = max(n // 16, 4)
    v |= {"img": tensor(7, 4, 16, side * 2, side * 2), "seq": tensor(7, 4, 16, 4 * side * side), "vol": tensor(7, 1, 4, 8, side, side * 2)}
    v |= {"grid": tensor(8, 4, side * 2, side * 2, 2), "tmap": positions(6, 16, 4, side * 2, side * 2)}
    points = max(n // 4, 8)
    v |= {"p": tensor(9, points, 32), "q": tensor(10, points, 32)}
    v |= {"edges": torch.arange(64).to(dtype) / 32 - 1, "off": torch.arange(0, n, 4)}
    steps, texts = max(n // 4, 8), 8
    v |= {"lp": tensor(11, steps, texts, 32).log_softmax(-1), "labels": positions(12, 31, texts, steps // 4) + 1}
    v |= {"il": torch.full((texts,), steps), "tl": torch.full((texts,), steps // 4)}
    v |= {"s": tensor(13, 16), "r": tensor(14, 16)}
    return v


DATA = data(size)
JOBS = {}


def prepare(expr, of):
    if (expr, of) in JOBS:
        return JOBS[expr, of]
    JOBS.clear()
    scope = dict(DATA, torch=torch, F=F, n=size)
    if not of:
        f = eval("lambda: " + expr, scope)
        run = f
    else:
        leaves = [scope[k].detach().clone().requires_grad_() for k in of.split(",")]
        scope |= dict(zip(of.split(","), leaves))
        f = eval("lambda: " + expr, scope)
        g = torch.ones_like(f())

        def run():
            return torch.autograd.grad(f(), leaves, g)

    y = run()
    ys = y if isinstance(y, (tuple, list)) else [y]
    total = sum(a.detach().double().nan_to_num(0, 0, 0).abs().sum().item() for a in ys)
    for _ in range(8):
        run()
    batch = 1
    while True:
        t = time.perf_counter()
        for _ in range(batch):
            run()
        if time.perf_counter() - t > 50e-6:
            break
        batch *= 2
    JOBS[expr, of] = run, batch, total
    return JOBS[expr, of]


for line in sys.stdin:
    ask = json.loads(line)
    try:
        run, batch, total = prepare(ask["expr"], ask["of"])
        begin = time.perf_counter()
        while time.perf_counter() - begin < ask["wake"]:
            run()
        best, begin = math.inf, time.perf_counter()
        while best == math.inf or time.perf_counter() - begin < ask["seconds"]:
            t = time.perf_counter()
            for _ in range(batch):
                run()
            best = min(best, (time.perf_counter() - t) / batch)
        answer = {"seconds": best, "sum": total}
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"[:200].replace("\n", " ")}
    print(json.dumps(answer), flush=True)
