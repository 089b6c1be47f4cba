"""What the golden files of modules and functions share.

Inputs, parameters and cotangents are not stored: Python and Go compute them from
their kind, shape and a seed, so a file has what PyTorch computed and little else.
See README.md for the form of a case.
"""
import base64, gzip, json, os, sys, zlib
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
import numpy as np
import lib  # selects plain kernels, one thread
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.backends.mha.set_fastpath_enabled(False)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
M64 = (1 << 64) - 1


def words(seed, n):
    """n numbers of 16 bits: the top bits of splitmix64 from a seed."""
    out = np.empty(n, dtype=np.int64)
    s = seed & M64
    for i in range(n):
        s = (s + 0x9E3779B97F4A7C15) & M64
        z = s
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        out[i] = (z ^ (z >> 31)) >> 48
    return out


def seed_of(*parts):
    return zlib.crc32("/".join(str(p) for p in parts).encode())


class T:
    """A tensor argument: a kind (see fill), a shape, and whether a gradient is asked for."""

    def __init__(self, *shape, kind="g", grad=None, data=None):
        self.shape, self.kind, self.data = list(shape), kind, data
        self.grad = (kind in ("g", "pos", "prob", "logp", "var")) if grad is None else grad

    def spec(self):
        d = {"s": self.shape, "k": self.kind}
        if self.data is not None:
            d["d"] = self.data
        if self.grad:
            d["g"] = True
        return d


def ng(*shape, kind="g"):
    return T(*shape, kind=kind, grad=False)


def I(data, *shape):
    """Whole numbers, given."""
    a = np.array(data)
    return T(*(shape or a.shape), kind="i", data=[int(v) for v in a.reshape(-1)])


def B(data):
    a = np.array(data)
    return T(*a.shape, kind="b", data=[int(v) for v in a.reshape(-1)])


def fill(kind, shape, seed, data=None):
    """g: from -4 to 4 in steps of 1/8192; w: an eighth of that; pos, var: 0.1 to 4.1; prob: inside (0, 1); u: [0, 1);
    logp: negative; s: -1 or 1; i, b: whole numbers and bools as given."""
    n = int(np.prod(shape)) if len(shape) else 1
    if kind == "i":
        return torch.tensor(np.array(data, dtype=np.int64).reshape(shape))
    if kind == "b":
        return torch.tensor(np.array(data, dtype=bool).reshape(shape))
    w = words(seed, n).astype(np.float64)
    v = {"g": lambda: (w - 32768) / 8192, "w": lambda: (w - 32768) / 65536, "pos": lambda: w / 16384 + 0.1, "var": lambda: w / 16384 + 0.1,
         "prob": lambda: (w + 512) / 66560, "u": lambda: w / 65536, "logp": lambda: -w / 16384 - 0.01, "s": lambda: np.where(w < 32768, -1.0, 1.0)}[kind]()
    return torch.tensor(v.reshape(shape).astype(np.float32))


def flat(out):
    if isinstance(out, torch.Tensor):
        return [out]
    r = []
    for o in out:
        r += [] if o is None else flat(o)
    return r


