"""Golden values of functions: outputs and gradients of all tensors."""
import torch
import torch.nn.functional as F
from parity import B, File, I, T, ng

f = File("nn/testdata/functional.json.gz")
fun = f.function

for op in ("relu", "relu6", "selu", "silu", "mish", "softsign", "sigmoid", "logsigmoid", "tanh", "hardswish", "hardsigmoid", "tanhshrink", "elu", "celu", "gelu", "leaky_relu", "softplus", "hardtanh",
           "hardshrink", "softshrink", "rrelu"):
    for s in ((9,), (2, 3, 2)):
        fun(op, T(*s))
for op, o in (("elu", dict(alpha=0.5)), ("celu", dict(alpha=0.5)), ("gelu", dict(approximate="tanh")), ("leaky_relu", dict(negative_slope=0.3)), ("softplus", dict(beta=2.0, threshold=3.0)),
              ("hardtanh", dict(min_val=-0.5, max_val=2.0)), ("hardshrink", dict(lambd=1.0)), ("softshrink", dict(lambd=1.0)), ("rrelu", dict(lower=0.2, upper=0.5))):
    fun(op, T(3, 4), **o)
fun("threshold", T(3, 4), 0.5, -1.0)
fun("prelu", T(3, 4, 2), T(4))
fun("prelu", T(3, 4), T(1))
for dim in (0, 1, -1):
    for op in ("softmax", "log_softmax", "softmin"):
        fun(op, T(3, 4, 2), dim)
    fun("glu", T(4, 6, 2), dim=dim)
for o in (dict(), dict(p=1.0), dict(p=3.0), dict(dim=0), dict(dim=-1, eps=2.0)):
    fun("normalize", T(3, 4, 2), **o)
for o in (dict(), dict(dim=0), dict(eps=0.5)):
    fun("cosine_similarity", T(4, 3), T(4, 3), **o)
fun("cosine_similarity", T(4, 1, 3), T(1, 2, 3), dim=2)
for o in (dict(), dict(p=1.0), dict(keepdim=True), dict(eps=0.1)):
    fun("pairwise_distance", T(4, 3), T(4, 3), **o)
for p in (1.0, 2.0, 3.0, float("inf")):
    fun("pdist", T(5, 3), p=p)
for s in ((3,), (4, 3), (2, 2, 3)):
    fun("linear", T(*s), T(5, 3), T(5))
    fun("linear", T(*s), T(5, 3), None)
    fun("bilinear", T(*s), T(*s[:-1], 2), T(4, 3, 2), T(4))
