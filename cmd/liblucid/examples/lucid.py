"""Lucid from Python by ctypes: tensors that share memory with NumPy, PyTorch and others by DLPack, ops, exported functions.

The library is found by LUCID_LIBRARY, or as liblucid.so where the system looks.
"""

import ctypes
import os

lib = ctypes.CDLL(os.environ.get("LUCID_LIBRARY", "liblucid.so"))
capsule = ctypes.pythonapi
capsule.PyCapsule_GetPointer.restype = ctypes.c_void_p
capsule.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule.PyCapsule_New.restype = ctypes.py_object
capsule.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
lib.lucid_last_error.restype = ctypes.c_char_p
lib.lucid_version.restype = ctypes.c_char_p
lib.lucid_tensor_free.restype = None
lib.lucid_tensor_free.argtypes = [ctypes.c_uint64]
lib.lucid_function_free.restype = None
lib.lucid_function_free.argtypes = [ctypes.c_uint64]
lib.lucid_tensor_count.restype = ctypes.c_int64

MAX_RANK = 16
DTYPES = ["", "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
          "float64", "complex64", "complex128"]


class LucidError(Exception):
    """What lucid_last_error says."""


def check(status):
    if status:
        raise LucidError(lib.lucid_last_error().decode())


class Info(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int32), ("rank", ctypes.c_int32), ("shape", ctypes.c_int64 * MAX_RANK), ("size", ctypes.c_size_t),
                ("device", ctypes.c_char * 16), ("device_index", ctypes.c_int32)]


class Value(ctypes.Union):
    _fields_ = [("i", ctypes.c_int64), ("f", ctypes.c_double), ("s", ctypes.c_char_p), ("ints", ctypes.POINTER(ctypes.c_int64)),
                ("floats", ctypes.POINTER(ctypes.c_double))]


class Attr(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("tag", ctypes.c_int32), ("reserved", ctypes.c_int32), ("value", Value),
                ("count", ctypes.c_size_t)]


def attr(name, value):
    """A Python value as a tagged attribute."""
    a = Attr(name=name.encode())
    if isinstance(value, bool):
        a.tag, a.value.i = 1, value
    elif isinstance(value, int):
        a.tag, a.value.i = 2, value
    elif isinstance(value, float):
        a.tag, a.value.f = 3, value
    elif isinstance(value, str) and value in DTYPES:
        a.tag, a.value.i = 5, DTYPES.index(value)
    elif isinstance(value, str):
        a.tag, a.value.s = 4, value.encode()
    elif all(isinstance(v, int) for v in value):
        a.tag, a.count, a.value.ints = 6, len(value), (ctypes.c_int64 * len(value))(*value)
    else:
        a.tag, a.count, a.value.floats = 7, len(value), (ctypes.c_double * len(value))(*value)
    return a


# The two forms of a capsule: its name, the offset of the deleter in the struct, and the functions.
PLAIN, VERSIONED = (b"dltensor", 56, "lucid_tensor_%s_dlpack"), (b"dltensor_versioned", 16, "lucid_tensor_%s_dlpack_versioned")


def _destructor(name, offset):
    """Ends a managed tensor that was not taken out of its capsule."""

    def end(cap):
        pointer = capsule_pointer(cap, name)
        if pointer:
            deleter = ctypes.cast(pointer + offset, ctypes.POINTER(ctypes.c_void_p))[0]
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(pointer)

    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(end)


def capsule_pointer(cap, name):
    valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", capsule))
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", capsule))
    return get(cap, name) if valid(cap, name) else None


DESTRUCTORS = {form[0]: _destructor(form[0], form[1]) for form in (PLAIN, VERSIONED)}


class Tensor:
    """A tensor. np.from_dlpack(t) and torch.from_dlpack(t) show its elements without a copy."""

    def __init__(self, handle):
        self.handle = handle

    def __del__(self):
        lib.lucid_tensor_free(self.handle)

    @classmethod
    def of(cls, array):
        """The elements of an array of any library that has DLPack, without a copy: they must not change as long as they are needed."""
        try:
            cap, form = array.__dlpack__(max_version=(1, 0)), VERSIONED
        except TypeError:  # it does not know versions
            cap, form = array.__dlpack__(), PLAIN
        if '"dltensor"' in repr(cap):
            form = PLAIN
        out = ctypes.c_uint64()
        pointer = capsule.PyCapsule_GetPointer(cap, form[0])
        check(getattr(lib, form[2] % "from")(ctypes.c_void_p(pointer), ctypes.byref(out)))
        capsule.PyCapsule_SetName(cap, USED[form[0]])  # it is ours now
        return cls(out.value)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        name, _, function = VERSIONED if max_version and max_version[0] >= 1 else PLAIN
        out = ctypes.c_void_p()
        check(getattr(lib, function % "to")(ctypes.c_uint64(self.handle), ctypes.byref(out)))
        return capsule.PyCapsule_New(out, name, ctypes.cast(DESTRUCTORS[name], ctypes.c_void_p))

    def __dlpack_device__(self):
        return (1, 0)  # host memory

    @property
    def info(self):
        i = Info()
        check(lib.lucid_tensor_describe(ctypes.c_uint64(self.handle), ctypes.byref(i)))
        return i

    @property
    def shape(self):
        i = self.info
        return tuple(i.shape[:i.rank])

    @property
    def dtype(self):
        return DTYPES[self.info.dtype]


USED = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}


def call(name, *tensors, room=8, **attrs):
    """Calls an op: call("sum", x, dim=0, keepdim=True). It returns a list of tensors."""
    op = ctypes.c_int32()
    check(lib.lucid_op_find(name.encode(), ctypes.byref(op)))
    ins = (ctypes.c_uint64 * len(tensors))(*(t.handle if t is not None else 0 for t in tensors))
    table = (Attr * len(attrs))(*(attr(k, v) for k, v in attrs.items()))
    outs, count = (ctypes.c_uint64 * room)(), ctypes.c_size_t(room)
    check(lib.lucid_op_call(op, ins, ctypes.c_size_t(len(tensors)), table, ctypes.c_size_t(len(attrs)), outs, ctypes.byref(count)))
    return [Tensor(outs[i]) for i in range(count.value)]


class Function:
    """An exported function, from a path or from bytes."""

    def __init__(self, source):
        handle = ctypes.c_uint64()
        if isinstance(source, bytes):
            check(lib.lucid_function_load_bytes(source, ctypes.c_size_t(len(source)), ctypes.byref(handle)))
        else:
            check(lib.lucid_function_load(os.fsencode(source), ctypes.byref(handle)))
        self.handle = handle.value

    def __del__(self):
        if hasattr(self, "handle"):
            lib.lucid_function_free(self.handle)

    def __call__(self, *tensors, room=16):
        ins = (ctypes.c_uint64 * len(tensors))(*(t.handle for t in tensors))
        outs, count = (ctypes.c_uint64 * room)(), ctypes.c_size_t(room)
        check(lib.lucid_function_call(ctypes.c_uint64(self.handle), ins, ctypes.c_size_t(len(tensors)), outs, ctypes.byref(count)))
        return [Tensor(outs[i]) for i in range(count.value)]
