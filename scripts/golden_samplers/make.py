"""Writes llm/testdata/samplers.json: what the logits processors of transformers leave of some logits.

    python3 scripts/golden_samplers/make.py llm/testdata/samplers.json
"""

import json
import sys

import numpy as np
import torch
from transformers.generation.logits_process import (
    MinPLogitsWarper, RepetitionPenaltyLogitsProcessor, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper, TypicalLogitsWarper)

CASES = [
    {"Temperature": 1.0}, {"Temperature": 0.5}, {"Temperature": 1.7, "TopK": 7}, {"Temperature": 0.8, "TopP": 0.9},
    {"Temperature": 1.0, "TopP": 0.3}, {"Temperature": 1.3, "MinP": 0.05}, {"Temperature": 1.0, "Typical": 0.7},
    {"Temperature": 1.0, "Typical": 0.2}, {"Temperature": 1.2, "TopK": 20, "TopP": 0.8, "MinP": 0.1},
    {"Temperature": 0.9, "TopK": 30, "TopP": 0.95, "MinP": 0.02, "Typical": 0.9}, {"Temperature": 1.0, "RepetitionPenalty": 1.3},
    {"Temperature": 1.0, "RepetitionPenalty": 0.7, "TopP": 0.9},
]
BUILD = [("RepetitionPenalty", lambda v: RepetitionPenaltyLogitsProcessor(v)), ("Temperature", lambda v: TemperatureLogitsWarper(v)),
         ("TopK", lambda v: TopKLogitsWarper(v)), ("TopP", lambda v: TopPLogitsWarper(v)), ("MinP", lambda v: MinPLogitsWarper(v)),
         ("Typical", lambda v: TypicalLogitsWarper(v))]

rng = np.random.default_rng(7)
out = []
for i, case in enumerate(CASES * 2):
    logits = np.round(rng.normal(0, 1.5 + i % 3, 48), 3)
    ids = [int(v) for v in rng.integers(0, 48, 9)]
    scores = torch.tensor(logits, dtype=torch.float32)[None]
    for name, make in BUILD:
        if name in case:
            scores = make(case[name])(torch.tensor([ids]), scores)
    p = torch.softmax(scores.double(), -1)[0]
    out.append({"options": case, "logits": logits.tolist(), "ids": ids, "probabilities": [float(f"{v:.7g}") for v in p.tolist()]})
with open(sys.argv[1], "w") as f:
    json.dump(out, f)
    f.write("\n")
