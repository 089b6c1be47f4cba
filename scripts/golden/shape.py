"""Shape and layout."""
import torch
from lib import ALL, Family

f = Family("shape")


def many(op, forms, dtypes=("float32",), fn=None):
    """One case per (name, shapes, attrs) form, for each dtype; all dtypes for the first form.

    These ops move elements and compute nothing, so one form per dtype is enough.
    """
    for i, (nm, shapes, attrs) in enumerate(forms):
        for d in (list(dict.fromkeys(list(dtypes) + ALL)) if i == 0 else dtypes):
            f.case(op, "%s/%s" % (d, nm), lambda r, d=d: [r.t(d, s) for s in shapes], attrs, fn=fn, grad=True if d == "bfloat16" else None)


two = ("float32", "int64")
many("reshape", [("2d", [(2, 6)], {"shape": [3, 4]}), ("infer", [(2, 6)], {"shape": [4, -1]}), ("flat", [(2, 3, 2)], {"shape": [-1]}),
                 ("to_0d", [(1, 1)], {"shape": []}), ("from_0d", [()], {"shape": [1, 1]}), ("empty", [(0, 3)], {"shape": [3, 0, 2]}),
                 ("empty_infer", [(0, 3)], {"shape": [-1, 3]}), ("ones", [(3,)], {"shape": [1, 3, 1]})], two)
many("permute", [("210", [(2, 3, 4)], {"dims": [2, 1, 0]}), ("neg", [(2, 3, 4)], {"dims": [-1, 0, -2]}), ("identity", [(2, 3)], {"dims": [0, 1]}),
                 ("4d", [(2, 1, 3, 2)], {"dims": [0, 2, 3, 1]}), ("0d", [()], {"dims": []}), ("empty", [(2, 0, 3)], {"dims": [2, 0, 1]})], two)
many("transpose", [("01", [(2, 3)], {"dim0": 0, "dim1": 1}), ("neg", [(2, 3, 2)], {"dim0": -1, "dim1": 0}), ("same", [(2, 3)], {"dim0": 1, "dim1": 1}), ("0d", [()], {"dim0": 0, "dim1": -1})])
many("t", [("2d", [(2, 3)], {}), ("1d", [(3,)], {}), ("0d", [()], {})])
many("adjoint", [("2d", [(2, 3)], {}), ("3d", [(2, 2, 3)], {})], ("float32", "complex64"))
for op in ("swapaxes", "swapdims"):
    k = ("axis0", "axis1") if op == "swapaxes" else ("dim0", "dim1")
    many(op, [("02", [(2, 3, 2)], {k[0]: 0, k[1]: 2}), ("neg", [(2, 3, 2)], {k[0]: -2, k[1]: 0})])
for op in ("movedim", "moveaxis"):
    many(op, [("one", [(2, 3, 4)], {"source": 0, "destination": 2}), ("neg", [(2, 3, 4)], {"source": -1, "destination": 0}),
              ("many", [(2, 3, 2, 1)], {"source": [0, 3], "destination": [-1, 0]})])
many("squeeze", [("all", [(1, 3, 1)], {}), ("dim", [(1, 3, 1)], {"dim": 0}), ("dim_neg", [(1, 3, 1)], {"dim": -1}), ("not_one", [(1, 3, 1)], {"dim": 1}),
                 ("dims", [(1, 3, 1, 1)], {"dim": [0, 3]}), ("dims_some", [(1, 3, 1)], {"dim": [0, 1]}), ("0d", [()], {}), ("0d_dim", [()], {"dim": 0}), ("empty", [(1, 0)], {})], two)
many("unsqueeze", [("0", [(2, 3)], {"dim": 0}), ("1", [(2, 3)], {"dim": 1}), ("-1", [(2, 3)], {"dim": -1}), ("-3", [(2, 3)], {"dim": -3}), ("0d", [()], {"dim": 0})], two)
many("flatten", [("all", [(2, 3, 2)], {}), ("start", [(2, 3, 2)], {"start_dim": 1}), ("range", [(2, 1, 3, 2)], {"start_dim": 1, "end_dim": 2}),
                 ("neg", [(2, 3, 2)], {"start_dim": 0, "end_dim": -2}), ("0d", [()], {}), ("empty", [(2, 0, 2)], {"start_dim": 1})], two)
many("unflatten", [("two", [(2, 6)], {"dim": 1, "sizes": [2, 3]}), ("infer", [(2, 6)], {"dim": -1, "sizes": [3, -1]}), ("first", [(4,)], {"dim": 0, "sizes": [2, 1, 2]})])
many("ravel", [("2d", [(2, 3)], {}), ("0d", [()], {})])
many("narrow", [("0", [(4, 3)], {"dim": 0, "start": 1, "length": 2}), ("neg_dim", [(4, 3)], {"dim": -1, "start": 2, "length": 1}), ("neg_start", [(4, 3)], {"dim": 0, "start": -3, "length": 2}),
                ("zero", [(4, 3)], {"dim": 0, "start": 4, "length": 0})], two)
