package cuda

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

// symmetricKinds are matrices whose eigenvalues are hard to find, as rows of n×n.
var symmetricKinds = map[string]func(n int, r *rand.Rand) []float64{
	"random": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 { return r.NormFloat64() })
	},
	"zero": func(n int, r *rand.Rand) []float64 { return make([]float64, n*n) },
	"identity": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 { return unless(i != j, 1) })
	},
	"diagonal": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 { return unless(i != j, float64(i*7%n)) })
	},
	"ones": func(n int, r *rand.Rand) []float64 { return elementwise(n, func(i, j int) float64 { return 1 }) },
	"second differences": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 { return unless(i != j, 2) - unless(i-j != 1, 1) })
	},
	"Wilkinson": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 {
			return unless(i != j, math.Abs(float64(n-1)/2-float64(i))) + unless(i-j != 1, 1)
		})
	},
	"glued Wilkinson": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 {
			return unless(i != j, math.Abs(10-float64(i%21))) + unless(i-j != 1, 1-unless(i%21 != 0, 1-1e-8))
		})
	},
	"graded": func(n int, r *rand.Rand) []float64 {
		return withValues(n, r, func(i int) float64 { return math.Pow(2, -float64(i)) })
	},
	"grading": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 { return r.NormFloat64() * math.Pow(10, -float64(i+j)/8) })
	},
	"cluster": func(n int, r *rand.Rand) []float64 {
		return withValues(n, r, func(i int) float64 { return 1 + 1e-15*float64(i) + unless(i > 0, -3) })
	},
	"few values": func(n int, r *rand.Rand) []float64 {
		return withValues(n, r, func(i int) float64 { return float64(i % 3) })
	},
	"tiny": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 { return 1e-38 * r.NormFloat64() })
	},
	"huge": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 { return 1e36 * r.NormFloat64() })
	},
	"two blocks": func(n int, r *rand.Rand) []float64 {
		return elementwise(n, func(i, j int) float64 { return unless(i/(n/2+1) != j/(n/2+1), r.NormFloat64()) })
	},
}

func unless(b bool, x float64) float64 {
	if b {
		return 0
	}
	return x
}

func elementwise(n int, f func(i, j int) float64) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = f(i, j)
			a[j*n+i] = a[i*n+j]
		}
	}
	return a
}

// withValues has these eigenvalues, but for rounding: a diagonal matrix between some random reflections.
func withValues(n int, r *rand.Rand, f func(i int) float64) []float64 {
	a := elementwise(n, func(i, j int) float64 { return unless(i != j, f(i)) })
	for range 4 {
		v, p := make([]float64, n), make([]float64, n)
		length, along := 0.0, 0.0
		for i := range v {
			v[i] = r.NormFloat64()
			length += v[i] * v[i]
		}
		for i := range n {
			for j := range n {
				p[i] += a[i*n+j] * v[j]
			}
			along += p[i] * v[i]
		}
		for i := range n {
			for j := range n {
				a[i*n+j] += (-2*(p[i]*v[j]+v[i]*p[j]) + 4*along/length*v[i]*v[j]) / length
			}
		}
	}
	return a
}

// TestSymmetric: eigenvalues and vectors of symmetric matrices of every size that a cluster has, and a few beyond, are as precise as
// LAPACK's tests ask.
func TestSymmetric(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewSource(1))
	for i, n := range []int{33, 47, 48, 64, 65, 100, 127, 128, 129, 192, 200, 255, 256, 257, 300, 384, 449, 500, 511, 512, 513} {
		d := []lucid.DType{lucid.Float64, lucid.Float32}[i/2%2]
		var names []string
		var all []float64
		for name := range symmetricKinds {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			all = append(all, symmetricKinds[name](n, r)...)
		}
		x := lucid.With{Device: dev, DType: lucid.Float64}.New(all, len(names), n, n).To(d)
		for k, name := range names {
			t.Run(fmt.Sprint(name, " ", n, " ", d), func(t *testing.T) { symmetricOf(t, x.Narrow(0, k, 1), n) })
		}
		if n%64 == 0 { // a batch
			w, v := linalg.Eigh(x)
			for k, name := range names {
				one, vectors := linalg.Eigh(x.Narrow(0, k, 1))
				if n > 128 && (largest(one.Sub(w.Narrow(0, k, 1))) != 0 || largest(vectors.Sub(v.Narrow(0, k, 1))) != 0) {
					t.Errorf("%s of %d differs in a batch", name, n)
				}
			}
		}
	}
}

func symmetricOf(t *testing.T, a *lucid.Tensor, n int) {
	eps := 0x1p-52
	if a.DType() == lucid.Float32 {
		eps = 0x1p-23
	}
	w, v := linalg.Eigh(a)
	values := linalg.EigValsH(a)
	wide := func(x *lucid.Tensor) *lucid.Tensor { return x.To(lucid.Float64) }
	a, w, v, values = wide(a), wide(w), wide(v), wide(values)
	f := 1.0
	if m := largest(a); m > 0 {
		f = 1 / m
	}
	a, w, values = a.Mul(f), w.Mul(f), values.Mul(f)
	norm := max(largest(w), 1e-300)
	within := func(what string, x *lucid.Tensor, of float64) {
		t.Helper()
		if off := largest(x); !(off <= 10*eps*of) {
			t.Errorf("%s: off by %g, %.1f of ε", what, off, off/eps/of)
		}
	}
	size := math.Sqrt(float64(n))
	within("A·V", a.MatMul(v).Sub(v.Mul(w.Unsqueeze(-2))), norm*size)
	within("Vᵀ·V", v.MT().MatMul(v).Sub(identity(v, n)), size)
	within("values alone", values.Sub(w), norm*size)
	within("trace", a.Mul(identity(a, n)).Sum().Sub(w.Sum()), norm*float64(n))
	list := lucid.ToSlice[float64](w.To(lucid.CPU).Reshape(-1))
	if n <= 512 && !slices.IsSorted(list) {
		t.Errorf("values are not sorted: %v", list)
	}
}

// TestSymmetricFaults: matrices with a NaN are an error that names them, and the others of a batch are what they are.
func TestSymmetricFaults(t *testing.T) {
	dev := gpu(t)
	const n = 150
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		all := make([]float64, 3*n*n)
		for i := range all {
			all[i] = float64(i % 7)
		}
		all[n*n+(n-1)*n+3] = bad
		w, _ := linalg.Eigh(lucid.With{Device: dev, DType: lucid.Float64}.New(all, 3, n, n))
		if err := lucid.Eval(w); !errors.Is(err, lucid.ErrSingular) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestSymmetricCaptured: eigenvalues of matrices that a cluster has are part of a CUDA graph.
func TestSymmetricCaptured(t *testing.T) {
	dev := gpu(t)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		w, v := linalg.Eigh(x.Add(x.MT()))
		return v.Mul(w.Exp().Unsqueeze(-2)).MatMul(v.MT())
	})
	for i := range 4 {
		lucid.Seed(uint64(i))
		x := lucid.With{Device: dev, DType: lucid.Float64}.Randn(200, 200).Mul(0.05)
		closeTo(t, "exponential", f(x), linalg.MatrixExp(x.Add(x.MT())), 400)
	}
	t.Logf("%v", lucid.Explain(f))
}
