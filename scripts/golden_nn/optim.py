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

def variants(name, base, *more):
    """The optimizer with its defaults, with each option changed alone, and with some together."""
    return [(name, {**base, **o}) for o in ({},) + more]


M = {"maximize": True}
CASES = (
    variants("SGD", {"lr": 0.1}, M, {"momentum": 0.9}, {"weight_decay": 0.1}, {"momentum": 0.9, "dampening": 0.3}, {"momentum": 0.9, "nesterov": True}, {"momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01},
             {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True}, {"lr": 1e-3, "momentum": 0.5, "maximize": True})
    + [v for n in ("Adam", "AdamW") for v in variants(n, {"lr": 0.01}, M, {"betas": [0.8, 0.95]}, {"eps": 1e-3}, {"weight_decay": 0.1}, {"amsgrad": True}, {"weight_decay": 0.2, "amsgrad": True, "betas": [0.7, 0.9], "eps": 1e-4},
                                                      {"amsgrad": True, "maximize": True}, {"lr": 0.3, "weight_decay": 0.0})]
    + variants("Adam", {"lr": 0.01, "weight_decay": 0.2, "decoupled_weight_decay": True}, {"amsgrad": True})
    + variants("RMSprop", {"lr": 0.01}, M, {"alpha": 0.9}, {"eps": 1e-3}, {"weight_decay": 0.1}, {"momentum": 0.9}, {"centered": True}, {"alpha": 0.9, "momentum": 0.9, "centered": True, "weight_decay": 0.1, "maximize": True})
    + variants("Adagrad", {"lr": 0.1}, M, {"lr_decay": 0.1}, {"weight_decay": 0.1}, {"initial_accumulator_value": 0.5}, {"eps": 1e-2}, {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5, "maximize": True})
    + variants("Adadelta", {"lr": 1.0}, M, {"rho": 0.8}, {"eps": 1e-3}, {"weight_decay": 0.1}, {"lr": 0.5, "rho": 0.7, "weight_decay": 0.1, "maximize": True})
    + variants("Adamax", {"lr": 0.01}, M, {"betas": [0.8, 0.95]}, {"eps": 1e-2}, {"weight_decay": 0.1}, {"betas": [0.7, 0.9], "weight_decay": 0.1, "maximize": True})
    + variants("RAdam", {"lr": 0.01}, M, {"betas": [0.9, 0.9]}, {"eps": 1e-2}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "decoupled_weight_decay": True}, {"betas": [0.8, 0.95], "weight_decay": 0.1, "maximize": True})
    + variants("NAdam", {"lr": 0.01}, M, {"betas": [0.8, 0.95]}, {"eps": 1e-2}, {"weight_decay": 0.1}, {"momentum_decay": 0.1}, {"weight_decay": 0.1, "decoupled_weight_decay": True},
               {"betas": [0.8, 0.95], "weight_decay": 0.1, "momentum_decay": 0.05, "maximize": True})
    + variants("ASGD", {"lr": 0.1}, M, {"lambd": 0.01}, {"alpha": 0.5}, {"t0": 3.0}, {"weight_decay": 0.1}, {"lambd": 0.01, "alpha": 0.6, "t0": 3.0, "weight_decay": 0.1, "maximize": True})
    + variants("Rprop", {"lr": 0.01}, M, {"etas": [0.4, 1.5]}, {"step_sizes": [1e-3, 0.05]}, {"etas": [0.4, 1.5], "step_sizes": [1e-3, 0.05], "maximize": True})
    + variants("SparseAdam", {"lr": 0.01}, M, {"betas": [0.8, 0.95]}, {"eps": 1e-3})
    + variants("Adafactor", {"lr": 0.05}, M, {"beta2_decay": -0.5}, {"eps": [1e-4, 1e-2]}, {"d": 1.5}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "d": 2.0, "beta2_decay": -0.6, "maximize": True})
    + variants("Muon", {"lr": 0.05}, {"weight_decay": 0.0}, {"momentum": 0.5}, {"nesterov": False}, {"ns_coefficients": [3.0, -3.2, 1.2]}, {"ns_steps": 3}, {"eps": 1e-2}, {"adjust_lr_fn": "match_rms_adamw"},
               {"nesterov": False, "adjust_lr_fn": "match_rms_adamw", "weight_decay": 0.0})
)
cases = []
for name, opts in CASES:
    for dtype in ["float32", "float64"]:
        for gaps in [False, True]:
            if gaps and (dtype == "float64" or name == "SparseAdam"):
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


