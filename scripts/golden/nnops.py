"""Activations, softmax, normalisation, embedding, attention and other network ops."""
import math

import torch
import torch.nn.functional as F
from lib import FLOATS, Family, dt, special

f = Family("nnops", functional=True)
HALF = ("bfloat16", "float16")
bg = lambda d: True if d == "bfloat16" else None

# Activations: name, attribute forms. Inputs sit on odd 64ths, so none is at a kink.
ACT = {
    "relu": [{}], "gelu": [{}, {"approximate": "none"}, {"approximate": "tanh"}], "silu": [{}], "elu": [{}, {"alpha": 0.5}], "selu": [{}], "celu": [{}, {"alpha": 2.0}],
    "leaky_relu": [{}, {"negative_slope": 0.2}], "mish": [{}], "softplus": [{}, {"beta": 2.0}, {"beta": 1.0, "threshold": 1.0}], "softsign": [{}], "hardtanh": [{}, {"min_val": -0.5, "max_val": 2.0}],
    "hardswish": [{}], "hardsigmoid": [{}], "logsigmoid": [{}], "tanhshrink": [{}], "softshrink": [{}, {"lambd": 1.0}], "hardshrink": [{}, {"lambd": 1.0}],
    "threshold": [{"threshold": 0.5, "value": -1.0}], "relu6": [{}], "sigmoid": [{}], "tanh": [{}], "rrelu": [{}],
}
KINKS = {"relu": [0.0, -0.0], "relu6": [0.0, 6.0], "hardtanh": [-1.0, 1.0], "hardswish": [-3.0, 3.0, 0.0], "hardsigmoid": [-3.0, 3.0], "leaky_relu": [0.0, -0.0], "elu": [0.0, -0.0], "selu": [0.0], "celu": [0.0],
         "softshrink": [-0.5, 0.5, 0.0], "hardshrink": [-0.5, 0.5, 0.0], "softplus": [20.0, 20.5, 0.0], "softsign": [0.0], "mish": [0.0, 25.0, -25.0], "silu": [0.0], "gelu": [0.0]}
fnof = {"logsigmoid": lambda x: F.logsigmoid(x), "gelu": lambda x, **kw: F.gelu(x, **kw), "softplus": lambda x, **kw: F.softplus(x, **kw), "softshrink": lambda x, **kw: F.softshrink(x, **kw)}
for op, forms in ACT.items():
    fn = fnof.get(op)
    for i, a in enumerate(forms):
        tag = "_".join("%s%s" % (k, v) for k, v in a.items()) or "default"
        for d in FLOATS:
            f.case(op, "%s/%s" % (d, tag), lambda r, d=d: [r.t(d, (3, 4), -8, 8, 1 / 8) + 1 / 16], a, fn=fn, grad=bg(d))
        f.case(op, "float32/%s_special" % tag, [special("float32")], a, fn=fn, grad=False)
    f.case(op, "float64/special", [special("float64")], forms[-1], fn=fn, grad=False)
    f.case(op, "bfloat16/special", [special("bfloat16")], forms[-1], fn=fn, grad=False)
    f.case(op, "float32/0d", [torch.tensor(-0.75)], forms[0], fn=fn)
    f.case(op, "float32/empty", [torch.zeros(0, 3)], forms[0], fn=fn)
    f.case(op, "float32/large", [torch.tensor([30.0, -30.0, 100.0, -100.0, 1e-4, -1e-4])], forms[0], fn=fn)
    if op in KINKS:
        f.case(op, "float32/ties_kink", [torch.tensor(KINKS[op])], forms[0], fn=fn)
    f.case(op, "int64/1d", [torch.tensor([-2, 0, 1, 7])], forms[0], fn=fn)
for d in FLOATS:
    f.case("prelu", d + "/one", lambda r, d=d: [r.nz(d, (2, 3)), r.t(d, (1,), 0, 1)], grad=bg(d), loose=d in HALF)
    f.case("prelu", d + "/channels", lambda r, d=d: [r.nz(d, (2, 3, 2)), r.t(d, (3,), 0, 1)], grad=bg(d), loose=d in HALF)
    f.case("glu", d + "/last", lambda r, d=d: [r.t(d, (2, 6))], grad=bg(d))
    f.case("glu", d + "/dim0", lambda r, d=d: [r.t(d, (4, 3))], {"dim": 0}, grad=bg(d))

