"""Golden values of modules: state, inputs, outputs, gradients of inputs and parameters, and the state afterwards."""
import sys, os
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
import base64, gzip, hashlib, json
import numpy as np
import lib  # selects plain kernels, one thread
import torch
import torch.nn as nn

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "nn", "testdata", "modules.json.gz")
torch.backends.mha.set_fastpath_enabled(False)


def enc(t):
    if t is None:
        return None
    t = t.detach().contiguous()
    return {"dtype": str(t.dtype).replace("torch.", ""), "shape": list(t.shape), "data": base64.b64encode(t.numpy().tobytes()).decode()}


def flat(out):
    if isinstance(out, torch.Tensor):
        return [out]
    r = []
    for o in out:
        r += [] if o is None else flat(o)
    return r


cases = []


def case(op, args, inputs, kwargs=None, train=False, steps=1, call=None, module=None):
    """inputs: a list of shapes (floats on a grid), or arrays as they are, or None."""
    kwargs = kwargs or {}
    seed = int.from_bytes(hashlib.sha256(json.dumps([op, args, kwargs, train, len(cases)], default=str).encode()).digest()[:4], "little")
    rng = np.random.default_rng(seed)
    grid = lambda s: np.round(rng.normal(size=s) * 16) / 16
    m = module() if module else getattr(nn, op)(*args, **kwargs)
    m.train(train)
    with torch.no_grad():
        for k, v in m.state_dict().items():
            if v.is_floating_point():
                x = torch.tensor(grid(tuple(v.shape)), dtype=v.dtype) * 0.5
                if k.endswith("running_var"):
                    x = x.abs() + 0.5
                v.copy_(x)
    state = {k: enc(v.clone()) for k, v in m.state_dict().items()}
    ins = []
    for x in inputs:
        if x is None:
            ins.append(None)
        elif isinstance(x, (tuple, list)) and all(isinstance(i, int) for i in x):
            ins.append(torch.tensor(grid(tuple(x)), dtype=torch.float32, requires_grad=True))
        else:
            ins.append(torch.as_tensor(x))
    for _ in range(steps):
        m.zero_grad()
        for i in ins:
            if i is not None:
                i.grad = None
        out = flat(call(m, ins) if call else m(*ins))
        cot = [torch.tensor(grid(tuple(o.shape)), dtype=o.dtype) for o in out]
        if any(o.requires_grad for o in out):
            torch.autograd.backward([o for o in out if o.requires_grad], [c for o, c in zip(out, cot) if o.requires_grad])
    cases.append({
        "op": op, "names": list(m.state_dict().keys()), "args": args, "kwargs": kwargs, "train": train, "steps": steps, "state": state, "inputs": [enc(i) for i in ins],
        "outputs": [enc(o) for o in out], "cot": [enc(c) for c in cot], "grads": [None if i is None else enc(i.grad) for i in ins],
        "param_grads": {k: enc(p.grad) for k, p in m.named_parameters()},
        "after": {k: enc(v) for k, v in m.named_buffers()},
    })


def ints(*v):
    return np.array(v, dtype=np.int64)


