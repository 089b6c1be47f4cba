package cpu

import (
	"sync"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// Special functions that have kernels of float64 only: those of float32 go through them, tile by tile, and are rounded once.

// wideTile has room for what such a function needs.
type wideTile [7][tileElems]float64

var wideTiles = sync.Pool{New: func() any { return new(wideTile) }}

// wide1 makes kernels of one operand.
func wide1(f func(z, x []float64)) byDType {
	return onFloats(vec1(func(z, x []float32) {
		buf := wideTiles.Get().(*wideTile)
		defer wideTiles.Put(buf)
		for at := 0; at < len(z); at += tileElems {
			n := min(len(z)-at, tileElems)
			t := buf[0][:n]
			simd.F32ToF64(t, x[at:at+n])
			f(t, t)
			simd.F64ToF32(z[at:at+n], t)
		}
	}), vec1(f))
}

// wide2 makes kernels of two operands.
func wide2(f func(z, x, y []float64)) byDType {
	return onFloats(vec2(func(z, x, y []float32) {
		buf := wideTiles.Get().(*wideTile)
		defer wideTiles.Put(buf)
		for at := 0; at < len(z); at += tileElems {
			n := min(len(z)-at, tileElems)
			a, b := buf[0][:n], buf[1][:n]
			simd.F32ToF64(a, x[at:at+n])
			simd.F32ToF64(b, y[at:at+n])
			f(a, a, b)
			simd.F64ToF32(z[at:at+n], a)
		}
	}), vec2(f))
}
