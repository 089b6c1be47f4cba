"""Makes the golden files under internal/codec/*/testdata. Run through run.sh."""

import sys
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

from formula import SHAPES, tensor, tensors

root = Path(sys.argv[1]) / "internal" / "codec"
st, nz = root / "safetensors" / "testdata", root / "npz" / "testdata"
st.mkdir(parents=True, exist_ok=True)
nz.mkdir(parents=True, exist_ok=True)

save_file(tensors(without=["complex128"]), st / "numpy.safetensors", metadata={"format": "np", "naïve": "\"é\"\n"})
save_file({"w": np.arange(4).astype(ml_dtypes.float8_e4m3fn), "b": np.arange(4, dtype=np.float32)}, st / "f8.safetensors")

np.savez(nz / "stored.npz", **tensors(without=["bfloat16"]))
np.savez_compressed(nz / "deflated.npz", **tensors(without=["bfloat16"]))

# Every layout of a few types: Fortran order, big-endian, both.
layouts = {}
for d in ["bool", "uint8", "int16", "float16", "float32", "float64", "complex64", "complex128"]:
    for s in SHAPES:
        x = tensor(d, s)
        big = x.astype(x.dtype.newbyteorder(">"))
        base = d + "/" + ("x".join(map(str, s)) or "s")
        layouts[base + "/F"] = np.array(x, order="F")
        layouts[base + "/be"] = big
        layouts[base + "/beF"] = np.array(big, order="F")
np.savez_compressed(nz / "layouts.npz", **layouts)

for v in [1, 2, 3]:
    with open(nz / f"v{v}.npy", "wb") as f:
        np.lib.format.write_array(f, tensor("float32", (2, 3)), version=(v, 0))
np.save(nz / "bfloat16.npy", tensor("bfloat16", (2, 3)))
np.save(nz / "struct.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
np.save(nz / "object.npy", np.array([{}, []], dtype=object), allow_pickle=True)
np.save(nz / "unicode.npy", np.array(["a", "bc"]))
np.save(nz / "longdouble.npy", np.zeros(1, np.longdouble))
with zipfile.ZipFile(nz / "bzip2.npz", "w", zipfile.ZIP_BZIP2) as z:
    z.write(nz / "v1.npy", "x.npy")
