"""Writes the tokenizer.json that a byte-level GGUF vocabulary of the kind "smollm" was made from: FILE.gguf OUT.json."""

import sys

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

fields = GGUFReader(sys.argv[1]).fields
tokens = fields["tokenizer.ggml.tokens"].contents()
kinds = fields["tokenizer.ggml.token_type"].contents()
assert fields["tokenizer.ggml.pre"].contents() == "smollm"
merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
t = Tokenizer(models.BPE(vocab={s: i for i, s in enumerate(tokens)}, merges=merges))
t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
t.decoder = decoders.ByteLevel()
t.add_special_tokens([AddedToken(s, normalized=False, special=True) for s, k in zip(tokens, kinds) if k in (3, 4)])
t.save(sys.argv[2])
