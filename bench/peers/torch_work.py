"""The workloads in PyTorch; wrap is torch.compile or nothing."""

import os
import re

import numpy as np
import torch
import torch.nn.functional as F

from worker import CONVOLUTIONS, HEADS, LAYERS, GPT_BATCH, LENGTH, VOCAB, WIDTH, Params, convolution, gpt2_params, integers, noise

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 2)))
ABOUT = {"name": "PyTorch", "version": torch.__version__}
N = 4096


def first():
    return torch.ones(16, 16).matmul(torch.ones(16, 16)).sum().item()


def tensor(seed, *sizes, scale=1.0):
    return torch.from_numpy(noise(seed, *sizes, scale=scale))


def chain(x, y):
    return -(((x * y + x) * 0.5 - y).abs() + 1).sqrt().div(y + 3)


MAPS = {"exp": torch.exp, "tanh": torch.tanh, "sin": torch.sin, "log": torch.log, "erf": torch.erf, "gelu": F.gelu}

# Special functions of a million elements: the function of two operands, and the interval they are from.
SPECIAL = {
    "lgamma_1m": (lambda x, y: torch.lgamma(x), 0.5, 10),
    "digamma_1m": (lambda x, y: torch.digamma(x), 0.5, 10),
    "erf_1m": (lambda x, y: torch.erf(x), -4, 4),
    "erfinv_1m": (lambda x, y: torch.erfinv(x), -0.99, 0.99),
    "i0_1m": (lambda x, y: torch.special.i0(x), -10, 10),
    "i1_1m": (lambda x, y: torch.special.i1(x), -10, 10),
    "ndtri_1m": (lambda x, y: torch.special.ndtri(x), 0.01, 0.99),
    "log_ndtr_1m": (lambda x, y: torch.special.log_ndtr(x), -10, 10),
    "gammainc_1m": (lambda x, y: torch.special.gammainc(x, y), 0.5, 10),
    "zeta_1m": (lambda x, y: torch.special.zeta(x, y), 1.5, 10),
    "polygamma2_1m": (lambda x, y: torch.polygamma(2, x), 0.5, 10),
    "trigamma_1m": (lambda x, y: torch.polygamma(1, x), 0.5, 10),
    "lgamma_negative_1m": (lambda x, y: torch.lgamma(x), -10, 10),
    "digamma_negative_1m": (lambda x, y: torch.digamma(x), -10, 10),
    "erfcx_1m": (lambda x, y: torch.special.erfcx(x), -4, 10),
    "ndtr_1m": (lambda x, y: torch.special.ndtr(x), -5, 5),
    "i0e_1m": (lambda x, y: torch.special.i0e(x), -10, 10),
    "i1e_1m": (lambda x, y: torch.special.i1e(x), -10, 10),
    "j0_1m": (lambda x, y: torch.special.bessel_j0(x), 0.1, 30),
    "j1_1m": (lambda x, y: torch.special.bessel_j1(x), 0.1, 30),
    "y0_1m": (lambda x, y: torch.special.bessel_y0(x), 0.1, 30),
    "y1_1m": (lambda x, y: torch.special.bessel_y1(x), 0.1, 30),
    "k0_1m": (lambda x, y: torch.special.modified_bessel_k0(x), 0.1, 10),
    "k1_1m": (lambda x, y: torch.special.modified_bessel_k1(x), 0.1, 10),
    "k0e_1m": (lambda x, y: torch.special.scaled_modified_bessel_k0(x), 0.1, 10),
    "k1e_1m": (lambda x, y: torch.special.scaled_modified_bessel_k1(x), 0.1, 10),
    "airy_ai_1m": (lambda x, y: torch.special.airy_ai(x), -10, 10),
    "spherical_j0_1m": (lambda x, y: torch.special.spherical_bessel_j0(x), 0.1, 30),
    "entr_1m": (lambda x, y: torch.special.entr(x), 0.1, 10),
    "xlogy_1m": (lambda x, y: torch.special.xlogy(x, y), 0.1, 10),
    "gammaincc_1m": (lambda x, y: torch.special.gammaincc(x, y), 0.5, 10),
    "gammainc_large_1m": (lambda x, y: torch.special.gammainc(x, y), 20, 200),
    "betaln_1m": (lambda x, y: torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y), 0.5, 10),
    "mvlgamma3_1m": (lambda x, y: torch.mvlgamma(x, 3), 1.5, 10),
    "chebyshev_t5_1m": (lambda x, y: torch.special.chebyshev_polynomial_t(x, 5), -1, 1),
    "legendre5_1m": (lambda x, y: torch.special.legendre_polynomial_p(x, 5), -1, 1),
    "logaddexp_1m": (lambda x, y: torch.logaddexp(x, y), -5, 5),
    "logaddexp2_1m": (lambda x, y: torch.logaddexp2(x, y), -5, 5),
}

