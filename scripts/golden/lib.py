"""Shared parts of the golden-value generators: case recording, tensor making, file format.

The file format is described in README.md. Everything random comes from a
generator seeded by "family/op/case name", so adding, removing or reordering
cases leaves all the other cases byte-identical.
"""
import base64
import gzip
import hashlib
import json
import math
import os
import sys

# Values should not depend on which vector unit the generating machine has:
# take the plain kernels, MKL's reproducible mode, and one thread (a threaded
# sum has another order). These must be set before torch is imported.
os.environ.setdefault("ATEN_CPU_CAPABILITY", "default")
os.environ.setdefault("MKL_CBWR", "COMPATIBLE")
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import warnings

import numpy as np
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
# oneDNN picks its algorithm by machine, and rounds half types elsewhere than
# the plain kernels do.
torch.backends.mkldnn.enabled = False

OUT_DIR = os.environ.get("GOLDEN_OUT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "internal", "testutil", "golden", "testdata")

FLOATS = ["float32", "float64", "bfloat16", "float16"]
INTS = ["int64", "int32", "int16", "int8", "uint8"]
CPLX = ["complex64", "complex128"]
ALL = FLOATS + INTS + ["bool"] + CPLX
REAL = FLOATS + INTS + ["bool"]
GRAD_DEFAULT = {torch.float32, torch.float64, torch.complex64, torch.complex128}
# Ops whose PyTorch form takes one list of tensors.
LIST_OPS = {
    "cat", "concat", "stack", "hstack", "vstack", "dstack", "column_stack", "row_stack",
}


def dt(name):
    """The torch dtype of a dtype name."""
    return getattr(torch, name)


def dtname(d):
    """The name of a torch dtype."""
    return str(d).replace("torch.", "")


def resolve(op, functional):
    """The PyTorch callable for an op name.

    With functional set, torch.nn.functional comes first: torch.max_pool2d,
    torch.embedding and others are inner forms with other arguments.
    """
    for ns in (F, torch) if functional else (torch, F, torch.Tensor):
        if hasattr(ns, op):
            f = getattr(ns, op)
            break
    else:
        for prefix, ns in (("special_", torch.special), ("linalg_", torch.linalg)):
            if op.startswith(prefix) and hasattr(ns, op[len(prefix):]):
                f = getattr(ns, op[len(prefix):])
                break
        else:
            raise KeyError("no PyTorch function for " + op)
    if op in LIST_OPS:
        return lambda *xs, **kw: f(xs, **kw)
    return f


class Rng:
    """Random tensors for one case."""

    def __init__(self, key):
        seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")
        self.g = np.random.Generator(np.random.PCG64(seed))

    def t(self, dtype, shape, lo=None, hi=None, step=1 / 64):
        """A tensor of values in [lo, hi].

        Floats are on a coarse grid: their low mantissa bits are zero, which
        makes the files compress and keeps half-precision inputs exact.
        """
        d = dt(dtype) if isinstance(dtype, str) else dtype
        shape = tuple(shape)
        if d is torch.bool:
            return torch.from_numpy(np.array(self.g.integers(0, 2, shape))).to(d)
        if d.is_complex:
            re = self._grid(shape, lo, hi, step)
            im = self._grid(shape, lo, hi, step)
            return torch.complex(torch.from_numpy(re), torch.from_numpy(im)).to(d)
        if d.is_floating_point:
            return torch.from_numpy(self._grid(shape, lo, hi, step)).to(d)
        lo = -9 if lo is None else math.ceil(lo)
        hi = 9 if hi is None else math.floor(hi)
        lo = max(lo, torch.iinfo(d).min)
        hi = max(min(hi, torch.iinfo(d).max), lo)
        return torch.from_numpy(np.array(self.g.integers(lo, hi + 1, shape))).to(d)

    def _grid(self, shape, lo, hi, step):
        lo = -3 if lo is None else lo
        hi = 3 if hi is None else hi
        a = math.ceil(lo / step)
        b = math.floor(hi / step)
        return np.array(self.g.integers(a, b + 1, shape) * step, dtype=np.float64)

    def nz(self, dtype, shape, lo=0.5, hi=3):
        """Values with lo <= |x| <= hi: divisors, and points away from a kink at zero."""
        d = dt(dtype)
        x = self.t(dtype, shape, max(lo, 1) if not (d.is_floating_point or d.is_complex) else lo, hi)
        if d is torch.bool:
            return torch.ones(tuple(shape), dtype=d)
        if d is torch.uint8:
            return x
        sign = torch.from_numpy(np.array(self.g.integers(0, 2, tuple(shape)) * 2 - 1)).to(x.dtype)
        return x * sign

    def distinct(self, dtype, shape, step=0.25):
        """Values that all differ, so that orderings and extrema are unambiguous."""
        d = dt(dtype) if isinstance(dtype, str) else dtype
        n = int(np.prod(shape)) if len(shape) else 1
        p = np.array(self.g.permutation(n), dtype=np.float64) - n // 2
        if d is torch.bool:
            return self.t(dtype, shape)
        if d is torch.uint8:
            p = p + n // 2
        if d.is_floating_point or d.is_complex:
            p = p * step + step / 2
        return torch.from_numpy(p.reshape(tuple(shape))).to(d)

    def idx(self, shape, n, dtype="int64"):
        """Indices in [0, n)."""
        return torch.from_numpy(np.array(self.g.integers(0, n, tuple(shape)))).to(dt(dtype))

    def perm(self, n, k=None):
        """k different indices below n."""
        return torch.from_numpy(np.array(self.g.permutation(n)[: n if k is None else k])).to(torch.int64)


def special(dtype):
    """Zeros, infinities, NaN, extremes and a few ordinary numbers of a float type."""
    d = dt(dtype)
    fi = torch.finfo(d)
    sub = fi.smallest_normal / 4  # a subnormal
    return torch.tensor(
        [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 10.0, -10.0, math.inf, -math.inf, math.nan,
         fi.max, fi.min, fi.smallest_normal, sub, -sub], dtype=torch.float64).to(d)


def special_small(dtype):
    """A shorter special vector, for crossing with itself."""
    return torch.tensor([0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan], dtype=dt(dtype))


def edges(dtype):
    """Extremes and sign changes of an integer type."""
    ii = torch.iinfo(dt(dtype))
    v = [0, 1, 2, 7, ii.max, ii.max - 1, ii.min, ii.min + 1]
    if ii.min < 0:
        v += [-1, -2, -7]
    return torch.tensor(v, dtype=dt(dtype))


def enc(t):
    """A tensor in file form."""
    if t is None:
        return None
    if isinstance(t, (bool, int, float)):  # ops such as equal and allclose answer with a Python value
        t = torch.tensor(t)
    t = t.detach().resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)
    if t._is_zerotensor():  # a gradient known to be zero, which has no storage
        t = torch.zeros(t.shape, dtype=t.dtype)
    dtype, shape = dtname(t.dtype), list(t.shape)
    if t.dtype.is_complex:
        t = torch.view_as_real(t).contiguous()
    raw = t.reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""
    return {"dtype": dtype, "shape": shape, "data": base64.b64encode(raw).decode()}


