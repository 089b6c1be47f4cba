"""Golden values of optimizers: parameters after 1, 5 and 20 steps with given gradients."""
import sys, os
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
import base64, gzip, json
import numpy as np
import lib  # selects plain kernels, one thread
import torch

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "optim", "testdata", "optim.json.gz")
STEPS = 20
SHAPES = [(4, 3), (3,), (2, 5)]


def enc(t):
    t = t.detach().contiguous()
    return {"dtype": str(t.dtype).replace("torch.", ""), "shape": list(t.shape), "data": base64.b64encode(t.numpy().tobytes()).decode()}


rng = np.random.default_rng(7)
params = [np.round(rng.normal(size=s) * 8) / 8 for s in SHAPES]
grads = [[np.round(rng.normal(size=s) * 16) / 16 for s in SHAPES] for _ in range(STEPS)]

CASES = [
    ("SGD", {"lr": 0.1}), ("SGD", {"lr": 0.1, "momentum": 0.9}), ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}), ("SGD", {"lr": 0.1, "momentum": 0.5, "maximize": True}),
    ("Adam", {"lr": 0.01}), ("Adam", {"lr": 0.01, "weight_decay": 0.1, "betas": [0.8, 0.95], "eps": 1e-3}), ("Adam", {"lr": 0.01, "amsgrad": True, "maximize": True}),
    ("AdamW", {"lr": 0.01}), ("AdamW", {"lr": 0.01, "weight_decay": 0.2, "amsgrad": True}),
    ("RMSprop", {"lr": 0.01}), ("RMSprop", {"lr": 0.01, "alpha": 0.9, "momentum": 0.9, "centered": True, "weight_decay": 0.1}), ("RMSprop", {"lr": 0.01, "centered": True}),
    ("Adagrad", {"lr": 0.1}), ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5}),
    ("Adadelta", {"lr": 1.0}), ("Adadelta", {"lr": 0.5, "rho": 0.8, "weight_decay": 0.1}),
    ("Adamax", {"lr": 0.01}), ("Adamax", {"lr": 0.01, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.01}), ("RAdam", {"lr": 0.01, "weight_decay": 0.1, "betas": [0.9, 0.9]}), ("RAdam", {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("NAdam", {"lr": 0.01}), ("NAdam", {"lr": 0.01, "weight_decay": 0.1, "momentum_decay": 0.1}), ("NAdam", {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("ASGD", {"lr": 0.1}), ("ASGD", {"lr": 0.1, "lambd": 0.01, "t0": 3.0, "weight_decay": 0.1}),
    ("Rprop", {"lr": 0.01}), ("Rprop", {"lr": 0.01, "etas": [0.4, 1.5], "step_sizes": [1e-3, 0.05]}),
    ("SparseAdam", {"lr": 0.01}),
    ("Adafactor", {"lr": 0.05}), ("Adafactor", {"lr": 0.05, "weight_decay": 0.1, "d": 1.5, "beta2_decay": -0.5}),
    ("Muon", {"lr": 0.05}), ("Muon", {"lr": 0.05, "nesterov": False, "adjust_lr_fn": "match_rms_adamw", "weight_decay": 0.0}),
]
cases = []
for name, opts in CASES:
    for dtype in ["float32", "float64"]:
        for gaps in [False, True]:
            if gaps and (len(opts) > 2 or dtype == "float64" or name == "SparseAdam"):
                continue
            use = [0, 2] if name == "Muon" else [0, 1, 2]
            ps = [torch.tensor(params[i], dtype=getattr(torch, dtype), requires_grad=True) for i in use]
            kw = {k: tuple(v) if isinstance(v, list) else v for k, v in opts.items()}
            if name not in ("SparseAdam", "Muon"):
                kw["foreach"] = False
            opt = getattr(torch.optim, name)(ps, **kw)
            after = {}
            for s in range(STEPS):
                for p, i in zip(ps, use):
                    g = torch.tensor(grads[s][i], dtype=p.dtype)
                    if name == "SparseAdam":
                        # Every third row has no gradient, and is not part of the sparse tensor.
                        g[s % 3 :: 3] = 0
                        g = g.to_sparse(1)
                    p.grad = None if gaps and (s + i) % 3 == 2 else g
                opt.step()
                if s + 1 in (1, 5, STEPS):
                    after[str(s + 1)] = [enc(p) for p in ps]
            cases.append({"op": name, "dtype": dtype, "options": opts, "gaps": gaps, "params": use, "after": after})


def f64(a):
    return enc(torch.tensor(a, dtype=torch.float64))


# LBFGS works on a function: Rosenbrock's, from a fixed start.
lbfgs = []
for opts in [{"lr": 1.0}, {"lr": 0.1, "max_iter": 5, "history_size": 3}, {"lr": 1.0, "line_search_fn": "strong_wolfe"}, {"lr": 0.5, "line_search_fn": "strong_wolfe", "max_iter": 4, "history_size": 2}]:
    x = torch.tensor([-1.5, 2.0, 0.5], dtype=torch.float64, requires_grad=True)
    scale = 1.0 if "line_search_fn" in opts else 0.01
    opt = torch.optim.LBFGS([x], **opts)
    trail = []

    def closure():
        opt.zero_grad()
        loss = scale * (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
        loss.backward()
        return loss

    for _ in range(5):
        loss = opt.step(closure)
        trail.append({"x": enc(x.clone()), "loss": loss.item()})
    lbfgs.append({"options": opts, "scale": scale, "trail": trail})

# Schedules: the rate after each of 30 steps, for two groups.
SCHED = [
    ("StepLR", {"step_size": 4, "gamma": 0.5}), ("MultiStepLR", {"milestones": [3, 7, 7, 20], "gamma": 0.3}), ("ExponentialLR", {"gamma": 0.9}),
    ("CosineAnnealingLR", {"T_max": 8, "eta_min": 0.001}), ("ConstantLR", {"factor": 0.25, "total_iters": 6}), ("LinearLR", {"start_factor": 0.2, "end_factor": 0.8, "total_iters": 9}),
    ("PolynomialLR", {"total_iters": 12, "power": 2.0}), ("CosineAnnealingWarmRestarts", {"T_0": 4, "T_mult": 2, "eta_min": 0.002}), ("CosineAnnealingWarmRestarts", {"T_0": 5}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 40}), ("OneCycleLR", {"max_lr": 0.5, "total_steps": 31, "pct_start": 0.4, "anneal_strategy": "linear", "three_phase": True}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 4}), ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 3, "step_size_down": 5, "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 4, "mode": "exp_range", "gamma": 0.95}),
]
scheds = []
for name, opts in SCHED:
    a, b = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    opt = torch.optim.SGD([{"params": [a], "lr": 0.1}, {"params": [b], "lr": 0.04}], lr=0.1, momentum=0.9)
    s = getattr(torch.optim.lr_scheduler, name)(opt, **opts)
    rates = [[[g["lr"], g["momentum"]] for g in opt.param_groups]]
    for _ in range(30):
        opt.step()
        s.step()
        rates.append([[g["lr"], g["momentum"]] for g in opt.param_groups])
    scheds.append({"op": name, "options": opts, "rates": rates})

losses = [1.0, 0.9, 0.95, 0.93, 0.91, 0.9, 0.9, 0.89999, 0.95, 0.8, 0.85, 0.86, 0.9, 0.9, 0.9, 0.9, 0.7, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9]
for opts in [{"patience": 2}, {"mode": "max", "patience": 1, "factor": 0.5}, {"patience": 1, "cooldown": 2, "min_lr": 0.001, "threshold_mode": "abs", "threshold": 0.01}]:
    a = torch.zeros(2, requires_grad=True)
    opt = torch.optim.SGD([a], lr=0.1)
    s = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, **opts)
    rates = []
    for l in losses:
        s.step(l)
        rates.append([[opt.param_groups[0]["lr"], 0]])
    scheds.append({"op": "ReduceLROnPlateau", "options": opts, "losses": losses, "rates": rates})

import inspect


def defaults(cls):
    out = {}
    for k, p in inspect.signature(cls.__init__).parameters.items():
        v = p.default
        if k in ("self", "params", "optimizer", "foreach", "fused", "capturable", "differentiable") or v is inspect._empty:
            continue
        out[k] = list(v) if isinstance(v, tuple) else v
    return out


DEFAULTS = {n: defaults(getattr(torch.optim, n)) for n in sorted({c[0] for c in CASES} | {"LBFGS"})}
DEFAULTS |= {n: defaults(getattr(torch.optim.lr_scheduler, n)) for n in sorted({c[0] for c in SCHED} | {"ReduceLROnPlateau"})}

doc = {"defaults": DEFAULTS, "versions": {"torch": torch.__version__}, "params": [f64(p) for p in params], "grads": [[f64(g) for g in gs] for gs in grads],
       "cases": cases, "lbfgs": lbfgs, "schedules": scheds}
raw = json.dumps(doc, separators=(",", ":"), sort_keys=True).encode()
with open(OUT, "wb") as f:
    with gzip.GzipFile(fileobj=f, mode="wb", mtime=0, compresslevel=9) as z:
        z.write(raw)
print(OUT, len(cases), "cases", os.path.getsize(OUT), "bytes")
