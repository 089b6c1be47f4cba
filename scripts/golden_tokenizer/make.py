"""Makes llm/tokenizer/testdata: tiny tokenizers of every kind, texts, and what the reference packages make of them.

golden.json holds the texts once and, for each tokenizer, its file, the ids with and without added tokens, and the ids decoded
again. Run from the root of the repository.
"""

import base64
import io
import json
import pathlib
import random

import sentencepiece as spm
import tiktoken
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

OUT = pathlib.Path("llm/tokenizer/testdata")
TRAIN = pathlib.Path("docs/quickstart.md").read_text().splitlines() + ["Größe café naïve 日本語 テキスト 한국어 привет 12345 don't you'll I'M"] * 4

PARTS = [" ", " ", "  ", "\n", "\r\n", "\t", "a", "the", "tensor", "Hello", "ING", "é", "e\u0301", "ß", "İ", "1", "2345", "½", "'s",
    "'LL", ".",
         ",", "!?", "-", "_", "(", "日本", "語", "한국", "🙂", "👍🏽", "\u00a0", "\u3000", "▁", "<", "<s>", "</s>", "<x>", "[CLS]", "Ω", "ﬁ",
         "①", "\u200d", "привет", "\u0000", "\u0e33", "xyz"]


def texts():
    fixed = ["", " ", "\n", "Hello world", "Hello, world! It's 12345 o'clock, DON'T you'LL", "naïve café Größe",
        "e\u0301 \u1100\u1161\u11a8 한국어",
             "🙂👍🏽👨‍👩‍👧 🇩🇪", "a\tb\r\nc\r\rd", "<s>a</s> <x>b <x> c", "word<x>word", " <x> <x>", "▁a▁▁b ▁ c", "x" * 120,
             "the tensor " * 12, " " * 40 + "x", "İstanbul ß ẞ ﬁ ①", "\u0000\u0001\u0085\ufeff",
                 "for i in range(10):\n    print(i)\n\n\treturn x"]
    rng = random.Random(5)
    return fixed + ["".join(rng.choices(PARTS, k=rng.randint(1, 10))) for _ in range(60)]


SPECIAL = ["<unk>", "<s>", "</s>"]


def train(t, trainer):
    t.train_from_iterator(TRAIN, trainer)
    return t


def template(t, before="<s>", after="</s>"):
    t.post_processor = processors.TemplateProcessing(single=f"{before} $A {after}", special_tokens=[(s,
        t.token_to_id(s)) for s in (before, after)])


def byte_level():
    t = Tokenizer(models.BPE())
    t.normalizer = normalizers.NFC()
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=True)])
    t.decoder = decoders.ByteLevel()
    train(t, trainers.BpeTrainer(vocab_size=420, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.add_tokens([AddedToken("<x>", lstrip=True, rstrip=True), AddedToken("word", single_word=True, normalized=True)])
    template(t)
    return t


def llama3_like():
    t = Tokenizer(models.BPE(ignore_merges=True))
    expr = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(expr), "isolated"),
                                               pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    train(t, trainers.BpeTrainer(vocab_size=420, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", t.token_to_id("<s>"))])])
    return t


def fallback():
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    train(t, trainers.BpeTrainer(vocab_size=520, special_tokens=SPECIAL + [f"<0x{i:02X}>" for i in range(256)]))
    template(t)
    return t


def word_piece():
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=50))
    t.normalizer = normalizers.BertNormalizer()
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    train(t, trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[UNK]", "[CLS]", "[SEP]"]))
    t.post_processor = processors.BertProcessing(("[SEP]", t.token_to_id("[SEP]")), ("[CLS]", t.token_to_id("[CLS]")))
    return t


def unigram(first, split):
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=first, split=split)
    t.decoder = decoders.Metaspace(prepend_scheme=first, split=split)
    train(t, trainers.UnigramTrainer(vocab_size=300, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False))
    template(t)
    return t


def affixes():
    t = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", end_of_word_suffix="</w>"))
    t.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("contiguous")])
    train(t, trainers.BpeTrainer(vocab_size=350, special_tokens=SPECIAL, continuing_subword_prefix="##", end_of_word_suffix="</w>"))
    t.post_processor = processors.RobertaProcessing(("</s>", t.token_to_id("</s>")), ("<s>", t.token_to_id("<s>")))
    return t


