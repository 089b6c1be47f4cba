//go:build liblucid

package main

// #include "internal.h"
import "C"

import (
	"unsafe"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/cabi"
)

//export lucidgo_function_load
func lucidgo_function_load(path *C.char, out *C.lucid_function) C.lucid_status {
	if err := missing("function_load", unsafe.Pointer(path), unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	h, err := cabi.Load(C.GoString(path))
	*out = C.lucid_function(h)
	return done(err)
}

//export lucidgo_function_load_bytes
func lucidgo_function_load_bytes(data unsafe.Pointer, size C.size_t, out *C.lucid_function) C.lucid_status {
	if err := missing("function_load_bytes", data, unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	h, err := cabi.LoadBytes(unsafe.Slice((*byte)(data), int(size)))
	*out = C.lucid_function(h)
	return done(err)
}

//export lucidgo_function_named
func lucidgo_function_named(f C.lucid_function, name *C.char, out *C.lucid_function) C.lucid_status {
	if err := missing("function_named", unsafe.Pointer(name), unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	h, err := cabi.Named(cabi.Handle(f), C.GoString(name))
	*out = C.lucid_function(h)
	return done(err)
}

//export lucidgo_function_signatures
func lucidgo_function_signatures(f C.lucid_function, out *C.size_t) C.lucid_status {
	if err := missing("function_signatures", unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	list, err := cabi.Signatures(cabi.Handle(f))
	*out = C.size_t(len(list))
	return done(err)
}

//export lucidgo_function_arity
func lucidgo_function_arity(f C.lucid_function, signature C.size_t, inputs, outputs *C.size_t) C.lucid_status {
	s, err := cabi.Signature(cabi.Handle(f), uint64(signature))
	if err != nil {
		return done(err)
	}
	if inputs != nil {
		*inputs = C.size_t(len(s.Inputs))
	}
	if outputs != nil {
		*outputs = C.size_t(len(s.Outputs))
	}
	return C.LUCID_OK
}

//export lucidgo_function_describe
func lucidgo_function_describe(f C.lucid_function, signature C.size_t, output C.int32_t, index C.size_t,
	out *C.lucid_tensor_info) C.lucid_status {
	if err := missing("function_describe", unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	s, err := cabi.SpecOf(cabi.Handle(f), uint64(signature), output != 0, uint64(index))
	if err != nil {
		return done(err)
	}
	*out = C.lucid_tensor_info{dtype: C.lucid_dtype(s.DType), rank: C.int32_t(len(s.Shape))}
	n := s.DType.Size()
	for k, d := range s.Shape {
		out.shape[k] = C.int64_t(d)
		n *= max(d, 0)
	}
	out.size = C.size_t(n)
	d := lucid.DefaultDevice()
	text(out.device[:], d.Type)
	out.device_index = C.int32_t(d.Index)
	return C.LUCID_OK
}

//export lucidgo_function_call
func lucidgo_function_call(f C.lucid_function, inputs *C.lucid_tensor, n C.size_t, outs *C.lucid_tensor, count *C.size_t) C.lucid_status {
	if err := missing("function_call", unsafe.Pointer(count)); err != nil {
		return done(err)
	}
	k, err := cabi.CallFunction(cabi.Handle(f), list((*cabi.Handle)(inputs), n), list((*cabi.Handle)(outs), *count))
	*count = C.size_t(k)
	return done(err)
}

//export lucidgo_function_run
func lucidgo_function_run(f C.lucid_function, inputs *C.lucid_buffer, n C.size_t, outputs *C.lucid_buffer, count *C.size_t) C.lucid_status {
	if err := missing("function_run", unsafe.Pointer(count)); err != nil {
		return done(err)
	}
	in, out := buffers(list(inputs, n)), list(outputs, *count)
	res := buffers(out)
	k, err := cabi.Run(cabi.Handle(f), in, res)
	*count = C.size_t(k)
	for i := range min(k, len(out)) {
		r, o := &res[i], &out[i]
		o.size, o.dtype, o.rank = C.size_t(r.Size), C.lucid_dtype(r.DType), C.int32_t(len(r.Shape))
		for d := range r.Shape {
			o.shape[d] = C.int64_t(r.Shape[d])
		}
	}
	return done(err)
}

func buffers(list []C.lucid_buffer) []cabi.Buffer {
	out := make([]cabi.Buffer, len(list))
	for i := range list {
		b := &list[i]
		rank := max(0, min(int(b.rank), cabi.MaxRank))
		shape := make([]int64, rank, cabi.MaxRank)
		for d := range rank {
			shape[d] = int64(b.shape[d])
		}
		out[i] = cabi.Buffer{Data: b.data, Size: int(b.size), DType: dtypeOf(b.dtype), Shape: shape}
	}
	return out
}

//export lucidgo_function_free
func lucidgo_function_free(f C.lucid_function) { cabi.FreeFunction(cabi.Handle(f)) }
