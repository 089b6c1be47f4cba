"""Golden values of recurrent networks, attention and transformers."""
import torch
import torch.nn as nn
from parity import B, File, I, T, ng

f = File("nn/testdata/sequences.json.gz")
mod = f.module


def recur(m, x, *st):
    if not st:
        return m(x)
    return m(x, tuple(st) if isinstance(m, (nn.LSTM, nn.LSTMCell)) else st[0])


for op in ("RNN", "GRU", "LSTM"):
    n = 2 if op == "LSTM" else 1
    opts = [dict(), dict(bias=False), dict(num_layers=2), dict(bidirectional=True), dict(batch_first=True), dict(num_layers=2, bidirectional=True, batch_first=True, bias=False)]
    if op == "RNN":
        opts += [dict(nonlinearity="relu"), dict(nonlinearity="relu", num_layers=2)]
    if op == "LSTM":
        opts += [dict(proj_size=2), dict(proj_size=2, num_layers=2, bidirectional=True)]
    for o in opts:
        layers = o.get("num_layers", 1) * (2 if o.get("bidirectional") else 1)
        x = (2, 4, 3) if o.get("batch_first") else (4, 2, 3)
        out = o.get("proj_size") or 3
        st = [T(layers, 2, out), T(layers, 2, 3)][:n]
        mod(op, [3, 3], [T(*x)], forward=recur, **o)
        mod(op, [3, 3], [T(*x)] + st, forward=recur, **o)
    mod(op, [3, 3], [T(4, 3)], forward=recur)
    mod(op, [3, 3], [T(4, 3)] + [T(1, 3)] * 1 + ([T(1, 3)] if n == 2 else []), forward=recur)
    mod(op, [3, 3], [T(1, 1, 3)], forward=recur)
    for o in (dict(), dict(bias=False)) + ((dict(nonlinearity="relu"),) if op == "RNN" else ()):
        mod(op + "Cell", [3, 3], [T(2, 3)] + [T(2, 3), T(2, 3)][:n], forward=recur, **o)
        mod(op + "Cell", [3, 3], [T(2, 3)], forward=recur, **o)
        mod(op + "Cell", [3, 3], [T(3)] + [T(3), T(3)][:n], forward=recur, **o)

    def packed(m, x, *st):
        p = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([2, 4, 3]), enforce_sorted=False, batch_first=m.batch_first)
        y, h = recur(m, p, *st) if st else m(p)
        return (nn.utils.rnn.pad_packed_sequence(y, batch_first=m.batch_first)[0],) + (tuple(h) if isinstance(h, tuple) else (h,))

    for o in (dict(), dict(bidirectional=True), dict(num_layers=2)):
        layers = o.get("num_layers", 1) * (2 if o.get("bidirectional") else 1)
        mod(op + ".packed", [3, 3], [T(4, 3, 3)], cls=getattr(nn, op), forward=packed, **o)
        mod(op + ".packed", [3, 3], [T(4, 3, 3)] + [T(layers, 3, 3), T(layers, 3, 3)][:n], cls=getattr(nn, op), forward=packed, **o)

