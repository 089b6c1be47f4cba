package codectest

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Shapes are those every format must carry: a scalar, empty ones, a vector, a matrix, more.
var Shapes = [][]int{{}, {0}, {5}, {2, 3}, {3, 0, 2}, {2, 3, 4}}

// Tensor has the golden content of that dtype and shape, named as "float32_2x3"; a scalar is "float32_s".
func Tensor(d dtype.DType, shape []int) codec.Tensor {
	n, _ := codec.Bytes(d, shape)
	data := make([]byte, n)
	for i := range int(n) / d.Size() {
		d.Put(data, i, element(d, i))
	}
	return codec.Tensor{Name: Name(d, shape), DType: d, Shape: shape, Data: data}
}

// Name is the golden name of a dtype and shape.
func Name(d dtype.DType, shape []int) string {
	if len(shape) == 0 {
		return d.String() + "_s"
	}
	return d.String() + "_" + strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", "x")
}

// element is the formula: make.py has the same.
func element(d dtype.DType, i int) dtype.Scalar {
	switch d.Kind() {
	case dtype.KindBool:
		s, _ := dtype.ScalarOf(i%3 == 0)
		return s
	case dtype.KindUint, dtype.KindInt:
		s, _ := dtype.ScalarOf(i*7 - 5) // wraps for unsigned
		return s
	}
	f := float64(i)*0.5 - 1.25
	switch i {
	case 2:
		f = math.Inf(1)
	case 3:
		f = math.Copysign(0, -1)
	}
	if d.IsComplex() {
		s, _ := dtype.ScalarOf(complex(f, 2-float64(i)))
		return s
	}
	s, _ := dtype.ScalarOf(f)
	return s
}

// File has every dtype of ds in every shape.
func File(ds []dtype.DType) codec.File {
	var f codec.File
	for _, d := range ds {
		for _, s := range Shapes {
			f.Tensors = append(f.Tensors, Tensor(d, s))
		}
	}
	return f
}

// Without lists all dtypes but these.
func Without(ds ...dtype.DType) []dtype.DType {
	return slices.DeleteFunc(dtype.All(), func(d dtype.DType) bool { return slices.Contains(ds, d) })
}

// Diff says how got differs from want in content, "" if it does not. Order counts only if asked.
func Diff(got, want codec.File, ordered bool) string {
	if len(got.Tensors) != len(want.Tensors) {
		return fmt.Sprintf("%d tensors, want %d", len(got.Tensors), len(want.Tensors))
	}
	for i, w := range want.Tensors {
		g, ok := got.Find(w.Name)
		if ordered {
			g, ok = got.Tensors[i], got.Tensors[i].Name == w.Name
		}
		if !ok {
			return fmt.Sprintf("tensor %d: no %q", i, w.Name)
		}
		if d := DiffTensor(g, w); d != "" {
			return d
		}
	}
	if !maps.Equal(got.Metadata, want.Metadata) {
		return fmt.Sprintf("metadata %v, want %v", got.Metadata, want.Metadata)
	}
	return ""
}

// DiffTensor compares one tensor bit by bit.
func DiffTensor(got, want codec.Tensor) string {
	switch {
	case got.DType != want.DType:
		return fmt.Sprintf("%s: dtype %s, want %s", want.Name, got.DType, want.DType)
	case !slices.Equal(got.Shape, want.Shape):
		return fmt.Sprintf("%s: shape %v, want %v", want.Name, got.Shape, want.Shape)
	case !bytes.Equal(got.Data, want.Data):
		return fmt.Sprintf("%s: data %x, want %x", want.Name, got.Data, want.Data)
	}
	return ""
}
