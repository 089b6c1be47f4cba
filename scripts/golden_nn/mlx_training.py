"""Losses of MLX's training loop (value_and_grad, update), 50 steps of a small model, and values of its schedules."""
import base64, gzip, json, os
import numpy as np
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "optim", "testdata", "mlx.json.gz")
STEPS = 50
mx.set_default_device(mx.cpu)
rng = np.random.default_rng(3)


def numbers(*shape, scale=1.0):
    return (np.round(rng.normal(size=shape) * 64) / 64 * scale).astype(np.float32)


x, weights = numbers(32, 3), [numbers(8, 3, scale=0.5), numbers(8, scale=0.25), numbers(2, 8, scale=0.5), numbers(2, scale=0.25)]
y = np.stack([np.sin(x.sum(1)), x[:, 0] * x[:, 1]], 1).astype(np.float32)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = nn.Linear(3, 8), nn.Linear(8, 2)
        self.l1.weight, self.l1.bias, self.l2.weight, self.l2.bias = (mx.array(w) for w in weights)

    def __call__(self, x):
        return self.l2(mx.tanh(self.l1(x)))


def schedule(s):
    """A schedule from its name and arguments; joins hold others."""
    name, args = s
    if name == "join_schedules":
        return optim.join_schedules([schedule(p) for p in args[0]], args[1])
    return getattr(optim, name)(*args)


def rate(v):
    return schedule(v) if isinstance(v, list) else v


WARM = ["join_schedules", [[["linear_schedule", [0.0, 0.05, 10]], ["cosine_decay", [0.05, 30, 0.001]]], [10]]]
CASES = [
    ("SGD", {"learning_rate": 0.1}), ("SGD", {"learning_rate": 0.05, "momentum": 0.9}),
    ("SGD", {"learning_rate": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"learning_rate": WARM, "momentum": 0.9}),
    ("Adam", {"learning_rate": 0.01}), ("Adam", {"learning_rate": 0.01, "bias_correction": True}),
    ("Adam", {"learning_rate": 0.02, "betas": [0.8, 0.99], "eps": 1e-6}), ("Adam", {"learning_rate": WARM}),
    ("AdamW", {"learning_rate": 0.01}), ("AdamW", {"learning_rate": 0.01, "weight_decay": 0.1, "bias_correction": True}),
    ("AdamW", {"learning_rate": ["exponential_decay", [0.02, 0.97]]}),
    ("Lion", {"learning_rate": 0.003}), ("Lion", {"learning_rate": 0.003, "weight_decay": 0.1}),
    ("Lion", {"learning_rate": ["step_decay", [0.01, 0.5, 10]]}),
    ("Muon", {"learning_rate": 0.02}), ("Muon", {"learning_rate": 0.02, "nesterov": False, "weight_decay": 0.0}),
    ("Muon", {"learning_rate": WARM, "momentum": 0.9, "ns_steps": 3}),
    ("Adafactor", {}), ("Adafactor", {"warmup_init": True}),
    ("Adafactor", {"relative_step": False, "learning_rate": 0.01, "scale_parameter": False}),
    ("Adafactor", {"relative_step": False, "learning_rate": WARM}), ("Adafactor", {"beta_1": 0.9, "weight_decay": 0.1, "decay_rate": -0.6}),
    ("Adafactor", {"relative_step": False, "learning_rate": 0.02, "clip_threshold": 0.5, "eps": [1e-8, 1e-2]}),
    ("Multi", {}),
]

cases = []
for name, opts in CASES:
    model = MLP()
    kw = {k: tuple(v) if isinstance(v, list) and k != "learning_rate" else v for k, v in opts.items()}
    if "learning_rate" in kw:
        kw["learning_rate"] = rate(kw["learning_rate"])
    if name == "Multi":  # Muon for matrices, AdamW for the rest
        opt = optim.MultiOptimizer([optim.Muon(0.02), optim.AdamW(0.01)], [lambda path, w: w.ndim == 2])
    else:
        opt = getattr(optim, name)(**kw)
    step = nn.value_and_grad(model, lambda m: nn.losses.mse_loss(m(mx.array(x)), mx.array(y)))
    losses = []
    for _ in range(STEPS):
        loss, grads = step(model)
        opt.update(model, grads)
        mx.eval(model.parameters(), opt.state)
        losses.append(float(loss))
    cases.append({"op": name, "options": opts, "losses": losses})
    print(name, opts, losses[0], losses[-1])

SCHEDULES = [["exponential_decay", [0.1, 0.9]], ["step_decay", [0.1, 0.9, 10]], ["cosine_decay", [0.1, 33, 0.01]],
             ["cosine_decay", [0.1, 50]],
             ["linear_schedule", [0.0, 0.1, 40]], ["linear_schedule", [0.3, 0.1, 7]], WARM,
             ["join_schedules", [[["linear_schedule", [1e-7, 0.1, 5]], ["step_decay", [0.1, 0.5, 3]],
                                 ["exponential_decay", [0.01, 0.95]]], [5, 20]]]]
schedules = []
for s in SCHEDULES:
    f = schedule(s)
    schedules.append({"schedule": s, "values": [float(f(mx.array(i, mx.uint64))) for i in range(60)]})


def enc(a):
    return base64.b64encode(np.ascontiguousarray(a, dtype="<f4").tobytes()).decode()


doc = {"versions": {"mlx": mx.__version__}, "x": enc(x), "y": enc(y),
       "weights": [enc(w) for w in weights], "cases": cases, "schedules": schedules}
with open(OUT, "wb") as f:
    with gzip.GzipFile(fileobj=f, mode="wb", mtime=0, compresslevel=9) as z:
        z.write(json.dumps(doc, separators=(",", ":"), sort_keys=True).encode())
print(OUT, len(cases), "cases", os.path.getsize(OUT), "bytes")