for op in ("softmax", "log_softmax", "softmin"):
    fn = lambda x, op=op, **kw: getattr(F, op)(x, **kw)
    for d in FLOATS:
        for nm, s, a in [("last", (2, 4), {"dim": -1}), ("dim0", (3, 2), {"dim": 0}), ("middle", (2, 3, 2), {"dim": 1})]:
            f.case(op, "%s/%s" % (d, nm), lambda r, d=d, s=s: [r.t(d, s)], a, fn=fn, grad=bg(d), loose=d in HALF)
    f.case(op, "float32/0d", [torch.tensor(2.0)], {"dim": 0}, fn=fn)
    f.case(op, "float32/one", lambda r: [r.t("float32", (3, 1))], {"dim": 1}, fn=fn)
    f.case(op, "float32/empty", [torch.zeros(0, 3)], {"dim": 1}, fn=fn)
    f.case(op, "float32/empty_dim", [torch.zeros(2, 0)], {"dim": 1}, fn=fn)
    f.case(op, "float32/large", [torch.tensor([[1000.0, 999.0, -1000.0], [-1000.0, -1001.0, -1002.0]])], {"dim": 1}, fn=fn)
    f.case(op, "float32/special", [torch.tensor([[-math.inf, 1.0, 2.0], [math.inf, 1.0, 2.0], [math.nan, 1.0, 2.0], [-math.inf, -math.inf, -math.inf]])], {"dim": 1}, fn=fn, grad=False)
    f.case(op, "float32/masked", [torch.tensor([[-math.inf, 1.0, 2.0]])], {"dim": 1}, fn=fn)
    for a, b in [("float32", "float64"), ("bfloat16", "float32"), ("int64", "float32")]:
        f.case(op, "dtype/%s_%s" % (a, b), lambda r, a=a: [r.t(a, (2, 3))], {"dim": 1, "dtype": b}, fn=fn, grad=True)
    f.case(op, "float32/wide", lambda r: [r.t("float32", (2, 70))], {"dim": 1}, fn=fn)