fun("bilinear", T(4, 3), T(4, 2), T(4, 3, 2), None)
for d in (1, 2, 3):
    s = {1: (7,), 2: (5, 6), 3: (4, 3, 4)}[d]
    for o in (dict(), dict(stride=2), dict(padding=1), dict(padding="same"), dict(dilation=2), dict(stride=[1] * d, padding=[1] * d)):
        k = 2
        fun(f"conv{d}d", T(1, 4, *s), T(3, 4, *[k] * d), T(3), **o)
        fun(f"conv{d}d", T(4, *s), T(3, 4, *[k] * d), None, **o)
    fun(f"conv{d}d", T(2, 4, *s), T(6, 2, *[2] * d), T(6), groups=2)
    for o in (dict(), dict(stride=2), dict(padding=1), dict(stride=2, output_padding=1), dict(dilation=2)):
        fun(f"conv_transpose{d}d", T(1, 4, *s[::-1][:d]), T(4, 2, *[2] * d), T(2), **o)
    fun(f"conv_transpose{d}d", T(4, *s), T(4, 2, *[2] * d), None)
    fun(f"conv_transpose{d}d", T(1, 4, *s), T(4, 2, *[2] * d), T(4), groups=2)
    for o in (dict(), dict(stride=1), dict(padding=1), dict(ceil_mode=True), dict(dilation=2)):
        fun(f"max_pool{d}d", T(1, 2, *s), 2, **o)
        fun(f"max_pool{d}d_with_indices", T(2, *s), 2, **o)
    for o in (dict(), dict(stride=1), dict(padding=1), dict(ceil_mode=True), dict(padding=1, count_include_pad=False)) + ((dict(divisor_override=3),) if d > 1 else ()):
        fun(f"avg_pool{d}d", T(1, 2, *s), 2, **o)
    for p in (1.0, 2.0, 3.0):
        fun(f"lp_pool{d}d", T(1, 2, *s, kind="pos"), p, 2)
        fun(f"lp_pool{d}d", T(1, 2, *s, kind="pos"), p, 2, stride=1, ceil_mode=True)
    for n in (1, 2, 3):
        fun(f"adaptive_avg_pool{d}d", T(1, 2, *s), n)
        fun(f"adaptive_max_pool{d}d", T(1, 2, *s), n)
        fun(f"adaptive_max_pool{d}d_with_indices", T(2, *s), n)
    e = (8, 6, 4)[:d]
    n = 1
    for k in e:
        n *= k // 2

    def unpool(x, i, k, d=d, **o):
        return getattr(F, f"max_unpool{d}d")(x, i, k, **o)

    half = [k // 2 for k in e]
    strides = [1]
    for k in e[:0:-1]:
        strides.insert(0, strides[0] * k)
    import itertools
    positions = [sum(2 * p * st for p, st in zip(at, strides)) for at in itertools.product(*[range(h) for h in half])]
    fun(f"max_unpool{d}d", T(1, 1, *half), I(positions, 1, 1, *half), 2, fn=unpool)
    fun(f"max_unpool{d}d", T(1, 1, *half), I(positions, 1, 1, *half), 2, fn=unpool, output_size=[k + 1 for k in e])
    fun(f"max_unpool{d}d", T(1, 1, *half), I(range(len(positions)), 1, 1, *half), 2, fn=unpool, padding=1, stride=3)
    if d > 1:
        for o in (dict(output_size=2), dict(output_ratio=[0.6] * d)):
            fun(f"fractional_max_pool{d}d", T(1, 2, *(5, 6, 5)[:d]), 2, fn=lambda x, k, random_samples=None, d=d, **o: getattr(F, f"fractional_max_pool{d}d")(x, k, _random_samples=random_samples, **o),
                random_samples=ng(1, 2, d, kind="u"), **o)
for o in (dict(training=True), dict(training=True, eps=0.1), dict()):
    for s in ((4, 3), (2, 3, 4), (2, 3, 2, 2)):
        fun("batch_norm", T(*s), ng(3), ng(3, kind="var"), weight=T(3), bias=T(3), **o)
fun("batch_norm", T(4, 3), None, None, training=True)
for s in ((2, 3, 4), (2, 3, 2, 2), (1, 2, 2, 3, 2)):
    C = s[1]
    fun("instance_norm", T(*s))
    fun("instance_norm", T(*s), weight=T(C), bias=T(C), eps=0.1)
    fun("instance_norm", T(*s), running_mean=ng(C), running_var=ng(C, kind="var"), use_input_stats=False)
for o in (dict(), dict(eps=0.1)):
    fun("layer_norm", T(3, 4, 5), [5], T(5), T(5), **o)
    fun("layer_norm", T(3, 4, 5), [4, 5], T(4, 5), None, **o)
    fun("layer_norm", T(3, 5), [5], None, None, **o)
    fun("group_norm", T(2, 4, 3), 2, T(4), T(4), **o)
    fun("group_norm", T(2, 4), 4, None, None, **o)
    fun("rms_norm", T(3, 5), [5], T(5), **o)
    fun("rms_norm", T(3, 4, 5), [4, 5], None, **o)
for o in (dict(), dict(alpha=0.1, beta=0.5, k=2.0)):
    for n in (1, 2, 3):
        fun("local_response_norm", T(2, 5, 3), n, **o)
# attention
seen = [[1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 1]]
for o in (dict(), dict(is_causal=True), dict(scale=0.3), dict(attn_mask=B(seen)), dict(attn_mask=T(3, 4)), dict(attn_mask=B([seen] * 2)), dict(attn_mask=T(2, 3, 4), scale=0.7)):
    fun("scaled_dot_product_attention", T(2, 3, 4), T(2, 4, 4), T(2, 4, 5), **o)
    if not isinstance(o.get("attn_mask"), T) or len(o["attn_mask"].shape) == 2:
        fun("scaled_dot_product_attention", T(2, 2, 3, 4), T(2, 2, 4, 4), T(2, 2, 4, 3), **o)
fun("scaled_dot_product_attention", T(2, 4, 3, 4), T(2, 2, 5, 4), T(2, 2, 5, 4), enable_gqa=True)
fun("scaled_dot_product_attention", T(1, 3, 2), T(1, 3, 2), T(1, 3, 2), attn_mask=B([[1, 0, 0], [0, 0, 0], [1, 1, 0]]))


def mha(q, k, v, heads, in_proj_weight=None, in_proj_bias=None, out_proj_weight=None, out_proj_bias=None, training=True, **o):
    sep = "q_proj_weight" in o
    return F.multi_head_attention_forward(q, k, v, q.size(-1), heads, in_proj_weight, in_proj_bias, o.pop("bias_k", None), o.pop("bias_v", None), o.pop("add_zero_attn", False), 0.0, out_proj_weight, out_proj_bias,
                                          training=training, use_separate_proj_weight=sep, **o)


def P(*s):
    """A parameter: small, so that softmax is not saturated."""
    return T(*s, kind="w", grad=True)


def W(**o):
    return dict(in_proj_weight=P(12, 4), in_proj_bias=P(12), out_proj_weight=P(4, 4), out_proj_bias=P(4), **o)


for o in (dict(), dict(need_weights=False), dict(average_attn_weights=False), dict(add_zero_attn=True), dict(attn_mask=ng(3, 5)), dict(key_padding_mask=B([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]])),
          dict(training=False), dict(bias_k=T(1, 1, 4), bias_v=T(1, 1, 4)), dict(static_k=T(4, 6, 2), static_v=T(4, 6, 2)), dict(static_k=T(4, 5, 2), static_v=T(4, 5, 2), need_weights=False)):
    fun("multi_head_attention_forward", T(3, 2, 4), T(5, 2, 4), T(5, 2, 4), 2, fn=mha, **W(**o))