def words():
    t = Tokenizer(models.WordLevel(unk_token="<unk>"))
    t.normalizer = normalizers.NFKD()
    t.pre_tokenizer = pre_tokenizers.Whitespace()
    return train(t, trainers.WordLevelTrainer(vocab_size=200, special_tokens=SPECIAL))


def splits():
    t = Tokenizer(models.BPE(unk_token="<unk>"))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(" ", "merged_with_next"), pre_tokenizers.Split(Regex("[aeiou]"),
        "merged_with_previous"),
                                               pre_tokenizers.Digits(), pre_tokenizers.Split(Regex(r"\w+(?=\W)|[^\w\s]"),
                                                   "isolated", invert=True)])
    t.decoder = decoders.Fuse()
    return train(t, trainers.BpeTrainer(vocab_size=300, special_tokens=SPECIAL))


def piece_model(kind):
    rules = OUT / "rules.tsv"
    rules.write_text("FB01\t66 69\n65 301\tE9\n2460\t31\n3000\t20\nD A\t20\nD\t20\nA\t20\n")
    buf = io.BytesIO()
    spm.SentencePieceTrainer.train(sentence_iterator=iter(TRAIN), model_writer=buf, vocab_size=560 if kind == "bpe" else 480,
        model_type=kind, byte_fallback=True,
                                   normalization_rule_tsv=str(rules), user_defined_symbols=["<x>"], hard_vocab_limit=False, num_threads=1,
                                   minloglevel=2, remove_extra_whitespaces=kind == "unigram")
    rules.unlink()
    return buf.getvalue()


def main():
    data = {"texts": texts(), "tokenizers": []}
    made = {"byte_level": byte_level(), "llama3_like": llama3_like(), "fallback": fallback(), "word_piece": word_piece(),
            "unigram": unigram("always", True), "unigram_first": unigram("first", False), "affixes": affixes(), "words": words(),
                "splits": splits()}
    for name, t in made.items():
        text = json.dumps(json.loads(t.to_str()), ensure_ascii=False, separators=(",", ":"))
        (OUT / f"{name}.json").write_text(text)
        ids = [t.encode(s).ids for s in data["texts"]]
        data["tokenizers"].append({"file": f"{name}.json", "ids": ids, "plain": [t.encode(s,
            add_special_tokens=False).ids for s in data["texts"]],
                                   "decoded": [t.decode(i, skip_special_tokens=False) for i in ids]})
    for kind in ("bpe", "unigram"):
        model = piece_model(kind)
        (OUT / f"{kind}.model").write_bytes(model)
        p = spm.SentencePieceProcessor(model_proto=model)
        # Special tokens in a text are plain text there: such texts, and zero bytes, which end a text, are left to other tests.
        ids = [None if any(x in s for x in ("<s>", "</s>", "\0")) else p.encode(s) for s in data["texts"]]
        data["tokenizers"].append({"file": f"{kind}.model", "ids": ids, "plain": ids,
            "decoded": [None if i is None else p.decode(i) for i in ids]})
    ranks = {bytes([i]): i for i in range(256)}
    level = {c: b for b, c in enumerate(bytes_to_unicode())}
    merges = json.loads(made["byte_level"].to_str())["model"]["merges"]
    for a, b in merges:
        ranks.setdefault(bytes(level[c] for c in a + b), len(ranks))
    (OUT / "ranks.tiktoken").write_text("".join(f"{base64.b64encode(k).decode()} {v}\n" for k, v in ranks.items()))
    expr = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    enc = tiktoken.Encoding("tiny", pat_str=expr, mergeable_ranks=ranks, special_tokens={"<s>": len(ranks)})
    ids = [enc.encode(s, allowed_special="all") for s in data["texts"]]
    data["tokenizers"].append({"file": "ranks.tiktoken", "ids": ids, "plain": ids, "decoded": [enc.decode(i) for i in ids]})
    (OUT / "golden.json").write_text(json.dumps(data, ensure_ascii=True, separators=(",", ":")))


def bytes_to_unicode():
    """The characters that stand for the bytes 0 to 255 in a byte-level vocabulary."""
    out, n = [], 256
    for b in range(256):
        if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174:
            out.append(chr(b))
        else:
            out.append(chr(n))
            n += 1
    return out


main()