def enc_attr(v):
    """An attribute in JSON form. JSON has no NaN, infinities or complex numbers."""
    if isinstance(v, torch.dtype):
        return dtname(v)
    if isinstance(v, complex):
        return {"complex": [enc_attr(v.real), enc_attr(v.imag)]}
    if isinstance(v, float) and not math.isfinite(v):
        return "nan" if math.isnan(v) else ("inf" if v > 0 else "-inf")
    if isinstance(v, (list, tuple)):
        return [enc_attr(x) for x in v]
    return v


def flat(out):
    """The outputs of a call as a list, nested lists opened."""
    if isinstance(out, (list, tuple)):
        return [y for x in out for y in flat(x)]
    return [out]


def write_json(name, obj):
    """Writes a gzip file with no time stamp or name in it: same content, same bytes."""
    os.makedirs(OUT_DIR, exist_ok=True)
    text = json.dumps(obj, separators=(",", ":"), allow_nan=False).encode()
    path = os.path.join(OUT_DIR, name + ".json.gz")
    with open(path, "wb") as f:
        with gzip.GzipFile(filename="", mode="wb", fileobj=f, mtime=0, compresslevel=9) as z:
            z.write(text)
    return os.path.getsize(path)


def versions():
    import importlib.metadata as md
    return {"torch": md.version("torch"), "numpy": md.version("numpy"), "mlx": md.version("mlx")}


# How far a result may be from the one computed in float64 before its case counts as
# loose: relative to itself, and to the largest element of its tensor. For half types it is one unit in the last place.
EXACT_TOL = {
    torch.bfloat16: (2.0 ** -7, 2.0 ** -9), torch.float16: (2.0 ** -10, 2.0 ** -12),
    torch.float32: (4e-6, 1e-6), torch.complex64: (4e-6, 1e-6),
}


# Ops defined in terms of their element type, which float64 cannot check.
TYPE_BOUND = {"nan_to_num", "nextafter"}


