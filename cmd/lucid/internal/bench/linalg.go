package bench

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

// factoring are the functions of package linalg by the name of their workloads; vectors and factors are computed as well as what is
// compared, which has no sign or order to choose.
var factoring = map[string]func(a, b *lucid.Tensor) *lucid.Tensor{
	"solve":      func(a, b *lucid.Tensor) *lucid.Tensor { return linalg.Solve(a, b) },
	"lu":         func(a, _ *lucid.Tensor) *lucid.Tensor { lu, _ := linalg.LUFactor(a); return lu },
	"cholesky":   func(a, _ *lucid.Tensor) *lucid.Tensor { return linalg.Cholesky(a) },
	"inv":        func(a, _ *lucid.Tensor) *lucid.Tensor { return linalg.Inv(a) },
	"det":        func(a, _ *lucid.Tensor) *lucid.Tensor { return linalg.Det(a) },
	"qr":         func(a, _ *lucid.Tensor) *lucid.Tensor { q, _ := linalg.QR(a); return q },
	"eigh":       func(a, _ *lucid.Tensor) *lucid.Tensor { w, _ := linalg.Eigh(a); return w },
	"svd":        func(a, _ *lucid.Tensor) *lucid.Tensor { _, s, _ := linalg.SVD(a); return s },
	"eig":        func(a, _ *lucid.Tensor) *lucid.Tensor { w, _ := linalg.Eig(a); return w },
	"lstsq":      func(a, b *lucid.Tensor) *lucid.Tensor { x, _, _, _ := linalg.LstSq(a, b); return x },
	"matrix_exp": func(a, _ *lucid.Tensor) *lucid.Tensor { return linalg.MatrixExp(a) },
	"pinv":       func(a, _ *lucid.Tensor) *lucid.Tensor { return linalg.PInv(a) },
}

// factorOperands are a matrix of the kind that a function is for, and a right side. Matrices to be inverted are far from singular.
func factorOperands(name string, d lucid.DType, shape ...int) (a, b *lucid.Tensor) {
	n := shape[len(shape)-1]
	a = random(1, 1, shape...).To(d)
	switch name {
	case "cholesky":
		a = a.MatMul(a.MT()).Div(float64(n)).Add(lucid.Eye(n).To(d))
	case "eigh":
		a = a.Add(a.MT())
	case "solve", "inv":
		a = a.Add(lucid.Eye(n).To(d).Mul(2 * math.Sqrt(float64(n))))
	case "matrix_exp":
		a = a.Div(math.Sqrt(float64(n)))
	}
	rows := append([]int{}, shape...)
	rows[len(rows)-1] = 1
	return a.Eval(), random(2, 1, rows...).To(d).Eval()
}

func factorJob(name string, d lucid.DType, shape ...int) job {
	a, b := factorOperands(name, d, shape...)
	j := once(func() *lucid.Tensor { return factoring[name](a, b) })
	if name == "eig" || name == "qr" {
		run := j.result
		j.result = func() []*lucid.Tensor {
			x := run()[0].Abs()
			if name == "eig" {
				x, _ = lucid.Sort(x)
			}
			return []*lucid.Tensor{x}
		}
	}
	return j
}

// factorisations are those of large matrices, in float32 and float64, and of batches of small ones.
func factorisations() {
	for _, r := range []struct {
		name  string
		goal  float64
		shape []int
	}{{"solve", 1, []int{512}}, {"solve", 1, []int{2048}}, {"lu", 1, []int{2048}}, {"cholesky", 1, []int{512}},
		{"cholesky", 1, []int{2048}}, {"inv", 1, []int{2048}}, {"qr", 0.9, []int{512}}, {"qr", 0.9, []int{2048}},
		{"eigh", 0.9, []int{256}}, {"eigh", 0.9, []int{512}},
		{"svd", 0.9, []int{256}}, {"svd", 0.9, []int{512}}, {"eig", 0.9, []int{256}}, {"lstsq", 0.9, []int{2048, 256}},
		{"matrix_exp", 0.9, []int{256}}, {"pinv", 0.9, []int{256}}} {
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64} {
			name, about := fmt.Sprintf("%s_%d", r.name, r.shape[0]), fmt.Sprintf("%s of %d²", r.name, r.shape[0])
			shape := []int{r.shape[0], r.shape[0]}
			if len(r.shape) > 1 {
				shape, about = r.shape, fmt.Sprintf("%s of %d×%d", r.name, r.shape[0], r.shape[1])
			}
			if d == lucid.Float64 {
				name, about = name+"_f64", about+", float64"
			}
			add(Workload{Name: name, About: about, Goal: r.goal, Tol: 2e-3, make: func() job { return factorJob(r.name, d, shape...) }})
		}
	}
	for _, n := range []int{4, 16, 32} {
		for _, f := range []string{"solve", "cholesky", "inv", "det", "qr", "svd", "eigh"} {
			goal := 3.0
			switch {
			case n == 4 && (f == "qr" || f == "svd" || f == "eigh"):
				goal = 8
			case n > 4 && (f == "svd" || f == "eigh"):
				goal = 5
			case n > 4:
				goal = 2
			}
			about := fmt.Sprintf("%s of 4096 matrices %d²", f, n)
			add(Workload{Name: fmt.Sprintf("%s_4096x%d", f, n), About: about, Goal: goal, Tol: 2e-3,
				make: func() job { return factorJob(f, lucid.Float32, 4096, n, n) }})
		}
	}
}