# Normalisation. Optional tensors not given are null.
for d in FLOATS:
    lo = d in HALF
    ln = lambda x, w=None, b=None, **kw: F.layer_norm(x, weight=w, bias=b, **kw)
    f.case("layer_norm", d + "/affine", lambda r, d=d: [r.t(d, (2, 3, 4)), r.t(d, (4,)), r.t(d, (4,))], {"normalized_shape": [4]}, fn=ln, grad=bg(d), loose=lo)
    f.case("layer_norm", d + "/two_dims", lambda r, d=d: [r.t(d, (2, 3, 4)), r.t(d, (3, 4)), r.t(d, (3, 4))], {"normalized_shape": [3, 4], "eps": 0.01}, fn=ln, grad=bg(d), loose=lo)
    f.case("layer_norm", d + "/plain", lambda r, d=d: [r.t(d, (3, 5))], {"normalized_shape": [5]}, fn=ln, grad=bg(d), loose=lo)
    f.case("layer_norm", d + "/weight_only", lambda r, d=d: [r.t(d, (3, 5)), r.t(d, (5,))], {"normalized_shape": [5]}, fn=ln, grad=bg(d), loose=lo)
    rn = lambda x, w=None, **kw: F.rms_norm(x, weight=w, **kw)
    f.case("rms_norm", d + "/weight", lambda r, d=d: [r.t(d, (2, 3, 4)), r.t(d, (4,))], {"normalized_shape": [4], "eps": 1e-5}, fn=rn, grad=bg(d), loose=lo)
    f.case("rms_norm", d + "/plain", lambda r, d=d: [r.t(d, (3, 5))], {"normalized_shape": [5]}, fn=rn, grad=bg(d), loose=lo)
    f.case("rms_norm", d + "/two_dims", lambda r, d=d: [r.t(d, (2, 2, 3)), r.t(d, (2, 3))], {"normalized_shape": [2, 3], "eps": 0.1}, fn=rn, grad=bg(d), loose=lo)
    gn = lambda x, w=None, b=None, **kw: F.group_norm(x, weight=w, bias=b, **kw)
    for k in (1, 2, 4):
        f.case("group_norm", "%s/groups%d" % (d, k), lambda r, d=d: [r.t(d, (2, 4, 3)), r.t(d, (4,)), r.t(d, (4,))], {"num_groups": k}, fn=gn, grad=bg(d), loose=lo)
    f.case("group_norm", d + "/plain_2d", lambda r, d=d: [r.t(d, (2, 4, 2, 2))], {"num_groups": 2, "eps": 0.001}, fn=gn, grad=bg(d), loose=lo)
    # batch_norm updates the running statistics in place; they come back as outputs 2 and 3.
    def bn(x, m, v, w=None, b=None, **kw):
        m2 = None if m is None else m.detach().clone()
        v2 = None if v is None else v.detach().clone()
        y = F.batch_norm(x, m2, v2, weight=w, bias=b, **kw)
        return [y] if m is None else [y, m2, v2]
    stats = lambda r, d: [r.t(d, (3,), -1, 1), r.t(d, (3,), 0.5, 2)]
    aff = lambda r, d: [r.t(d, (3,)), r.t(d, (3,))]
    for nm, s in [("2d", (4, 3)), ("3d", (2, 3, 4)), ("4d", (2, 3, 2, 2)), ("5d", (2, 3, 1, 2, 2))]:
        f.case("batch_norm", "%s/train_%s" % (d, nm), lambda r, d=d: [r.t(d, s)] + stats(r, d) + aff(r, d), {"training": True}, fn=bn, grad=bg(d), loose=lo)
        f.case("batch_norm", "%s/eval_%s" % (d, nm), lambda r, d=d: [r.t(d, s)] + stats(r, d) + aff(r, d), {"training": False}, fn=bn, grad=bg(d), loose=lo)
    f.case("batch_norm", d + "/train_no_stats", lambda r, d=d: [r.t(d, (4, 3)), None, None] + aff(r, d), {"training": True, "eps": 0.01}, fn=bn, grad=bg(d), loose=lo)
    f.case("batch_norm", d + "/train_momentum", lambda r, d=d: [r.t(d, (4, 3))] + stats(r, d), {"training": True, "momentum": 0.3}, fn=bn, grad=bg(d), loose=lo)
    f.case("batch_norm", d + "/eval_plain", lambda r, d=d: [r.t(d, (4, 3))] + stats(r, d), {"training": False, "eps": 0.1}, fn=bn, grad=bg(d), loose=lo)
    f.case("instance_norm", d + "/affine", lambda r, d=d: [r.t(d, (2, 3, 4)), None, None, r.t(d, (3,)), r.t(d, (3,))], fn=lambda x, m, v, w, b: F.instance_norm(x, weight=w, bias=b), grad=bg(d), loose=lo)
    f.case("instance_norm", d + "/plain_2d", lambda r, d=d: [r.t(d, (2, 2, 3, 2))], {"eps": 0.01}, grad=bg(d), loose=lo)
    f.case("local_response_norm", d + "/size3", lambda r, d=d: [r.t(d, (2, 5, 3))], {"size": 3}, grad=bg(d), loose=lo)
    f.case("local_response_norm", d + "/alpha_beta_k", lambda r, d=d: [r.t(d, (1, 4, 2, 2))], {"size": 2, "alpha": 0.5, "beta": 0.5, "k": 2.0}, grad=bg(d), loose=lo)
    for p in (1.0, 2.0, 3.0):
        f.case("normalize", "%s/p%g" % (d, p), lambda r, d=d: [r.nz(d, (2, 3))], {"p": p}, grad=bg(d), loose=lo)
    f.case("normalize", d + "/dim0_eps", lambda r, d=d: [r.t(d, (2, 3), 0.125, 0.5)], {"dim": 0, "eps": 2.0}, grad=bg(d), loose=lo)
    f.case("cosine_similarity", d + "/dim1", lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 3))], grad=bg(d), loose=lo)
    f.case("cosine_similarity", d + "/dim0_broadcast", lambda r, d=d: [r.t(d, (3, 2)), r.t(d, (3, 1))], {"dim": 0}, grad=bg(d), loose=lo)
    f.case("cosine_similarity", d + "/eps", lambda r, d=d: [r.t(d, (2, 3), -0.5, 0.5), r.t(d, (2, 3), -0.5, 0.5)], {"eps": 2.0}, grad=bg(d), loose=lo)
    for p in (1.0, 2.0, 3.0):
        f.case("pairwise_distance", "%s/p%g" % (d, p), lambda r, d=d: [r.t(d, (3, 4)), r.t(d, (3, 4), 4, 6)], {"p": p}, grad=bg(d), loose=lo)
    f.case("pairwise_distance", d + "/keepdim", lambda r, d=d: [r.t(d, (3, 4)), r.t(d, (4,), 4, 6)], {"keepdim": True, "eps": 0.01}, grad=bg(d), loose=lo)
