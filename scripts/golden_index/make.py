"""Writes internal/test/golden/testdata/index.json.gz: random reads and writes by index and what NumPy makes of them.

NumPy 2.4 (see ../golden/requirements.txt for the environment). A case is a tensor of integers and a list of steps: reads ("at"), writes
("set", "add", "mul", "max", "min") and views that are written to afterwards, which must not change the tensor. `out` holds
the results of the reads, then the tensor, then the views, each as [shape, values]; a case whose last step NumPy refuses
has `out` null.
"""
import gzip
import json
import os
import random
import sys

import numpy as np

COMBINE = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def numbers(shape, lo=-9, hi=9):
    return np.array([random.randint(lo, hi) for _ in range(int(np.prod(shape)))], dtype=np.int64).reshape(shape)


def plain(a):
    return [list(a.shape), [int(v) for v in a.reshape(-1)]]


def tensor_index(n, shared):
    """Positions for a dimension of size n that broadcast with the other tensors' shapes."""
    shape = [d if random.random() < .7 else 1 for d in shared[len(shared) - random.randint(0, len(shared)):]]
    if n == 0:
        shape = [0]
    return numbers(shape, -n if n else 0, max(n - 1, 0))


def range_index(n):
    def bound():
        return None if random.random() < .35 else random.randint(-n - 3, n + 3)
    return slice(bound(), bound(), random.choice([None, None, 1, 2, 3, -1, -1, -2, 7, -9]))


def indices(shape):
    """Random indices for a shape, as NumPy takes them and as they are written down."""
    out, text, d, ellipsis = [], [], 0, False
    shared = [random.choice([1, 2, 3, 3, 4]) for _ in range(random.choice([0, 1, 1, 2, 3]))]

    def add(ix, *form):
        out.append(ix)
        text.append(list(form))

    while d < len(shape) or random.random() < .2:
        k = random.random()
        if k < .1:
            add(None, "new")
        elif k < .18 and not ellipsis:
            ellipsis = True
            add(Ellipsis, "ellipsis")
            d = len(shape) - random.randint(0, len(shape) - d)
        elif k < .24:
            b = np.array(random.random() < .7)
            add(b, "mask", *plain(b))
        elif d == len(shape) or random.random() < .08:
            break
        elif k < .4:
            i = random.randint(-shape[d], shape[d] - 1) if shape[d] and random.random() < .97 else shape[d]
            add(i, "int", i)
            d += 1
        elif k < .65:
            s = range_index(shape[d])
            add(s, "range", s.start, s.stop, s.step)
            d += 1
        elif k < .87:
            t = tensor_index(shape[d], shared)
            add(t, "tensor", *plain(t))
            d += 1
        else:
            m = min(random.choice([1, 1, 2, 3]), len(shape) - d)
            p = random.choice([0, .2, .5, .9, 1])
            t = np.array([random.random() < p for _ in range(int(np.prod(shape[d:d + m])))], dtype=bool).reshape(shape[d:d + m])
            add(t, "mask", *plain(t))
            d += m
    return tuple(out), text


def value(shape):
    if random.random() < .3:
        v = random.randint(-9, 9)
        return v, v
    s = [1 if random.random() < .3 else n for n in shape[random.choice([0, 0, random.randint(0, len(shape))]):]]
    a = numbers(s)
    return a, plain(a)


def write(x, how, ix, v):
    if how == "set":
        x[ix] = v
        return
    whole = np.empty(x[ix].shape, dtype=np.int64)
    whole[...] = v
    COMBINE[how].at(x, ix, whole)


def view(x):
    kind = random.choice(["at", "permute", "expand", "diagonal"])
    if kind == "at":
        ix, text = indices(x.shape)
        return np.array(x[ix]), [kind, text]
    if kind == "permute":
        order = random.sample(range(x.ndim), x.ndim)
        return x.transpose(order).copy(), [kind, order]
    if kind == "expand":
        to = [2] + [3 if n == 1 else n for n in x.shape]
        return np.broadcast_to(x, to).copy(), [kind, to]
    if x.ndim < 2:
        return x.copy(), ["permute", list(range(x.ndim))]
    a, b = random.sample(range(x.ndim), 2)
    o = random.randint(-3, 3)
    return np.diagonal(x, o, a, b).copy(), [kind, [o, a, b]]


def target_size(x, views):
    return x.size and all(v.size for v in views)


def case():
    x = numbers([random.choice([0, 1, 2, 2, 3, 3, 4]) if random.random() < .5 else 3 for _ in range(random.choice([0, 1, 2, 2, 3, 3, 4]))], -99, 99)
    c, reads, views = {"x": plain(x), "steps": []}, [], []
    x = x.copy()
    try:
        for _ in range(random.choice([1, 1, 2])):
            k = random.random()
            if k < .45:
                ix, text = indices(x.shape)
                c["steps"].append(["at", text])
                reads.append(np.array(x[ix]))
                continue
            target, prefix = x, ""
            if k > .8:
                try:
                    target, text = view(x)
                except IndexError:
                    continue
                views.append(target)
                c["steps"].append(["view", *text])
                prefix = "view_"
            how = random.choice(["set", "set", *COMBINE])
            ix, text = indices(target.shape)
            try:
                part = target[ix].shape
            except IndexError:
                part = ()
            v, vtext = value(part)
            c["steps"].append([prefix + how, text, vtext])
            write(target, how, ix, v)
    except IndexError:
        c["out"] = None
        return c if target_size(x, views) else None  # whether positions of nothing are looked at differs from op to op
    except (ValueError, TypeError):  # what is refused about values is tested apart: NumPy's rules for scalars are its own
        return None
    c["out"] = [plain(a) for a in reads + [x] + views]
    return c


def main():
    random.seed(20261115)
    cases = [c for c in (case() for _ in range(1000)) if c and c["steps"]][:500]
    body = json.dumps({"numpy": np.__version__, "cases": cases}, separators=(",", ":")).encode()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "internal", "test", "golden", "testdata", "index.json.gz")
    with open(path, "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0) as z:
        z.write(body)
    print(len(cases), "cases,", sum(c["out"] is None for c in cases), "refused", file=sys.stderr)


main()
