package ops

import (
	"errors"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

func TestAttentionWithoutKeys(t *testing.T) {
	lucid.Seed(0)
	q, k := lucid.Randn(1, 2, 3), lucid.Randn(1, 4, 3)
	none := lucid.New([]bool{true, true, false, true, false, false, false, false}, 2, 4)
	add := lucid.New([]float32{0, 0, 0, 0, float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.Inf(-1))}, 2,
		4)
	for name, m := range map[string]*lucid.Tensor{"bool": none, "added": add} {
		y, g := lucid.VJP(func(q *lucid.Tensor) *lucid.Tensor {
			return F.ScaledDotProductAttention(q, k, k, F.ScaledDotProductAttentionOptions{AttnMask: m})
		}, q, lucid.OnesLike(q))
		v := lucid.ToSlice[float64](y)
		for i, x := range v[3:] {
			if x != 0 || math.IsNaN(v[i]) {
				t.Errorf("%s: a query that sees no key gives %v", name, v)
			}
		}
		for _, x := range lucid.ToSlice[float64](g) {
			if math.IsNaN(x) {
				t.Fatalf("%s: the gradient is NaN", name)
			}
		}
	}
}

func TestEmbeddingMaxNorm(t *testing.T) {
	w := lucid.New([]float64{3, 4, 0.3, 0.4, 6, 8}, 3, 2)
	idx := lucid.New([]int64{0, 1, 0}, 3)
	rows := func(w *lucid.Tensor) *lucid.Tensor {
		return byName("embedding", map[string]any{"max_norm": 1.0}, idx, w)[0] // the function changes w itself
	}
	y, g := lucid.VJP(rows, w, lucid.With{DType: lucid.Float64}.Ones(3, 2))
	tensortest.Same(t, "rows", y, lucid.New([]float64{0.6, 0.8, 0.3, 0.4, 0.6, 0.8},
		3, 2).Mul(lucid.New([]float64{1 / (1 + 2e-8), 1, 1 / (1 + 2e-8)}, 3, 1)))
	tensortest.Same(t, "gradient", g, lucid.New([]float64{2, 2, 1, 1, 0, 0}, 3, 2))
	tensortest.Same(t, "renormed", byName("embedding_renorm", map[string]any{"max_norm": 1.0, "norm_type": 2.0}, w, idx)[0],
		lucid.New([]float64{0.6 / (1 + 2e-8), 0.8 / (1 + 2e-8), 0.3, 0.4, 6, 8}, 3, 2))
}

func TestOneHotAndTargetsAreChecked(t *testing.T) {
	for name, f := range map[string]func() *lucid.Tensor{
		"one_hot": func() *lucid.Tensor {
			return F.OneHot(lucid.New([]int64{0, -1}, 2), F.OneHotOptions{NumClasses: 3})
		},
		"embedding":     func() *lucid.Tensor { return F.Embedding(lucid.New([]int64{-1}, 1), lucid.Zeros(3, 2)) },
		"cross_entropy": func() *lucid.Tensor { return F.CrossEntropy(lucid.Zeros(1, 3), lucid.New([]int64{3}, 1)) },
		"nll_loss":      func() *lucid.Tensor { return F.NLLLoss(lucid.Zeros(1, 3), lucid.New([]int64{-1}, 1)) },
	} {
		err := lucid.Try(func() {
			if err := lucid.Eval(f()); err != nil {
				panic(err)
			}
		})
		if !errors.Is(err, lucid.ErrIndex) {
			t.Errorf("%s: got %v, want an index error", name, err)
		}
	}
}

