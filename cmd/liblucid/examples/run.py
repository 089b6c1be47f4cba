"""NumPy arrays in, NumPy arrays out, without copies.

    LUCID_LIBRARY=prefix/lib/liblucid.so python run.py model.lucid
"""

import gc
import os
import signal
import sys

import numpy as np

import lucid


def main():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    # NumPy to Lucid: the tensor shows the array's own memory, in any layout.
    for view in (x, x.T, x[:, ::2], x[::-1], x[1]):
        t = lucid.Tensor.of(view)
        back = np.from_dlpack(t)
        assert np.array_equal(back, view) and np.shares_memory(back, x), "copied"

    # Ops by name, with attributes.
    total = lucid.call("sum", lucid.Tensor.of(x), dim=[1], keepdim=True)[0]
    assert total.shape == (2, 1) and total.dtype == "float32"
    assert np.array_equal(np.from_dlpack(total), x.sum(axis=1, keepdims=True))
    values, indices = lucid.call("topk", lucid.Tensor.of(x), k=2)
    assert np.array_equal(np.from_dlpack(indices), [[2, 1], [2, 1]]) and values.shape == (2, 2)

    # Lucid to NumPy: the array shows the tensor's memory, which lives as long as the array does.
    y = np.from_dlpack(lucid.call("exp", lucid.Tensor.of(x))[0])
    gc.collect()
    assert np.allclose(y, np.exp(x)) and not y.flags.writeable

    # Errors say what was expected.
    try:
        lucid.call("matmul", lucid.Tensor.of(x), lucid.Tensor.of(x))
        raise AssertionError("a product of 2×3 and 2×3")
    except lucid.LucidError as e:
        assert "matmul" in str(e), e

    # An exported function, from a file and from bytes.
    with open(sys.argv[1], "rb") as f:
        content = f.read()
    for source in (sys.argv[1], content):
        model = lucid.Function(source)
        rows = np.ones((4, int(sys.argv[2]) if len(sys.argv) > 2 else 3), np.float32)
        result = np.from_dlpack(model(lucid.Tensor.of(rows))[0])
        assert result.shape[0] == 4 and np.isfinite(result).all()
    print("result:", result[0])

    # Ctrl-C still works, and a fork is refused instead of hanging.
    try:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("no KeyboardInterrupt")
    except KeyboardInterrupt:
        pass
    child = os.fork()
    if child == 0:
        try:
            lucid.call("neg", t)
            os._exit(1)
        except lucid.LucidError as e:
            os._exit(0 if "fork" in str(e) else 2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    # Everything is given back: x is referred to by this function alone.
    del t, back, total, values, indices, y, result, model
    gc.collect()
    assert lucid.lib.lucid_tensor_count() == 0, lucid.lib.lucid_tensor_count()
    print("ok")


if __name__ == "__main__":
    main()
