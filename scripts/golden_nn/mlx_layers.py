"""Golden values of what MLX has and PyTorch lacks: outputs alone."""
import numpy as np
import mlx.core as mx
import mlx.nn as mnn
import torch
from parity import File, I, T, ng

f = File("nn/testdata/mlx.json.gz")


def fun(op, *args, fn=None, **kw):
    def call(*a, **k):
        def array(x):
            return mx.array(x.numpy()) if isinstance(x, torch.Tensor) else x
        return torch.tensor(np.array(fn(*[array(x) for x in a], **{n: array(x) for n, x in k.items()})))
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


def attend(q, k, v, causal=False, sinks=None, mask=None, seen=None):
    """seen: numbers that are positive where a bool mask is true."""
    mask = "causal" if causal else (seen > 0 if seen is not None else mask)
    return mx.fast.scaled_dot_product_attention(q, k, v, scale=q.shape[-1] ** -0.5, mask=mask, sinks=sinks)


for h, kv, l, s in ((2, 2, 3, 3), (4, 2, 1, 3), (4, 2, 3, 5), (2, 1, 4, 6)):
    qkv = ng(2, h, l, 8), ng(2, kv, s, 8), ng(2, kv, s, 8)
    fun("attention", *qkv, fn=attend, causal=True)
    fun("attention", *qkv, fn=attend, causal=True, sinks=ng(h))
    fun("attention", *qkv, fn=attend, sinks=ng(h))
    fun("attention", *qkv, fn=attend, sinks=ng(h), mask=ng(l, s))
    fun("attention", *qkv, fn=attend, sinks=ng(h), seen=ng(l, s, kind="s"))


def multi_head(q, k, v, wq, wk, wv, wo, heads, causal=False):
    m = mnn.MultiHeadAttention(wq.shape[0], heads, query_input_dims=wq.shape[1], key_input_dims=wk.shape[1], value_input_dims=wv.shape[1],
                               value_dims=wv.shape[0], value_output_dims=wo.shape[0])
    m.query_proj.weight, m.key_proj.weight, m.value_proj.weight, m.out_proj.weight = wq, wk, wv, wo
    return m(q, k, v, mnn.MultiHeadAttention.create_additive_causal_mask(q.shape[1]) if causal else None)


for causal in (False, True):
    s = 3 if causal else 5
    fun("MultiHeadAttention", ng(2, 3, 7), ng(2, s, 5), ng(2, s, 3), ng(8, 7, kind="w"), ng(8, 5, kind="w"), ng(12, 3, kind="w"),
        ng(9, 12, kind="w"), 4,
        fn=multi_head, causal=causal)
    fun("MultiHeadAttention", ng(2, 3, 8), ng(2, s, 8), ng(2, s, 8), ng(8, 8, kind="w"), ng(8, 8, kind="w"), 
        ng(8, 8, kind="w"), ng(8, 8, kind="w"), 2,
        fn=multi_head, causal=causal)
for starts in ([3], [0, 4]):
    fun("RoPE_from", ng(2, 3, 5, 6), I(starts), 4,
        fn=lambda x, at, dims: mnn.RoPE(dims)(x, offset=at.astype(mx.int32) if at.size > 1 else at[0].astype(mx.int32)))


def layer(make):
    """A layer whose weights are given, in the order of its names."""
    def call(x, *weights, **kw):
        m = make(**kw)
        for name, w in zip(("weight", "bias"), weights):
            m[name] = w
        return m(x)
    return call


for n, size in ((1, (6,)), (2, (5, 6)), (3, (4, 5, 3))):
    conv, back, k = getattr(mnn, "Conv%dd" % n), getattr(mnn, "ConvTranspose%dd" % n), (3, 2, 2)[:n]
    w, b = (4, *k, 3), (4,)
    for o in (dict(), dict(stride=2, padding=1)) + ((dict(dilation=2, padding=1),) if n < 3 else ()):
        fun("Conv%dd" % n, ng(2, *size, 3), ng(*w, kind="w"), ng(*b, kind="w"),
            fn=layer(lambda **o: conv(3, 4, k if n > 1 else k[0], **o)), **o)
    for o in (dict(), dict(stride=2, padding=1)):
        fun("ConvTranspose%dd" % n, ng(2, *size, 3), ng(*w, kind="w"), ng(*b, kind="w"),
            fn=layer(lambda **o: back(3, 4, k if n > 1 else k[0], **o)), **o)
    fun("MaxPool%dd" % n, ng(2, *size, 3), fn=layer(lambda: getattr(mnn, "MaxPool%dd" % n)(2)))
    fun("AvgPool%dd" % n, ng(2, *size, 3), fn=layer(lambda: getattr(mnn, "AvgPool%dd" % n)(2)))
    if n < 3:  # MLX refuses more
        fun("BatchNorm%dd" % n, ng(2, *size, 4), ng(4, kind="w"), ng(4, kind="w"), fn=layer(lambda: mnn.BatchNorm(4)))
    fun("InstanceNorm%dd" % n, ng(2, *size, 4), ng(4, kind="w"), ng(4, kind="w"), fn=layer(lambda: mnn.InstanceNorm(4, affine=True)))
    fun("GroupNorm", ng(2, *size, 4), ng(4, kind="w"), ng(4, kind="w"), fn=layer(lambda: mnn.GroupNorm(2, 4, pytorch_compatible=True)))
    fun("Upsample", ng(2, *size, 3), fn=layer(lambda: mnn.Upsample(2)))

if __name__ == "__main__":
    f.write()