def far_from_exact(f, xs, call, outs, cot, grads):
    """Whether float64 gives a clearly different result for the same inputs.

    PyTorch rounds intermediate values of some half-precision ops; the result is
    then a fact about its implementation, not about the op. Ill-conditioned float32 cases show up here too.
    """
    low = (torch.bfloat16, torch.float16, torch.float32, torch.complex64)
    if "dtype" in call or not any(x is not None and x.dtype in low for x in xs):
        return False

    def wide(x):
        if x is None or x.dtype not in low:
            return x
        return x.detach().to(torch.complex128 if x.dtype.is_complex else torch.float64)

    ys = [wide(x) for x in xs]
    if grads:
        for y, g in zip(ys, grads):
            if g is not None:
                y.requires_grad_(True)
    try:
        ref = flat(f(*ys, **call))
        pairs = list(zip(outs, ref))
        if grads:
            live = [(o, wide(c)) for o, c in zip(ref, cot) if c is not None]
            wrt = [y for y, g in zip(ys, grads) if g is not None]
            got = torch.autograd.grad([o for o, _ in live], wrt, [c for _, c in live], allow_unused=True)
            pairs += list(zip([g for g in grads if g is not None], got))
    except RuntimeError:
        return False  # not defined for float64: nothing to compare with
    for a, b in pairs:
        if not isinstance(a, torch.Tensor) or b is None or a.dtype not in EXACT_TOL or a.numel() == 0 or a.shape != b.shape:
            continue
        rel, top = EXACT_TOL[a.dtype]
        a, b = a.detach(), b.detach()
        fin = torch.isfinite(a) & torch.isfinite(b)
        if not fin.any():
            continue
        a, b = a[fin].to(b.dtype), b[fin]
        if ((a - b).abs() > rel * b.abs() + top * b.abs().max()).any():
            return True
    return False


class Family:
    """Collects the cases of one family and writes its file."""

    def __init__(self, name, functional=False):
        self.name = name
        self.functional = functional
        self.cases = []
        self.seen = set()
        self.skips = []

    def case(self, op, name, inputs, attrs=None, fn=None, grad=None, loose=False):
        """Runs one case.

        inputs is a list of tensors (None for an optional tensor not given) or a
        function from an Rng to such a list. fn receives the inputs positionally
        and attrs by keyword; without it the PyTorch function named op is used.
        grad: None takes gradients of 32/64-bit (and complex) inputs, True of
        half-precision inputs as well, False of none.
        A case that PyTorch refuses (dtype not supported) is skipped and listed
        on standard error, so that dtype loops may be written without a table.
        """
        key = (op, name)
        if key in self.seen:
            raise ValueError("case twice: %s %s" % key)
        self.seen.add(key)
        r = Rng("%s/%s/%s" % (self.name, op, name))
        attrs = dict(attrs or {})
        xs = inputs(r) if callable(inputs) else list(inputs)
        call = {k: (dt(v) if k == "dtype" and isinstance(v, str) else v) for k, v in attrs.items()}
        f = fn or resolve(op, self.functional)
        leaves = []
        for x in xs:
            if x is None:
                leaves.append(None)
                continue
            x = x.detach().clone()
            if grad is not False and (x.dtype in GRAD_DEFAULT or (grad and x.dtype.is_floating_point)):
                x.requires_grad_(True)
            leaves.append(x)
        try:
            outs = flat(f(*leaves, **call))
        except (RuntimeError, TypeError, NotImplementedError, IndexError, ValueError) as e:
            self.skips.append("%s %s: %s" % (op, name, str(e).split("\n")[0][:110]))
            return
        cot, grads = [], []
        live = [o for o in outs if isinstance(o, torch.Tensor) and o.requires_grad]
        wrt = [x for x in leaves if x is not None and x.requires_grad]
        if live and wrt:
            cot = [r.t(o.dtype, o.shape, -2, 2) if isinstance(o, torch.Tensor) and o.requires_grad else None
                   for o in outs]
            try:
                got = iter(torch.autograd.grad(live, wrt, [c for c in cot if c is not None], allow_unused=True))
                grads = [next(got) if x is not None and x.requires_grad else None for x in leaves]
            except (RuntimeError, NotImplementedError) as e:
                self.skips.append("%s %s: no gradient: %s" % (op, name, str(e).split("\n")[0][:90]))
                cot, grads = [], []
        if all(g is None for g in grads):
            cot, grads = [], []
        if not loose and op not in TYPE_BOUND and far_from_exact(f, xs, call, outs, cot, grads):
            loose = True
        self.cases.append({
            "op": op, "name": name, "inputs": [enc(x) for x in xs],
            "attrs": {k: enc_attr(v) for k, v in attrs.items()},
            "outputs": [enc(o) for o in outs],
            "cot": [enc(c) for c in cot], "grads": [enc(g) for g in grads], "loose": bool(loose)})

    def write(self):
        size = write_json(self.name, {"versions": versions(), "cases": self.cases})
        print("%-12s %5d cases %8d bytes, %d skipped" % (self.name, len(self.cases), size, len(self.skips)))
        if os.environ.get("GOLDEN_VERBOSE"):
            for s in self.skips:
                print("  skip", s, file=sys.stderr)
