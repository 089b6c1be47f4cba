package ops

import (
	"bytes"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Attention of 4096 rows and keys: the weights alone would take 64 MiB.
func TestAttentionMemory(t *testing.T) {
	const n, e = 4096, 16
	x := func(seed uint64) *lucid.Tensor { return values32(seed, 1, 1, n, e) }
	in := []*lucid.Tensor{x(1), x(2), x(3)}
	f := func(in []*lucid.Tensor) []*lucid.Tensor {
		return []*lucid.Tensor{F.ScaledDotProductAttention(in[0], in[1], in[2], F.ScaledDotProductAttentionOptions{IsCausal: true})}
	}
	if err := lucid.Eval(in...); err != nil {
		t.Fatal(err)
	}
	lucid.ResetPeakMemory(lucid.CPU)
	before := lucid.MemoryStats(lucid.CPU).Peak
	out, grads := lucid.VJPN(f, in, []*lucid.Tensor{x(4)})
	if err := lucid.Eval(append(out, grads...)...); err != nil {
		t.Fatal(err)
	}
	if more := lucid.MemoryStats(lucid.CPU).Peak - before; more > 4<<20 {
		t.Errorf("forward and backward took %d bytes; results are %d", more, 4*4*n*e)
	}
}

// values32 makes numbers between -1 and 1.
func values32(seed uint64, shape ...int) *lucid.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	v, s := make([]float32, n), seed*0x9e3779b97f4a7c15
	for i := range v {
		s = s*6364136223846793005 + 1442695040888963407
		v[i] = float32(int32(s>>32)) / (1 << 31)
	}
	return lucid.New(v, shape...)
}

func TestAttentionSameBits(t *testing.T) {
	defer par.SetThreads(0)
	run := func(threads int) []byte {
		par.SetThreads(threads)
		in := []*lucid.Tensor{values32(1, 2, 6, 300, 24), values32(2, 2, 2, 410, 24), values32(3, 2, 2, 410, 40)}
		f := func(in []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{F.ScaledDotProductAttention(in[0], in[1], in[2], F.ScaledDotProductAttentionOptions{EnableGQA: true})}
		}
		out, grads := lucid.VJPN(f, in, []*lucid.Tensor{values32(4, 2, 6, 300, 40)})
		var all []byte
		for _, x := range append(out, grads...) {
			all = append(all, dtype.Bytes(lucid.ToSlice[float32](x))...)
		}
		return all
	}
	want := run(1)
	for _, n := range []int{2, 3, 5} {
		if !bytes.Equal(run(n), want) {
			t.Errorf("%d threads give other bits than one", n)
		}
	}
}

// A row that sees nothing gives zeros and sends no cotangent; a bool mask and the same one added agree.
func TestAttentionUnseenRows(t *testing.T) {
	q, k, v := values32(1, 1, 1, 3, 4), values32(2, 1, 1, 5, 4), values32(3, 1, 1, 5, 4)
	sees := lucid.New([]bool{true, false, true, false, false, false, false, false, false, false, true, true, true, true, true}, 3, 5)
	added := lucid.Where(sees, lucid.Zeros(3, 5), math.Inf(-1))
	grads := func(mask *lucid.Tensor) []*lucid.Tensor {
		out, g := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{F.ScaledDotProductAttention(in[0], in[1], in[2], F.ScaledDotProductAttentionOptions{AttnMask: mask})}
		}, []*lucid.Tensor{q, k, v}, []*lucid.Tensor{values32(4, 1, 1, 3, 4)})
		return append(out, g...)
	}
	a, b := grads(sees), grads(added)
	for i := range a {
		x, y := lucid.ToSlice[float32](a[i]), lucid.ToSlice[float32](b[i])
		for j := range x {
			if x[j] != y[j] || x[j] != x[j] {
				t.Fatalf("value %d, element %d: bool %v, added %v", i, j, x[j], y[j])
			}
		}
		if i < 2 {
			for j := 4; j < 8; j++ {
				if x[j] != 0 {
					t.Errorf("value %d: the row that sees nothing has %v", i, x[4:8])
				}
			}
		}
	}
}

func TestAttentionDropout(t *testing.T) {
	// Values are 1, so a result is the share of weight that was not dropped, divided by 1-p.
	const n, p = 400, 0.25
	o := F.ScaledDotProductAttentionOptions{DropoutP: p}
	y := lucid.ToSlice[float32](F.ScaledDotProductAttention(values32(1, n, 8), values32(2, n, 8), lucid.Ones(n, 1), o))
	mean, varies := 0.0, false
	for _, v := range y {
		mean += float64(v) / n
		varies = varies || v != y[0]
	}
	if !varies || math.Abs(mean-1) > 0.01 {
		t.Errorf("mean %v, want about 1 and rows that differ", mean)
	}
	o.DropoutP = 1.5
	if err := lucid.Try(func() {
		F.ScaledDotProductAttention(values32(1, 2, 2), values32(2, 2, 2), lucid.Ones(2, 1), o)
	}); err == nil {
		t.Error("dropout_p 1.5 was accepted")
	}
}

// TestAttentionHalfMask compares masks of half types, laid out in several ways, with the same mask in float32: the numbers are
// exact in both, so the bits are the same.
func TestAttentionHalfMask(t *testing.T) {
	lucid.Seed(3)
	const l, s = 7, 1100
	for _, d := range []lucid.DType{lucid.BFloat16, lucid.Float16} {
		q, k := lucid.Randn(2, 3, l, 16).To(d), lucid.Randn(2, 3, s, 16).To(d)
		whole := lucid.RandInt(-4, 5, 2, 3, l, s).To(d)
		for name, mask := range map[string]*lucid.Tensor{
			"rows":       whole,
			"transposed": lucid.RandInt(-4, 5, 2, 3, s, l).To(d).Transpose(2, 3),
			"by key":     whole.At(lucid.Colon, lucid.Range{Stop: 1}, lucid.Range{Stop: 1}),
			"by row":     whole.At(lucid.Colon, lucid.Colon, lucid.Colon, lucid.Range{Stop: 1}),
			"steps":      lucid.RandInt(-4, 5, 2, 3, l, 2*s).To(d).At(lucid.Ellipsis, lucid.Range{Stop: lucid.End, Step: 2}),
		} {
			at := func(m *lucid.Tensor) *lucid.Tensor {
				return F.ScaledDotProductAttention(q, k, k, F.ScaledDotProductAttentionOptions{AttnMask: m})
			}
			if !tensortest.SameBits(at(mask), at(mask.To(lucid.Float32))) {
				t.Errorf("%v, mask %s: other bits than with the mask in float32", d, name)
			}
		}
	}
}