many("select", [("0", [(4, 3)], {"dim": 0, "index": 2}), ("neg", [(4, 3)], {"dim": -1, "index": -1}), ("1d", [(3,)], {"dim": 0, "index": 0})], two)
many("expand", [("rows", [(1, 3)], {"size": [4, 3]}), ("keep", [(2, 1)], {"size": [-1, 3]}), ("new", [(3,)], {"size": [2, -1]}), ("0d", [()], {"size": [2, 2]}), ("empty", [(1, 3)], {"size": [0, 3]}), ("col", [(2, 1, 1)], {"size": [2, 2, 3]})],
     two, fn=lambda x, size: x.expand(size))
many("broadcast_to", [("rows", [(1, 3)], {"size": [4, 3]}), ("new", [(3,)], {"size": [2, 2, 3]}), ("0d", [()], {"size": [2]}), ("empty", [(1,)], {"size": [0]})], two)
f.case("broadcast_tensors", "float32/three", lambda r: [r.t("float32", (2, 1)), r.t("float32", (3,)), r.t("float32", ())])
f.case("broadcast_tensors", "int64/two", lambda r: [r.t("int64", (2, 1, 2)), r.t("int64", (3, 1))])
many("tile", [("2d", [(2, 2)], {"dims": [2, 2]}), ("more", [(2,)], {"dims": [2, 1, 3]}), ("fewer", [(2, 3)], {"dims": [2]}), ("0d", [()], {"dims": [3]}), ("zero", [(2, 2)], {"dims": [0, 2]})], two)
many("repeat", [("2d", [(2, 2)], {"repeats": [2, 3]}), ("more", [(2,)], {"repeats": [2, 1, 2]}), ("0d", [()], {"repeats": [3]}), ("zero", [(2, 2)], {"repeats": [0, 2]})], two, fn=lambda x, repeats: x.repeat(repeats))
many("repeat_interleave", [("flat", [(2, 3)], {"repeats": 2}), ("dim1", [(2, 3)], {"repeats": 3, "dim": 1}), ("dim-2", [(2, 3)], {"repeats": 2, "dim": -2}), ("zero", [(2, 3)], {"repeats": 0, "dim": 0}), ("0d", [()], {"repeats": 2})], two)
f.case("repeat_interleave", "float32/tensor", lambda r: [r.t("float32", (3, 2)), torch.tensor([1, 0, 3])], {"dim": 0})
f.case("repeat_interleave", "float32/tensor_flat", lambda r: [r.t("float32", (2, 2)), torch.tensor([1, 2, 0, 3])])
f.case("repeat_interleave", "int64/tensor_one", lambda r: [r.t("int64", (3, 2)), torch.tensor([2])], {"dim": 1})

cats = [("dim0", [(2, 3), (1, 3), (3, 3)], {"dim": 0}), ("dim1", [(2, 1), (2, 3)], {"dim": 1}), ("neg", [(2, 1, 2), (2, 1, 3)], {"dim": -1}), ("one", [(2, 3)], {"dim": 0}),
        ("empty_part", [(2, 3), (0, 3)], {"dim": 0}), ("legacy_empty", [(0,), (2, 3)], {"dim": 1}), ("1d", [(2,), (3,), (0,)], {})]
many("cat", cats, two)
many("stack", [("dim0", [(2, 3)] * 3, {}), ("dim1", [(2, 3)] * 2, {"dim": 1}), ("neg", [(2, 3)] * 2, {"dim": -1}), ("0d", [()] * 3, {}), ("empty", [(0, 2)] * 2, {"dim": 1})], two)
many("hstack", [("2d", [(2, 3), (2, 1)], {}), ("1d", [(2,), (3,)], {}), ("0d", [(), ()], {}), ("3d", [(2, 1, 2), (2, 3, 2)], {})])
many("vstack", [("2d", [(2, 3), (1, 3)], {}), ("1d", [(3,), (3,)], {}), ("0d", [(), ()], {}), ("mixed", [(3,), (2, 3)], {})])
many("dstack", [("2d", [(2, 3), (2, 3)], {}), ("1d", [(3,), (3,)], {}), ("0d", [(), ()], {}), ("3d", [(2, 3, 1), (2, 3, 2)], {})])
many("column_stack", [("2d", [(2, 3), (2, 1)], {}), ("1d", [(3,), (3,)], {}), ("mixed", [(3,), (3, 2)], {}), ("0d", [(), ()], {})])
MIX = [("float32", "float64"), ("int64", "float32"), ("bool", "int32"), ("uint8", "int8"), ("float16", "bfloat16"), ("int64", "bfloat16"), ("float32", "complex64"), ("int32", "int64")]
for op in ("cat", "stack", "hstack", "vstack", "column_stack", "block_diag"):
    for a, b in MIX:
        f.case(op, "mixed/%s_%s" % (a, b), lambda r, a=a, b=b: [r.t(a, (2, 2)), r.t(b, (2, 2))])
