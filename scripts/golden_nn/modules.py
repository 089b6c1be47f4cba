"""Golden values of modules: outputs, gradients of inputs and parameters, and buffers afterwards."""
import itertools
import torch
import torch.nn as nn
from parity import B, File, I, T, ng

f = File("nn/testdata/modules.json.gz")
mod = f.module

# Linear
for bias in (True, False):
    for s in ((5,), (4, 5), (2, 3, 5)):
        mod("Linear", [5, 3], [T(*s)], bias=bias)
    mod("Bilinear", [3, 4, 2], [T(5, 3), T(5, 4)], bias=bias)
mod("Bilinear", [3, 4, 2], [T(2, 2, 3), T(2, 2, 4)])
mod("Identity", [], [T(2, 3)])
for a in ((), (1, 2), (0, -1), (2, 3)):
    mod("Flatten", [], [T(2, 3, 2, 2)], **dict(zip(("start_dim", "end_dim"), a)))
mod("Unflatten", [1, [2, 3]], [T(2, 6, 2)])
mod("Unflatten", [-1, [3, -1]], [T(2, 6)])

# Convolutions
sizes = {1: (7,), 2: (5, 6), 3: (4, 3, 5)}
for d in (1, 2, 3):
    op, s = f"Conv{d}d", sizes[d]
    opts = [dict(), dict(stride=2), dict(padding=1), dict(padding="same"), dict(padding="valid"), dict(dilation=2), dict(bias=False), dict(groups=2),
            dict(stride=2, padding=1, dilation=1, groups=2, bias=False)]
    if d > 1:
        opts += [dict(stride=[2] + [1] * (d - 1)), dict(padding=[1] + [0] * (d - 1)), dict(dilation=[1] * (d - 1) + [2])]
    for mode in ("zeros", "reflect", "replicate", "circular"):
        opts += [dict(padding=1, padding_mode=mode)]
        if mode != "zeros":
            opts += [dict(padding="same", padding_mode=mode, dilation=1), dict(padding=[1] * d, padding_mode=mode, stride=2)]
    for o in opts:
        if o.get("stride", 1) != 1 and o.get("padding") == "same":
            continue
        k = 2 if d == 3 and o.get("dilation", 1) != 1 else 3 if d < 3 else 2
        mod(op, [4, 2, k], [T(2 if d < 3 else 1, 4, *s)], **o)
    mod(op, [2, 3, 2], [T(2, *s)])  # no batch
    mod(op, [2, 3, [1] * d], [T(1, 2, *s)])
    op = f"ConvTranspose{d}d"
    s = {1: (4,), 2: (3, 3), 3: (2, 2, 3)}[d]
    for o in (dict(), dict(stride=2), dict(stride=2, padding=1, output_padding=1), dict(dilation=2), dict(groups=2), dict(bias=False), dict(padding=1), dict(stride=3, output_padding=2, groups=2, bias=False)):
        mod(op, [4, 2, 3 if d < 3 else 2], [T(1, 4, *s)], **o)
    mod(op, [2, 3, 2], [T(2, *s)])

# Norms
shapes = {1: [(4, 3), (4, 3, 5)], 2: [(2, 3, 3, 4)], 3: [(2, 3, 2, 2, 3)]}
for d in (1, 2, 3):
    for s in shapes[d]:
        for o in (dict(), dict(eps=1e-2), dict(momentum=0.3), dict(momentum=None), dict(affine=False), dict(track_running_stats=False), dict(affine=False, track_running_stats=False), dict(bias=False)):
            mod(f"BatchNorm{d}d", [3], [T(*s)], steps=2, **o)
    s = shapes[d][-1]
    for o in (dict(), dict(eps=1e-2), dict(affine=True), dict(affine=True, track_running_stats=True), dict(track_running_stats=True, momentum=0.5), dict(affine=True, bias=False)):
        mod(f"InstanceNorm{d}d", [3], [T(*s)], steps=2, **o)
    mod(f"InstanceNorm{d}d", [3], [T(*s[1:])], affine=True)
for o in (dict(), dict(eps=1e-2), dict(bias=False), dict(elementwise_affine=False)):
    mod("LayerNorm", [[5]], [T(3, 4, 5)], **o)
    mod("LayerNorm", [[4, 5]], [T(2, 4, 5)], **o)
for o in (dict(), dict(eps=1e-2), dict(affine=False), dict(bias=False)):
    for g in (1, 2, 4):
        mod("GroupNorm", [g, 4], [T(2, 4, 3, 3)], **o)
    mod("GroupNorm", [2, 4], [T(3, 4, 2)], **o)
for o in (dict(), dict(eps=1e-2), dict(elementwise_affine=False)):
    mod("RMSNorm", [[5]], [T(3, 4, 5)], **o)
    mod("RMSNorm", [[4, 5]], [T(2, 4, 5)], **o)
for o in (dict(), dict(alpha=0.1), dict(beta=0.5), dict(k=2.0)):
    for n in (1, 2, 3):
        mod("LocalResponseNorm", [n], [T(2, 5, 3)], **o)
    mod("LocalResponseNorm", [3], [T(1, 4, 2, 2)], **o)

