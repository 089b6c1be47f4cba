"""Padding in all modes."""
import torch
import torch.nn.functional as F
from lib import ALL, Family

f = Family("pad")
fp = lambda x, pad, **kw: F.pad(x, pad, **kw)

for d in ALL:
    f.case("pad", d + "/constant", lambda r, d=d: [r.t(d, (2, 3))], {"pad": [1, 2]}, grad=True if d == "bfloat16" else None)
    f.case("pad", d + "/constant_value", lambda r, d=d: [r.t(d, (2, 3))], {"pad": [1, 0, 0, 1], "mode": "constant", "value": 1.0 if d in ("float32", "float64", "bfloat16", "float16", "complex64", "complex128") else 1})
CONST = [("last", (2, 3), [0, 2]), ("two", (2, 3), [1, 1, 2, 0]), ("all3", (2, 1, 2), [1, 0, 0, 1, 2, 1]), ("crop", (3, 5), [-1, -2]), ("crop_grow", (3, 4), [-1, 2, 1, -2]), ("none", (2, 3), [0, 0]),
         ("empty_in", (0, 3), [0, 0, 1, 1]), ("to_empty", (2, 3), [-1, -2]), ("4d", (1, 1, 2, 2), [1, 1, 1, 1])]
for d in ("float32", "float64", "int64"):
    for nm, s, p in CONST:
        f.case("pad", "%s/constant_%s" % (d, nm), lambda r, d=d: [r.t(d, s)], {"pad": p, "value": 2.0 if "float" in d else 2})
f.case("pad", "float32/constant_inf", lambda r: [r.t("float32", (3,))], {"pad": [1, 1], "value": float("-inf")})
f.case("pad", "float32/constant_nan", lambda r: [r.t("float32", (3,))], {"pad": [1, 1], "value": float("nan")})

MODES = {
    1: [("1_1", (2, 2, 4), [1, 1]), ("3_0", (1, 2, 4), [3, 0]), ("0_2", (1, 2, 4), [0, 2]), ("unbatched", (2, 4), [2, 1]), ("zero", (1, 1, 4), [0, 0])],
    2: [("all1", (1, 2, 3, 3), [1, 1, 1, 1]), ("mixed", (2, 1, 3, 4), [3, 1, 0, 2]), ("unbatched", (2, 3, 3), [1, 2, 2, 1])],
    3: [("all1", (1, 1, 2, 3, 2), [1, 1, 1, 1, 1, 1]), ("mixed", (1, 1, 3, 2, 3), [2, 1, 1, 0, 0, 2]), ("unbatched", (1, 2, 3, 2), [1, 0, 1, 1, 0, 1])],
}
for mode in ("reflect", "replicate", "circular"):
    for n, forms in MODES.items():
        for nm, s, p in forms:
            for d in ("float32", "float64", "bfloat16", "complex64"):
                f.case("pad", "%s/%s%dd_%s" % (d, mode, n, nm), lambda r, d=d: [r.t(d, s)], {"pad": p, "mode": mode}, grad=True if d == "bfloat16" else None, loose=d == "bfloat16")
    # Cropping and padding at once.
    f.case("pad", "float32/%s_crop" % mode, lambda r: [r.t("float32", (1, 2, 6))], {"pad": [-1, 2], "mode": mode})
    f.case("pad", "float32/%s_crop2d" % mode, lambda r: [r.t("float32", (1, 1, 4, 5))], {"pad": [-1, 1, 1, -2], "mode": mode})
    for d in ("int64", "int32", "uint8", "float16"):
        f.case("pad", "%s/%s1d" % (d, mode), lambda r, d=d: [r.t(d, (1, 2, 4))], {"pad": [2, 1], "mode": mode})
f.case("pad", "float32/replicate_far", lambda r: [r.t("float32", (1, 1, 2))], {"pad": [5, 4], "mode": "replicate"})
f.case("pad", "float32/circular_full", lambda r: [r.t("float32", (1, 1, 3))], {"pad": [3, 3], "mode": "circular"})

f.write()