fun("multi_head_attention_forward", T(3, 2, 4), T(5, 2, 3), T(5, 2, 6), 2, fn=mha, q_proj_weight=P(4, 4), k_proj_weight=P(4, 3), v_proj_weight=P(4, 6), in_proj_bias=P(12), out_proj_weight=P(4, 4), out_proj_bias=P(4))
tri = B([[0, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]])
fun("multi_head_attention_forward", T(3, 2, 4), T(5, 2, 4), T(5, 2, 4), 2, fn=mha, **W(attn_mask=tri, is_causal=True, need_weights=False))
fun("multi_head_attention_forward", T(3, 4), T(5, 4), T(5, 4), 1, fn=mha, **W())
# embedding
idx = I([[0, 2, 5], [1, 1, 3]])
for o in (dict(), dict(padding_idx=1), dict(scale_grad_by_freq=True)):
    fun("embedding", idx, T(6, 3), **o)
fun("embedding", idx, ng(6, 3), max_norm=0.7)
fun("embedding", idx, ng(6, 3), max_norm=0.7, norm_type=1.0)
for mode in ("sum", "mean", "max"):
    fun("embedding_bag", idx, T(6, 3), mode=mode)
    fun("embedding_bag", idx, ng(6, 3), mode=mode, max_norm=0.7, norm_type=1.0)
    fun("embedding_bag", I([0, 2, 5, 1, 1, 3]), T(6, 3), offsets=I([0, 2, 3]), mode=mode)
    fun("embedding_bag", I([0, 2, 5, 1, 1, 3]), T(6, 3), offsets=I([0, 2, 3, 6]), mode=mode, include_last_offset=True, padding_idx=1)
