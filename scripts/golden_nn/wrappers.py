"""Golden values of what is put around modules: weight and spectral norm, pruning, clipping, conv and norm fused."""
import torch
import torch.nn as nn
from torch.nn.utils import parametrizations, prune
from parity import B, File, I, T, ng

f = File("nn/testdata/wrappers.json.gz")
mod, fun = f.module, f.function


def on(base, wrap, *a, **k):
    return lambda *x, **o: wrap(base(*x), *a, **k, **o)


for dim in (0, 1, None):
    mod("weight_norm.Linear", [3, 4], [T(2, 3)], cls=on(nn.Linear, parametrizations.weight_norm), dim=dim)
    mod("weight_norm.Conv2d", [2, 3, 2], [T(1, 2, 4, 4)], cls=on(nn.Conv2d, parametrizations.weight_norm), dim=dim)
mod("weight_norm.Linear", [3, 4], [T(2, 3)], cls=on(nn.Linear, parametrizations.weight_norm))
mod("weight_norm.GRUCell", [3, 2], [T(2, 3), T(2, 2)], cls=on(nn.GRUCell, parametrizations.weight_norm), name="weight_hh")
for o in (dict(), dict(n_power_iterations=3), dict(dim=1), dict(eps=0.5)):
    mod("spectral_norm.Linear", [3, 4], [T(2, 3)], steps=2, cls=on(nn.Linear, parametrizations.spectral_norm), **o)
    mod("spectral_norm.Conv2d", [2, 3, 2], [T(1, 2, 4, 4)], steps=2, cls=on(nn.Conv2d, parametrizations.spectral_norm), **o)
    mod("spectral_norm.ConvTranspose2d", [2, 3, 2], [T(1, 2, 3, 3)], steps=2, cls=on(nn.ConvTranspose2d, parametrizations.spectral_norm), **o)
mod("spectral_norm.Linear", [3, 4], [T(2, 3)], steps=2, cls=on(nn.Linear, parametrizations.spectral_norm), name="bias")


def both(*x):
    m = parametrizations.weight_norm(nn.Linear(*x))
    return parametrizations.spectral_norm(m)


mod("weight_norm.spectral_norm.Linear", [3, 4], [T(2, 3)], steps=2, cls=both)
for n, k in ((4, 4), (5, 3), (3, 5)):
    for way in (None, "matrix_exp", "cayley"):
        if way is None and n != k:
            continue  # householder: the diagonal must be signs, see below
        for triv in (True, False):
            mod("orthogonal.Linear", [k, n], [T(2, k)], cls=on(nn.Linear, parametrizations.orthogonal), orthogonal_map=way, use_trivialization=triv)
mod("orthogonal.Linear", [3, 3], [T(2, 3)], cls=on(nn.Linear, parametrizations.orthogonal), name="weight", orthogonal_map="cayley")


def orthogonal(x, base, way, triv):
    """What a map makes of the lower triangle of x, whose diagonal becomes signs, times a matrix."""
    m = nn.Module()
    m.weight = nn.Parameter(torch.eye(x.shape[-2], x.shape[-1]).expand(x.shape).clone())
    parametrizations.orthogonal(m, "weight", way, use_trivialization=triv)
    p = m.parametrizations.weight
    signs = torch.sign(torch.diagonal(x.detach(), dim1=-2, dim2=-1))
    tall = x if x.shape[-2] >= x.shape[-1] else x.mT
    y = tall.tril(-1) + torch.cat([torch.diag_embed(signs), torch.zeros(*tall.shape[:-2], tall.shape[-2] - tall.shape[-1], tall.shape[-1])], -2)
    y = y if x.shape[-2] >= x.shape[-1] else y.mT
    if triv:
        p[0].base.copy_(base)
    return p[0](y)


for s in ((1, 1), (3, 3), (5, 3), (3, 5), (2, 4, 3), (2, 7, 7)):
    n = max(s[-2:])
    for way in ("matrix_exp", "cayley", "householder"):
        for triv in (True, False):
            fun("orthogonal", T(*s), ng(*s[:-2], n, n), way, triv, fn=orthogonal)
mod("prune.Linear", [3, 4], [T(2, 3)], cls=lambda *x: prune.l1_unstructured(nn.Linear(*x), "weight", 0.5))
mod("prune.Conv2d", [2, 3, 2], [T(1, 2, 4, 4)], cls=lambda *x: prune.l1_unstructured(nn.Conv2d(*x), "weight", 0.5))


