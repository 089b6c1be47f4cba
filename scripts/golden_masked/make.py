"""Golden values of package masked: torch.masked's functions and their gradients. Run with the packages of requirements.txt."""
import gzip, json, os, warnings
import numpy as np
import torch
from torch import masked

warnings.filterwarnings("ignore")
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "masked", "testdata", "torch.json.gz")
rng = np.random.default_rng(5)
X = np.round(rng.normal(size=(3, 4, 5)) * 16) / 16
MASKS = {"some": rng.random((3, 4, 5)) < 0.6, "all": np.ones((3, 4, 5), bool), "last": rng.random(5) < 0.6}
MASKS["empty row"] = MASKS["some"].copy()
MASKS["empty row"][1, 2] = False
cases = []


def numbers(t):
    return [None if v != v else ("inf" if v == np.inf else "-inf" if v == -np.inf else v) for v in t.detach().double().reshape(-1).tolist()]


def case(op, mask, call, grad=True, **options):
    x = torch.tensor(X, dtype=torch.float64, requires_grad=grad)
    y = call(x, torch.tensor(MASKS[mask]).expand(3, 4, 5))
    c = {"op": op, "mask": mask, "options": options, "shape": list(y.shape), "out": numbers(y)}
    if grad:
        w = torch.arange(y.numel(), dtype=torch.float64).reshape(y.shape) * 0.25 - 1
        keep = torch.isfinite(y.detach())
        torch.where(keep, y, 0).mul(w).sum().backward()
        c["grad"] = numbers(x.grad)
    cases.append(c)


for m in MASKS:
    for dim in ([1], [0, 2], None):
        for keep in (False, True):
            o = {"keepdim": keep} | ({"dim": dim} if dim else {})
            kw = {"keepdim": keep, "dim": tuple(dim) if dim else None}
            for op in ("sum", "prod", "mean", "amax", "amin", "logsumexp"):
                if dim is None and op == "logsumexp":
                    continue
                case(op, m, lambda x, k: getattr(masked, op)(x, mask=k, **kw), grad=m != "empty row" or op in ("sum", "prod"), **o)
            for correction in (0.0, 1.0):
                for op in ("var", "std"):
                    case(op, m, lambda x, k: getattr(masked, op)(x, mask=k, correction=correction, **kw), grad=m == "some", correction=correction, **o)
            if dim:
                for ord in (0.0, 1.0, 2.0, 3.0, float("inf"), float("-inf")):
                    case("norm", m, lambda x, k: masked.norm(x, ord, mask=k, **kw), grad=m == "some" and ord in (1.0, 2.0, 3.0), ord=str(ord), **o)
    for dim in (0, 1, 2):
        for op in ("softmax", "log_softmax", "softmin", "cumsum", "cumprod"):
            case(op, m, lambda x, k: getattr(masked, op)(x, dim, mask=k), grad=m == "some" and op != "log_softmax", along=dim)
        for op in ("argmax", "argmin", "median"):
            for keep in (False, True):
                case(op, m, lambda x, k: getattr(masked, op)(x, dim, keepdim=keep, mask=k), grad=op == "median" and m == "all", along=dim, keepdim=keep)
        case("normalize", m, lambda x, k: masked.normalize(x, 2.0, dim, mask=k), grad=m == "some", along=dim)

doc = {"versions": {"torch": torch.__version__}, "x": X.reshape(-1).tolist(), "masks": {k: v.astype(int).reshape(-1).tolist() for k, v in MASKS.items()},
       "cases": cases}
with open(OUT, "wb") as f:
    with gzip.GzipFile(fileobj=f, mode="wb", mtime=0, compresslevel=9) as z:
        z.write(json.dumps(doc, separators=(",", ":"), sort_keys=True).encode())
print(OUT, len(cases), "cases", os.path.getsize(OUT), "bytes")
