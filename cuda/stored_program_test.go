package cuda

import (
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestStoredProgram rotates queries and keys, and writes keys and values to one position of caches, as a language model's next token does:
// in a captured graph that is one launch. Results and caches have the bits of launches in a row.
func TestStoredProgram(t *testing.T) {
	dev := gpu(t)
	for _, d := range []lucid.DType{lucid.BFloat16, lucid.Float32} {
		for _, size := range []int{64, 128, 20} {
			for _, plain := range []int{0, 1, 2} {
				want, got := stored(dev, d, size, plain, false), stored(dev, d, size, plain, true)
				for i := range want {
					if !slices.Equal(want[i], got[i]) {
						t.Fatalf("%v, heads of %d elements, %d others: value %d differs", d, size, plain, i)
					}
				}
			}
		}
	}
	refused := lucid.Try(func() {
		w := lucid.With{Device: dev}
		cache := w.Zeros(1, 4, 16, 8).Contiguous().Eval()
		f := lucid.Compile(func(x, y, at *lucid.Tensor) *lucid.Tensor {
			x, y = x.Mul(2).Add(1), y.Mul(2).Add(1)
			cache.Assign(cache.IndexCopy(2, at, x))
			return y.Add(cache.Sum())
		})
		for _, at := range []int64{1, 2, 3, 4, 16} {
			f(w.Randn(1, 4, 1, 8), w.Randn(1, 2, 1, 8), w.New([]int64{at}, 1)).To(lucid.CPU).Eval()
		}
	})
	if refused == nil {
		t.Error("a position behind the end of a cache was accepted")
	}
}

// stored runs some tokens and returns what came out, and the caches.
func stored(dev lucid.Device, d lucid.DType, size, plain int, compiled bool) (all [][]float64) {
	const heads, groups, room = 8, 2, 32
	lucid.Seed(5)
	w := lucid.With{Device: dev, DType: d}
	caches := make([]*lucid.Tensor, 1+plain)
	for i := range caches {
		caches[i] = w.Zeros(1, groups, room, size).Contiguous().Eval()
	}
	step := func(x, cos, at *lucid.Tensor, caches []*lucid.Tensor) *lucid.Tensor {
		rotate := func(x *lucid.Tensor) *lucid.Tensor {
			pairs := x.Reshape(1, -1, 1, 2, size/2)
			return pairs.Mul(cos).Add(pairs.Flip(-2).Mul(cos.Sub(1))).To(d).Reshape(1, -1, 1, size)
		}
		q, k := rotate(x.Narrow(0, 0, heads)), rotate(x.Narrow(0, heads, groups))
		caches[0].Assign(caches[0].DynamicSliceUpdate(k, at, []int{2}))
		for i := range plain {
			v := x.Narrow(0, heads+groups*(1+i), groups).Reshape(1, groups, 1, size)
			caches[1+i].Assign(caches[1+i].DynamicSliceUpdate(v, at, []int{2}))
		}
		return q.To(lucid.Float32).Mul(caches[0].To(lucid.Float32).Sum())
	}
	run := step
	if compiled {
		run = lucid.Compile(step)
	}
	for i := range 12 {
		x := w.Randn(heads+groups*(1+plain), size).Eval()
		cos := lucid.With{Device: dev}.Randn(1, size/2).Eval()
		y := run(x, cos, lucid.With{Device: dev}.New([]int64{int64(i * 7 % room)}, 1), caches)
		all = append(all, lucid.ToSlice[float64](y.To(lucid.CPU).To(lucid.Float64).Reshape(-1)))
	}
	for _, c := range caches {
		all = append(all, lucid.ToSlice[float64](c.To(lucid.CPU).To(lucid.Float64).Reshape(-1)))
	}
	return all
}

// TestFirstOfLogits: of equal logits, of which a vocabulary in bfloat16 has many, the first come first, as on the CPU: samplers rely on it.
func TestFirstOfLogits(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(9)
	logits := lucid.Randn(3, vocabulary).Mul(3).To(lucid.BFloat16).To(lucid.Float32).Eval()
	for _, k := range []int{64, 256, 1024} {
		values, ids := logits.TopK(k)
		f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
			v, at := x.TopK(k)
			return lucid.Cat([]*lucid.Tensor{at.To(lucid.Float32), v}, 1)
		})
		for range 4 {
			got := lucid.ToSlice[float32](f(logits.To(dev)).To(lucid.CPU))
			want := lucid.ToSlice[float32](lucid.Cat([]*lucid.Tensor{ids.To(lucid.Float32), values}, 1))
			if !slices.Equal(got, want) {
				t.Fatalf("the %d largest differ", k)
			}
		}
	}
}