f.case("layer_norm", "float32/constant", [torch.full((2, 4), 3.0)], {"normalized_shape": [4]})
f.case("layer_norm", "float32/big_offset", [torch.tensor([[1000.0, 1001.0, 1002.0, 1003.0]])], {"normalized_shape": [4]}, loose=True)
f.case("layer_norm", "float32/empty", [torch.zeros(0, 4)], {"normalized_shape": [4]})
f.case("rms_norm", "float32/zeros", [torch.zeros(2, 4)], {"normalized_shape": [4], "eps": 1e-5})
f.case("cosine_similarity", "float32/zero_vector", [torch.zeros(1, 3), torch.ones(1, 3)], grad=False)
f.case("normalize", "float32/zero_vector", [torch.zeros(1, 3)])

f.case("one_hot", "int64/infer", [torch.tensor([0, 2, 1])])
f.case("one_hot", "int64/classes", [torch.tensor([[0, 2], [1, 3]])], {"num_classes": 5})
f.case("one_hot", "int64/0d", [torch.tensor(1)], {"num_classes": 3})
f.case("one_hot", "int64/empty", [torch.zeros(0, dtype=torch.int64)], {"num_classes": 3})
for d in FLOATS:
    f.case("embedding", d + "/2d", lambda r, d=d: [r.idx((2, 3), 5), r.t(d, (5, 2))], grad=bg(d))
    f.case("embedding", d + "/padding_idx", lambda r, d=d: [torch.tensor([1, 0, 1, 4, 2]), r.t(d, (5, 2))], {"padding_idx": 1}, grad=bg(d))
    f.case("embedding", d + "/padding_idx_neg", lambda r, d=d: [torch.tensor([1, 4]), r.t(d, (5, 2))], {"padding_idx": -1}, grad=bg(d))
    f.case("embedding", d + "/scale_grad", lambda r, d=d: [torch.tensor([1, 0, 1, 1]), r.t(d, (3, 2))], {"scale_grad_by_freq": True}, grad=bg(d))
f.case("embedding", "float32/int32_index", lambda r: [r.idx((3,), 5, "int32"), r.t("float32", (5, 2))])
f.case("embedding", "float32/0d", lambda r: [torch.tensor(2), r.t("float32", (5, 2))])
f.case("embedding", "float32/empty", lambda r: [torch.zeros(0, dtype=torch.int64), r.t("float32", (5, 2))])
f.case("embedding", "int64/weight", lambda r: [r.idx((3,), 5), r.t("int64", (5, 2))])
for mode in ("sum", "mean", "max"):
    f.case("embedding_bag", "float32/%s_2d" % mode, lambda r: [torch.tensor([[0, 2, 1], [4, 3, 4]]), r.distinct("float32", (5, 2))], {"mode": mode})
    f.case("embedding_bag", "float32/%s_offsets" % mode, lambda r: [torch.tensor([0, 2, 1, 4, 3]), r.distinct("float32", (5, 2)), torch.tensor([0, 2, 2])], {"mode": mode}, fn=lambda i, w, o, mode: F.embedding_bag(i, w, o, mode=mode))

for d in ("float32", "int64", "bfloat16"):
    f.case("pixel_shuffle", d + "/2", lambda r, d=d: [r.t(d, (1, 8, 2, 1))], {"upscale_factor": 2})
    f.case("pixel_shuffle", d + "/3_unbatched", lambda r, d=d: [r.t(d, (9, 1, 2))], {"upscale_factor": 3})
    f.case("pixel_unshuffle", d + "/2", lambda r, d=d: [r.t(d, (1, 2, 4, 2))], {"downscale_factor": 2})
    f.case("channel_shuffle", d + "/2", lambda r, d=d: [r.t(d, (1, 4, 2, 2))], {"groups": 2})
    f.case("channel_shuffle", d + "/3", lambda r, d=d: [r.t(d, (2, 6, 1))], {"groups": 3})

