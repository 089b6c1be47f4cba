//go:build liblucid

package main

// #include "internal.h"
import "C"

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/cabi"
)

//export lucidgo_tensor_copy
func lucidgo_tensor_copy(dt C.lucid_dtype, rank C.int32_t, shape *C.int64_t, data unsafe.Pointer, size C.size_t,
	out *C.lucid_tensor) C.lucid_status {
	if err := cabi.CheckShape("tensor_copy", int(rank), shape == nil, out == nil); err != nil {
		return done(err)
	}
	h, err := cabi.Copy(dtypeOf(dt), dims(shape, rank), data, int(size))
	*out = C.lucid_tensor(h)
	return done(err)
}

//export lucidgo_tensor_borrow
func lucidgo_tensor_borrow(dt C.lucid_dtype, rank C.int32_t, shape, strides *C.int64_t, data unsafe.Pointer, release,
	context C.uintptr_t, out *C.lucid_tensor) C.lucid_status {
	if err := cabi.CheckShape("tensor_borrow", int(rank), shape == nil, out == nil); err != nil {
		return done(err)
	}
	var f func()
	if release != 0 {
		f = func() { C.lucid_call_release(pointer(release), pointer(context)) }
	}
	h, err := cabi.Borrow(dtypeOf(dt), dims(shape, rank), dims(strides, rank), data, f)
	*out = C.lucid_tensor(h)
	return done(err)
}

//export lucidgo_tensor_borrow_cuda
func lucidgo_tensor_borrow_cuda(dt C.lucid_dtype, rank C.int32_t, shape, strides *C.int64_t, data C.uintptr_t, index C.int32_t, release,
	context C.uintptr_t, out *C.lucid_tensor) C.lucid_status {
	if err := cabi.CheckShape("tensor_from_dlpack", int(rank), shape == nil, out == nil); err != nil {
		return done(err)
	}
	f := func() { C.lucid_call_release(pointer(release), pointer(context)) }
	h, err := cabi.BorrowOn("cuda", int(index), dtypeOf(dt), dims(shape, rank), dims(strides, rank), uintptr(data), f)
	*out = C.lucid_tensor(h)
	return done(err)
}

// pointer is an address of the caller: it is never followed here.
func pointer(a C.uintptr_t) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }

//export lucidgo_tensor_describe
func lucidgo_tensor_describe(t C.lucid_tensor, out *C.lucid_tensor_info) C.lucid_status {
	if err := missing("tensor_describe", unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	i, err := cabi.InfoOf(cabi.Handle(t))
	if err != nil {
		return done(err)
	}
	*out = C.lucid_tensor_info{dtype: C.lucid_dtype(i.DType), rank: C.int32_t(len(i.Shape)), device_index: C.int32_t(i.Device.Index)}
	n := i.DType.Size()
	for k, d := range i.Shape {
		out.shape[k] = C.int64_t(d)
		n *= d
	}
	out.size = C.size_t(n)
	text(out.device[:], i.Device.Type)
	return C.LUCID_OK
}

//export lucidgo_tensor_eval
func lucidgo_tensor_eval(ts *C.lucid_tensor, n C.size_t) C.lucid_status {
	return done(cabi.Eval(list((*cabi.Handle)(ts), n)))
}

//export lucidgo_tensor_read
func lucidgo_tensor_read(t C.lucid_tensor, data unsafe.Pointer, size C.size_t) C.lucid_status {
	return done(cabi.Read(cabi.Handle(t), data, int(size)))
}

//export lucidgo_tensor_data
func lucidgo_tensor_data(t C.lucid_tensor, data *C.uintptr_t, size *C.size_t) C.lucid_status {
	if err := missing("tensor_data", unsafe.Pointer(data)); err != nil {
		return done(err)
	}
	p, n, err := cabi.Data(cabi.Handle(t))
	*data = C.uintptr_t(uintptr(p))
	if size != nil {
		*size = C.size_t(n)
	}
	return done(err)
}

//export lucidgo_tensor_lend
func lucidgo_tensor_lend(t C.lucid_tensor, out *C.lucid_elements) C.lucid_status {
	e, err := cabi.Lend(cabi.Handle(t))
	if err != nil {
		return done(err)
	}
	out.dtype, out.rank, out.handle = C.lucid_dtype(e.DType), C.int32_t(len(e.Shape)), C.lucid_tensor(e.Handle)
	for k := range e.Shape {
		out.shape[k], out.strides[k] = C.int64_t(e.Shape[k]), C.int64_t(e.Strides[k])
	}
	// The table of handles holds the elements; Go does not move them.
	*(*uintptr)(unsafe.Pointer(&out.data)) = uintptr(e.Data)
	out.device_type = 1
	if !e.Device.Host { // the only such device is CUDA's
		*(*uintptr)(unsafe.Pointer(&out.data)) = e.At
		out.device_type, out.device_id = 2, C.int32_t(e.Device.Index)
	}
	return C.LUCID_OK
}

//export lucidgo_tensor_to
func lucidgo_tensor_to(t C.lucid_tensor, device *C.char, index C.int32_t, out *C.lucid_tensor) C.lucid_status {
	if err := missing("tensor_to", unsafe.Pointer(device), unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	h, err := cabi.To(cabi.Handle(t), C.GoString(device), int(index))
	*out = C.lucid_tensor(h)
	return done(err)
}

//export lucidgo_tensor_retain
func lucidgo_tensor_retain(t C.lucid_tensor, out *C.lucid_tensor) C.lucid_status {
	if err := missing("tensor_retain", unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	h, err := cabi.Retain(cabi.Handle(t))
	*out = C.lucid_tensor(h)
	return done(err)
}

//export lucidgo_tensor_free
func lucidgo_tensor_free(t C.lucid_tensor) { cabi.Free(cabi.Handle(t)) }

//export lucidgo_tensor_count
func lucidgo_tensor_count() C.int64_t { return C.int64_t(cabi.Live()) }
