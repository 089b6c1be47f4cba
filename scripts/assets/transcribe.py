"""Prints what transformers writes of sounds with a Whisper, greedily and with times, as JSON: a list of ids for each file.

    python3 scripts/assets/transcribe.py whisper-base en a.f32 b.f32

A file is float32 samples, 16,000 a second, at most 30 seconds of them. Needs torch, transformers and numpy.
"""

import json
import pathlib
import sys
import types

import numpy as np
import torch
from transformers import WhisperFeatureExtractor, WhisperForConditionalGeneration
from transformers.generation.logits_process import (SuppressTokensAtBeginLogitsProcessor, SuppressTokensLogitsProcessor,
                                                    WhisperTimeStampLogitsProcessor)


def main():
    folder, language, files = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    torch.set_num_threads(1)
    m = WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    g = json.loads((folder / "generation_config.json").read_text())
    prompt = [g["decoder_start_token_id"], g["lang_to_id"][f"<|{language}|>"], g["task_to_id"]["transcribe"]]
    rules = [SuppressTokensAtBeginLogitsProcessor(g["begin_suppress_tokens"], len(prompt)),
             SuppressTokensLogitsProcessor(g["suppress_tokens"]),
             WhisperTimeStampLogitsProcessor(types.SimpleNamespace(
                 no_timestamps_token_id=g["no_timestamps_token_id"], eos_token_id=g["eos_token_id"], bos_token_id=g["eos_token_id"],
                 max_initial_timestamp_index=g["max_initial_timestamp_index"]), len(prompt))]
    out = []
    with torch.no_grad():
        for file in files:
            sound = np.fromfile(file, dtype="<f4")
            mel = WhisperFeatureExtractor()(sound, sampling_rate=16000, return_tensors="pt").input_features
            h, x = m.model.encoder(mel), torch.tensor([prompt])
            while x.shape[1] < 224:
                y = m(encoder_outputs=h, decoder_input_ids=x).logits[:, -1]
                for rule in rules:
                    y = rule(x, y)
                x = torch.cat([x, y.argmax(-1, keepdim=True)], 1)
                if x[0, -1] == g["eos_token_id"]:
                    break
            ids = x[0, len(prompt):].tolist()
            out.append(ids[:-1] if ids[-1] == g["eos_token_id"] else ids)
    json.dump(out, sys.stdout)


main()
