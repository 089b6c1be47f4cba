"""JAX, every workload jitted."""

import os
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

import worker
from worker import CONVOLUTIONS, HEADS, LAYERS, GPT_BATCH, LENGTH, VOCAB, WIDTH, Params, convolution, gpt2_params, integers, noise

jax.config.update("jax_enable_x64", True)
N = 4096


def array(seed, *sizes, scale=1.0):
    return jnp.asarray(noise(seed, *sizes, scale=scale))


def first():
    return float((jnp.ones((16, 16)) @ jnp.ones((16, 16))).sum())


def layer_norm(x, w, b):
    m = x.mean(-1, keepdims=True)
    v = jnp.square(x - m).mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(v + 1e-5) * w + b


ROWS = {
    "softmax": lambda x, w, b: jax.nn.softmax(x, -1),
    "layernorm": layer_norm,
    "rmsnorm": lambda x, w, b: x * jax.lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1.1920929e-07) * w,
    "transpose": lambda x, w, b: x.T,
    "sum_last": lambda x, w, b: x.sum(-1),
    "sum_first": lambda x, w, b: x.sum(0),
    "sum_all": lambda x, w, b: x.sum(),
}
MAPS = {"exp": jnp.exp, "tanh": jnp.tanh, "sin": jnp.sin, "log": jnp.log, "erf": jax.scipy.special.erf, "gelu": lambda x: jax.nn.gelu(x, approximate=False)}


def conv(x, w, stride, padding, groups):
    return jax.lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2, feature_group_count=groups, dimension_numbers=("NCHW", "OIHW", "NCHW"))


def attend(q, k, v):
    """Causal; operands are (batch, heads, length, width)."""
    t = lambda x: x.transpose(0, 2, 1, 3)
    return t(jax.nn.dot_product_attention(t(q), t(k), t(v), is_causal=True))


