package lucid

import (
	"errors"
	"math"
	"testing"
)

func TestAttentionWithoutKeys(t *testing.T) {
	Seed(0)
	q, k := Randn(1, 2, 3), Randn(1, 4, 3)
	none := New([]bool{true, true, false, true, false, false, false, false}, 2, 4)
	add := New([]float32{0, 0, 0, 0, float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.Inf(-1))}, 2, 4)
	for name, m := range map[string]*Tensor{"bool": none, "added": add} {
		y, g := VJP(func(q *Tensor) *Tensor { return ScaledDotProductAttention(q, k, k, m) }, q, OnesLike(q))
		v := ToSlice[float64](y)
		for i, x := range v[3:] {
			if x != 0 || math.IsNaN(v[i]) {
				t.Errorf("%s: a query that sees no key gives %v", name, v)
			}
		}
		for _, x := range ToSlice[float64](g) {
			if math.IsNaN(x) {
				t.Fatalf("%s: the gradient is NaN", name)
			}
		}
	}
}

func TestEmbeddingMaxNorm(t *testing.T) {
	w := New([]float64{3, 4, 0.3, 0.4, 6, 8}, 3, 2)
	idx := New([]int64{0, 1, 0}, 3)
	o := EmbeddingOptions{MaxNorm: new(1.0)}
	y, g := VJP(func(w *Tensor) *Tensor { return Embedding(idx, w, o) }, w, With{DType: Float64}.Ones(3, 2))
	same(t, "rows", y, New([]float64{0.6, 0.8, 0.3, 0.4, 0.6, 0.8}, 3, 2).Mul(New([]float64{1 / (1 + 2e-8), 1, 1 / (1 + 2e-8)}, 3, 1)))
	same(t, "gradient", g, New([]float64{2, 2, 1, 1, 0, 0}, 3, 2))
	same(t, "renormed", EmbeddingRenorm(w, idx, 1, 2), New([]float64{0.6 / (1 + 2e-8), 0.8 / (1 + 2e-8), 0.3, 0.4, 6, 8}, 3, 2))
}

func TestOneHotAndTargetsAreChecked(t *testing.T) {
	for name, f := range map[string]func() *Tensor{
		"one_hot":       func() *Tensor { return OneHot(New([]int64{0, -1}, 2), OneHotOptions{NumClasses: new(3)}) },
		"embedding":     func() *Tensor { return Embedding(New([]int64{-1}, 1), Zeros(3, 2)) },
		"cross_entropy": func() *Tensor { return CrossEntropy(Zeros(1, 3), New([]int64{3}, 1), nil) },
		"nll_loss":      func() *Tensor { return NLLLoss(Zeros(1, 3), New([]int64{-1}, 1), nil) },
	} {
		err := Try(func() {
			if err := Eval(f()); err != nil {
				panic(err)
			}
		})
		if !errors.Is(err, ErrIndex) {
			t.Errorf("%s: got %v, want an index error", name, err)
		}
	}
}

func TestInstanceNormRunning(t *testing.T) {
	Seed(2)
	d := With{DType: Float64}
	x, m, v := d.Randn(2, 3, 4), d.Zeros(3), d.Ones(3)
	y, nm, nv := InstanceNorm(x, m, v, nil, nil, InstanceNormOptions{Eps: new(1e-12)})
	same(t, "mean", nm, x.Mean(0, 2).Mul(0.1))
	sq := Var(x, VarOptions{Dim: []int{2}}).Mean(0)
	same(t, "variance", nv, sq.Mul(0.1).Add(0.9))
	z, _, _ := InstanceNorm(x, nm, nv, nil, nil, InstanceNormOptions{RunningStats: true})
	w, _, _ := BatchNorm(x, nm, nv, nil, nil)
	same(t, "evaluation", z, w)
	near(t, "normalised", y.Square().Mean().Item(), 1)
}

// TestCTCLoss compares with the sum over all paths, written out.
func TestCTCLoss(t *testing.T) {
	Seed(5)
	const T, N, C = 4, 3, 3
	lp := LogSoftmax(With{DType: Float64}.Randn(T, N, C), -1)
	p := ToSlice[float64](lp)
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
	in, out := New(inputs, N), New(lengths, N)
	padded := New([]int64{1, 2, 1, 1, 2, 0}, N, 2)
	got := CTCLoss(lp, padded, in, out, CtcLossOptions{Reduction: "none"})
	same(t, "padded", got, New(want, N))
	same(t, "one after the other", CTCLoss(lp, New([]int64{1, 2, 1, 1, 2}, 5), in, out, CtcLossOptions{Reduction: "none"}), New(want, N))
	near(t, "mean", CTCLoss(lp, padded, in, out).Item(), (want[0]/2+want[1]/2+want[2])/3)
	f := func(x *Tensor) *Tensor {
		return CTCLoss(LogSoftmax(x, -1), padded, in, out, CtcLossOptions{Reduction: "sum"})
	}
	v := With{DType: Float64}.Randn(T, N, C)
	const h = 1e-5
	near(t, "gradient", Grad(f)(lp).Mul(v).Sum().Item(), (f(lp.Add(v.Mul(h))).Item()-f(lp.Sub(v.Mul(h))).Item())/(2*h))
	short := New([]int64{2, 2, 4}, N) // "11" needs three steps
	l := ToSlice[float64](CTCLoss(lp, padded, short, out, CtcLossOptions{Reduction: "none"}))
	z := ToSlice[float64](CTCLoss(lp, padded, short, out, CtcLossOptions{Reduction: "none", ZeroInfinity: true}))
	if !math.IsInf(l[1], 1) || z[1] != 0 {
		t.Errorf("too short an input: %v and %v", l, z)
	}
}