# Pooling
psizes = {1: (9,), 2: (6, 7), 3: (4, 5, 4)}
for d in (1, 2, 3):
    s = psizes[d]
    for o in (dict(), dict(stride=1), dict(padding=1), dict(dilation=2, kernel=2), dict(ceil_mode=True), dict(stride=2, padding=1, ceil_mode=True), dict(return_indices=True), dict(return_indices=True, padding=1, stride=1)):
        o = dict(o)
        k = o.pop("kernel", 3 if d < 3 else 2)
        mod(f"MaxPool{d}d", [k], [T(1, 2, *s)], **o)
        mod(f"MaxPool{d}d", [[k] * d], [T(2, *s)], train=(True,), **o)
    aopts = [dict(), dict(stride=1), dict(padding=1), dict(ceil_mode=True), dict(count_include_pad=False, padding=1), dict(stride=2, padding=1, ceil_mode=True)]
    if d > 1:
        aopts += [dict(divisor_override=5)]
    for o in aopts:
        mod(f"AvgPool{d}d", [3 if d < 3 else 2], [T(1, 2, *s)], **o)
        mod(f"AvgPool{d}d", [3 if d < 3 else 2], [T(2, *s)], train=(True,), **o)
    for p in (1.0, 2.0, 3.0):
        for o in (dict(), dict(stride=1), dict(ceil_mode=True)):
            mod(f"LPPool{d}d", [p, 2], [T(1, 2, *s, kind="pos")], **o)
    for out in (1, 2, 3):
        mod(f"AdaptiveAvgPool{d}d", [out], [T(1, 2, *s)])
        mod(f"AdaptiveMaxPool{d}d", [out], [T(1, 2, *s)])
        mod(f"AdaptiveMaxPool{d}d", [out], [T(2, *s)], return_indices=True)
    if d > 1:
        mod(f"AdaptiveAvgPool{d}d", [list(range(2, 2 + d))], [T(1, 2, *s)])
        mod(f"AdaptiveMaxPool{d}d", [list(range(2, 2 + d))], [T(1, 2, *s)])

        def frac(m, x, u):
            m._random_samples = u
            return m(x)

        for o in (dict(output_size=3 if d == 2 else 2), dict(output_ratio=0.6), dict(output_size=[2, 3, 2][:d]), dict(output_size=2, return_indices=True), dict(output_size=1)):
            for k in (2, [1, 2, 2][:d]):
                for sh in ((1, 2), (3, 1)):
                    mod(f"FractionalMaxPool{d}d", [k], [T(*sh, *s), ng(*sh, d, kind="u")], forward=frac, **o)


def unpool(d, pool_opts, unpool_opts, size=None):
    def fw(m, x):
        y, i = getattr(nn, f"MaxPool{d}d")(2, return_indices=True, **pool_opts)(x)
        return m(y, i, **({"output_size": size} if size else {}))
    mod(f"MaxUnpool{d}d", [2], [T(1, 2, *(8, 6, 4)[:d])], forward=fw, **unpool_opts)


for d in (1, 2, 3):
    unpool(d, {}, {})
    unpool(d, {"stride": 2}, {"stride": 2})
    unpool(d, {"padding": 1}, {"padding": 1})

# Padding
for d in (1, 2, 3):
    s = {1: (5,), 2: (4, 5), 3: (3, 4, 3)}[d]
    for p in (1, [1, 2] * d, [2, 0] * d):
        for mode in ("ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"):
            mod(f"{mode}{d}d", [p], [T(1, 2, *s)])
        mod(f"ConstantPad{d}d", [p, 1.5], [T(1, 2, *s)])
    for mode in ("ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"):
        mod(f"{mode}{d}d", [1], [T(2, *s)], train=(True,))
    mod(f"ConstantPad{d}d", [-1, 2.0], [T(2, *s)], train=(True,))

# Activations
X = lambda: [T(3, 4), ]
for op in ("ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Softsign", "Sigmoid", "LogSigmoid", "Tanh", "Hardswish", "Hardsigmoid", "Tanhshrink"):
    for s in ((12,), (2, 3, 2)):
        mod(op, [], [T(*s)])
for op, opts in {
    "LeakyReLU": [dict(), dict(negative_slope=0.3)], "ELU": [dict(), dict(alpha=0.5)], "CELU": [dict(), dict(alpha=0.5)], "GELU": [dict(), dict(approximate="tanh")],
    "Softplus": [dict(), dict(beta=2.0), dict(beta=0.5, threshold=1.0)], "Hardtanh": [dict(), dict(min_val=-2.0, max_val=0.5)], "Hardshrink": [dict(), dict(lambd=1.0)],
    "Softshrink": [dict(), dict(lambd=1.0)],
}.items():
    for o in opts:
        mod(op, [], [T(12)], **o)
        mod(op, [], [T(2, 3, 2)], **o)