# F.unfold is recorded as unfold_image: torch.unfold, the method, is another op.
UF = [("k2", (2, 2, 3, 4), {"kernel_size": 2}), ("k2_p1", (1, 2, 3, 3), {"kernel_size": 2, "padding": 1}), ("k2_s2", (1, 1, 4, 4), {"kernel_size": 2, "stride": 2}), ("k2_d2", (1, 1, 4, 4), {"kernel_size": 2, "dilation": 2}),
      ("per_dim", (1, 1, 4, 5), {"kernel_size": [2, 3], "padding": [1, 0], "stride": [1, 2]}), ("unbatched", (2, 3, 3), {"kernel_size": 2})]
for d in ("float32", "float64", "bfloat16"):
    for nm, s, a in UF:
        f.case("unfold_image", "%s/%s" % (d, nm), lambda r, d=d: [r.t(d, s)], a, fn=lambda x, **kw: F.unfold(x, **kw), grad=bg(d))
        cols = F.unfold(torch.zeros(s), **a).shape
        f.case("fold", "%s/%s" % (d, nm), lambda r, d=d: [r.t(d, cols)], dict(output_size=list(s[-2:]), **a), grad=bg(d), loose=d == "bfloat16")

sdpa = lambda q, k, v, m=None, **kw: F.scaled_dot_product_attention(q, k, v, attn_mask=m, **kw)
for d in FLOATS:
    lo = d in HALF
    qkv = lambda r, d=d: [r.t(d, (1, 2, 3, 4), -1, 1), r.t(d, (1, 2, 5, 4), -1, 1), r.t(d, (1, 2, 5, 4), -1, 1)]
    sq = lambda r, d=d: [r.t(d, (1, 2, 4, 4), -1, 1), r.t(d, (1, 2, 4, 4), -1, 1), r.t(d, (1, 2, 4, 3), -1, 1)]
    f.case("scaled_dot_product_attention", d + "/plain", qkv, fn=sdpa, grad=bg(d), loose=lo)
    f.case("scaled_dot_product_attention", d + "/causal", sq, {"is_causal": True}, fn=sdpa, grad=bg(d), loose=lo)
    f.case("scaled_dot_product_attention", d + "/causal_wide", qkv, {"is_causal": True}, fn=sdpa, grad=bg(d), loose=lo)
    f.case("scaled_dot_product_attention", d + "/scale", qkv, {"scale": 0.3}, fn=sdpa, grad=bg(d), loose=lo)
    f.case("scaled_dot_product_attention", d + "/float_mask", lambda r, d=d: qkv(r) + [r.t(d, (3, 5), -1, 1)], fn=sdpa, grad=bg(d), loose=lo)
    f.case("scaled_dot_product_attention", d + "/bool_mask", lambda r, d=d: qkv(r) + [torch.tensor([[1, 1, 0, 0, 0], [1, 0, 1, 1, 0], [0, 0, 0, 0, 1]]).bool()], fn=sdpa, grad=bg(d), loose=lo)
    f.case("scaled_dot_product_attention", d + "/3d", lambda r, d=d: [r.t(d, (2, 3, 4), -1, 1)] * 3, fn=sdpa, grad=bg(d), loose=lo)
    f.case("scaled_dot_product_attention", d + "/gqa", lambda r, d=d: [r.t(d, (1, 4, 2, 3), -1, 1), r.t(d, (1, 2, 3, 3), -1, 1), r.t(d, (1, 2, 3, 3), -1, 1)], {"enable_gqa": True}, fn=sdpa, grad=bg(d), loose=lo)
# A row with every key masked away gives zeros, not NaN.
f.case("scaled_dot_product_attention", "float32/row_all_masked", lambda r: [r.t("float32", (1, 1, 2, 4)), r.t("float32", (1, 1, 3, 4)), r.t("float32", (1, 1, 3, 4)), torch.tensor([[False, False, False], [True, True, False]])], fn=sdpa, grad=False)

