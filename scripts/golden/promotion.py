"""torch.promote_types over all the element types; null where PyTorch refuses."""
import torch
from lib import dt, dtname, write_json, versions

DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]


def promote(a, b):
    try:
        return dtname(torch.promote_types(dt(a), dt(b)))
    except RuntimeError:
        return None


table = [[a, b, promote(a, b)] for a in DTYPES for b in DTYPES]
size = write_json("promotion", {"versions": versions(), "table": table})
print("%-12s %5d pairs %8d bytes, %d refused" % ("promotion", len(table), size, sum(1 for r in table if r[2] is None)))
