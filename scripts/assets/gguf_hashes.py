"""Prints the metadata keys of a GGUF file and the SHA-256 of each tensor in float32, as JSON, by the gguf package."""

import hashlib
import json
import sys

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize

r = GGUFReader(sys.argv[1])
keys = [k for k in r.fields if not k.startswith("GGUF.")]
tensors = {}
for t in r.tensors:
    x = np.ascontiguousarray(dequantize(t.data, t.tensor_type).astype(np.float32))
    tensors[t.name] = hashlib.sha256(x.tobytes()).hexdigest()
print(json.dumps({"Keys": keys, "Tensors": tensors}))
