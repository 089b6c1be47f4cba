"""JAX on a GPU, every workload jitted."""

import os
import re

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np

import worker
from worker import HEADS, LAYERS, VOCAB, WIDTH, Params, gpt2_params, integers, noise, repeated, thin

jax.config.update("jax_default_matmul_precision", "highest")
ROWS, COLS, SIDE = 16384, 8192, 16384
half = lambda seed, *sizes: jnp.asarray(repeated(seed, *sizes)).astype(jnp.bfloat16)
last = None


def first():
    return float((jnp.ones((16, 16)) @ jnp.ones((16, 16))).sum())


def norm(x, w, b=None):
    x32 = x.astype(jnp.float32)
    if b is not None:
        x32 = x32 - x32.mean(-1, keepdims=True)
    y = x32 * jax.lax.rsqrt(jnp.square(x32).mean(-1, keepdims=True) + (1e-5 if b is not None else 7.8125e-3)) * w
    return (y if b is None else y + b).astype(x.dtype)


def attend(q, k, v):
    t = lambda x: x.transpose(0, 2, 1, 3)
    return t(jax.nn.dot_product_attention(t(q), t(k), t(v), is_causal=True, implementation="cudnn"))


def work(name):
    if m := re.fullmatch(r"(sgemm|bf16_gemm)_(\d+)", name):
        n = int(m[2])
        d = jnp.float32 if m[1] == "sgemm" else jnp.bfloat16
        return jnp.matmul, [jnp.asarray(noise(1, n, n)).astype(d), jnp.asarray(noise(2, n, n)).astype(d)]
    if name in ("negate", "chain9"):
        return (jnp.negative if name == "negate" else lambda x: jnp.exp(-jnp.sqrt(jnp.abs(jnp.tanh(x * 2 + 1) * x - 0.5)))), [jnp.asarray(repeated(1, 1 << 28))]
    if name == "softmax":
        return lambda x: jax.nn.softmax(x.astype(jnp.float32), -1).astype(x.dtype), [half(1, ROWS, COLS)]
    if name in ("layernorm", "rmsnorm"):
        return norm, [half(i, *s) for i, s in ((1, (ROWS, COLS)), (2, (COLS,)), (3, (COLS,)))][: 3 if name == "layernorm" else 2]
    if name in ("sum_last", "sum_first"):
        return lambda x: x.sum(-1 if name == "sum_last" else 0), [jnp.asarray(repeated(1, SIDE, SIDE))]
    if name.startswith("attention"):
        in_ = [half(i, 4, 32, 4096, 128) for i in (1, 2, 3, 4)]
        if name == "attention":
            return attend, in_[:3]
        return lambda q, k, v, g: jax.vjp(attend, q, k, v)[1](g), in_
    if name == "tiny":
        return jnp.multiply, [jnp.asarray(noise(1, 64)), jnp.asarray(noise(2, 64))]
    if name == "tiny_compiled":
        w = jnp.asarray(noise(2, 16, 16, scale=0.2))

        def f(x):
            for _ in range(64):
                x = jax.nn.softmax(x, -1) - w
            return x

        return f, [jnp.asarray(noise(1, 16, 16, scale=0.2))]
    raise KeyError(name)


def mlp():
    p = Params()
    p.linear(784, 256), p.linear(256, 10)
    return p, lambda p, x: jax.nn.relu(x @ p[0].T + p[1]) @ p[2].T + p[3], jnp.asarray(noise(1, 64, 784)), integers(2, 10, 64), 1e-3, 0.0


def gpt2():
    batch, length = 32, 1024
    h16 = lambda x: x.astype(jnp.bfloat16)
    lin = lambda x, w, b: h16(x) @ h16(w).T + h16(b)

    def forward(p, x):
        h = p[0][x] + p[1][:length]
        for i in range(LAYERS):
            q = p[2 + 12 * i : 14 + 12 * i]
            a = lin(norm(h, q[0], q[1]), q[2], q[3])
            a = [t.reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3) for t in jnp.split(a, 3, -1)]
            h = h + lin(attend(*a).transpose(0, 2, 1, 3).reshape(batch, length, WIDTH), q[4], q[5])
            h = h + lin(jax.nn.gelu(lin(norm(h, q[6], q[7]), q[8], q[9])), q[10], q[11])
        return (h16(norm(h, p[-2], p[-1])) @ h16(p[0]).T).reshape(-1, VOCAB).astype(jnp.float32)

    n = batch * length
    return gpt2_params(), forward, jnp.asarray(integers(1, VOCAB, n)).reshape(batch, length), integers(2, VOCAB, n), 1e-4, 0.1


