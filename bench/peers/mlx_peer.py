"""MLX on the processor, functions of several ops compiled."""

import re

import mlx.core as mx
import mlx.nn as nn
import numpy as np

import worker
from worker import CONVOLUTIONS, Params, convolution, integers, noise

mx.set_default_device(mx.cpu)
N = 4096


def array(seed, *sizes, scale=1.0):
    return mx.array(noise(seed, *sizes, scale=scale))


def first():
    return (mx.ones((16, 16)) @ mx.ones((16, 16))).sum().item()


ROWS = {
    "softmax": lambda x, w, b: mx.softmax(x, -1),
    "layernorm": lambda x, w, b: mx.fast.layer_norm(x, w, b, 1e-5),
    "rmsnorm": lambda x, w, b: mx.fast.rms_norm(x, w, 1.1920929e-07),
    "transpose": lambda x, w, b: mx.contiguous(x.T),
    "sum_last": lambda x, w, b: x.sum(-1),
    "sum_first": lambda x, w, b: x.sum(0),
    "sum_all": lambda x, w, b: x.sum(),
}
MAPS = {"exp": mx.exp, "tanh": mx.tanh, "sin": mx.sin, "log": mx.log, "erf": mx.erf, "gelu": nn.gelu}


def conv(x, w, stride, padding, groups):
    """Channels last, as MLX has them."""
    return mx.conv2d(x, w, stride, padding, groups=groups)


def work(name):
    if m := re.fullmatch(r"(sgemm|bf16_gemm|dgemm)_(\d+)", name):
        d = {"sgemm": mx.float32, "bf16_gemm": mx.bfloat16, "dgemm": mx.float64}[m[1]]
        n = int(m[2])
        return mx.matmul, [array(1, n, n).astype(d), array(2, n, n).astype(d)]
    if name == "matvec_4096":
        return mx.matmul, [array(1, N), array(2, N, N)]
    if name.startswith("conv"):
        x, w, g, (_, _, _, _, groups, stride, padding, _) = convolution(name)
        x, w, g = (mx.array(np.ascontiguousarray(a.transpose(0, 2, 3, 1))) for a in (x, w, g))
        if name in CONVOLUTIONS:
            return lambda x, w: conv(x, w, stride, padding, groups), [x, w]
        return lambda x, w, g: mx.vjp(lambda x, w: conv(x, w, stride, padding, groups), [x, w], [g])[1], [x, w, g]
    if name in ROWS:
        return ROWS[name], [array(1, N, N), array(2, N), array(3, N)]
    if name == "softmax_matmul":
        return lambda x, v: mx.softmax(x, -1) @ v, [array(1, N, N), array(2, N, 64)]
    if name in MAPS:
        x = array(1, 128 << 10, scale=4)
        return MAPS[name], [x + 4.001 if name == "log" else x]
    if name == "chain10":
        return mx.compile(lambda x, y: -(mx.sqrt(mx.abs((x * y + x) * 0.5 - y) + 1) / (y + 3))), [array(1, 16 << 20), array(2, 16 << 20)]
    if name == "attention":
        return lambda q, k, v: mx.fast.scaled_dot_product_attention(q, k, v, scale=0.125, mask="causal"), [array(i, 1, 12, 1024, 64) for i in (1, 2, 3)]
    if name == "gather":
        return lambda t, i: mx.take(t, i, axis=0), [array(1, 32768, 768), mx.array(integers(2, 32768, 8192))]
    if name == "sort_1m":
        return mx.sort, [array(1, 1 << 20)]
    if name.startswith("add16"):
        return mx.add, [array(1, 16), array(2, 16)]
    if name == "mlp_infer":
        p = Params()
        p.linear(64, 64), p.linear(64, 64)
        w1, b1, w2, b2 = map(mx.array, p.all)
        return lambda x: mx.maximum(x @ w1.T + b1, 0) @ w2.T + b2, [array(1, 1, 64)]
    raise KeyError(name)


def train():
    """The step of the MLP, compiled."""
    p = Params()
    p.linear(784, 256), p.linear(256, 10)
    x, y = array(1, 64, 784), mx.array(integers(2, 10, 64))
    params = [mx.array(a) for a in p.all]
    state = [params, [mx.zeros_like(a) for a in params], [mx.zeros_like(a) for a in params], mx.array(0.0)]
    loss_of = lambda p: nn.losses.cross_entropy(mx.maximum(x @ p[0].T + p[1], 0) @ p[2].T + p[3], y, reduction="mean")

    @mx.compile
    def step(p, m, v, t):
        loss, g = mx.value_and_grad(loss_of)(p)
        t = t + 1
        m = [a * 0.9 + 0.1 * b for a, b in zip(m, g)]
        v = [a * 0.999 + 0.001 * b * b for a, b in zip(v, g)]
        c1, c2 = 1 - 0.9**t, mx.sqrt(1 - 0.999**t)
        p = [a - (1e-3 / c1) * b / (mx.sqrt(c) / c2 + 1e-8) for a, b, c in zip(p, m, v)]
        return loss, p, m, v, t

    def run():
        nonlocal state
        loss, *state = step(*state)
        mx.eval(loss, state)
        return loss

    return run, lambda: [np.array([run().item() for _ in range(3)])]


def make(name):
    if name == "mlp_train":
        return train()
    f, operands = work(name)
    if name == "add16_recorded":
        return lambda: f(*operands), lambda: [np.array(f(*operands))]

    def run():
        out = f(*operands)
        mx.eval(out)
        return out

    def result():
        out = run()
        out = [np.array(o.astype(mx.float32) if o.dtype == mx.bfloat16 else o, dtype=np.float64) for o in (out if isinstance(out, list) else [out])]
        return [o.transpose(0, 3, 1, 2) for o in out] if name.startswith("conv") else out

    return run, result


worker.serve(make, {"name": "MLX", "version": mx.__version__}, first)
