"""State dicts of PyTorch models as safetensors, with an input and what the model makes of it.

states.py writes them to nn/testdata/states. states.py check DIR loads what lucid wrote
(LUCID_STATES_OUT=DIR go test ./nn -run TestStates) into the same models, strictly,
and compares the tensors bit for bit and the outputs.
"""
import os, sys
import parity  # plain kernels, one thread
import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

OUT = os.path.join(parity.ROOT, "nn", "testdata", "states")


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.conv2, self.bn2 = nn.Conv2d(4, 6, 3, stride=2), nn.BatchNorm2d(6)
        self.fc = nn.Linear(6 * 3 * 3, 5)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        return self.fc(x.flatten(1))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 6, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        return self.head(self.lstm(x)[0])


class Attention(nn.Module):
    def __init__(self, n, heads):
        super().__init__()
        self.heads = heads
        self.c_attn, self.c_proj = nn.Linear(n, 3 * n), nn.Linear(n, n)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in self.c_attn(x).split(C, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))


class MLP(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.c_fc, self.c_proj = nn.Linear(n, 4 * n), nn.Linear(4 * n, n)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    """A block of GPT-2."""

    def __init__(self, n=8, heads=2):
        super().__init__()
        self.ln_1, self.attn, self.ln_2, self.mlp = nn.LayerNorm(n), Attention(n, heads), nn.LayerNorm(n), MLP(n)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


def encoder():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, dim_feedforward=12, batch_first=True), 2, norm=nn.LayerNorm(8), enable_nested_tensor=False)


MODELS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3)), (4, 5)),
    "cnn": (CNN, (2, 1, 8, 8)),
    "lstm": (Recurrent, (2, 5, 4)),
    "encoder": (encoder, (2, 5, 8)),
    "gpt2": (Block, (2, 6, 8)),
}


def made(name):
    torch.manual_seed(sum(name.encode()))
    model, shape = MODELS[name]
    m = model()
    x = torch.randn(shape)
    if name == "cnn":  # statistics of their own
        for _ in range(3):
            m(torch.randn(shape) * 2 + 1)
    m.eval()
    return m, x


def write():
    os.makedirs(OUT, exist_ok=True)
    for name in MODELS:
        m, x = made(name)
        with torch.no_grad():
            y = m(x)
        save_file({k: v.contiguous() for k, v in m.state_dict().items()}, os.path.join(OUT, name + ".safetensors"), metadata={"format": "pt"})
        save_file({"x": x, "y": y}, os.path.join(OUT, name + "_io.safetensors"))
    print(OUT, sum(os.path.getsize(os.path.join(OUT, f)) for f in os.listdir(OUT)), "bytes")


def check(folder):
    for name in MODELS:
        m, x = made(name)
        want = m.state_dict()
        got = load_file(os.path.join(folder, name + ".safetensors"))
        assert set(got) == set(want), (name, set(got) ^ set(want))
        for k, v in want.items():
            assert got[k].dtype == v.dtype and torch.equal(got[k], v), (name, k)
        fresh = MODELS[name][0]()
        fresh.load_state_dict(got, strict=True)
        fresh.eval()
        with torch.no_grad():
            assert torch.equal(fresh(x), m(x)), name
        print(name, len(want), "tensors, the same bits; same output")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "check":
        check(sys.argv[2])
    else:
        write()
