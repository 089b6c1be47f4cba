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

// TestPagedAttentionBits: keys and values in blocks of a pool give the bits of the same ones one behind the other, wherever the blocks are,
// for each text alone and for several at once.
func TestPagedAttentionBits(t *testing.T) {
	const h, g, e, f, block, pool, keys, texts = 4, 2, 24, 40, 32, 60, 1536, 3
	const each = keys / block
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16} {
		for _, l := range []int{1, 3, 70} {
			for name, table := range map[string]func(r *rand.Rand, n, i int) int{
				"in order":   func(_ *rand.Rand, n, i int) int { return n + i },
				"two runs":   func(_ *rand.Rand, n, i int) int { return (i + 20 + n) % each },
				"backwards":  func(_ *rand.Rand, n, i int) int { return pool - 1 - n - i },
				"everywhere": func(r *rand.Rand, _, _ int) int { return r.IntN(pool) },
			} {
				r := rand.New(rand.NewPCG(5, uint64(l)))
				random := func(dims ...int) backend.View {
					v := outputOf(d, dims)
					for i := range v.Numel() {
						d.Put(v.Buf.Mem, i, dtype.Scalar{Kind: dtype.KindFloat, F: r.NormFloat64()})
					}
					return v
				}
				q, k, v := random(texts, h, l, e), random(1, g, pool*block, e), random(1, g, pool*block, f)
				at, mask := outputOf(dtype.Int64, []int{texts, each}), outputOf(dtype.Bool, []int{texts, 1, l, keys})
				clear(mask.Bytes())
				for n := range texts {
					for i := range each {
						dtype.Int64.Put(at.Buf.Mem, n*each+i, dtype.Scalar{Kind: dtype.KindInt, I: int64(table(r, n, i))})
					}
					for i := range l {
						for j := range []int{1400, 130, 700}[n] + i {
							mask.Bytes()[(n*l+i)*keys+j] = 1
						}
					}
				}
				sums := d
				if d.IsHalf() {
					sums = dtype.Float32
				}
				results := func(n int) []backend.View {
					return []backend.View{outputOf(d, []int{n, h, l, f}), outputOf(sums, []int{n, h, l})}
				}
				all := results(texts)
				how := attr.Paged{Scale: 0.2, Block: block}
				if err := pagedAttention(testCtx(), how, all, []backend.View{q, k, v, at, mask}); err != nil {
					t.Fatal(err)
				}
				for n := range texts {
					own := func(x backend.View) backend.View { // the example n
						s := x.Shape.Dims()
						size := x.Numel() / s[0]
						x.Lay = &shape.Layout{Strides: x.Strides(), Offset: n * size}
						x.Shape = shape.Of("test", append([]int{1}, s[1:]...)...)
						return x
					}
					gather := func(x backend.View, w int) backend.View {
						y := outputOf(d, []int{1, g, keys, w})
						for head := range g {
							for j := range keys {
								row := int(dtype.Int64.Get(at.Buf.Mem, n*each+j/block).I)*block + j%block
								copy(y.Bytes()[(head*keys+j)*w*d.Size():][:w*d.Size()], x.Bytes()[(head*pool*block+row)*w*d.Size():])
							}
						}
						return y
					}
					one := results(1)
					if err := attention(testCtx(), attr.Attention{Scale: 0.2}, one,
						[]backend.View{own(q), gather(k, e), gather(v, f), own(mask)}); err != nil {
						t.Fatal(err)
					}
					for i := range one {
						want := one[i].Bytes()
						if got := all[i].Bytes()[n*len(want):][:len(want)]; !bytes.Equal(got, want) {
							t.Errorf("%v, %d rows, %s: result %d of text %d has other bits", d, l, name, i, n)
						}
					}
				}
			}
		}
	}
}

// TestPagedAttentionRefuses: a table that names a block outside the pool is an error.
func TestPagedAttentionRefuses(t *testing.T) {
	for _, at := range []int64{-1, 4} {
		table := outputOf(dtype.Int64, []int{1, 1})
		dtype.Int64.Put(table.Buf.Mem, 0, dtype.Scalar{Kind: dtype.KindInt, I: at})
		of := func(dims ...int) backend.View {
			v := outputOf(dtype.Float32, dims)
			clear(v.Bytes())
			return v
		}
		mask := outputOf(dtype.Bool, []int{1, 1, 1, 8})
		clear(mask.Bytes())
		out := []backend.View{of(1, 1, 1, 8), of(1, 1, 1)}
		in := []backend.View{of(1, 1, 1, 8), of(1, 1, 32, 8), of(1, 1, 32, 8), table, mask}
		if err := pagedAttention(testCtx(), attr.Paged{Scale: 1, Block: 8}, out, in); err == nil {
			t.Errorf("block %d of 4 was accepted", at)
		}
	}
}