# Lion, which PyTorch lacks, from MLX.
import mlx.core as mx
import mlx.optimizers as mlx_optim

for opts in ({"lr": 0.01}, {"lr": 0.01, "betas": [0.8, 0.95]}, {"lr": 0.01, "weight_decay": 0.2}, {"lr": 0.05, "betas": [0.7, 0.9], "weight_decay": 0.1}):
    kw = dict(opts)
    opt = mlx_optim.Lion(kw.pop("lr"), **kw)
    ps = {str(i): mx.array(p.astype(np.float32)) for i, p in enumerate(params)}
    opt.init(ps)
    after = {}
    for s in range(STEPS):
        ps = opt.apply_gradients({str(i): mx.array(g.astype(np.float32)) for i, g in enumerate(grads[s])}, ps)
        mx.eval(ps)
        if s + 1 in (1, 5, STEPS):
            after[str(s + 1)] = [enc(torch.tensor(np.array(ps[str(i)]))) for i in range(3)]
    cases.append({"op": "Lion", "dtype": "float32", "options": opts, "gaps": False, "params": [0, 1, 2], "after": after})


def f64(a):
    return enc(torch.tensor(a, dtype=torch.float64))


# LBFGS works on a function: Rosenbrock's, from a fixed start.
lbfgs = []
for opts in [{"lr": 1.0}, {"lr": 0.1, "max_iter": 5, "history_size": 3}, {"lr": 1.0, "line_search_fn": "strong_wolfe"}, {"lr": 0.5, "line_search_fn": "strong_wolfe", "max_iter": 4, "history_size": 2},
             {"lr": 0.5, "max_eval": 4}, {"lr": 0.5, "tolerance_grad": 0.5}, {"lr": 0.5, "tolerance_change": 0.05}, {"lr": 1.0, "line_search_fn": "strong_wolfe", "max_eval": 6, "tolerance_grad": 1e-3}]:
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

# Schedules: rate and momentum of two groups after each of 100 steps.
EPOCHS = 100
LAMBDAS = {"inverse": lambda e: 1 / (e + 1), "half": lambda e: 0.97, "steps": lambda e: 0.5 ** (e // 30)}
SCHED = [
    ("StepLR", {"step_size": 30}), ("StepLR", {"step_size": 4, "gamma": 0.5}), ("StepLR", {"step_size": 1, "gamma": 0.99}),
    ("MultiStepLR", {"milestones": [30, 80]}), ("MultiStepLR", {"milestones": [3, 7, 7, 20], "gamma": 0.3}),
    ("ExponentialLR", {"gamma": 0.9}), ("ExponentialLR", {"gamma": 1.01}),
    ("CosineAnnealingLR", {"T_max": 8, "eta_min": 0.001}), ("CosineAnnealingLR", {"T_max": 100}), ("CosineAnnealingLR", {"T_max": 33}),
    ("ConstantLR", {}), ("ConstantLR", {"factor": 0.25, "total_iters": 6}), ("ConstantLR", {"factor": 0.5, "total_iters": 60}),
    ("LinearLR", {}), ("LinearLR", {"start_factor": 0.2, "end_factor": 0.8, "total_iters": 9}), ("LinearLR", {"total_iters": 90}), ("LinearLR", {"start_factor": 1.0, "end_factor": 0.1, "total_iters": 50}),
    ("PolynomialLR", {}), ("PolynomialLR", {"total_iters": 12, "power": 2.0}), ("PolynomialLR", {"total_iters": 80, "power": 0.5}),
    ("CosineAnnealingWarmRestarts", {"T_0": 4, "T_mult": 2, "eta_min": 0.002}), ("CosineAnnealingWarmRestarts", {"T_0": 5}), ("CosineAnnealingWarmRestarts", {"T_0": 7, "T_mult": 3}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 101}), ("OneCycleLR", {"max_lr": 0.5, "total_steps": 120, "pct_start": 0.4, "anneal_strategy": "linear", "three_phase": True}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 101, "cycle_momentum": False}), ("OneCycleLR", {"max_lr": 0.5, "total_steps": 101, "base_momentum": 0.5, "max_momentum": 0.8}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 101, "div_factor": 5.0, "final_div_factor": 10.0}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 4}), ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 3, "step_size_down": 5, "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 4, "mode": "exp_range", "gamma": 0.95}), ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.2}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 10, "cycle_momentum": False}), ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 10, "base_momentum": 0.5, "max_momentum": 0.95}),
    ("LambdaLR", {"lr_lambda": "inverse"}), ("LambdaLR", {"lr_lambda": "steps"}), ("MultiplicativeLR", {"lr_lambda": "half"}), ("MultiplicativeLR", {"lr_lambda": "inverse"}),
]
PARTS = [
    ("SequentialLR", [("ConstantLR", {"factor": 0.1, "total_iters": 20}), ("ExponentialLR", {"gamma": 0.95})], [20]),
    ("SequentialLR", [("LinearLR", {"total_iters": 10}), ("CosineAnnealingLR", {"T_max": 60}), ("StepLR", {"step_size": 5})], [10, 70]),
    ("SequentialLR", [("CosineAnnealingWarmRestarts", {"T_0": 4}), ("PolynomialLR", {"total_iters": 30})], [30]),
    ("ChainedScheduler", [("ConstantLR", {"factor": 0.1, "total_iters": 20}), ("ExponentialLR", {"gamma": 0.98})], None),
    ("ChainedScheduler", [("LinearLR", {"total_iters": 10}), ("StepLR", {"step_size": 25}), ("MultiStepLR", {"milestones": [50], "gamma": 0.5})], None),
]
L = torch.optim.lr_scheduler


