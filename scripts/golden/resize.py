# Makes data/transforms/testdata/resize.npz: images of other sizes as PyTorch makes them (interpolate with antialias, the filters
# behind torchvision's Resize) and, for lanczos, which PyTorch does not have, as the definition says in double precision.
#
#   python scripts/golden/resize.py          (torch 2.15.0, numpy 2.4.6)
import numpy as np
import torch

SIZES = [((3, 11, 17), (5, 7)), ((1, 8, 8), (20, 13)), ((3, 32, 24), (8, 6)), ((2, 9, 30), (9, 4)), ((1, 5, 6), (1, 1)), ((3, 40, 30), (15, 45))]


def lanczos(x, axis, new):
    old = x.shape[axis]
    scale = old / new
    wide = max(scale, 1)
    m = np.zeros((new, old))
    for i in range(new):
        centre = (i + 0.5) * scale
        at = (np.arange(old) - centre + 0.5) / wide
        keep = (np.arange(old) >= int(max(centre - 3 * wide + 0.5, 0))) & (np.arange(old) < int(centre + 3 * wide + 0.5)) & (abs(at) < 3)
        w = np.where(keep, np.sinc(at) * np.sinc(at / 3), 0)
        m[i] = w / w.sum()
    return np.moveaxis(np.tensordot(m, np.moveaxis(x, axis, 0), 1), 0, axis)


out = {"versions": np.array([ord(c) for c in f"torch {torch.__version__} numpy {np.__version__}"], dtype=np.uint8)}
rng = np.random.default_rng(7)
for k, (shape, size) in enumerate(SIZES):
    x = rng.integers(0, 256, shape).astype(np.float32)
    t = torch.from_numpy(x)[None]
    out[f"{k}.in"] = x
    for mode in ["bilinear", "bicubic"]:
        out[f"{k}.{mode}"] = torch.nn.functional.interpolate(t, size=size, mode=mode, antialias=True)[0].numpy()
    out[f"{k}.nearest"] = torch.nn.functional.interpolate(t, size=size, mode="nearest-exact")[0].numpy()
    if shape[1] % size[0] == 0 and shape[2] % size[1] == 0:
        out[f"{k}.area"] = torch.nn.functional.interpolate(t, size=size, mode="area")[0].numpy()
    out[f"{k}.lanczos"] = lanczos(lanczos(x.astype(np.float64), 2, size[1]), 1, size[0])
np.savez_compressed("data/transforms/testdata/resize.npz", **out)