case("Linear", [5, 3], [(4, 5)])
case("Linear", [5, 3], [(2, 4, 5)], {"bias": False})
case("Bilinear", [3, 4, 2], [(5, 3), (5, 4)])
case("Conv1d", [3, 4, 3], [(2, 3, 8)])
case("Conv2d", [3, 4, 3], [(2, 3, 6, 7)], {"stride": 2, "padding": 1})
case("Conv2d", [4, 6, [3, 2]], [(2, 4, 6, 7)], {"groups": 2, "dilation": [1, 2], "bias": False})
case("Conv2d", [2, 3, 3], [(2, 2, 5, 6)], {"padding": 1, "padding_mode": "reflect"})
case("Conv2d", [2, 3, 3], [(2, 2, 5, 6)], {"padding": "same", "padding_mode": "circular"})
case("Conv2d", [2, 3, 3], [(2, 5, 6)], {"padding": [1, 2], "padding_mode": "replicate"})
case("Conv3d", [2, 3, 2], [(1, 2, 3, 4, 5)])
case("ConvTranspose1d", [3, 4, 3], [(2, 3, 5)], {"stride": 2, "padding": 1, "output_padding": 1})
case("ConvTranspose2d", [4, 6, 3], [(1, 4, 3, 4)], {"stride": 2, "groups": 2})
case("ConvTranspose3d", [2, 2, 2], [(1, 2, 2, 3, 2)], {"dilation": 2})
for train in [False, True]:
    case("BatchNorm1d", [3], [(4, 3)], train=train, steps=2)
    case("BatchNorm1d", [3], [(4, 3, 5)], {"momentum": None}, train=train, steps=2)
    case("BatchNorm2d", [3], [(2, 3, 4, 4)], {"eps": 1e-3, "momentum": 0.3}, train=train)
    case("BatchNorm2d", [3], [(2, 3, 4, 4)], {"affine": False, "track_running_stats": False}, train=train)
    case("BatchNorm3d", [2], [(2, 2, 2, 3, 2)], train=train)
    case("InstanceNorm1d", [3], [(2, 3, 5)], {"affine": True, "track_running_stats": True}, train=train)
    case("InstanceNorm2d", [3], [(2, 3, 4, 4)], train=train)
    case("InstanceNorm3d", [2], [(2, 2, 2, 3, 2)], {"affine": True}, train=train)
case("InstanceNorm2d", [3], [(3, 4, 4)])
case("LayerNorm", [[5]], [(3, 4, 5)])
case("LayerNorm", [[4, 5]], [(3, 4, 5)], {"bias": False})
case("LayerNorm", [[5]], [(3, 4, 5)], {"elementwise_affine": False})
case("GroupNorm", [2, 4], [(2, 4, 3, 3)])
case("RMSNorm", [[5]], [(3, 4, 5)])
case("LocalResponseNorm", [3], [(2, 5, 3, 3)])
case("Embedding", [6, 3], [ints([0, 2, 5], [1, 1, 3])], {"padding_idx": 1})
case("Embedding", [6, 3], [ints([0, 2, 5], [1, 2, 3])], {"max_norm": 0.5, "scale_grad_by_freq": True})
case("EmbeddingBag", [6, 3], [ints([0, 2, 5], [1, 1, 3])])
case("EmbeddingBag", [6, 3], [ints(0, 2, 5, 1, 1, 3), ints(0, 2, 3)], {"mode": "sum"})
case("PReLU", [], [(3, 4)])
case("PReLU", [4], [(3, 4, 2)])
for op in ["RNN", "GRU", "LSTM"]:
    st = lambda *s: [s] * (2 if op == "LSTM" else 1)

    def call(m, ins):
        if len(ins) == 1:
            return m(ins[0])
        return m(ins[0], tuple(ins[1:]) if isinstance(m, nn.LSTM) else ins[1])

    case(op, [3, 4], [(5, 2, 3)], call=call)
    case(op, [3, 4], [(5, 2, 3)] + st(1, 2, 4), {"bias": False}, call=call)
    case(op, [3, 4], [(2, 5, 3)] + st(4, 2, 4), {"num_layers": 2, "bidirectional": True, "batch_first": True}, call=call)
    case(op, [3, 4], [(5, 3)] + st(1, 4), call=call)
    case(op + "Cell", [3, 4], [(2, 3)] + st(2, 4), call=lambda m, ins: m(ins[0], tuple(ins[1:]) if isinstance(m, nn.LSTMCell) else ins[1]))