# Losses.
x01 = lambda r, d, s: r.t(d, s, 0.1, 0.9)
for d in ("float32", "float64", "bfloat16"):
    lo = d in HALF
    for red in ("mean", "sum", "none"):
        for op, kws in [("mse_loss", [{}]), ("l1_loss", [{}]), ("smooth_l1_loss", [{}, {"beta": 0.5}]), ("huber_loss", [{}, {"delta": 0.5}])]:
            for kw in kws:
                f.case(op, "%s/%s%s" % (d, red, "_opt" if kw else ""), lambda r, d=d: [r.t(d, (3, 2)), r.t(d, (3, 2))], dict(kw, reduction=red), grad=bg(d), loose=lo)
        f.case("binary_cross_entropy", "%s/%s" % (d, red), lambda r, d=d: [x01(r, d, (3, 2)), x01(r, d, (3, 2))], {"reduction": red}, fn=lambda x, t, **kw: F.binary_cross_entropy(x, t, **kw), grad=bg(d), loose=lo)
        f.case("binary_cross_entropy", "%s/%s_weight" % (d, red), lambda r, d=d: [x01(r, d, (3, 2)), x01(r, d, (3, 2)), x01(r, d, (3, 2))], {"reduction": red}, fn=lambda x, t, w, **kw: F.binary_cross_entropy(x, t, w.detach(), **kw), grad=bg(d), loose=lo)
        f.case("binary_cross_entropy_with_logits", "%s/%s" % (d, red), lambda r, d=d: [r.t(d, (3, 2)), x01(r, d, (3, 2))], {"reduction": red}, fn=lambda x, t, **kw: F.binary_cross_entropy_with_logits(x, t, **kw), grad=bg(d), loose=lo)
        f.case("binary_cross_entropy_with_logits", "%s/%s_weight_pos" % (d, red), lambda r, d=d: [r.t(d, (3, 2)), x01(r, d, (3, 2)), x01(r, d, (2,)), r.t(d, (2,), 1, 3)], {"reduction": red},
               fn=lambda x, t, w, p, **kw: F.binary_cross_entropy_with_logits(x, t, w.detach(), pos_weight=p.detach(), **kw), grad=bg(d), loose=lo)
        tgt = lambda r: torch.tensor([2, 0, 3, 1])
        ce = lambda x, t, w=None, **kw: F.cross_entropy(x, t, weight=None if w is None else w.detach(), **kw)
        f.case("cross_entropy", "%s/%s" % (d, red), lambda r, d=d: [r.t(d, (4, 5)), tgt(r)], {"reduction": red}, fn=ce, grad=bg(d), loose=lo)
        f.case("cross_entropy", "%s/%s_weight_ignore_smooth" % (d, red), lambda r, d=d: [r.t(d, (4, 5)), tgt(r), r.t(d, (5,), 0.5, 2)], {"reduction": red, "ignore_index": 0, "label_smoothing": 0.1}, fn=ce, grad=bg(d), loose=lo)
        f.case("cross_entropy", "%s/%s_spatial" % (d, red), lambda r, d=d: [r.t(d, (2, 3, 2)), r.idx((2, 2), 3)], {"reduction": red}, fn=ce, grad=bg(d), loose=lo)
        f.case("cross_entropy", "%s/%s_probabilities" % (d, red), lambda r, d=d: [r.t(d, (2, 3)), x01(r, d, (2, 3))], {"reduction": red}, fn=ce, grad=bg(d), loose=lo)
        nl = lambda x, t, w=None, **kw: F.nll_loss(x, t, weight=None if w is None else w.detach(), **kw)
        f.case("nll_loss", "%s/%s" % (d, red), lambda r, d=d: [r.t(d, (4, 5)), tgt(r)], {"reduction": red}, fn=nl, grad=bg(d), loose=lo)
        f.case("nll_loss", "%s/%s_weight_ignore" % (d, red), lambda r, d=d: [r.t(d, (4, 5)), tgt(r), r.t(d, (5,), 0.5, 2)], {"reduction": red, "ignore_index": 3}, fn=nl, grad=bg(d), loose=lo)
        for lt in (False, True):
            f.case("kl_div", "%s/%s_log_target_%s" % (d, red, lt), lambda r, d=d: [r.t(d, (3, 2), -3, -0.5), x01(r, d, (3, 2))], {"reduction": red, "log_target": lt}, grad=bg(d), loose=lo)
    f.case("kl_div", d + "/batchmean", lambda r, d=d: [r.t(d, (3, 2), -3, -0.5), x01(r, d, (3, 2))], {"reduction": "batchmean"}, grad=bg(d), loose=lo)

f.write()