for o in (dict(), dict(dim=0), dict(dim=1)):
    mod("GLU", [], [T(4, 2, 6)], **o)
mod("RReLU", [], [T(3, 4)], train=(False,))
mod("RReLU", [], [T(3, 4)], train=(False,), lower=0.2, upper=0.6)
mod("Threshold", [0.5, -1.0], [T(3, 4)])
mod("PReLU", [], [T(3, 4)])
mod("PReLU", [], [T(3, 4, 2)], num_parameters=4)
mod("PReLU", [], [T(5)], init=0.1)
for op in ("Softmax", "LogSoftmax", "Softmin"):
    for dim in (0, 1, -1):
        mod(op, [dim], [T(3, 4, 2)])
mod("Softmax2d", [], [T(2, 3, 2, 2)])
mod("Softmax2d", [], [T(3, 2, 2)])

# Embeddings
idx = I([[0, 2, 5], [1, 1, 3]])
for o in (dict(), dict(padding_idx=1), dict(padding_idx=-1), dict(max_norm=0.5), dict(max_norm=0.7, norm_type=1.0), dict(scale_grad_by_freq=True), dict(padding_idx=2, max_norm=0.4, scale_grad_by_freq=True)):
    mod("Embedding", [6, 3], [idx], **o)
    mod("Embedding", [6, 3], [I([4, 0, 4])], **o)
for mode in ("sum", "mean", "max"):
    for o in (dict(), dict(padding_idx=1), dict(max_norm=0.5), dict(max_norm=0.7, norm_type=1.0)) + ((dict(scale_grad_by_freq=True),) if mode != "max" else ()):
        mod("EmbeddingBag", [6, 3], [idx], mode=mode, **o)
        mod("EmbeddingBag", [6, 3], [I([0, 2, 5, 1, 1, 3]), I([0, 2, 3])], mode=mode, **o)
    mod("EmbeddingBag", [6, 3], [I([0, 2, 5, 1, 1, 3]), I([0, 2, 3, 6])], mode=mode, include_last_offset=True)
mod("EmbeddingBag", [6, 3], [I([0, 2, 5, 1, 1, 3]), I([0, 2, 3])])
mod("EmbeddingBag", [6, 3], [I([[0, 2, 5], [1, 4, 3]]), None, T(2, 3)], mode="sum")

# Vision
for r in (2, 3):
    mod("PixelShuffle", [r], [T(1, 2 * r * r, 2, 3)])
    mod("PixelUnshuffle", [r], [T(1, 2, 2 * r, 3 * r)])
for g in (2, 3):
    mod("ChannelShuffle", [g], [T(1, 6, 2, 2)])
for mode, s in (("nearest", (4,)), ("nearest", (3, 4)), ("nearest", (2, 3, 2)), ("linear", (4,)), ("bilinear", (3, 4)), ("bicubic", (3, 4)), ("trilinear", (2, 3, 2))):
    for o in (dict(scale_factor=2.0), dict(size=[5] * len(s)), dict(scale_factor=1.5)):
        mod("Upsample", [], [T(1, 2, *s)], mode=mode, **o)
        if mode != "nearest":
            mod("Upsample", [], [T(1, 2, *s)], mode=mode, align_corners=True, **o)
for op in ("UpsamplingNearest2d", "UpsamplingBilinear2d"):
    mod(op, [], [T(1, 2, 3, 4)], scale_factor=2.0)
    mod(op, [], [T(1, 2, 3, 4)], size=[5, 6])
for o in (dict(), dict(stride=2), dict(padding=1), dict(dilation=2), dict(stride=[2, 1], padding=[0, 1])):
    mod("Unfold", [2], [T(1, 2, 5, 6)], **o)
    u = nn.Unfold(2, **o)(torch.zeros(1, 2, 5, 6)).shape
    mod("Fold", [[5, 6], 2], [T(*u)], **o)
for o in (dict(), dict(dim=0), dict(dim=-1), dict(eps=0.5)):
    mod("CosineSimilarity", [], [T(4, 3, 2), T(4, 3, 2)], **o)
for o in (dict(), dict(p=1.0), dict(p=3.0), dict(eps=0.1), dict(keepdim=True), dict(p=float("inf"))):
    mod("PairwiseDistance", [], [T(4, 3), T(4, 3)], **o)


def adaptive(m, x, t):
    o = m(x, t)
    return o.output, o.loss


for o in (dict(), dict(div_value=2.0), dict(head_bias=True)):
    mod("AdaptiveLogSoftmaxWithLoss", [8, 12, [3, 7]], [T(6, 8), I([0, 2, 4, 11, 7, 6])], forward=adaptive, **o)
mod("AdaptiveLogSoftmaxWithLoss", [8, 12, [5]], [T(8), I(9)], forward=adaptive)
mod("AdaptiveLogSoftmaxWithLoss.log_prob", [8, 12, [3, 7]], [T(4, 8)], cls=nn.AdaptiveLogSoftmaxWithLoss, forward=lambda m, x: m.log_prob(x))

if __name__ == "__main__":
    f.write()