for a, b in [("float32", "float64"), ("int8", "int64")]:  # unlike arithmetic, cat gives 0-d and 1-d tensors of one kind the same weight
    f.case("stack", "mixed/0d_%s_%s" % (a, b), lambda r, a=a, b=b: [r.t(a, ()), r.t(b, ())])
many("block_diag", [("two", [(2, 2), (1, 3)], {}), ("1d", [(2,), (2, 1)], {}), ("0d", [(), (2, 2)], {}), ("empty", [(0, 2), (1, 1)], {}), ("one", [(2, 3)], {})])

many("split", [("size", [(5, 2)], {"split_size_or_sections": 2}), ("sections", [(5, 2)], {"split_size_or_sections": [1, 3, 1]}), ("dim1", [(2, 5)], {"split_size_or_sections": 3, "dim": 1}),
               ("neg", [(2, 5)], {"split_size_or_sections": [2, 3], "dim": -1}), ("zero_part", [(3,)], {"split_size_or_sections": [0, 3]}), ("big", [(3,)], {"split_size_or_sections": 9})], two)
many("chunk", [("even", [(6, 2)], {"chunks": 3}), ("uneven", [(5, 2)], {"chunks": 3}), ("fewer", [(5,)], {"chunks": 4}), ("many", [(3,)], {"chunks": 7}), ("dim-1", [(2, 5)], {"chunks": 2, "dim": -1}), ("empty", [(0, 2)], {"chunks": 3})], two)
many("tensor_split", [("n", [(5, 2)], {"indices_or_sections": 3}), ("more", [(2,)], {"indices_or_sections": 4}), ("idx", [(5, 2)], {"indices_or_sections": [1, 4]}), ("idx_over", [(5,)], {"indices_or_sections": [2, 9]}),
                      ("idx_neg", [(5,)], {"indices_or_sections": [-2]}), ("idx_back", [(5,)], {"indices_or_sections": [3, 1]}), ("dim1", [(2, 5)], {"indices_or_sections": 2, "dim": 1})], two,
     fn=lambda x, indices_or_sections, **kw: torch.tensor_split(x, indices_or_sections, **kw))
many("unbind", [("0", [(3, 2)], {}), ("1", [(2, 3)], {"dim": 1}), ("neg", [(2, 3)], {"dim": -1}), ("1d", [(3,)], {})], two)
for op, key in (("hsplit", "indices_or_sections"), ("vsplit", "indices_or_sections"), ("dsplit", "indices_or_sections")):
    fn = lambda x, op=op, **kw: getattr(torch, op)(x, kw["indices_or_sections"])
    many(op, [("n", [(4, 4, 4)], {key: 2}), ("idx", [(4, 4, 4)], {key: [1, 3]})], fn=fn)
    if op == "hsplit":
        many(op, [("1d", [(4,)], {key: 2})], fn=fn)

for n in (1, 2, 3):
    many("atleast_%dd" % n, [("0d", [()], {}), ("1d", [(3,)], {}), ("2d", [(2, 3)], {}), ("3d", [(2, 1, 2)], {})])
    f.case("atleast_%dd" % n, "float32/several", lambda r: [r.t("float32", ()), r.t("float32", (2,)), r.t("float32", (2, 2))])
many("flip", [("0", [(2, 3)], {"dims": [0]}), ("both", [(2, 3)], {"dims": [0, 1]}), ("neg", [(2, 3, 2)], {"dims": [-1, 0]}), ("none", [(2, 3)], {"dims": []}), ("0d", [()], {"dims": []}), ("empty", [(0, 3)], {"dims": [0, 1]})], two)
many("fliplr", [("2d", [(2, 3)], {})])
many("flipud", [("2d", [(2, 3)], {}), ("1d", [(3,)], {})])
many("roll", [("dim0", [(4, 2)], {"shifts": 1, "dims": 0}), ("neg", [(2, 5)], {"shifts": -2, "dims": 1}), ("flat", [(2, 3)], {"shifts": 2}), ("two", [(2, 3)], {"shifts": [1, -1], "dims": [0, 1]}),
              ("over", [(5,)], {"shifts": 12, "dims": 0}), ("same_dim", [(5,)], {"shifts": [1, 1], "dims": [0, 0]}), ("empty", [(0, 3)], {"shifts": 1, "dims": 0}), ("neg_dim", [(2, 3)], {"shifts": 1, "dims": -1})], two)
