package model

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// NewQuantizedCache is NewCache with keys and values as int8: a quarter of the memory of float32. Each vector has a scale of its own; the
// scales follow the values, as (1, heads, capacity, 1) of float32. Step tells them by the dtype.
func (m *Model) NewQuantizedCache(capacity int) (cache []*lucid.Tensor) {
	w := m.Placement()
	var scales []*lucid.Tensor
	for _, t := range m.NewCache(1) {
		heads, size := t.Size(1), t.Size(3)
		t.Free()
		cache = append(cache, lucid.With{DType: lucid.Int8, Device: w.Device}.Zeros(1, heads, capacity, size).Contiguous())
		scales = append(scales, lucid.With{DType: lucid.Float32, Device: w.Device}.Zeros(1, heads, capacity, 1).Contiguous())
	}
	cache = append(cache, scales...)
	if err := lucid.Eval(cache...); err != nil {
		fault.Rethrow(op, err)
	}
	return cache
}

// smallestScale stands for the scale of a vector of zeros.
const smallestScale = 1e-30

// storeQuantized is store for a cache of int8.
func (r *row) storeQuantized(i int, x *lucid.Tensor) *lucid.Tensor {
	data, scale := r.cache[i], r.cache[len(r.cache)/2+i]
	v, s := quantized(x)
	data.Assign(data.DynamicSliceUpdate(v, r.start, []int{2}))
	scale.Assign(scale.DynamicSliceUpdate(s, r.start, []int{2}))
	return data.To(lucid.Float32).Mul(scale).To(x.DType())
}

// quantized are vectors as int8, and their scales.
func quantized(x *lucid.Tensor) (v, scales *lucid.Tensor) {
	f := x.To(lucid.Float32)
	s := lucid.Amax(f.Abs(), lucid.ReduceOptions{Dim: []int{-1}, KeepDim: true}).Div(127).Maximum(smallestScale)
	return f.Div(s).Round().To(lucid.Int8), s
}