def resnet50():
    """As the one of PyTorch's: weights (out, kernel, kernel, in), images (N, H, W, C), channels last all the way; statistics of
    the batch in float32, the running ones updated too."""
    p, layout = Params(), []

    def conv(cin, cout, k, stride):
        p.add((6 / (cin * k * k)) ** 0.5, cout, k, k, cin)
        layout.append((stride, k // 2, cout))
        p.add(1, cout), p.add(0.1, cout)

    conv(3, 64, 7, 2)
    blocks, cin = [], 64
    for stage, n in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for i in range(n):
            stride = 2 if i == 0 and stage > 0 else 1
            at = len(layout)
            conv(cin, width, 1, 1), conv(width, width, 3, stride), conv(width, 4 * width, 1, 1)
            if cin != 4 * width or stride != 1:
                conv(cin, 4 * width, 1, stride)
            blocks.append((at, len(layout) - at == 4))
            cin = 4 * width
    p.linear(cin, 1000)
    h16 = lambda x: x.astype(jnp.bfloat16)

    def forward(p, running, x):
        seen = list(running)

        def unit(i, x):
            stride, pad, _ = layout[i]
            x = jax.lax.conv_general_dilated(x, h16(p[3 * i]), (stride, stride), [(pad, pad)] * 2, dimension_numbers=("NHWC", "OHWI", "NHWC"))
            x32 = x.astype(jnp.float32)
            mean, square = x32.mean((0, 1, 2)), jnp.square(x32).mean((0, 1, 2))
            var, n = square - mean * mean, x.size // x.shape[-1]
            keep = lambda old, new: 0.9 * old + 0.1 * jax.lax.stop_gradient(new)
            seen[i] = (keep(running[i][0], mean), keep(running[i][1], var * (n / (n - 1))))
            return h16((x32 - mean) * (jax.lax.rsqrt(var + 1e-5) * p[3 * i + 1]) + p[3 * i + 2])

        x = jax.nn.relu(unit(0, h16(x)))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))
        for at, shortcut in blocks:
            y = unit(at + 2, jax.nn.relu(unit(at + 1, jax.nn.relu(unit(at, x)))))
            x = jax.nn.relu(y + (unit(at + 3, x) if shortcut else x))
        return (x.mean((1, 2)) @ h16(p[-2]).T + h16(p[-1])).astype(jnp.float32), seen

    running = [(jnp.zeros(c), jnp.ones(c)) for _, _, c in layout]
    return p, forward, running, jnp.asarray(noise(1, 256, 224, 224, 3)), integers(2, 1000, 256)


def cross_entropy(z, y):
    return (jax.nn.logsumexp(z, -1) - jnp.take_along_axis(z, y[:, None], 1)[:, 0]).mean()


def train_resnet():
    p, forward, running, x, y = resnet50()
    y = jnp.asarray(y)
    params = [jnp.asarray(a) for a in p.all]
    p.all = None

    def step(p, m, running):
        def loss_of(p):
            z, seen = forward(p, running, x)
            return cross_entropy(z, y), seen

        (loss, running), g = jax.value_and_grad(loss_of, has_aux=True)(p)
        m = [0.9 * a + (b + 1e-4 * c) for a, b, c in zip(m, g, p)]
        return loss, [[a - 0.01 * b for a, b in zip(p, m)], m, running]

    return stepping(step, [params, [jnp.zeros_like(a) for a in params], running])


def stepping(step, state):
    """Runs a step over and over; its state is given away and comes back."""
    step = jax.jit(step, donate_argnums=tuple(range(len(state))))

    def run():
        nonlocal state
        global last
        last, state = step(*state)
        return last

    return run, lambda: [np.array([float(run()) for _ in range(3)])]


def train(name):
    if name == "resnet50_train":
        return train_resnet()
    p, forward, x, y, lr, decay = {"mlp_train": mlp, "gpt2_train": gpt2}[name]()
    y = jnp.asarray(y)
    params = [jnp.asarray(a) for a in p.all]
    p.all = None
    state = [params, [jnp.zeros_like(a) for a in params], [jnp.zeros_like(a) for a in params], jnp.zeros((), jnp.float32)]

    def step(p, m, v, t):
        loss, g = jax.value_and_grad(lambda p: cross_entropy(forward(p, x), y))(p)
        t = t + 1
        m = [a * 0.9 + 0.1 * b for a, b in zip(m, g)]
        v = [a * 0.999 + 0.001 * b * b for a, b in zip(v, g)]
        c1, c2 = 1 - 0.9**t, jnp.sqrt(1 - 0.999**t)
        p = [(a * (1 - lr * decay)) - (lr / c1) * b / (jnp.sqrt(c) / c2 + 1e-8) for a, b, c in zip(p, m, v)]
        return loss, [p, m, v, t]

    return stepping(step, state)


def make(name):
    if name.endswith("_train"):
        return train(name)
    f, operands = work(name)
    f = jax.jit(f)

    def run():
        global last
        last = f(*operands)
        return last

    def result():
        out = run()
        return [np.asarray(thin(o), dtype=np.float64) for o in (out if isinstance(out, (tuple, list)) else [out])]

    return run, result


worker.serve(make, {"name": "JAX", "version": jax.__version__}, first, lambda: last is not None and jax.block_until_ready(last))
