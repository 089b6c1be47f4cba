"""Writes a GGUF file of random weights in the shape of Llama 3.2 1B, to measure speed and memory with.

    python3 scripts/assets/random_llama.py Q4_0|Q4_K_M|Q8_0|BF16 OUT.gguf

It needs gguf 0.18 and numpy. Q4_K_M has Q6_K where llama.cpp's recipe of that name has it: embeddings, and values and down projections of
every second layer. Weights are pieces of one random text, with scales that leave activations finite.
"""

import sys

import gguf
import numpy as np

LAYERS, HIDDEN, FFN, HEADS, KV, HEAD, VOCAB = 16, 2048, 8192, 32, 8, 64, 128256
TYPES = gguf.GGMLQuantizationType
PIECE = 1 << 16  # blocks that repeat


def blocks(kind, rng):
    """PIECE random blocks of a type, as rows of bytes."""
    size, bytes_ = gguf.GGML_QUANT_SIZES[kind]
    b = rng.integers(0, 256, (PIECE, bytes_), dtype=np.uint8)
    scale = lambda low, high: rng.uniform(low, high, PIECE).astype(np.float16).view(np.uint8).reshape(PIECE, 2)
    if kind == TYPES.Q4_0:
        b[:, 0:2] = scale(0.002, 0.004)
    elif kind == TYPES.Q8_0:
        b[:, 0:2] = scale(0.0002, 0.0004)
    elif kind == TYPES.Q4_K:
        b[:, 0:2], b[:, 2:4] = scale(0.0001, 0.0002), scale(0.0007, 0.0014)
    elif kind == TYPES.Q6_K:
        b[:, 208:210] = scale(0.00001, 0.00002)
    elif kind == TYPES.BF16:
        b = (rng.normal(0, 0.02, PIECE).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8).reshape(PIECE, 2)
    return b


def main(recipe, path):
    rng = np.random.default_rng(1)
    w = gguf.GGUFWriter(path, "llama")
    w.add_name("random " + recipe)
    w.add_context_length(8192)
    w.add_embedding_length(HIDDEN)
    w.add_block_count(LAYERS)
    w.add_feed_forward_length(FFN)
    w.add_head_count(HEADS)
    w.add_head_count_kv(KV)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_rope_freq_base(500000.0)
    w.add_rope_dimension_count(HEAD)
    w.add_vocab_size(VOCAB)
    printable = [c for c in range(256) if 33 <= c <= 126 or 161 <= c <= 172 or 174 <= c]
    letters = [chr(c) for c in printable] + [chr(256 + i) for i in range(256 - len(printable))]
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("llama-bpe")
    w.add_token_list(letters + ["th"] + ["<|%d|>" % i for i in range(VOCAB - 257)])
    w.add_token_types([1] * 257 + [3] * (VOCAB - 257))
    w.add_token_merges(["t h"])
    w.add_bos_token_id(257)
    w.add_eos_token_id(258)
    pieces = {}

    def add(name, rows, cols, kind):
        if kind not in pieces:
            pieces[kind] = blocks(kind, rng)
        size, bytes_ = gguf.GGML_QUANT_SIZES[kind]
        count = rows * cols // size
        data = np.tile(pieces[kind], (-(-count // PIECE), 1))[:count].reshape(rows, cols // size * bytes_)
        w.add_tensor(name, data, raw_dtype=kind)

    main_, more = {"Q4_0": (TYPES.Q4_0, TYPES.Q4_0), "Q8_0": (TYPES.Q8_0, TYPES.Q8_0), "BF16": (TYPES.BF16, TYPES.BF16),
                   "Q4_K_M": (TYPES.Q4_K, TYPES.Q6_K)}[recipe]
    add("token_embd.weight", VOCAB, HIDDEN, more)
    ones = np.ones(HIDDEN, dtype=np.float32)
    w.add_tensor("output_norm.weight", ones)
    for i in range(LAYERS):
        p, other = "blk.%d." % i, more if i % 2 == 0 else main_
        w.add_tensor(p + "attn_norm.weight", ones)
        w.add_tensor(p + "ffn_norm.weight", ones)
        add(p + "attn_q.weight", HEADS * HEAD, HIDDEN, main_)
        add(p + "attn_k.weight", KV * HEAD, HIDDEN, main_)
        add(p + "attn_v.weight", KV * HEAD, HIDDEN, other)
        add(p + "attn_output.weight", HIDDEN, HEADS * HEAD, main_)
        add(p + "ffn_gate.weight", FFN, HIDDEN, main_)
        add(p + "ffn_up.weight", FFN, HIDDEN, main_)
        add(p + "ffn_down.weight", HIDDEN, FFN, other)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


main(*sys.argv[1:])