# Fourier transforms: the function and the shape of its operand; those of real numbers are in REAL_FFT.
FFT = {
    "fft_256x4096": (torch.fft.fft, (256, 4096)),
    "fft_65536x16": (torch.fft.fft, (65536, 16)),
    "fft_4096x256": (torch.fft.fft, (4096, 256)),
    "fft_1m": (torch.fft.fft, (1 << 20,)),
    "fft_256x4093": (torch.fft.fft, (256, 4093)),
    "fft_256x3000": (torch.fft.fft, (256, 3000)),
    "fft2_64x256": (torch.fft.fft2, (64, 256, 256)),
    "fftn_128": (torch.fft.fftn, (128, 128, 128)),
    "fft_first_4096x256": (lambda x: torch.fft.fft(x, dim=0), (4096, 256)),
    "fft_256x4096_c128": (torch.fft.fft, (256, 4096)),
}
REAL_FFT = {
    "rfft_256x4096": (torch.fft.rfft, (256, 4096)),
    "rfft2_64x256": (torch.fft.rfft2, (64, 256, 256)),
    "stft_16x160000": (lambda x: torch.stft(x, 512, return_complex=True), (16, 160000)),
}

# Transforms whose shape is in their name, and those of other shapes.
def transform(name):
    """The function of such a workload and its operand; None for others."""
    if m := re.fullmatch(r"stft_(\d+)_(\d+)", name):
        size, hop = int(m[1]), int(m[2])
        return lambda x: torch.stft(x, size, hop, window=torch.ones(size), return_complex=True), [tensor(1, 16, 160000)]
    if name == "istft_512":
        x = torch.view_as_complex(tensor(1, 16, 257, 1251, 2))
        return lambda x: torch.istft(x, 512, window=torch.ones(512)), [x]
    if name == "rfft_1m":
        return torch.fft.rfft, [tensor(1, 1 << 20)]
    m = re.fullmatch(r"(i?r?fft2?)_(first_|middle_)?(\d+(?:x\d+)+)(_c128|_f64)?", name)
    if m is None:
        return None
    f, shape, dim = getattr(torch.fft, m[1]), [int(n) for n in m[3].split("x")], {None: -1, "first_": 0, "middle_": 1}[m[2]]
    x = tensor(1, *shape) if m[1].startswith("rfft") else tensor(1, *shape, 2)
    x = x.double() if m[4] else x
    x = x if m[1].startswith("rfft") else torch.view_as_complex(x)
    return f if m[1].endswith("2") else lambda x: f(x, dim=dim), [x]


# Functions of linear algebra, of a matrix and a right side; what has no sign or order to choose is returned.
FACTORING = {
    "solve": torch.linalg.solve,
    "lu": lambda a, b: torch.linalg.lu_factor(a)[0],
    "cholesky": lambda a, b: torch.linalg.cholesky(a),
    "inv": lambda a, b: torch.linalg.inv(a),
    "det": lambda a, b: torch.linalg.det(a),
    "qr": lambda a, b: torch.linalg.qr(a)[0],
    "eigh": lambda a, b: torch.linalg.eigh(a)[0],
    "svd": lambda a, b: torch.linalg.svd(a)[1],
    "eig": lambda a, b: torch.linalg.eig(a)[0],
    "lstsq": lambda a, b: torch.linalg.lstsq(a, b)[0],
    "matrix_exp": lambda a, b: torch.linalg.matrix_exp(a),
    "pinv": lambda a, b: torch.linalg.pinv(a),
}