def two_groups():
    a, b = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    return torch.optim.SGD([{"params": [a], "lr": 0.1}, {"params": [b], "lr": 0.04}], lr=0.1, momentum=0.9)


def one(name, opt, opts):
    kw = dict(opts)
    if "lr_lambda" in kw:
        kw["lr_lambda"] = LAMBDAS[kw["lr_lambda"]]
    return getattr(L, name)(opt, **kw)


def track(opt, step):
    rates = [[[g["lr"], g["momentum"]] for g in opt.param_groups]]
    for i in range(EPOCHS):
        opt.step()
        step(i)
        rates.append([[g["lr"], g["momentum"]] for g in opt.param_groups])
    r = np.array(rates, dtype="<f8")
    moving = bool((r[:, :, 1] != r[0, 0, 1]).any())
    d = {"lr": base64.b64encode(r[:, :, 0].tobytes()).decode()}
    if moving:
        d["momentum"] = base64.b64encode(r[:, :, 1].tobytes()).decode()
    return d


scheds = []
for name, opts in SCHED:
    opt = two_groups()
    s = one(name, opt, opts)
    scheds.append({"op": name, "options": opts, **track(opt, lambda i: s.step())})
for name, parts, milestones in PARTS:
    opt = two_groups()
    made = [one(n, opt, o) for n, o in parts]
    s = L.SequentialLR(opt, made, milestones) if milestones else L.ChainedScheduler(made, opt)
    scheds.append({"op": name, "options": {}, "parts": [{"op": n, "options": o} for n, o in parts], "milestones": milestones or [], **track(opt, lambda i: s.step())})
walk = np.round(1 + np.cumsum(np.random.default_rng(11).normal(size=EPOCHS) * 0.05 - 0.01), 3).tolist()
for opts in [{}, {"patience": 2}, {"mode": "max", "patience": 1, "factor": 0.5}, {"patience": 1, "cooldown": 2, "min_lr": 0.001, "threshold_mode": "abs", "threshold": 0.01}, {"patience": 3, "threshold": 0.1},
             {"patience": 0, "factor": 0.9, "eps": 1e-3}, {"mode": "max", "threshold_mode": "abs", "threshold": 0.05, "patience": 4}]:
    opt = two_groups()
    s = L.ReduceLROnPlateau(opt, **opts)
    scheds.append({"op": "ReduceLROnPlateau", "options": opts, "losses": walk, **track(opt, lambda i: s.step(walk[i]))})

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
