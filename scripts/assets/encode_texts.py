"""Encodes texts with Hugging Face's tokenizers: a tokenizer.json by its path, a JSON list of texts on standard input.

Prints a JSON list of {"ids", "plain", "text"}: ids with and without added tokens, and the ids decoded again.
"""

import json
import sys

from tokenizers import Tokenizer

t = Tokenizer.from_file(sys.argv[1])
t.no_truncation()
t.no_padding()
out = []
for text in json.load(sys.stdin):
    ids = t.encode(text).ids
    out.append({"ids": ids, "plain": t.encode(text, add_special_tokens=False).ids, "text": t.decode(ids, skip_special_tokens=False)})
json.dump(out, sys.stdout)