fun("embedding_bag", I([0, 2, 5, 1, 4, 3]), T(6, 3), offsets=I([0, 2, 3]), mode="sum", per_sample_weights=T(6))
fun("embedding_bag", idx, T(6, 3), mode="sum", scale_grad_by_freq=True)
fun("one_hot", I([0, 2, 1]))
fun("one_hot", I([[0, 2], [1, 1]]), num_classes=5)
# vision
for r in (2, 3):
    fun("pixel_shuffle", T(1, r * r, 2, 3), r)
    fun("pixel_unshuffle", T(1, 1, 2 * r, r), r)
fun("channel_shuffle", T(1, 6, 2, 2), 3, fn=torch.nn.functional.channel_shuffle)
for mode, s in (("nearest", (4,)), ("nearest", (3, 4)), ("nearest-exact", (3, 4)), ("linear", (4,)), ("bilinear", (3, 4)), ("bicubic", (3, 4)), ("trilinear", (2, 3, 2)), ("area", (4, 6))):
    for o in (dict(scale_factor=2.0), dict(size=[5] * len(s))):
        fun("interpolate", T(1, 2, *s), mode=mode, **o)
        if mode in ("linear", "bilinear", "bicubic", "trilinear"):
            fun("interpolate", T(1, 2, *s), mode=mode, align_corners=True, **o)
    fun("interpolate", T(1, 2, *s), mode=mode, scale_factor=1.7, recompute_scale_factor=True)
for mode in ("bilinear", "bicubic"):
    fun("interpolate", T(1, 1, 6, 6), mode=mode, size=[3, 4], antialias=True)
for mode in ("bilinear", "nearest", "bicubic"):
    for pm in ("zeros", "border", "reflection"):
        for ac in (False, True):
            fun("grid_sample", T(1, 2, 4, 5), T(1, 3, 3, 2, kind="prob"), mode=mode, padding_mode=pm, align_corners=ac)
fun("grid_sample", T(1, 1, 3, 4, 3), T(1, 2, 2, 2, 3, kind="prob"), align_corners=False)
for ac in (False, True):
    fun("affine_grid", T(1, 2, 3), [1, 1, 3, 4], align_corners=ac)
    fun("affine_grid", T(1, 3, 4), [1, 1, 2, 3, 2], align_corners=ac)
for mode, s, p in (("constant", (3, 4), [1, 2]), ("constant", (2, 3, 4), [1, 0, 2, 1]), ("constant", (3, 4), [-1, 1]), ("reflect", (2, 5), [2, 1]), ("reflect", (1, 2, 4, 5), [1, 2, 2, 1]),
                   ("replicate", (1, 2, 4, 5), [1, 2, 2, 1]), ("circular", (1, 2, 4, 5), [1, 2, 2, 1]), ("circular", (2, 5), [2, 1]), ("replicate", (1, 2, 3, 2, 2), [1, 1, 1, 0, 2, 1])):
    fun("pad", T(*s), p, mode=mode)
fun("pad", T(3, 4), [1, 1], value=2.5)
for o in (dict(), dict(stride=2), dict(padding=1), dict(dilation=2)):
    fun("unfold", T(1, 2, 5, 6), 2, **o)
    u = F.unfold(torch.zeros(1, 2, 5, 6), 2, **o).shape
    fun("fold", T(*u), [5, 6], 2, **o)

# Factors that leave a size as it is, or double it without being 2
for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
    for factor in ([1.3, 1.3], [2.1, 1.3], [1.3, 2.1], [1.2, 0.5]):
        fun("interpolate", T(1, 2, 3, 4), scale_factor=factor, mode=mode)
fun("interpolate", T(1, 2, 3), scale_factor=1.3, mode="linear")
for factor in ([1.3, 1.5, 2.0], [2.0, 1.3, 1.2]):
    fun("interpolate", T(1, 1, 2, 3, 4), scale_factor=factor, mode="trilinear")

if __name__ == "__main__":
    f.write()
