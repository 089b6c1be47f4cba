"""Interpolation and grid sampling."""
import math

import torch
import torch.nn.functional as F
from lib import Family, dt

f = Family("resample", functional=True)
SHAPE = {1: (1, 2, 5), 2: (1, 2, 3, 4), 3: (1, 1, 2, 3, 3)}
MODES = {1: ["nearest", "nearest-exact", "linear", "area"], 2: ["nearest", "nearest-exact", "bilinear", "bicubic", "area"], 3: ["nearest", "nearest-exact", "trilinear", "area"]}

for n, modes in MODES.items():
    s = SHAPE[n]
    sizes = [("up", {"size": [v * 2 - 1 for v in s[2:]]}), ("down", {"size": [max(v - 2, 1) for v in s[2:]]}), ("same", {"size": list(s[2:])}), ("one", {"size": [1] * n}), ("mixed", {"size": ([7] if n == 1 else [2, 6] if n == 2 else [3, 2, 4])}),
             ("number", {"size": 4}), ("scale2", {"scale_factor": 2.0}), ("scale1.5", {"scale_factor": 1.5}), ("scale0.6", {"scale_factor": 0.6}), ("scale_each", {"scale_factor": [2.0, 0.7, 1.3][:n]}),
             ("scale1.7_recompute", {"scale_factor": 1.7, "recompute_scale_factor": True}), ("scale1.7", {"scale_factor": 1.7})]
    for mode in modes:
        for ac in ([None] if mode in ("nearest", "nearest-exact", "area") else [False, True]):
            for nm, a in sizes:
                at = dict(a, mode=mode, **({} if ac is None else {"align_corners": ac}))
                tag = "%dd_%s%s_%s" % (n, mode, {None: "", True: "_corners", False: "_nocorners"}[ac], nm)
                f.case("interpolate", "float32/" + tag, lambda r: [r.t("float32", s)], at)
                if nm in ("up", "down") and n == 2:
                    f.case("interpolate", "float64/" + tag, lambda r: [r.t("float64", s)], at)
                    f.case("interpolate", "bfloat16/" + tag, lambda r: [r.t("bfloat16", s)], at, grad=True, loose=True)
for mode in ("bilinear", "bicubic"):
    for ac in (False, True):
        for nm, z in [("down", [2, 3]), ("up", [5, 7])]:
            f.case("interpolate", "float32/2d_%s_antialias_%s_%s" % (mode, nm, ac), lambda r: [r.t("float32", (1, 1, 4, 6))], {"size": z, "mode": mode, "align_corners": ac, "antialias": True})
f.case("interpolate", "uint8/2d_nearest", lambda r: [r.t("uint8", (1, 1, 2, 3), 0, 255)], {"size": [4, 5], "mode": "nearest"})
f.case("interpolate", "float32/2d_default_mode", lambda r: [r.t("float32", (1, 1, 2, 3))], {"size": [4, 5]})

for n, s, g in [(2, (1, 2, 4, 5), (1, 3, 3, 2)), (3, (1, 1, 3, 3, 4), (1, 2, 2, 2, 3))]:
    for mode in ("bilinear", "nearest", "bicubic"):
        if n == 3 and mode == "bicubic":
            continue
        for pad in ("zeros", "border", "reflection"):
            for ac in (False, True):
                a = {"mode": mode, "padding_mode": pad, "align_corners": ac}
                tag = "%dd_%s_%s_%s" % (n, mode, pad, "corners" if ac else "nocorners")
                # The grid reaches outside [-1, 1], where the padding modes differ; an odd
                # fraction keeps points off the borders of cells.
                make = lambda d: (lambda r: [r.t(d, s), r.t(d, g, -1.6, 1.6, 1 / 32) + 0.0107421875])
                f.case("grid_sample", "float32/" + tag, make("float32"), a)
                if n == 2:
                    f.case("grid_sample", "float64/" + tag, make("float64"), a)
f.case("grid_sample", "float32/default", lambda r: [r.t("float32", (2, 1, 3, 3)), r.t("float32", (2, 2, 2, 2), -1, 1, 1 / 32) + 0.0107421875])
f.case("grid_sample", "float32/corners_exact", lambda r: [r.t("float32", (1, 1, 3, 3)), torch.tensor([[[[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [1.0, -1.0]]]])], {"align_corners": True}, grad=False)
f.case("grid_sample", "float32/nearest_halves", lambda r: [r.t("float32", (1, 1, 1, 4)), torch.tensor([[[[-0.75, 0.0], [-0.5, 0.0], [0.0, 0.0], [0.5, 0.0], [0.75, 0.0]]]])], {"mode": "nearest", "align_corners": False}, grad=False)
f.case("grid_sample", "float32/nan_grid", lambda r: [r.t("float32", (1, 1, 3, 3)), torch.tensor([[[[math.nan, 0.0], [0.0, 0.0]]]])], {"align_corners": True, "padding_mode": "border"}, grad=False)

for d in ("float32", "float64"):
    for ac in (False, True):
        a = "corners" if ac else "nocorners"
        f.case("affine_grid", "%s/2d_%s" % (d, a), lambda r, d=d: [r.t(d, (2, 2, 3))], {"size": [2, 1, 3, 4], "align_corners": ac})
        f.case("affine_grid", "%s/3d_%s" % (d, a), lambda r, d=d: [r.t(d, (1, 3, 4))], {"size": [1, 1, 2, 2, 3], "align_corners": ac})
        f.case("affine_grid", "%s/2d_one_%s" % (d, a), lambda r, d=d: [r.t(d, (1, 2, 3))], {"size": [1, 1, 1, 2], "align_corners": ac})
f.case("affine_grid", "float32/default", lambda r: [r.t("float32", (1, 2, 3))], {"size": [1, 1, 2, 2]})

f.write()