def masks(*steps):
    """The mask of a weight after prunings, one after the other."""
    m = nn.Module()

    def run(x, *a, **k):
        m = nn.Module()
        m.weight = nn.Parameter(x.detach().clone())
        for s in steps:
            s(m, *a, **k)
        return m.weight_mask
    return run


def am(count, share):
    return count if count >= 0 else share


AMOUNTS = ((0, -1), (3, -1), (-1, 0.25), (-1, 0.5), (-1, 1.0))
for s in ((4, 5), (3, 2, 2, 2)):
    for a in AMOUNTS:
        fun("prune.l1_unstructured", ng(*s), *a, fn=masks(lambda m, c, r: prune.l1_unstructured(m, "weight", am(c, r))))
        fun("prune.l1_twice", ng(*s), *a, fn=masks(lambda m, c, r: prune.l1_unstructured(m, "weight", 2), lambda m, c, r: prune.l1_unstructured(m, "weight", am(c, r))))
        fun("prune.l1_scores", ng(*s), *a, ng(*s), fn=masks(lambda m, c, r, sc: prune.l1_unstructured(m, "weight", am(c, r), importance_scores=sc)))
    for dim in range(len(s)):
        for n in (1.0, 2.0, 3.0, float("inf"), float("-inf")):
            for a in ((1, -1), (-1, 0.5)):
                fun("prune.ln_structured", ng(*s), *a, n, dim, fn=masks(lambda m, c, r, n, d: prune.ln_structured(m, "weight", am(c, r), n, d)))
        fun("prune.ln_then_l1", ng(*s), dim, fn=masks(lambda m, d: prune.ln_structured(m, "weight", 1, 2, d), lambda m, d: prune.l1_unstructured(m, "weight", 0.3)))


def glob(x, y, c, r):
    a, b = nn.Module(), nn.Module()
    a.weight, b.weight = nn.Parameter(x.clone()), nn.Parameter(y.clone())
    prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=am(c, r))
    return a.weight_mask, b.weight_mask


for a in ((1, -1), (5, -1), (-1, 0.3), (-1, 0.9)):
    fun("prune.global_unstructured", ng(3, 4), ng(5), *a, fn=glob)


def clip(x, y, gx, gy, bound, norm):
    ps = [torch.zeros_like(x).requires_grad_(), torch.zeros_like(y).requires_grad_()]
    ps[0].grad, ps[1].grad = gx.clone(), gy.clone()
    t = nn.utils.clip_grad_norm_(ps, bound, norm)
    return t, ps[0].grad, ps[1].grad


def clipv(gx, v):
    p = torch.zeros_like(gx).requires_grad_()
    p.grad = gx.clone()
    nn.utils.clip_grad_value_([p], v)
    return p.grad


for norm in (1.0, 2.0, 3.0, float("inf")):
    for bound in (0.5, 100.0):
        fun("clip_grad_norm_", ng(3, 4), ng(5), ng(3, 4), ng(5), bound, norm, fn=clip)
for v in (0.5, 2.0):
    fun("clip_grad_value_", ng(3, 4), v, fn=clipv)


def fused(cls, bn):
    def run(x, w, b, mean, var, g, h):
        c = cls(w.shape[1] if "Transpose" not in cls.__name__ else w.shape[0], mean.numel(), w.shape[-1] if cls is not nn.Linear else None) if cls is not nn.Linear else nn.Linear(w.shape[1], w.shape[0])
        n = bn(mean.numel())
        with torch.no_grad():
            c.weight.copy_(w), c.bias.copy_(b), n.running_mean.copy_(mean), n.running_var.copy_(var), n.weight.copy_(g), n.bias.copy_(h)
        c.eval(), n.eval()
        if cls is nn.Linear:
            return nn.utils.fusion.fuse_linear_bn_eval(c, n)(x).detach()
        return nn.utils.fusion.fuse_conv_bn_eval(c, n)(x).detach()
    return run


stats = lambda: [ng(3), ng(3, kind="var"), ng(3), ng(3)]
for d in (1, 2, 3):
    s, k = [4] * d, [2] * d
    fun(f"fuse_conv_bn_eval.{d}", ng(2, 2, *s), ng(3, 2, *k), ng(3), *stats(), fn=fused(getattr(nn, f"Conv{d}d"), getattr(nn, f"BatchNorm{d}d")))
fun("fuse_linear_bn_eval", ng(4, 2), ng(3, 2), ng(3), *stats(), fn=fused(nn.Linear, nn.BatchNorm1d))

if __name__ == "__main__":
    f.write()
