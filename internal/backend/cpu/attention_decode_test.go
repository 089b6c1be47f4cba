package cpu

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestAttentionDecodeRows: a few rows, which read keys and values without a copy, have the bits of the same rows among many.
func TestAttentionDecodeRows(t *testing.T) {
	const n, h, g, l, s, e, f = 2, 4, 2, 20, 700, 24, 40
	r := rand.New(rand.NewPCG(1, 3))
	random := func(d dtype.DType, dims ...int) backend.View {
		v := outputOf(d, dims)
		for i := range v.Numel() {
			d.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: r.NormFloat64()})
		}
		return v
	}
	// packedHeads has heads side by side, as a projection leaves them.
	packedHeads := func(v backend.View) backend.View {
		d := v.Shape.Dims()
		return backend.View{Buf: v.Buf, DType: v.DType, Shape: shape.Of("test", d[0], d[2], d[1], d[3]),
			Lay: &shape.Layout{Strides: []int{d[1] * d[2] * d[3], d[3], d[2] * d[3], 1}}}
	}
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16} {
		keys, values := random(d, n, g, s, e), random(d, n, g, s, f)
		k2, v2 := packedHeads(random(d, n, s, g, e)), packedHeads(random(d, n, s, g, f))
		q, mask := random(d, n, h, l, e), random(d, l, s)
		for _, in := range [][]backend.View{{keys, values}, {k2, v2}, {keys, values, mask}} {
			sums := d
			if d.IsHalf() {
				sums = dtype.Float32
			}
			run := func(from, rows int) backend.View {
				part := q
				part.Shape, part.Lay = shape.Of("test", n, h, rows, e),
					&shape.Layout{Strides: []int{h * l * e, l * e, e, 1}, Offset: from * e}
				all := []backend.View{part, in[0], in[1]}
				if len(in) > 2 {
					all = append(all, backend.View{Buf: mask.Buf, DType: d, Shape: shape.Of("test", 1, 1, rows, s),
						Lay: &shape.Layout{Strides: []int{0, 0, s, 1}, Offset: from * s}})
				}
				out := []backend.View{outputOf(d, []int{n, h, rows, f}), outputOf(sums, []int{n, h, rows})}
				if err := attention(testCtx(), attr.Attention{Scale: 0.2}, out, all); err != nil {
					t.Fatal(err)
				}
				return out[0]
			}
			whole, size := run(0, l), f*d.Size()
			for from := 0; from < l; {
				rows := min(1+from%3*3, l-from)
				few := run(from, rows)
				for head := range n * h {
					if got, want := few.Bytes()[head*rows*size:][:rows*size],
						whole.Bytes()[(head*l+from)*size:][:rows*size]; !bytes.Equal(got, want) {
						t.Fatalf("%v, mask %v: rows %d to %d of head %d differ", d, len(in) > 2, from, from+rows, head)
					}
				}
				from += rows
			}
		}
	}
}

// TestAttentionSharedKeys: heads that share their keys, and run together, have the bits that each has alone: with causal rows, and with a
// mask for each head.
func TestAttentionSharedKeys(t *testing.T) {
	for _, x := range [][3]int{{12, 3, 2}, {14, 2, 1}, {7, 1, 1}, {10, 2, 3}, {4, 1, 1}} { // seven heads are three and four
		testSharedKeys(t, x[0], x[1], x[2])
	}
}

func testSharedKeys(t *testing.T, h, g, l int) {
	const n, s, e, f = 1, 530, 16, 24
	r := rand.New(rand.NewPCG(1, 5))
	random := func(dims ...int) backend.View {
		v := outputOf(dtype.Float32, dims)
		x := backend.Slice[float32](v)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return v
	}
	q, k, v := random(n, h, l, e), random(n, g, s, e), random(n, g, s, f)
	seen := outputOf(dtype.Bool, []int{n, h, l, s})
	for i := range seen.Bytes() {
		seen.Bytes()[i] = byte(r.IntN(2))
	}
	// alone is a part of one head.
	alone := func(x backend.View, head, rows, cols int) backend.View {
		x.Shape, x.Lay = shape.Of("test", 1, 1, rows, cols), &shape.Layout{Strides: []int{rows * cols, rows * cols, cols, 1},
			Offset: head * rows * cols}
		return x
	}
	for _, masked := range []bool{false, true} {
		a := attr.Attention{Scale: 0.3, Causal: !masked}
		run := func(in ...backend.View) backend.View {
			heads := in[0].Shape.Dim(1)
			out := []backend.View{outputOf(dtype.Float32, []int{n, heads, l, f}), outputOf(dtype.Float32, []int{n, heads, l})}
			if !masked {
				in = in[:3]
			}
			if err := attention(testCtx(), a, out, in); err != nil {
				t.Fatal(err)
			}
			return out[0]
		}
		all := run(q, k, v, seen)
		for head := range h {
			one := run(alone(q, head, l, e), alone(k, head*g/h, s, e), alone(v, head*g/h, s, f), alone(seen, head, l, s))
			if size := 4 * l * f; !bytes.Equal(all.Bytes()[head*size:][:size], one.Bytes()) {
				t.Errorf("%d heads of %d, %d rows, mask %v: head %d differs", h, g, l, masked, head)
			}
		}
	}
}