many("rot90", [("1", [(2, 3)], {}), ("2", [(2, 3)], {"k": 2}), ("3", [(2, 3)], {"k": 3}), ("neg", [(2, 3)], {"k": -1}), ("4", [(2, 3)], {"k": 4}), ("dims", [(2, 3, 2)], {"k": 1, "dims": [1, 2]}), ("dims_back", [(2, 3, 2)], {"k": 1, "dims": [2, 0]})])
for op in ("tril", "triu"):
    many(op, [("0", [(3, 4)], {}), ("1", [(3, 4)], {"diagonal": 1}), ("-1", [(3, 4)], {"diagonal": -1}), ("batch", [(2, 3, 2)], {}), ("far", [(2, 3)], {"diagonal": 9}), ("far_neg", [(2, 3)], {"diagonal": -9}), ("empty", [(0, 3)], {})], two)
many("diag", [("1d", [(3,)], {}), ("1d_up", [(2,)], {"diagonal": 1}), ("1d_down", [(2,)], {"diagonal": -2}), ("2d", [(3, 4)], {}), ("2d_up", [(3, 4)], {"diagonal": 2}), ("2d_down", [(3, 4)], {"diagonal": -1}), ("2d_far", [(2, 3)], {"diagonal": 3})], two)
many("diagonal", [("2d", [(3, 4)], {}), ("offset", [(3, 4)], {"offset": 1}), ("neg", [(3, 4)], {"offset": -2}), ("dims", [(2, 3, 4)], {"dim1": 1, "dim2": 2}), ("dims_neg", [(2, 3, 4)], {"dim1": -1, "dim2": 0}), ("far", [(2, 3)], {"offset": 9}), ("4d", [(2, 2, 2, 3)], {"offset": 1, "dim1": 3, "dim2": 1})], two)
many("diag_embed", [("1d", [(3,)], {}), ("batch", [(2, 3)], {}), ("offset", [(2, 2)], {"offset": 1}), ("neg", [(2, 2)], {"offset": -1}), ("dims", [(2, 3)], {"dim1": 0, "dim2": 2}), ("dims_back", [(2, 3)], {"dim1": -1, "dim2": 0, "offset": 1})], two)
many("diagonal_scatter", [("main", [(3, 3), (3,)], {}), ("offset", [(3, 3), (2,)], {"offset": 1})])
many("select_scatter", [("0", [(3, 2), (2,)], {"dim": 0, "index": 1}), ("1", [(3, 2), (3,)], {"dim": 1, "index": -1})])
many("slice_scatter", [("0", [(4, 2), (2, 2)], {"dim": 0, "start": 1, "end": 3}), ("step", [(5, 2), (3, 2)], {"dim": 0, "step": 2})])
many("unfold", [("basic", [(7,)], {"dimension": 0, "size": 3, "step": 2}), ("2d", [(2, 5)], {"dimension": 1, "size": 2, "step": 1}), ("dim0", [(4, 2)], {"dimension": 0, "size": 2, "step": 2}), ("neg", [(2, 5)], {"dimension": -1, "size": 5, "step": 1})],
     fn=lambda x, dimension, size, step: x.unfold(dimension, size, step))
many("as_strided", [("basic", [(3, 4)], {"size": [2, 2], "stride": [4, 1]}), ("overlap", [(6,)], {"size": [3, 2], "stride": [1, 2], "storage_offset": 1})])
for ix in ("ij", "xy"):
    many("meshgrid", [(ix + "2", [(3,), (2,)], {"indexing": ix}), (ix + "3", [(2,), (1,), (3,)], {"indexing": ix}), (ix + "_0d", [(2,), ()], {"indexing": ix})], fn=lambda *xs, **kw: torch.meshgrid(*xs, **kw))
many("cartesian_prod", [("two", [(2,), (3,)], {}), ("three", [(2,), (1,), (2,)], {}), ("one", [(3,)], {})])
many("combinations", [("2", [(4,)], {}), ("3", [(4,)], {"r": 3}), ("1", [(3,)], {"r": 1}), ("replace", [(3,)], {"r": 2, "with_replacement": True}), ("too_many", [(2,)], {"r": 3}), ("replace3", [(2,)], {"r": 3, "with_replacement": True})])
for d in ("float32", "float64", "int64", "complex64"):  # its gradient fails in PyTorch itself
    f.case("vander", d + "/n3", lambda r, d=d: [r.t(d, (3,))], {"N": 3}, grad=False)
    f.case("vander", d + "/increasing", lambda r, d=d: [r.t(d, (3,))], {"N": 4, "increasing": True}, grad=False)
many("contiguous", [("2d", [(2, 3)], {})], fn=lambda x: x.contiguous())
many("clone", [("2d", [(2, 3)], {}), ("0d", [()], {})])

f.write()