def factoring(name):
    """The function of a workload of linear algebra and its operands; None for others."""
    m = re.fullmatch(r"([a-z_]+)_(\d+)(?:x(\d+))?(_f64)?", name)
    if m is None or m[1] not in FACTORING:
        return None
    n = int(m[3] or m[2])
    shape = (int(m[2]), n, n) if m[3] else (n, 256) if m[1] == "lstsq" else (n, n)
    d = torch.float64 if m[4] else torch.float32
    a, cols = tensor(1, *shape).to(d), shape[-1]
    if m[1] == "cholesky":
        a = a @ a.mT / cols + torch.eye(cols, dtype=d)
    elif m[1] == "eigh":
        a = a + a.mT
    elif m[1] in ("solve", "inv"):
        a = a + torch.eye(cols, dtype=d) * (2 * cols**0.5)
    elif m[1] == "matrix_exp":
        a = a / cols**0.5
    return m[1], FACTORING[m[1]], [a.contiguous(), tensor(2, *shape[:-1], 1).to(d)]


ROWS = {
    "softmax": lambda x, w, b: torch.softmax(x, -1),
    "layernorm": lambda x, w, b: F.layer_norm(x, (N,), w, b),
    "rmsnorm": lambda x, w, b: F.rms_norm(x, (N,), w),
    "transpose": lambda x, w, b: x.t().contiguous(),
    "sum_last": lambda x, w, b: x.sum(-1),
    "sum_first": lambda x, w, b: x.sum(0),
    "sum_all": lambda x, w, b: x.sum(),
}


def lstm():
    """A layer of 128→256 and a batch of 32 sequences of 64 steps."""
    m = torch.nn.LSTM(128, 256)
    with torch.no_grad():
        for seed, p in zip((2, 3, 4, 5), m.parameters()):
            p.copy_(tensor(seed, *p.shape, scale=1 / 16))
    return m, tensor(1, 64, 32, 128)


def distribution(name):
    """The distribution of a sampling workload and the shape of its samples."""
    import torch.distributions as D

    n = (1 << 20,)
    return {
        "normal": lambda: (D.Normal(0.5, 2.0), n),
        "gamma": lambda: (D.Gamma(2.0, 1.0), n),
        "beta": lambda: (D.Beta(2.0, 3.0), n),
        "student": lambda: (D.StudentT(5.0), n),
        "poisson": lambda: (D.Poisson(4.0), n),
        "binomial": lambda: (D.Binomial(100, 0.3), n),
        "dirichlet": lambda: (D.Dirichlet(tensor(1, 65536, 16, scale=0.5) + 1), ()),
        "categorical": lambda: (D.Categorical(logits=tensor(1, 16384, 64, scale=2.0)), ()),
        "multivariate_normal": lambda: (
            D.MultivariateNormal(torch.zeros(64), scale_tril=torch.tril(tensor(1, 64, 64, scale=0.1)) + torch.eye(64)), (16384,)),
    }[name]()


def sampling(name, wrap):
    """Samples; those of two frameworks differ, so results are their mean and standard deviation."""
    d, shape = distribution(name.removeprefix("sample_"))
    f = wrap(lambda: d.sample(shape))

    def result():
        x = f().double()
        return [torch.stack([x.mean(), x.std()]).numpy()]

    return f, result


def density(name):
    """A log density with parameters for each value, and its operands."""
    import torch.distributions as D

    u = tensor(1, 1 << 20, scale=0.45) + 0.5
    if name == "log_prob_gamma":
        return D.Gamma(u * 4, u).log_prob, [u * 4]
    if name == "log_prob_beta":
        return D.Beta(u * 4, u + 1).log_prob, [u]
    return D.Binomial(100, u).log_prob, [(u * 100).floor()]


