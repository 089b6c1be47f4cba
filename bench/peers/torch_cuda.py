"""PyTorch on a GPU, op by op; with "compiled" as argument through torch.compile."""

import math
import re
import sys

import numpy as np
import torch
import torch.nn.functional as F

import worker
from worker import HEADS, LAYERS, VOCAB, WIDTH, Params, gpt2_params, integers, noise, repeated, thin

COMPILED = "compiled" in sys.argv
# Each workload is a function of its own; past the default limit of 8 they would silently run eagerly.
torch._dynamo.config.recompile_limit = 1000
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
ROWS, COLS, SIDE = 16384, 8192, 16384
wrap = (lambda f: torch.compile(f, dynamic=False)) if COMPILED else (lambda f: f)
cuda = lambda a: torch.from_numpy(a).cuda()
half = lambda seed, *sizes: cuda(repeated(seed, *sizes)).bfloat16()


def first():
    x = torch.ones(16, 16, device="cuda")
    return x.matmul(x).sum().item()


def chain(x):
    return torch.exp(-torch.sqrt(torch.abs(torch.tanh(x * 2 + 1) * x - 0.5)))


def work(name):
    if m := re.fullmatch(r"(sgemm|bf16_gemm)_(\d+)", name):
        n = int(m[2])
        d = torch.float32 if m[1] == "sgemm" else torch.bfloat16
        return torch.matmul, [cuda(noise(1, n, n)).to(d), cuda(noise(2, n, n)).to(d)]
    if name in ("negate", "chain9"):
        return (torch.neg if name == "negate" else chain), [cuda(repeated(1, 1 << 28))]
    if name == "softmax":
        return lambda x: torch.softmax(x, -1), [half(1, ROWS, COLS)]
    if name == "layernorm":
        return lambda x, w, b: F.layer_norm(x, (COLS,), w, b), [half(1, ROWS, COLS), half(2, COLS), half(3, COLS)]
    if name == "rmsnorm":
        return lambda x, w: F.rms_norm(x, (COLS,), w), [half(1, ROWS, COLS), half(2, COLS)]
    if name in ("sum_last", "sum_first"):
        return lambda x: x.sum(-1 if name == "sum_last" else 0), [cuda(repeated(1, SIDE, SIDE))]
    if name == "attention":
        return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), [half(i, 4, 32, 4096, 128) for i in (1, 2, 3)]
    if name == "tiny":
        return torch.mul, [cuda(noise(1, 64)), cuda(noise(2, 64))]
    if name == "tiny_compiled":
        w = cuda(noise(2, 16, 16, scale=0.2))

        def f(x):
            for _ in range(64):
                x = torch.softmax(x, -1) - w
            return x

        return f, [cuda(noise(1, 16, 16, scale=0.2))]
    raise KeyError(name)


def inference(name):
    f, operands = work(name)
    f = wrap(f)

    def run():
        with torch.inference_mode():
            return f(*operands)

    return run, lambda: [thin(run()).double().cpu().numpy()]


def attention_backward():
    operands, g = [half(i, 4, 32, 4096, 128).requires_grad_() for i in (1, 2, 3)], half(4, 4, 32, 4096, 128)
    f = wrap(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))
    run = lambda: torch.autograd.grad(f(*operands), operands, g)
    return run, lambda: [thin(r).double().cpu().numpy() for r in run()]


def mlp():
    p = Params()
    p.linear(784, 256), p.linear(256, 10)
    return p, lambda p, x: F.linear(F.linear(x, p[0], p[1]).relu(), p[2], p[3]), cuda(noise(1, 64, 784)), cuda(integers(2, 10, 64)), 1e-3, None


def gpt2():
    batch, length = 32, 1024

    def forward(p, x):
        with torch.autocast("cuda", torch.bfloat16):
            h = F.embedding(x, p[0]) + p[1][:length]
            for i in range(LAYERS):
                q = p[2 + 12 * i : 14 + 12 * i]
                a = F.linear(F.layer_norm(h, (WIDTH,), q[0], q[1]), q[2], q[3])
                a = [t.reshape(batch, length, HEADS, -1).transpose(1, 2) for t in a.split(WIDTH, -1)]
                a = F.scaled_dot_product_attention(*a, is_causal=True).transpose(1, 2).reshape(batch, length, WIDTH)
                h = h + F.linear(a, q[4], q[5])
                u = F.gelu(F.linear(F.layer_norm(h, (WIDTH,), q[6], q[7]), q[8], q[9]), approximate="tanh")
                h = h + F.linear(u, q[10], q[11])
            return F.linear(F.layer_norm(h, (WIDTH,), p[-2], p[-1]), p[0]).reshape(-1, VOCAB)

    n = batch * length
    return gpt2_params(), forward, cuda(integers(1, VOCAB, n)).reshape(batch, length), cuda(integers(2, VOCAB, n)), 1e-4, 0.1


def resnet50():
    """As torchvision has it; weights come as (out, kernel, kernel, in), images as (N, H, W, C): channels last in memory."""
    p, layout, running = Params(), [], []

    def conv(cin, cout, k, stride):
        p.add((6 / (cin * k * k)) ** 0.5, cout, k, k, cin)
        layout.append((stride, k // 2))
        p.add(1, cout), p.add(0.1, cout)
        running.append((torch.zeros(cout, device="cuda"), torch.ones(cout, device="cuda")))

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

    def forward(p, x):
        def unit(i, x):
            stride, pad = layout[i]
            x = F.conv2d(x, p[3 * i].permute(0, 3, 1, 2), stride=stride, padding=pad)
            return F.batch_norm(x, *running[i], p[3 * i + 1], p[3 * i + 2], training=True)

        with torch.autocast("cuda", torch.bfloat16):
            x = F.max_pool2d(unit(0, x).relu(), 3, 2, 1)
            for at, shortcut in blocks:
                y = unit(at + 2, unit(at + 1, unit(at, x).relu()).relu())
                x = (y + (unit(at + 3, x) if shortcut else x)).relu()
            return F.linear(x.mean((2, 3)), p[-2], p[-1])

    x = cuda(noise(1, 256, 224, 224, 3)).permute(0, 3, 1, 2)
    return p, forward, x, cuda(integers(2, 1000, 256)), 0.01, "sgd"


def train(name):
    p, forward, x, y, lr, decay = {"mlp_train": mlp, "gpt2_train": gpt2, "resnet50_train": resnet50}[name]()
    params = [cuda(a).requires_grad_() for a in p.all]
    p.all = None
    if decay == "sgd":
        opt = torch.optim.SGD(params, lr=lr, momentum=0.9, weight_decay=1e-4, fused=True)
    else:
        opt = torch.optim.AdamW(params, lr=lr, weight_decay=decay, fused=True) if decay else torch.optim.Adam(params, lr=lr, fused=True)
    loss_of = wrap(lambda x: F.cross_entropy(forward(params, x).float(), y))

    def step():
        loss = loss_of(x)
        loss.backward()
        opt.step()
        opt.zero_grad()
        return loss

    return step, lambda: [np.array([step().item() for _ in range(3)])]


def make(name):
    if name.endswith("_train"):
        return train(name)
    return attention_backward() if name == "attention_backward" else inference(name)


worker.serve(make, {"name": "PyTorch compiled" if COMPILED else "PyTorch", "version": torch.__version__}, first, torch.cuda.synchronize)
