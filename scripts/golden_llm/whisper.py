"""Writes llm/testdata/whisper.json: a small Whisper, with the spectrogram, vectors, logits and greedy tokens of transformers.

    python3 scripts/golden_llm/whisper.py llm/testdata/whisper.json

Needs torch and transformers (requirements.txt). Weights and sound are not stored: both sides compute them.
"""

import json
import sys
import types
import zlib

import numpy as np
import torch
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration
from transformers.models.whisper.generation_whisper import _dynamic_time_warping, _median_filter
from transformers.generation import GenerationMixin, LogitsProcessorList
from transformers.generation.logits_process import (SuppressTokensAtBeginLogitsProcessor, SuppressTokensLogitsProcessor,
                                                    WhisperTimeStampLogitsProcessor)

END, START, EN, DE, TRANSLATE, TRANSCRIBE, NO_TIMES = range(256, 263)
SUPPRESS, BEGIN = [5, 9, START, EN, DE, TRANSLATE, TRANSCRIBE], [32, END]
STEPS = 17


def weight(name, shape):
    i = np.arange(int(np.prod(shape)), dtype=np.uint64)
    x = (np.uint64(zlib.crc32(name.encode())) + i * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)
    for shift, factor in [(16, 0x85EBCA6B), (13, 0xC2B2AE35)]:
        x = ((x ^ (x >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    x = x ^ (x >> np.uint64(16))
    v = ((x >> np.uint64(8)).astype(np.float32) / np.float32(1 << 24) - np.float32(0.5)) * np.float32(0.4)
    if name.endswith("norm.weight"):
        v = v + np.float32(1)
    return v.reshape(shape)


def numbers(t):
    return [float(f"{v:.7g}") for v in t.flatten().tolist()]


def beams(m, mel, g):
    """The best text of searches by transformers, and its score. The end is made about as likely as what is said most."""
    out, table = [], m.model.decoder.embed_tokens.weight
    was = table[END].clone()
    table[END] = 0.55 * table[41] + 0.4 * table[100]
    for mode, prompt in {"times": [START, DE, TRANSCRIBE], "plain": [START, EN, TRANSLATE, NO_TIMES]}.items():
        rules = [SuppressTokensAtBeginLogitsProcessor(BEGIN, len(prompt)), SuppressTokensLogitsProcessor(SUPPRESS)]
        if mode == "times":
            rules.append(WhisperTimeStampLogitsProcessor(g, len(prompt)))
        for size, early, power in [(2, False, 1.0), (3, False, 1.0), (5, False, 1.0), (5, True, 1.0), (4, False, 0.0), (4, True, 0.3),
                                   (8, False, 2.0), (16, False, 1.0), (16, True, 0.5)]:
            y = GenerationMixin.generate(m, mel, decoder_input_ids=torch.tensor([prompt]), num_beams=size, early_stopping=early,
                                         length_penalty=power, do_sample=False, max_length=20, min_length=0, num_return_sequences=1,
                                         logits_processor=LogitsProcessorList(rules), return_dict_in_generate=True, output_scores=True,
                                         suppress_tokens=None, begin_suppress_tokens=None, eos_token_id=END, pad_token_id=END)
            ids = y.sequences[0, len(prompt):].tolist()
            out.append({"mode": mode, "size": size, "early": early, "power": power, "score": float(y.sequences_scores[0]),
                        "ids": ids[:ids.index(END)] if END in ids else ids})
    table[END] = was
    return out


def main():
    c = WhisperConfig(vocab_size=NO_TIMES + 1 + 51, num_mel_bins=16, encoder_layers=2, encoder_attention_heads=4, decoder_layers=2,
                      decoder_attention_heads=2, encoder_ffn_dim=48, decoder_ffn_dim=40, d_model=32, max_source_positions=50,
                      max_target_positions=40, decoder_start_token_id=START, eos_token_id=END, bos_token_id=END, pad_token_id=END)
    m = WhisperForConditionalGeneration._from_config(c, attn_implementation="eager").float().eval()
    i = np.arange(16000, dtype=np.float64)
    sound = (0.4 * np.sin(0.03 * i) + 0.2 * np.sin(0.00001 * i * i)).astype(np.float32)
    mel = WhisperFeatureExtractor(feature_size=16, chunk_length=1)(sound, sampling_rate=16000, return_tensors="pt").input_features
    shapes, out = {}, {}
    with torch.no_grad():
        for name, p in m.state_dict().items():
            if name == "proj_out.weight":
                continue
            shapes[name] = list(p.shape)
            p.copy_(torch.from_numpy(weight(name, p.shape)))
        out["encoded"] = numbers(m.model.encoder(mel).last_hidden_state[0, ::7])
        ids = [START, EN, TRANSCRIBE, 10, 20, 30]
        out["logits"] = numbers(m(mel, decoder_input_ids=torch.tensor([ids])).logits[0, [0, -1]])
        g = types.SimpleNamespace(no_timestamps_token_id=NO_TIMES, eos_token_id=END, bos_token_id=END, max_initial_timestamp_index=20)
        out["greedy"] = {}
        for mode, prompt in {"times": [START, DE, TRANSCRIBE], "plain": [START, EN, TRANSLATE, NO_TIMES]}.items():
            rules = [SuppressTokensAtBeginLogitsProcessor(BEGIN, len(prompt)), SuppressTokensLogitsProcessor(SUPPRESS)]
            if mode == "times":
                rules.append(WhisperTimeStampLogitsProcessor(g, len(prompt)))
            x = torch.tensor([prompt])
            for _ in range(STEPS if mode == "times" else STEPS - 1):
                y = m(mel, decoder_input_ids=x).logits[:, -1]
                for rule in rules:
                    y = rule(x, y)
                x = torch.cat([x, y.argmax(-1, keepdim=True)], 1)
            out["greedy"][mode] = x[0, len(prompt):].tolist()
        out["beams"] = beams(m, mel, g)
        # When words are said, as Whisper's authors find it, of 40 of 50 positions: by three heads, with transformers' own filter and warping.
        prompt, text, heads, frames = [START, EN, TRANSCRIBE, NO_TIMES], [10, 20, 30, 40, 50, 60, 70], [[0, 1], [1, 0], [1, 1]], 40
        y = m(mel, decoder_input_ids=torch.tensor([prompt + text + [END]]), output_attentions=True)
        w = torch.stack([y.cross_attentions[layer][0, h, :, :frames] for layer, h in heads])
        w = w / w.sum(-1, keepdim=True)
        w = (w - w.mean(1, keepdim=True)) / w.std(1, keepdim=True, unbiased=False)
        w = _median_filter(w[None], 7)[0].mean(0)[len(prompt) - 1:-1]
        rows, columns = _dynamic_time_warping(-w.double().numpy())
        first = np.concatenate([[True], np.diff(rows) > 0])
        p = y.logits[0, len(prompt) - 1:-2, :END].softmax(-1)
        out["aligned"] = {"prompt": prompt, "text": text, "heads": heads, "frames": frames, "at": columns[first].tolist(),
                          "sure": numbers(p[range(len(text)), text])}
    saved = c.to_dict()
    saved["architectures"] = ["WhisperForConditionalGeneration"]
    out |= {"config": saved, "shapes": shapes, "mel": numbers(mel[0, :, ::5]), "suppress": SUPPRESS, "begin": BEGIN}
    with open(sys.argv[1], "w") as f:
        json.dump(out, f, separators=(",", ":"))
        f.write("\n")


main()
