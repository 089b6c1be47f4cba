package cpu

import (
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// widened has a tile of each operand of a half type as float32, pooled between calls.
type widened struct{ z, x, y, w [tileElems]float32 }

var widenedTiles = sync.Pool{New: func() any { return new(widened) }}

type (
	widening  func(z []float32, x unsafe.Pointer)
	narrowing func(z unsafe.Pointer, x []float32)
)

func widenBF16(z []float32, x unsafe.Pointer)  { simd.BF16ToF32(z, elems[uint16](x, len(z))) }
func narrowBF16(z unsafe.Pointer, x []float32) { simd.F32ToBF16(elems[uint16](z, len(x)), x) }
func widenF16(z []float32, x unsafe.Pointer)   { simd.F16ToF32(z, elems[uint16](x, len(z))) }
func narrowF16(z unsafe.Pointer, x []float32)  { simd.F32ToF16(elems[uint16](z, len(x)), x) }

// widen fills the operands' tiles from element at on and returns their addresses.
func (t *widened) widen(widen widening, at, m int, x, y, w unsafe.Pointer) (unsafe.Pointer, unsafe.Pointer, unsafe.Pointer) {
	widen(t.x[:m], unsafe.Add(x, 2*at))
	x = unsafe.Pointer(&t.x)
	if y != nil {
		widen(t.y[:m], unsafe.Add(y, 2*at))
		y = unsafe.Pointer(&t.y)
	}
	if w != nil {
		widen(t.w[:m], unsafe.Add(w, 2*at))
		w = unsafe.Pointer(&t.w)
	}
	return x, y, w
}

// halved runs a float32 kernel over half operands, rounding once at the end.
func halved(f Block, widen widening, narrow narrowing) Block {
	return func(n int, z, x, y, w unsafe.Pointer, a attr.Attr) {
		t := widenedTiles.Get().(*widened)
		for at := 0; at < n; at += tileElems {
			m := min(tileElems, n-at)
			fx, fy, fw := t.widen(widen, at, m, x, y, w)
			f(m, unsafe.Pointer(&t.z), fx, fy, fw, a)
			narrow(unsafe.Add(z, 2*at), t.z[:m])
		}
		widenedTiles.Put(t)
	}
}

// halvedTo runs a float32 kernel whose result is not a half, its elements being of the given size.
func halvedTo(size int, f Block, widen widening) Block {
	return func(n int, z, x, y, w unsafe.Pointer, a attr.Attr) {
		t := widenedTiles.Get().(*widened)
		for at := 0; at < n; at += tileElems {
			m := min(tileElems, n-at)
			fx, fy, fw := t.widen(widen, at, m, x, y, w)
			f(m, unsafe.Add(z, size*at), fx, fy, fw, a)
		}
		widenedTiles.Put(t)
	}
}
