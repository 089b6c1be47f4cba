"""Asserts that an adapter this project saved gives the same logits in peft.

    python3 scripts/golden_tune/check.py MODEL_FOLDER ADAPTER_FOLDER LOGITS.json

LOGITS.json is {"ids": [...], "logits": [...]}: the logits of the last position. TestPEFTFiles writes all three if LUCID_PEFT names a
folder.
"""

import json
import sys

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
model = PeftModel.from_pretrained(model, sys.argv[2])
want = json.load(open(sys.argv[3]))
with torch.no_grad():
    got = model(input_ids=torch.tensor([want["ids"]])).logits[0, -1]
diff = (got - torch.tensor(want["logits"])).abs().max().item()
print("largest difference of logits:", diff)
assert diff < 1e-4
