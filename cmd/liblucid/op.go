//go:build liblucid

package main

// #include "internal.h"
import "C"

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/cabi"
	"github.com/lucid-go/lucid/internal/schema"
)

//export lucidgo_op_find
func lucidgo_op_find(name *C.char, out *C.lucid_op) C.lucid_status {
	if err := missing("op_find", unsafe.Pointer(name), unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	op, err := cabi.FindOp(C.GoString(name))
	*out = C.lucid_op(op)
	return done(err)
}

//export lucidgo_op_call
func lucidgo_op_call(op C.lucid_op, inputs *C.lucid_tensor, n C.size_t, attrs *C.lucid_attr, numAttrs C.size_t, outs *C.lucid_tensor,
	count *C.size_t) C.lucid_status {
	if count == nil {
		return done(missing("op_call", nil))
	}
	var few [4]schema.Attr
	table, err := attributes(few[:0], list(attrs, numAttrs))
	if err != nil {
		return done(err)
	}
	k, err := cabi.Call(int(op), list((*cabi.Handle)(inputs), n), table, list((*cabi.Handle)(outs), *count))
	*count = C.size_t(k)
	return done(err)
}

// attributes reads the tagged values. Names are used during the call only, so they stay where they are.
func attributes(table []schema.Attr, list []C.lucid_attr) ([]schema.Attr, error) {
	for i := range list {
		a := &list[i]
		if a.name == nil {
			return nil, missing("op_call", nil)
		}
		name := unsafe.String((*byte)(unsafe.Pointer(a.name)), length(a.name))
		v, err := attribute(name, int32(a.tag), unsafe.Pointer(&a.value), a.count)
		if err != nil {
			return nil, err
		}
		table = append(table, schema.Attr{Name: name, Value: v})
	}
	return table, nil
}

// length is strlen, without the cost of a call from Go to C.
func length(s *C.char) (n int) {
	for *(*byte)(unsafe.Add(unsafe.Pointer(s), n)) != 0 {
		n++
	}
	return n
}

func attribute(name string, tag int32, value unsafe.Pointer, count C.size_t) (any, error) {
	switch tag {
	case C.LUCID_ATTR_BOOL:
		return *(*int64)(value) != 0, nil
	case C.LUCID_ATTR_INT:
		return int(*(*int64)(value)), nil
	case C.LUCID_ATTR_FLOAT:
		return *(*float64)(value), nil
	case C.LUCID_ATTR_DTYPE:
		return dtypeOf(C.lucid_dtype(*(*int64)(value))), nil
	case C.LUCID_ATTR_STRING:
		if p := *(**C.char)(value); p != nil {
			return C.GoString(p), nil
		}
	case C.LUCID_ATTR_INTS:
		if p := *(**int64)(value); p != nil || count == 0 {
			return cabi.Ints(unsafe.Slice(p, int(count))), nil
		}
	case C.LUCID_ATTR_FLOATS:
		if p := *(**float64)(value); p != nil || count == 0 {
			return append([]float64{}, unsafe.Slice(p, int(count))...), nil
		}
	default:
		return nil, cabi.BadTag(name, tag)
	}
	return nil, missing("op_call", nil)
}