def lstm(x, wx, wh, bx, bh):
    """The states of all steps, the products with the inputs in one."""

    def step(state, gates):
        h, c = state
        i, f, g, o = jnp.split(gates + h @ wh.T, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((x.shape[1], wh.shape[1]), x.dtype)
    return jax.lax.scan(step, (zero, zero), x @ wx.T + (bx + bh))[1]


LSTM = [(1, 64, 32, 128), (2, 1024, 128), (3, 1024, 256), (4, 1024), (5, 1024)]


def lstm_data():
    return [array(seed, *sizes, scale=1 if seed == 1 else 1 / 16) for seed, *sizes in LSTM]


def lstm_grad(g, x, *params):
    y, pull = jax.vjp(lambda *p: lstm(x, *p), *params)
    return y, *pull(g)


def work(name):
    if m := re.fullmatch(r"(sgemm|bf16_gemm|dgemm)_(\d+)", name):
        d = {"sgemm": jnp.float32, "bf16_gemm": jnp.bfloat16, "dgemm": jnp.float64}[m[1]]
        n = int(m[2])
        return jnp.matmul, [array(1, n, n).astype(d), array(2, n, n).astype(d)]
    if name == "matvec_4096":
        return jnp.matmul, [array(1, N), array(2, N, N)]
    if name in CONVOLUTIONS:
        x, w, _, (_, _, _, _, groups, stride, padding, last) = convolution(name)
        if last:
            f = lambda x, w: jax.lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC"))
            return f, [jnp.asarray(x.transpose(0, 2, 3, 1)), jnp.asarray(w.transpose(2, 3, 1, 0))]
        return lambda x, w: conv(x, w, stride, padding, groups), [jnp.asarray(x), jnp.asarray(w)]
    if name.startswith("conv"):
        x, w, g, (_, _, _, _, groups, stride, padding, _) = convolution(name)
        f = lambda x, w, g: jax.vjp(lambda x, w: conv(x, w, stride, padding, groups), x, w)[1](g)
        return f, [jnp.asarray(x), jnp.asarray(w), jnp.asarray(g)]
    if name in ROWS:
        return ROWS[name], [array(1, N, N), array(2, N), array(3, N)]
    if name == "softmax_matmul":
        return lambda x, v: jax.nn.softmax(x, -1) @ v, [array(1, N, N), array(2, N, 64)]
    if name in MAPS:
        x = array(1, 128 << 10, scale=4)
        return MAPS[name], [x + jnp.float32(4.001) if name == "log" else x]
    if name == "chain10":
        return lambda x, y: -(jnp.sqrt(jnp.abs((x * y + x) * 0.5 - y) + 1) / (y + 3)), [array(1, 16 << 20), array(2, 16 << 20)]
    if name == "attention":
        return attend, [array(i, 1, 12, 1024, 64) for i in (1, 2, 3)]
    if name == "attention_backward":
        return lambda q, k, v, g: jax.vjp(attend, q, k, v)[1](g), [array(i, 1, 12, 1024, 64) for i in (1, 2, 3, 4)]
    if name == "gather":
        return lambda t, i: jnp.take(t, i, axis=0), [array(1, 32768, 768), jnp.asarray(integers(2, 32768, 8192))]
    if name == "sort_1m":
        return jnp.sort, [array(1, 1 << 20)]
    if name.startswith("add16"):
        return jnp.add, [array(1, 16), array(2, 16)]
    if name == "lstm":
        return lstm, lstm_data()
    if name == "lstm_backward":
        return lstm_grad, [array(6, 64, 32, 256), *lstm_data()]
    if name == "mlp_infer":
        p = Params()
        p.linear(64, 64), p.linear(64, 64)
        w1, b1, w2, b2 = map(jnp.asarray, p.all)
        return lambda x: jax.nn.relu(x @ w1.T + b1) @ w2.T + b2, [array(1, 1, 64)]
    raise KeyError(name)


def mlp():
    p = Params()
    p.linear(784, 256), p.linear(256, 10)
    return p, lambda p, x: jax.nn.relu(x @ p[0].T + p[1]) @ p[2].T + p[3], array(1, 64, 784), integers(2, 10, 64)


def cnn():
    p = Params()
    p.conv(1, 32), p.conv(32, 64), p.linear(3136, 128), p.linear(128, 10)
    pool = lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def forward(p, x):
        x = pool(jax.nn.relu(conv(x, p[0], 1, 1, 1) + p[1][:, None, None]))
        x = pool(jax.nn.relu(conv(x, p[2], 1, 1, 1) + p[3][:, None, None]))
        return jax.nn.relu(x.reshape(-1, 3136) @ p[4].T + p[5]) @ p[6].T + p[7]

    return p, forward, array(1, 64, 1, 28, 28), integers(2, 10, 64)


def gpt2():
    def forward(p, x):
        h = p[0][x] + p[1][:LENGTH]
        for i in range(LAYERS):
            q = p[2 + 12 * i : 14 + 12 * i]
            a = layer_norm(h, q[0], q[1]) @ q[2].T + q[3]
            a = [t.reshape(GPT_BATCH, LENGTH, HEADS, -1).transpose(0, 2, 1, 3) for t in jnp.split(a, 3, -1)]
            h = h + attend(*a).transpose(0, 2, 1, 3).reshape(GPT_BATCH, LENGTH, WIDTH) @ q[4].T + q[5]
            h = h + jax.nn.gelu(layer_norm(h, q[6], q[7]) @ q[8].T + q[9]) @ q[10].T + q[11]
        return (layer_norm(h, p[-2], p[-1]) @ p[0].T).reshape(-1, VOCAB)

    n = GPT_BATCH * LENGTH
    return gpt2_params(), forward, jnp.asarray(integers(1, VOCAB, n)).reshape(GPT_BATCH, LENGTH), integers(2, VOCAB, n)


def train(name):
    """A whole step in one jitted function, the state donated."""
    p, forward, x, y = {"mlp_train": mlp, "cnn_train": cnn, "gpt2_train": gpt2}[name]()
    y = jnp.asarray(y)
    lr, decay = (1e-4, 0.1) if name == "gpt2_train" else (1e-3, 0.0)
    params = [jnp.asarray(a) for a in p.all]
    p.all = None
    state = [params, [jnp.zeros_like(a) for a in params], [jnp.zeros_like(a) for a in params], jnp.zeros((), jnp.float32)]

    def loss_of(p):
        z = forward(p, x)
        return (jax.nn.logsumexp(z, -1) - jnp.take_along_axis(z, y[:, None], 1)[:, 0]).mean()

    def step(p, m, v, t):
        loss, g = jax.value_and_grad(loss_of)(p)
        t = t + 1
        m = [a * 0.9 + 0.1 * b for a, b in zip(m, g)]
        v = [a * 0.999 + 0.001 * b * b for a, b in zip(v, g)]
        c1, c2 = 1 - 0.9**t, jnp.sqrt(1 - 0.999**t)
        p = [(a * (1 - lr * decay)) - (lr / c1) * b / (jnp.sqrt(c) / c2 + 1e-8) for a, b, c in zip(p, m, v)]
        return loss, [p, m, v, t]

    step = jax.jit(step, donate_argnums=(0, 1, 2, 3))

    def run():
        nonlocal state
        loss, state = step(*state)
        return jax.block_until_ready((loss, state))[0]

    return run, lambda: [np.array([float(run()) for _ in range(3)])]


def make(name):
    if name.endswith("_train"):
        return train(name)
    f, operands = work(name)
    f = jax.jit(f)
    run = lambda: jax.block_until_ready(f(*operands))

    def result():
        out = run()
        out = [np.asarray(o, dtype=np.float64) for o in (out if isinstance(out, (tuple, list)) else [out])]
        return [o.transpose(0, 3, 1, 2) for o in out] if name == "conv3x3_nhwc" else out

    return run, result


worker.serve(make, {"name": "JAX", "version": jax.__version__}, first)