class File:
    def __init__(self, path):
        self.path, self.cases, self.calls = os.path.join(ROOT, path), [], []

    def add(self, op, build, run, args, kwargs, ins, call=None, train=False, steps=1, dtype=None):
        """One case; with a dtype, everything that is float32 otherwise has it."""
        call = call or {}
        inputs, refs = [], {}
        kind = getattr(torch, dtype) if dtype else torch.float32

        def cast(t):
            return t.to(kind) if t.is_floating_point() else t

        def ref(v):
            if isinstance(v, T):
                if id(v) not in refs:
                    refs[id(v)] = len(inputs)
                    inputs.append(v)
                return {"in": refs[id(v)]}
            if isinstance(v, (list, tuple)):
                return [ref(x) for x in v]
            if isinstance(v, float) and np.isinf(v):
                return "inf" if v > 0 else "-inf"
            return v

        c = {"op": op, "args": [ref(a) for a in args], "kwargs": {k: ref(v) for k, v in kwargs.items()}, "ins": [ref(x) for x in ins], "call": {k: ref(v) for k, v in call.items()}}
        key = json.dumps([op, c["args"], c["kwargs"], c["ins"], c["call"], [t.spec() for t in inputs]], sort_keys=True)
        c["seed"] = seed_of(key)
        made = [cast(fill(t.kind, t.shape, seed_of(c["seed"], "in", i), t.data)) for i, t in enumerate(inputs)]
        for t, x in zip(inputs, made):
            if t.grad:
                x.requires_grad_(True)

        def val(v):
            if isinstance(v, T):
                return made[refs[id(v)]]
            if isinstance(v, list):
                return [val(x) for x in v]
            if isinstance(v, tuple):
                return tuple(val(x) for x in v)
            return v

        m = build([val(a) for a in args], {k: val(v) for k, v in kwargs.items()})
        if m is not None:
            m.to(kind).train(train)
            names = list(m.state_dict().keys())
            buffers = [k for k, _ in m.named_buffers()]
            with torch.no_grad():
                for k, v in m.state_dict().items():
                    if v.is_floating_point() and k not in ("weight", "pos_weight") * isinstance(m, nn.modules.loss._Loss):
                        v.copy_(fill("var" if k.endswith("running_var") else "w", list(v.shape), seed_of(c["seed"], k)))
        for _ in range(steps):
            for x in made:
                x.grad = None
            if m is not None:
                m.zero_grad()
            out = flat(run(m, [val(a) for a in args], {k: val(v) for k, v in kwargs.items()}, [val(x) for x in ins], {k: val(v) for k, v in call.items()}))
        cots = [fill("g", list(o.shape), seed_of(c["seed"], "cot", i)).to(o.dtype if dtype else torch.float32) for i, o in enumerate(out)]
        pairs = [(o, t) for o, t in zip(out, cots) if o.requires_grad]
        if pairs:
            torch.autograd.backward([o for o, _ in pairs], [t for _, t in pairs])
        c["inputs"] = [t.spec() for t in inputs]
        parts = []

        def put(t):
            parts.append(t.detach().to(torch.float64 if dtype == "float64" else torch.float32).contiguous().numpy().reshape(-1))
            return list(t.shape)

        c["out"] = [put(o) for o in out]
        c["grads"] = [i for i, x in enumerate(made) if x.grad is not None]
        for i in c["grads"]:
            put(made[i].grad)
        if m is not None:
            c["train"], c["steps"] = train, steps
            c["names"] = names
            pg = {k: p.grad for k, p in m.named_parameters() if p.grad is not None}
            c["pgrads"] = list(pg)
            for g in pg.values():
                put(g)
            after = {k: b for k, b in m.named_buffers() if k in buffers}
            c["after"] = list(after)
            for b in after.values():
                put(b)
        v = np.concatenate(parts) if parts else np.zeros(0, np.float32)
        c["data"] = base64.b64encode(v.astype("<f8" if dtype == "float64" else "<f4").tobytes()).decode()
        if dtype:
            c["dtype"] = dtype
        for k in ("args", "kwargs", "ins", "call", "grads", "pgrads", "after", "names"):
            if not c.get(k, True):
                del c[k]
        self.cases.append(c)
        self.calls.append((op, build, run, args, kwargs, ins, call, train, steps))

    def module(self, op, args, ins, call=None, train=(False, True), steps=1, cls=None, forward=None, **kwargs):
        """A module in evaluation and in training."""
        for t in train if isinstance(train, tuple) else (train,):
            self.add(op, lambda a, k: (cls or getattr(nn, op))(*a, **k), lambda m, a, k, i, ck: (forward or (lambda m, *x, **q: m(*x, **q)))(m, *i, **ck), args, kwargs, ins, call, t, steps)

    def function(self, op, *args, fn=None, **kwargs):
        f = fn or getattr(F, op)
        self.add(op, lambda a, k: None, lambda m, a, k, i, ck: f(*a, **k), list(args), kwargs, [])

    def write(self):
        doc = {"versions": {"torch": torch.__version__}, "cases": self.cases}
        raw = json.dumps(doc, separators=(",", ":"), sort_keys=True).encode()
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "wb") as f:
            with gzip.GzipFile(fileobj=f, mode="wb", mtime=0, compresslevel=9) as z:
                z.write(raw)
        ops = sorted({c["op"] for c in self.cases})
        print(self.path, len(self.cases), "cases of", len(ops), "ops,", os.path.getsize(self.path), "bytes")
