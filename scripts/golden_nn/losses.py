"""Golden values of losses: every one with every reduction, weights, smoothing and ignored classes, as modules and as functions."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from parity import B, File, I, T, ng

f = File("nn/testdata/losses.json.gz")
mod, fun = f.module, f.function
RED = ("mean", "sum", "none")


def both(op, name, args, tensors=("weight", "pos_weight"), **o):
    """The module, and the function of the same options."""
    mod(op, [], args, **o)
    if name:
        fun(name, *args, **o)


for r in RED:
    for s in ((7,), (3, 4), (2, 3, 2)):
        both("MSELoss", "mse_loss", [T(*s), T(*s)], reduction=r)
        both("L1Loss", "l1_loss", [T(*s), T(*s)], reduction=r)
        both("SoftMarginLoss", "soft_margin_loss", [T(*s), T(*s, kind="s", grad=False)], reduction=r)
    for beta in (1.0, 0.5, 0.0):
        both("SmoothL1Loss", "smooth_l1_loss", [T(3, 4), T(3, 4)], reduction=r, beta=beta)
    for delta in (1.0, 0.5):
        both("HuberLoss", "huber_loss", [T(3, 4), T(3, 4)], reduction=r, delta=delta)
    for s, t in (((4, 5), I([0, 4, 2, 1])), ((5,), I(3)), ((2, 5, 3), I([[0, 1, 4], [2, 2, 3]])), ((2, 3, 2, 2), I([[[0, 1], [2, 2]], [[1, 1], [0, 2]]]))):
        C = s[0] if len(s) == 1 else s[1]
        for o in (dict(), dict(weight=T(C, kind="pos", grad=False)), dict(ignore_index=2), dict(ignore_index=2, weight=T(C, kind="pos", grad=False))):
            if o.get("ignore_index") is not None and len(s) == 1:
                continue
            both("NLLLoss", "nll_loss", [T(*s), t], reduction=r, **o)
            for sm in (0.0, 0.1):
                both("CrossEntropyLoss", "cross_entropy", [T(*s), t], reduction=r, label_smoothing=sm, **o)
    for sm in (0.0, 0.2):
        for w in (None, 1):
            o = dict(weight=T(5, kind="pos", grad=False)) if w else {}
            both("CrossEntropyLoss", "cross_entropy", [T(4, 5), T(4, 5, kind="prob")], reduction=r, label_smoothing=sm, **o)
    both("NLLLoss", "nll_loss", [T(3, 4), I([0, -100, 1])], reduction=r)
    both("CrossEntropyLoss", "cross_entropy", [T(3, 4), I([0, -100, 1])], reduction=r)
    for s in ((6,), (3, 4)):
        for o in (dict(), dict(weight=T(*s, kind="pos", grad=False))):
            both("BCELoss", "binary_cross_entropy", [T(*s, kind="prob"), ng(*s, kind="prob")], reduction=r, **o)
            both("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", [T(*s), ng(*s, kind="prob")], reduction=r, **o)
            both("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", [T(*s), ng(*s, kind="prob")], reduction=r, pos_weight=T(s[-1], kind="pos", grad=False), **o)
    for lt in (False, True):
        both("KLDivLoss", "kl_div", [T(3, 4, kind="logp"), T(3, 4, kind="logp") if lt else T(3, 4, kind="prob")], reduction=r, log_target=lt)
    for o in (dict(), dict(log_input=False), dict(full=True), dict(log_input=False, full=True, eps=0.1)):
        both("PoissonNLLLoss", "poisson_nll_loss", [T(3, 4, kind="pos"), ng(3, 4, kind="pos")], reduction=r, **o)
    for o in (dict(), dict(full=True), dict(eps=1.0)):
        both("GaussianNLLLoss", "gaussian_nll_loss", [T(3, 4), T(3, 4), T(3, 4, kind="var")], reduction=r, **o)
    both("GaussianNLLLoss", "gaussian_nll_loss", [T(3, 4), T(3, 4), T(3, 1, kind="var")], reduction=r)
    for m in (1.0, 0.3):
        both("HingeEmbeddingLoss", "hinge_embedding_loss", [T(3, 4), ng(3, 4, kind="s")], reduction=r, margin=m)
    for m in (0.0, 0.5):
        both("MarginRankingLoss", "margin_ranking_loss", [T(6), T(6), ng(6, kind="s")], reduction=r, margin=m)
        both("CosineEmbeddingLoss", "cosine_embedding_loss", [T(4, 3), T(4, 3), ng(4, kind="s")], reduction=r, margin=m)
    both("CosineEmbeddingLoss", "cosine_embedding_loss", [T(3), T(3), ng(kind="s")], reduction=r)
    for o in (dict(), dict(margin=0.5), dict(p=1.0), dict(p=3.0), dict(swap=True), dict(eps=0.1)):
        both("TripletMarginLoss", "triplet_margin_loss", [T(4, 3), T(4, 3), T(4, 3)], reduction=r, **o)
    for o in (dict(), dict(margin=0.5), dict(swap=True)):
        both("TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss", [T(4, 3), T(4, 3), T(4, 3)], reduction=r, **o)
    for o in (dict(), dict(p=2), dict(margin=0.5), dict(weight=T(4, kind="pos", grad=False))):
        both("MultiMarginLoss", "multi_margin_loss", [T(3, 4), I([0, 3, 1])], reduction=r, **o)
    both("MultiMarginLoss", "multi_margin_loss", [T(4), I(2)], reduction=r)
    both("MultiLabelMarginLoss", "multilabel_margin_loss", [T(3, 4), I([[3, 0, -1, 1], [0, -1, 0, 0], [1, 2, 3, 0]])], reduction=r)
    both("MultiLabelMarginLoss", "multilabel_margin_loss", [T(4), I([3, 0, -1, 1])], reduction=r)
    for o in (dict(), dict(weight=T(4, kind="pos", grad=False))):
        both("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", [T(3, 4), ng(3, 4, kind="prob")], reduction=r, **o)


def ctc(m, x, *a):
    return m(x.log_softmax(-1), *a)


for r in RED:
    for o in (dict(), dict(blank=2), dict(zero_infinity=True)):
        t = [[1, 3, 1], [0, 0, 3]] if o.get("blank") == 2 else [[1, 2, 1], [3, 3, 1]]
        mod("CTCLoss", [], [T(6, 2, 4), I(t), I([6, 5]), I([3, 2])], forward=ctc, reduction=r, **o)
    mod("CTCLoss", [], [T(6, 2, 4), I([1, 2, 1, 3, 3]), I([6, 5]), I([3, 2])], forward=ctc, reduction=r)
    mod("CTCLoss", [], [T(2, 2, 4), I([[1, 1, 1], [3, 2, 1]]), I([2, 2]), I([3, 2])], forward=ctc, reduction=r, zero_infinity=True)
for r in ("batchmean",):
    for lt in (False, True):
        both("KLDivLoss", "kl_div", [T(3, 4, kind="logp"), T(3, 4, kind="logp") if lt else T(3, 4, kind="prob")], reduction=r, log_target=lt)
for r in RED:
    for o in (dict(), dict(bias=True), dict(weight=T(5, kind="pos", grad=False), ignore_index=2), dict(bias=True, label_smoothing=0.2)):
        mod("LinearCrossEntropyLoss", [3, 5], [T(4, 3), I([0, 4, 2, 1])], reduction=r, **o)
    mod("LinearCrossEntropyLoss", [3, 5], [T(3), I(3)], reduction=r)
    mod("LinearCrossEntropyLoss", [3, 5], [T(4, 3), T(4, 5, kind="prob")], reduction=r, label_smoothing=0.1)
    mod("LinearCrossEntropyLoss", [3, 4], [T(2, 3), I([[0, 1], [3, 2]])], reduction=r, out_features=(2,), bias=True)

if __name__ == "__main__":
    f.write()