func TestInstanceNormRunning(t *testing.T) {
	lucid.Seed(2)
	d := lucid.With{DType: lucid.Float64}
	x, m, v := d.Randn(2, 3, 4), d.Zeros(3), d.Ones(3)
	nm, nv := m.Clone(), v.Clone()
	y := F.InstanceNorm(x, F.InstanceNormOptions{RunningMean: nm, RunningVar: nv, Eps: new(1e-12)})
	tensortest.Same(t, "mean", nm, x.Mean(0, 2).Mul(0.1))
	sq := lucid.Var(x, lucid.VarOptions{Dim: []int{2}}).Mean(0)
	tensortest.Same(t, "variance", nv, sq.Mul(0.1).Add(0.9))
	z := F.InstanceNorm(x, F.InstanceNormOptions{RunningMean: nm, RunningVar: nv, RunningStats: true})
	w := F.BatchNorm(x, F.BatchNormOptions{RunningMean: nm, RunningVar: nv})
	tensortest.Same(t, "evaluation", z, w)
	tensortest.Near(t, "normalised", y.Square().Mean().Item(), 1)
}

// TestCTCLoss compares with the sum over all paths, written out.
func TestCTCLoss(t *testing.T) {
	lucid.Seed(5)
	const T, N, C = 4, 3, 3
	lp := lucid.LogSoftmax(lucid.With{DType: lucid.Float64}.Randn(T, N, C), -1)
	p := lucid.ToSlice[float64](lp)
	targets, lengths, inputs := [][]int64{{1, 2}, {1, 1}, {2, 0}}, []int64{2, 2, 1}, []int64{4, 3, 4}
	want := make([]float64, N)
	for n := range N {
		sum := 0.0
		for path := range int(math.Pow(C, float64(inputs[n]))) {
			var spelled []int64
			before, prob, rest := int64(0), 0.0, path
			for step := range int(inputs[n]) {
				c := int64(rest % C)
				rest /= C
				prob += p[(step*N+n)*C+int(c)]
				if c != 0 && c != before {
					spelled = append(spelled, c)
				}
				before = c
			}
			ok := len(spelled) == int(lengths[n])
			for i := 0; ok && i < len(spelled); i++ {
				ok = spelled[i] == targets[n][i]
			}
			if ok {
				sum += math.Exp(prob)
			}
		}
		want[n] = -math.Log(sum)
	}
	in, out := lucid.New(inputs, N), lucid.New(lengths, N)
	padded := lucid.New([]int64{1, 2, 1, 1, 2, 0}, N, 2)
	got := F.CTCLoss(lp, padded, in, out, F.CTCLossOptions{Reduction: "none"})
	tensortest.Same(t, "padded", got, lucid.New(want, N))
	tensortest.Same(t, "one after the other", F.CTCLoss(lp, lucid.New([]int64{1, 2, 1, 1, 2}, 5), in, out,
		F.CTCLossOptions{Reduction: "none"}), lucid.New(want, N))
	tensortest.Near(t, "mean", F.CTCLoss(lp, padded, in, out).Item(), (want[0]/2+want[1]/2+want[2])/3)
	f := func(x *lucid.Tensor) *lucid.Tensor {
		return F.CTCLoss(lucid.LogSoftmax(x, -1), padded, in, out, F.CTCLossOptions{Reduction: "sum"})
	}
	v := lucid.With{DType: lucid.Float64}.Randn(T, N, C)
	const h = 1e-5
	tensortest.Near(t, "gradient", lucid.Grad(f)(lp).Mul(v).Sum().Item(), (f(lp.Add(v.Mul(h))).Item()-f(lp.Sub(v.Mul(h))).Item())/(2*h))
	short := lucid.New([]int64{2, 2, 4}, N) // "11" needs three steps
	l := lucid.ToSlice[float64](F.CTCLoss(lp, padded, short, out, F.CTCLossOptions{Reduction: "none"}))
	z := lucid.ToSlice[float64](F.CTCLoss(lp, padded, short, out, F.CTCLossOptions{Reduction: "none", ZeroInfinity: true}))
	if !math.IsInf(l[1], 1) || z[1] != 0 {
		t.Errorf("too short an input: %v and %v", l, z)
	}
}
