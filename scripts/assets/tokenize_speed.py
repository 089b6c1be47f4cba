"""Compares the speed of lucid's tokenizers with Hugging Face's on one thread, interleaved.

    python3 scripts/assets/tokenize_speed.py FOLDER TEXT [ROUNDS]

FOLDER is that of scripts/assets/fetch.py, TEXT a file of text. It is cut into parts of 4 kB; the shortest time of each part in all
rounds counts, as other programs may be running. Caches of words stay from round to round on both sides. Needs tokenizers and Go.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import Tokenizer

NAMES = ["llama3_2", "qwen2_5", "gemma3", "gpt2", "gpt4o", "deepseek_v3", "llama2"]


def main():
    folder, text = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    root = pathlib.Path(__file__).resolve().parents[2]
    data = text.read_bytes()
    parts = [data[i : i + (4 << 10)].decode("utf-8", "replace") for i in range(0, len(data), 4 << 10)]
    with tempfile.TemporaryDirectory() as tmp:
        test = os.path.join(tmp, "tokenizer.test")
        subprocess.run(["go", "test", "-c", "-o", test, "./llm/tokenizer"], cwd=root, check=True)
        env = dict(os.environ, GOMAXPROCS="1", LUCID_ASSETS=str(folder), LUCID_TEXT=str(text), LUCID_PYTHON=sys.executable)
        for name in NAMES:
            file = folder / "tokenizers" / name / "tokenizer.json"
            if not file.exists():
                continue
            peer = Tokenizer.from_file(str(file))
            least, ours = [1e9] * len(parts), 0.0
            for _ in range(rounds):
                for _ in range(3):
                    for i, p in enumerate(parts):
                        begun = time.thread_time()
                        peer.encode(p)
                        least[i] = min(least[i], time.thread_time() - begun)
                out = subprocess.run([test, "-test.run", "xxx", "-test.bench", f"^BenchmarkAssets$/^{name}$", "-test.benchtime", "12x"],
                                     cwd=root / "llm" / "tokenizer", env=env, check=True, capture_output=True, text=True).stdout
                ours = max([ours] + [float(x) for x in re.findall(r"([\d.]+) best-MB/s", out)])
            theirs = len(data) / 1e6 / sum(least)
            print(f"{name}: Hugging Face {theirs:.1f} MB/s, lucid {ours:.1f} MB/s, {ours / theirs:.1f} times", flush=True)


main()
