"""Speed of PyTorch with random weights in the shapes of Llama 3, for comparison with `go test -tags gpu ./cuda -run xxx -bench Llama`.

Needs a GPU and PyTorch (2.11 was used). Prints tokens a second: eager, and with CUDA graphs (torch.compile) where asked for.

    python bench/llama_torch.py 1b 8b
    python bench/llama_torch.py --compile 1b
"""
import sys, time
import torch
import torch.nn.functional as F

SHAPES = {"1b": (16, 2048, 8192, 1024), "8b": (32, 4096, 14336, 4096)}
HEADS, KV, VOCAB = 32, 8, 128256


class Llama(torch.nn.Module):
    def __init__(self, layers, hidden, wide):
        super().__init__()
        r = lambda *s: (torch.randn(*s, device="cuda", dtype=torch.bfloat16) * 0.02)
        self.size = hidden // HEADS
        kv = KV * self.size
        self.embed, self.head, self.norm = r(VOCAB, hidden), r(VOCAB, hidden), r(hidden)
        self.layers = [dict(n1=r(hidden), q=r(hidden, hidden), k=r(kv, hidden), v=r(kv, hidden), o=r(hidden, hidden), n2=r(hidden),
                            g=r(wide, hidden), u=r(wide, hidden), d=r(hidden, wide)) for _ in range(layers)]
        self.freq = 500000.0 ** (-torch.arange(0, self.size, 2, device="cuda").float() / self.size)

    def rotate(self, x, cos, sin):
        a, b = x.float().chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)

    def forward(self, ids, pos, caches, mask):
        b, t = ids.shape
        x = F.embedding(ids, self.embed)
        angles = pos.float()[:, None] * self.freq
        cos, sin = angles.cos(), angles.sin()
        for w, (ck, cv) in zip(self.layers, caches):
            h = F.rms_norm(x, x.shape[-1:], w["n1"], 1e-5)
            split = lambda y, n: y.view(b, t, n, self.size).transpose(1, 2)
            q, k, v = split(F.linear(h, w["q"]), HEADS), split(F.linear(h, w["k"]), KV), split(F.linear(h, w["v"]), KV)
            q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
            ck.index_copy_(2, pos, k)
            cv.index_copy_(2, pos, v)
            if t == 1:
                y = F.scaled_dot_product_attention(q, ck, cv, attn_mask=mask, enable_gqa=True)
            else:
                y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            x = x + F.linear(y.transpose(1, 2).reshape(b, t, -1), w["o"])
            h = F.rms_norm(x, x.shape[-1:], w["n2"], 1e-5)
            x = x + F.linear(F.silu(F.linear(h, w["g"])) * F.linear(h, w["u"]), w["d"])
        return F.linear(F.rms_norm(x[:, -1], x.shape[-1:], self.norm, 1e-5), self.head).argmax(-1, keepdim=True)


def measure(what, f, tokens, rounds):
    for i in range(5):
        f(i)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for i in range(rounds):
        f(5 + i)
    torch.cuda.synchronize()
    print(f"{what}: {tokens * rounds / (time.perf_counter() - start):.0f} tokens/s", flush=True)


@torch.inference_mode()
def main():
    args = sys.argv[1:]
    compiled = "--compile" in args
    for name in [a for a in args if a != "--compile"]:
        layers, hidden, wide, room = SHAPES[name]
        m = Llama(layers, hidden, wide)
        run = torch.compile(m, mode="reduce-overhead", fullgraph=True) if compiled else m
        for batch in [1] if compiled else [1, 8, 64]:
            caches = [[torch.zeros(batch, KV, room, m.size, device="cuda", dtype=torch.bfloat16) for _ in "kv"] for _ in range(layers)]
            ids, at = torch.ones(batch, 1, device="cuda", dtype=torch.long), torch.arange(room, device="cuda")

            def step(i):
                nonlocal ids
                pos = at[8 + i:9 + i]
                ids = run(ids, pos, caches, (at <= pos)[None, None, None]).clone()

            measure(f"{name} decode, {batch} texts{', compiled' if compiled else ''}", step, batch, 50)
        if not compiled:
            prompt = 512 if name == "1b" else 2048
            caches = [[torch.zeros(1, KV, room, m.size, device="cuda", dtype=torch.bfloat16) for _ in "kv"] for _ in range(layers)]
            # Those of the benchmark in Go: products of equal rows draw less power, and are a sixth faster.
            ids = ((17 + 31 * torch.arange(prompt, device="cuda")) % VOCAB)[None]
            measure(f"{name} prefill of {prompt}", lambda i: m(ids, torch.arange(prompt, device="cuda"), caches, None), prompt, 10)
        del m, caches
        torch.cuda.empty_cache()


main()