def work(name):
    """The function of a workload and its operands, for those without gradients."""
    if m := re.fullmatch(r"(sgemm|bf16_gemm|dgemm)_(\d+)", name):
        d = {"sgemm": torch.float32, "bf16_gemm": torch.bfloat16, "dgemm": torch.float64}[m[1]]
        n = int(m[2])
        return torch.matmul, [tensor(1, n, n).to(d), tensor(2, n, n).to(d)]
    if name == "matvec_4096":
        return torch.matmul, [tensor(1, N), tensor(2, N, N)]
    if name in CONVOLUTIONS:
        x, w, _, (_, _, _, _, groups, stride, padding, last) = convolution(name)
        x, w = torch.from_numpy(x), torch.from_numpy(w)
        if last:
            x, w = x.contiguous(memory_format=torch.channels_last), w.contiguous(memory_format=torch.channels_last)
        return lambda x, w: F.conv2d(x, w, stride=stride, padding=padding, groups=groups), [x, w]
    if name in ROWS:
        return ROWS[name], [tensor(1, N, N), tensor(2, N), tensor(3, N)]
    if name == "softmax_matmul":
        return lambda x, v: torch.softmax(x, -1) @ v, [tensor(1, N, N), tensor(2, N, 64)]
    if name in MAPS:
        x = tensor(1, 128 << 10, scale=4)
        return MAPS[name], [x + 4.001 if name == "log" else x]
    if f := factoring(name):
        return f[1:]
    if (short := name.replace("_f64_", "_")) in SPECIAL:
        f, lo, hi = SPECIAL[short]
        x = [tensor(i, 1 << 20, scale=(hi - lo) / 2) + (hi + lo) / 2 for i in (1, 2)]
        return f, [v.double() if short != name else v for v in x]
    if name in REAL_FFT:
        f, shape = REAL_FFT[name]
        return lambda x: torch.view_as_real(f(x)), [tensor(1, *shape)]
    if name in FFT:
        f, shape = FFT[name]
        x = tensor(1, *shape, 2)
        return lambda x: torch.view_as_real(f(x)), [torch.view_as_complex(x.double() if name.endswith("_c128") else x)]
    if t := transform(name):
        return lambda x: torch.view_as_real(t[0](x)) if not name.startswith("i") or name.startswith("ifft") else t[0](x), t[1]
    if name == "chain10":
        return chain, [tensor(1, 16 << 20), tensor(2, 16 << 20)]
    if name == "attention":
        return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), [tensor(i, 1, 12, 1024, 64) for i in (1, 2, 3)]
    if name == "gather":
        return lambda t, i: torch.index_select(t, 0, i), [tensor(1, 32768, 768), torch.from_numpy(integers(2, 32768, 8192))]
    if name == "sort_1m":
        return lambda x: torch.sort(x)[0], [tensor(1, 1 << 20)]
    if name.startswith("log_prob_"):
        return density(name)
    if name.startswith("add16"):
        return torch.add, [tensor(1, 16), tensor(2, 16)]
    if name == "lstm":
        m, x = lstm()
        return lambda x: m(x)[0], [x]
    if name == "mlp_infer":
        p = Params()
        p.linear(64, 64), p.linear(64, 64)
        w1, b1, w2, b2 = map(torch.from_numpy, p.all)
        return lambda x: F.linear(F.linear(x, w1, b1).relu(), w2, b2), [tensor(1, 1, 64)]
    raise KeyError(name)


def inference(name, wrap):
    f, operands = work(name)
    f = wrap(f)

    def result():
        with torch.inference_mode():
            x = f(*operands)
            if name.startswith(("qr_", "eig_")):
                x = x.abs()
            if name.startswith("eig_"):
                x = x.sort()[0]
            return [x.double().numpy()]

    def run():
        with torch.inference_mode():
            f(*operands)

    if name.startswith("add16"):  # the guard would cost more than the work
        run = lambda: f(*operands)
    return run, result