case("RNN", [3, 4], [(5, 2, 3)], {"nonlinearity": "relu"})
case("LSTM", [3, 5], [(4, 2, 3), (2, 2, 2), (2, 2, 5)], {"proj_size": 2, "num_layers": 2}, call=lambda m, ins: m(ins[0], (ins[1], ins[2])))
case("MultiheadAttention", [8, 2], [(4, 3, 8), (5, 3, 8), (5, 3, 8)])
case("MultiheadAttention", [8, 2], [(3, 4, 8), (3, 5, 6), (3, 5, 7)], {"kdim": 6, "vdim": 7, "batch_first": True, "bias": False})
case("MultiheadAttention", [8, 2], [(4, 3, 8), (5, 3, 8), (5, 3, 8)], {"add_bias_kv": True, "add_zero_attn": True})
case("MultiheadAttention", [8, 2], [(4, 8), (5, 8), (5, 8)])
enc_layer = {"dim_feedforward": 12}
case("TransformerEncoderLayer", [8, 2], [(4, 3, 8)], enc_layer)
case("TransformerEncoderLayer", [8, 2], [(3, 4, 8)], {**enc_layer, "batch_first": True, "norm_first": True, "activation": "gelu"})
case("TransformerDecoderLayer", [8, 2], [(4, 3, 8), (5, 3, 8)], enc_layer)
case("TransformerDecoderLayer", [8, 2], [(4, 3, 8), (5, 3, 8)], {**enc_layer, "norm_first": True})
case("Transformer", [8, 2], [(5, 2, 8), (4, 2, 8)], {"num_encoder_layers": 2, "num_decoder_layers": 2, "dim_feedforward": 12})
pos = lambda *s: np.abs(np.round(np.random.default_rng(3).normal(size=s) * 8) / 8).astype(np.float32) + 0.125
case("MSELoss", [], [(3, 4), (3, 4)])
case("L1Loss", [], [(3, 4), (3, 4)], {"reduction": "sum"})
case("SmoothL1Loss", [], [(3, 4), (3, 4)], {"beta": 0.5})
case("HuberLoss", [], [(3, 4), (3, 4)], {"delta": 0.5})
case("CrossEntropyLoss", [], [(3, 4), ints(0, 3, 1)], {"label_smoothing": 0.1})
case("NLLLoss", [], [(3, 4), ints(0, 3, -100)])
case("BCEWithLogitsLoss", [], [(3, 4), (3, 4)])
case("KLDivLoss", [], [(3, 4), pos(3, 4)], {"reduction": "batchmean"})
case("PoissonNLLLoss", [], [(3, 4), pos(3, 4)])
case("GaussianNLLLoss", [], [(3, 4), (3, 4), pos(3, 4)])
case("HingeEmbeddingLoss", [], [(3, 4), ints([1, -1, 1, -1]).repeat(3, 0)])
case("MarginRankingLoss", [], [(4,), (4,), ints(1, -1, 1, -1)], {"margin": 0.5})
case("CosineEmbeddingLoss", [], [(4, 3), (4, 3), ints(1, -1, 1, -1)])
case("TripletMarginLoss", [], [(4, 3), (4, 3), (4, 3)], {"swap": True})
case("SoftMarginLoss", [], [(3, 4), ints([1, -1, 1, -1]).repeat(3, 0)])
case("MultiMarginLoss", [], [(3, 4), ints(0, 3, 1)])
case("MultiLabelSoftMarginLoss", [], [(3, 4), (ints([1, 0, 1, 0]).repeat(3, 0)).astype(np.float32)])
case("MultiLabelMarginLoss", [], [(3, 4), ints([3, 0, -1, 1], [0, -1, 0, 0], [1, 2, 3, 0])])

doc = {"versions": {"torch": torch.__version__}, "cases": cases}
raw = json.dumps(doc, separators=(",", ":"), sort_keys=True).encode()
with open(OUT, "wb") as f:
    with gzip.GzipFile(fileobj=f, mode="wb", mtime=0, compresslevel=9) as z:
        z.write(raw)
print(OUT, len(cases), "cases", os.path.getsize(OUT), "bytes")
