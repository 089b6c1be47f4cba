"""Speed of transformers' generate in eager mode with random weights in the shape of Llama 3 8B, bfloat16, for comparison with
`go test -tags gpu ./cuda -run xxx -bench Llama`.

Needs a GPU, PyTorch and transformers (2.11 and 5.17 were used). Prints tokens a second of decoding: what 8 tokens take is taken off what
72 take. Arguments: numbers of texts, default 64.

    python bench/llama_transformers.py 1 64
"""
import sys, time
import torch
from transformers import LlamaConfig, AutoModelForCausalLM
from transformers.utils import logging

logging.set_verbosity_error()


@torch.inference_mode()
def main():
    config = LlamaConfig(vocab_size=128256, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32,
                         num_key_value_heads=8, max_position_embeddings=8192, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=None,
                         pad_token_id=0, tie_word_embeddings=False,
                         rope_parameters={"rope_type": "default", "rope_theta": 500000.0})
    with torch.device("cuda"):
        torch.set_default_dtype(torch.bfloat16)
        model = AutoModelForCausalLM.from_config(config, attn_implementation="sdpa")
        torch.set_default_dtype(torch.float32)
    model = model.to(torch.bfloat16).eval()
    for texts in [int(a) for a in sys.argv[1:]] or [64]:
        for prompt in [8, 256]:
            for cache in ["dynamic", "static"]:
                ids = torch.randint(2, 128256, (texts, prompt), device="cuda")

                def run(new):
                    torch.cuda.synchronize()
                    start = time.perf_counter()
                    out = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=new, min_new_tokens=new, do_sample=False,
                                         use_cache=True, disable_compile=True, cache_implementation=cache)
                    torch.cuda.synchronize()
                    assert out.shape[1] == prompt + new, out.shape
                    return time.perf_counter() - start

                try:
                    run(8)
                    times = [(run(8), run(72)) for _ in range(2)]
                    rate = max(texts * 64 / (b - a) for a, b in times)
                    print(f"{texts} texts, prompt of {prompt}, {cache} cache: {rate:.0f} tokens/s, {texts / rate * 1e3:.1f} ms a step",
                          flush=True)
                except Exception as e:
                    print(f"{texts} texts, {cache} cache: {type(e).__name__}: {str(e)[:300]}", flush=True)


main()