def backward(name, wrap):
    """Gradients; of a convolution alone, of attention and of an LSTM with the forward pass."""
    if name == "lstm_backward":
        m, x = lstm()
        g, params = tensor(6, 64, 32, 256), list(m.parameters())
        f = wrap(lambda x: m(x)[0])

        def run():
            y = f(x)
            return [y, *torch.autograd.grad(y, params, g)]

        return run, lambda: [r.detach().double().numpy() for r in run()]
    if name == "attention_backward":
        operands = [tensor(i, 1, 12, 1024, 64).requires_grad_() for i in (1, 2, 3)]
        g = tensor(4, 1, 12, 1024, 64)
        f = wrap(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))
        run = lambda: torch.autograd.grad(f(*operands), operands, g)
    else:
        x, w, g, (_, _, _, _, groups, stride, padding, _) = convolution(name)
        x, w, g = torch.from_numpy(x), torch.from_numpy(w), torch.from_numpy(g)
        f = wrap(lambda x, w, g: torch.ops.aten.convolution_backward(g, x, w, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], groups, [True, True, False])[:2])
        run = lambda: f(x, w, g)
    return run, lambda: [r.double().numpy() for r in run()]


def mlp():
    p = Params()
    p.linear(784, 256), p.linear(256, 10)
    forward = lambda p, x: F.linear(F.linear(x, p[0], p[1]).relu(), p[2], p[3])
    return p, forward, tensor(1, 64, 784), integers(2, 10, 64)


def cnn():
    p = Params()
    p.conv(1, 32), p.conv(32, 64), p.linear(3136, 128), p.linear(128, 10)

    def forward(p, x):
        x = F.max_pool2d(F.conv2d(x, p[0], p[1], padding=1).relu(), 2)
        x = F.max_pool2d(F.conv2d(x, p[2], p[3], padding=1).relu(), 2)
        return F.linear(F.linear(x.reshape(-1, 3136), p[4], p[5]).relu(), p[6], p[7])

    return p, forward, tensor(1, 64, 1, 28, 28), integers(2, 10, 64)


def gpt2():
    def forward(p, x):
        h = F.embedding(x, p[0]) + p[1][:LENGTH]
        for i in range(LAYERS):
            q = p[2 + 12 * i : 14 + 12 * i]
            a = F.linear(F.layer_norm(h, (WIDTH,), q[0], q[1]), q[2], q[3])
            a = [t.reshape(GPT_BATCH, LENGTH, HEADS, -1).transpose(1, 2) for t in a.split(WIDTH, -1)]
            a = F.scaled_dot_product_attention(*a, is_causal=True).transpose(1, 2).reshape(GPT_BATCH, LENGTH, WIDTH)
            h = h + F.linear(a, q[4], q[5])
            u = F.gelu(F.linear(F.layer_norm(h, (WIDTH,), q[6], q[7]), q[8], q[9]), approximate="tanh")
            h = h + F.linear(u, q[10], q[11])
        return F.linear(F.layer_norm(h, (WIDTH,), p[-2], p[-1]), p[0]).reshape(-1, VOCAB)

    n = GPT_BATCH * LENGTH
    return gpt2_params(), forward, torch.from_numpy(integers(1, VOCAB, n)).reshape(GPT_BATCH, LENGTH), integers(2, VOCAB, n)


def train(name, wrap):
    half = name == "gpt2_half_train"
    p, forward, x, y = {"mlp_train": mlp, "cnn_train": cnn, "gpt2_train": gpt2, "gpt2_half_train": gpt2}[name]()
    y = torch.from_numpy(y)
    params = [torch.from_numpy(a).requires_grad_() for a in p.all]
    p.all = None
    if name.startswith("gpt2"):
        opt = torch.optim.AdamW(params, lr=1e-4, weight_decay=0.1, fused=True)
    else:
        opt = torch.optim.Adam(params, lr=1e-3, fused=True)

    def loss(x):
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            logits = forward(params, x)
        return F.cross_entropy(logits.float(), y)

    loss_of = wrap(loss)

    def step():
        loss = loss_of(x)
        loss.backward()
        opt.step()
        opt.zero_grad()
        return loss

    return step, lambda: [np.array([step().item() for _ in range(3)])]


def make(name, wrap=lambda f: f):
    if name.endswith("_train"):
        return train(name, wrap)
    if name.endswith("_backward"):
        return backward(name, wrap)
    if name.startswith("sample_"):
        return sampling(name, wrap)
    return inference(name, wrap)
