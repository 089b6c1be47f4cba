"""Golden values of what MLX has and PyTorch lacks: outputs alone."""
import numpy as np
import mlx.core as mx
import mlx.nn as mnn
import torch
from parity import File, T, ng

f = File("nn/testdata/mlx.json.gz")


def fun(op, *args, fn=None, **kw):
    def call(*a, **k):
        a = [mx.array(x.numpy()) if isinstance(x, torch.Tensor) else x for x in a]
        return torch.tensor(np.array(fn(*a, **k)))
    f.function("mlx." + op, *args, fn=call, **kw)


for s in ((7,), (2, 3, 4)):
    fun("relu2", ng(*s), fn=mnn.relu2)
    fun("gelu_fast_approx", ng(*s), fn=mnn.gelu_fast_approx)
    for t in (0.0, 0.5):
        fun("step", ng(*s), t, fn=mnn.step)
    for r in ("mean", "sum", "none"):
        fun("log_cosh_loss", ng(*s), ng(*s), fn=mnn.losses.log_cosh_loss, reduction=r)
        fun("hinge_loss", ng(*s), ng(*s, kind="s"), fn=mnn.losses.hinge_loss, reduction=r)
for r in ("mean", "sum", "none"):
    fun("cosine_similarity_loss", ng(3, 4), ng(3, 4), fn=lambda a, b, **k: mnn.losses.cosine_similarity_loss(a, b, **k), reduction=r)
    fun("cosine_similarity_loss", ng(3, 4), ng(3, 4), fn=lambda a, b, dim=1, **k: mnn.losses.cosine_similarity_loss(a, b, axis=dim, **k), reduction=r, dim=0)
for o in (dict(), dict(traditional=True), dict(base=100.0), dict(scale=0.5), dict(traditional=True, base=50.0, scale=2.0)):
    for dims, off in ((4, 0), (6, 0), (4, 3)):
        fun("RoPE", ng(2, 3, 5, 6), dims, off, fn=lambda x, dims, off, **o: mnn.RoPE(dims, **o)(x, offset=off), **o)
for o in (dict(), dict(min_freq=0.01), dict(max_freq=2.0), dict(scale=1.5), dict(cos_first=True), dict(full_turns=True)):
    fun("SinusoidalPositionalEncoding", ng(5), 6, fn=lambda x, d, **o: mnn.SinusoidalPositionalEncoding(d, **o)(x), **o)
for s in ((1, 4, 3, 3), (2, 8, 2, 5), (1, 6, 3, 4)):
    for off in (0, 2):
        fun("ALiBi", ng(*s), off, fn=lambda x, off: mnn.ALiBi()(x, offset=off))

if __name__ == "__main__":
    f.write()
