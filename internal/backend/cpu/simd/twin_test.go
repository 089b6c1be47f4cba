package simd

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

type number interface {
	~uint8 | ~uint16 | ~uint32 | ~int8 | ~int16 | ~int32 | ~int64 | ~float32 | ~float64
}

// edges are the float32 values that arithmetic treats specially.
var edges = []uint32{
	0, 1 << 31, 1, 1<<31 | 1, 0x007fffff, 0x00800000, 0x807fffff, 0x80800000, 0x7f7fffff, 0xff7fffff,
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x3f800000, 0xbf800000, 0x3f000000, 0x42b17218,
}

// fill writes a mixture of edge values, bits at random and ordinary numbers.
func fill[T number](r *rand.Rand, x []T) {
	for i := range x {
		u := r.Uint64()
		var f32 uint32
		switch u % 4 {
		case 0:
			f32 = edges[u>>8%uint64(len(edges))]
		case 1:
			f32 = uint32(u >> 32)
		default:
			f32 = math.Float32bits(float32(r.NormFloat64() * 4))
		}
		switch p := any(&x[i]).(type) {
		case *float32:
			*p = math.Float32frombits(f32)
		case *float64:
			*p = float64(math.Float32frombits(f32)) * (1 + 0x1p-30)
		case *uint8:
			if *p = uint8(u >> 40); u>>50&1 == 0 {
				*p &= 3
			}
		case *int8:
			*p = int8(u >> 40)
		case *int16:
			*p = int16(u >> 40)
		case *uint32:
			*p = uint32(u >> 31)
		case *uint16:
			*p = uint16(u >> 40)
		case *int32:
			*p = int32(u >> 31)
		case *int64:
			*p = int64(r.Uint64())
		}
	}
}

// same compares bits, except that one NaN is as good as another.
func same[T number](a, b T) bool {
	if a != a || b != b {
		return a != a && b != b
	}
	return bytes.Equal(raw([]T{a}), raw([]T{b}))
}

func raw[T number](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}

func view[T number](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

func lengths() []int {
	var ns []int
	for n := range 131 {
		ns = append(ns, n)
	}
	return append(ns, 191, 192, 193, 255, 256, 257, 1000, 4096, 4099)
}

// checkMap runs f, with the given number of inputs, against its twin under every
// variant: at each length with fenced slices, at every alignment between canaries,
// in place, and element by element.
func checkMap[Z, X number](t *testing.T, f, twin func(z []Z, in [][]X), inputs int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	const most = 4100
	zs, xs := int(unsafe.Sizeof(*new(Z))), int(unsafe.Sizeof(*new(X)))
	want := make([]Z, most)
	data := make([][]X, inputs)
	for i := range data {
		data[i] = make([]X, most)
		fill(r, data[i])
	}
	cut := func(n int) [][]X {
		out := make([][]X, inputs)
		for i := range out {
			out[i] = data[i][:n]
		}
		return out
	}
	twin(want, cut(most))
	equal := func(what string, z []Z, from int) {
		t.Helper()
		for i := range z {
			if !same(z[i], want[from+i]) {
				t.Fatalf("%s: element %d of %d: got %v, twin %v, for inputs %v", what, i, len(z), z[i], want[from+i], column(data, from+i))
			}
		}
	}
	fences := func(atEnd bool) (z []byte, in [][]byte) {
		for range data {
			in = append(in, fence(t, most*xs, atEnd))
		}
		return fence(t, most*zs, atEnd), in
	}
	zEnd, inEnd := fences(true)
	zBegin, inBegin := fences(false)
	asmvariant.ForEach(t, "simd", func(name string) {
		for _, n := range lengths() {
			for i, z := range [][]byte{zEnd, zBegin} {
				in := make([][]X, inputs)
				for j := range in {
					if i == 0 {
						in[j] = view[X](inEnd[j][(most-n)*xs:])
					} else {
						in[j] = view[X](inBegin[j][:n*xs])
					}
					copy(in[j], data[j])
				}
				if i == 0 {
					z = z[(most-n)*zs:]
				} else {
					z = z[:n*zs]
				}
				f(view[Z](z), in)
				equal(fmt.Sprintf("%s, n=%d fenced", name, n), view[Z](z), 0)
			}
		}
		for off := range 64 {
			const n = 100
			buf := make([]Z, n+128)
			fill(rand.New(rand.NewPCG(3, uint64(off))), buf)
			old := bytes.Clone(raw(buf))
			in := make([][]X, inputs)
			for j := range in {
				in[j] = make([]X, most)[(off*(j+1))%61:][:n]
				copy(in[j], data[j])
			}
			f(buf[off:off+n], in)
			equal(fmt.Sprintf("%s, offset %d", name, off), buf[off:off+n], 0)
			now := raw(buf)
			if !bytes.Equal(now[:off*zs], old[:off*zs]) || !bytes.Equal(now[(off+n)*zs:], old[(off+n)*zs:]) {
				t.Fatalf("%s, offset %d: wrote outside", name, off)
			}
		}
		for i := range 300 {
			var z [1]Z
			in := make([][]X, inputs)
			for j := range in {
				in[j] = data[j][i : i+1]
			}
			f(z[:], in)
			equal(fmt.Sprintf("%s, alone, element %d", name, i), z[:], i)
		}
		if zs == xs {
			for j := range inputs {
				in := cut(1000)
				in[j] = append([]X(nil), in[j]...)
				z := view[Z](raw(in[j]))
				f(z, in)
				equal(fmt.Sprintf("%s, in place of input %d", name, j), z, 0)
			}
		}
	})
}

func column[X number](data [][]X, i int) []X {
	var out []X
	for _, d := range data {
		out = append(out, d[i])
	}
	return out
}

func testUnary[Z, X number](t *testing.T, name string, f, twin func(z []Z, x []X)) {
	t.Run(name, func(t *testing.T) {
		checkMap(t, func(z []Z, in [][]X) { f(z, in[0]) }, func(z []Z, in [][]X) { twin(z, in[0]) }, 1)
	})
}

func testBinary[Z, X number](t *testing.T, name string, f, twin func(z []Z, x, y []X)) {
	t.Run(name, func(t *testing.T) {
		checkMap(t, func(z []Z, in [][]X) { f(z, in[0], in[1]) }, func(z []Z, in [][]X) { twin(z, in[0], in[1]) }, 2)
	})
}

func testScalar[T number](t *testing.T, name string, f, twin func(z, x []T, a T)) {
	for _, a := range []T{3, 0} {
		testUnary(t, fmt.Sprintf("%s/%v", name, a), func(z, x []T) { f(z, x, a) }, func(z, x []T) { twin(z, x, a) })
	}
}