# Attention: masks of every form
tri = [[0, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]
pad = [[0, 0, 0, 0, 1], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]
many = lambda: B([[[(i + j + k) % 3 == 1 for k in range(5)] for j in range(4)] for i in range(6)])
calls = [dict(), dict(need_weights=False), dict(average_attn_weights=False), dict(attn_mask=B(tri)), dict(attn_mask=ng(4, 5)), dict(attn_mask=ng(6, 4, 5)), dict(attn_mask=many()),
         dict(key_padding_mask=B(pad)), dict(key_padding_mask=B(pad), attn_mask=B(tri)), dict(key_padding_mask=B(pad), attn_mask=ng(6, 4, 5), need_weights=False),
         dict(key_padding_mask=ng(3, 5), need_weights=False), dict(attn_mask=B(tri), is_causal=True, need_weights=False)]
for o in (dict(), dict(bias=False), dict(add_bias_kv=True), dict(add_zero_attn=True), dict(add_bias_kv=True, add_zero_attn=True), dict(kdim=3, vdim=5), dict(batch_first=True)):
    for c in calls if not o or "add_bias_kv" in o else calls[:4] + calls[7:8]:
        if o.get("batch_first"):
            ins = [T(3, 4, 4), T(3, 5, 4), T(3, 5, 4)]
        else:
            ins = [T(4, 3, 4), T(5, 3, o.get("kdim", 4)), T(5, 3, o.get("vdim", 4))]
        if "is_causal" in c and "add_bias_kv" in o:
            continue  # PyTorch then drops the mask and hides the added keys
        mod("MultiheadAttention", [4, 2], ins, call=c, **o)
x = T(4, 3, 4)
for o in (dict(), dict(bias=False), dict(add_zero_attn=True)):
    mod("MultiheadAttention", [4, 2], [x, x, x], **o)
    mod("MultiheadAttention", [4, 2], [x, x, x], call=dict(need_weights=False), **o)
mod("MultiheadAttention", [4, 1], [T(4, 4), T(5, 4), T(5, 4)])
mod("MultiheadAttention", [4, 2], [T(4, 4), T(5, 4), T(5, 4)], call=dict(key_padding_mask=B(pad[0])))

base = dict(dim_feedforward=6, dropout=0.0)
causal = B([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
spad = B([[0, 0, 1], [0, 0, 0]])
for o in (dict(), dict(norm_first=True), dict(activation="gelu"), dict(batch_first=True), dict(layer_norm_eps=1e-2), dict(bias=False), dict(norm_first=True, activation="gelu", batch_first=True)):
    s = (2, 3, 4) if o.get("batch_first") else (3, 2, 4)
    m = (2, 5, 4) if o.get("batch_first") else (5, 2, 4)
    for c in (dict(), dict(src_mask=causal), dict(src_key_padding_mask=spad), dict(src_mask=causal, is_causal=True)):
        mod("TransformerEncoderLayer", [4, 2], [T(*s)], call=c, **base, **o)
    for c in (dict(), dict(tgt_mask=causal), dict(tgt_key_padding_mask=spad), dict(memory_mask=ng(3, 5)), dict(memory_key_padding_mask=B([[0, 0, 0, 1, 1], [0, 1, 0, 0, 0]])),
              dict(tgt_mask=causal, tgt_is_causal=True)):
        mod("TransformerDecoderLayer", [4, 2], [T(*s), T(*m)], call=c, **base, **o)


def encoder(norm):
    return lambda d, h, **k: nn.TransformerEncoder(nn.TransformerEncoderLayer(d, h, **k), 2, norm=nn.LayerNorm(d) if norm else None, enable_nested_tensor=False)


def decoder(norm):
    return lambda d, h, **k: nn.TransformerDecoder(nn.TransformerDecoderLayer(d, h, **k), 2, norm=nn.LayerNorm(d) if norm else None)


for c in (dict(), dict(mask=causal), dict(src_key_padding_mask=spad), dict(mask=causal, is_causal=True)):
    mod("TransformerEncoder", [4, 2], [T(3, 2, 4)], call=c, cls=encoder(False), **base)
    mod("TransformerEncoder.norm", [4, 2], [T(3, 2, 4)], call=c, cls=encoder(True), norm_first=True, **base)
for c in (dict(), dict(tgt_mask=causal), dict(memory_mask=ng(3, 5))):
    mod("TransformerDecoder", [4, 2], [T(3, 2, 4), T(5, 2, 4)], call=c, cls=decoder(False), **base)
    mod("TransformerDecoder.norm", [4, 2], [T(3, 2, 4), T(5, 2, 4)], call=c, cls=decoder(True), norm_first=True, **base)
for o in (dict(), dict(norm_first=True), dict(batch_first=True), dict(activation="gelu"), dict(bias=False), dict(layer_norm_eps=1e-2)):
    src, tgt = ((2, 4, 4), (2, 3, 4)) if o.get("batch_first") else ((4, 2, 4), (3, 2, 4))
    for c in (dict(), dict(tgt_mask=causal), dict(src_mask=ng(4, 4), tgt_mask=causal, memory_mask=ng(3, 4)), dict(src_key_padding_mask=B([[0, 0, 0, 1], [0, 0, 0, 0]]), tgt_key_padding_mask=spad)):
        mod("Transformer", [4, 2], [T(*src), T(*tgt)], call=c, num_encoder_layers=1, num_decoder_layers=2, **base, **o)

if __name__ == "__main__":
    f.write()
