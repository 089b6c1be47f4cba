package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

var dtypes = []lucid.DType{lucid.Float32, lucid.Float64, lucid.Complex64, lucid.Complex128}

func randn(d lucid.DType, shape ...int) *lucid.Tensor { return lucid.With{DType: d}.Randn(shape...) }

func adjoint(x *lucid.Tensor) *lucid.Tensor { return lucid.MT(x).Conj() }

func eye(d lucid.DType, n int) *lucid.Tensor { return lucid.With{DType: d}.Eye(n) }

func diag(s *lucid.Tensor, d lucid.DType) *lucid.Tensor { return lucid.DiagEmbed(s.To(d)) }

// near compares to a few hundred units in the last place.
func near(t *testing.T, what string, got, want *lucid.Tensor) {
	t.Helper()
	tol := 1e-10
	if got.DType() == lucid.Float32 || got.DType() == lucid.Complex64 {
		tol = 2e-4
	}
	if fmt.Sprint(got.Shape()) != fmt.Sprint(want.Expand(got.Shape()...).Shape()) ||
		!lucid.AllClose(got, want.Expand(got.Shape()...), lucid.CloseOptions{RTol: new(tol), ATol: new(tol)}) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestFactorsMultiplyBack: for every dtype and any batch, empty ones too, the factors give the matrix.
func TestFactorsMultiplyBack(t *testing.T) {
	lucid.Seed(1)
	for _, d := range dtypes {
		for _, s := range [][]int{{3, 3}, {2, 5, 3}, {3, 5}, {2, 2, 4, 4}, {0, 3, 3}, {0, 0}, {3, 0}, {0, 3}, {1, 1}, {40, 40}} {
			t.Run(fmt.Sprint(d, s), func(t *testing.T) {
				a := randn(d, s...)
				n := s[len(s)-1]
				q, r := linalg.QR(a)
				near(t, "QR", q.MatMul(r), a)
				q, r = linalg.QR(a, linalg.QROptions{Mode: "complete"})
				near(t, "complete QR", q.MatMul(r), a)
				near(t, "QᴴQ", adjoint(q).MatMul(q), eye(d, s[len(s)-2]))
				_, r2 := linalg.QR(a, linalg.QROptions{Mode: "r"})
				near(t, "R alone", lucid.Abs(r2), lucid.Abs(r.Narrow(-2, 0, min(n, s[len(s)-2]))))
				u, sv, vh := linalg.SVD(a, linalg.SVDOptions{Reduced: true})
				near(t, "SVD", u.MatMul(diag(sv, d)).MatMul(vh), a)
				near(t, "singular values", linalg.SVDVals(a), sv)
				u, _, vh = linalg.SVD(a)
				near(t, "UᴴU", adjoint(u).MatMul(u), eye(d, s[len(s)-2]))
				near(t, "VᴴV", vh.MatMul(adjoint(vh)), eye(d, n))
				p, l, up := linalg.LU(a)
				near(t, "LU", p.MatMul(l).MatMul(up), a)
				pa, pt := linalg.Polar(a)
				near(t, "polar", pa.MatMul(pt), a)
				if n != s[len(s)-2] {
					return
				}
				w, v := linalg.Eig(a)
				c := v.DType()
				near(t, "eig", a.To(c).MatMul(v), v.MatMul(lucid.DiagEmbed(w)))
				spd := a.MatMul(adjoint(a)).Add(eye(d, n))
				e, z := linalg.Eigh(spd)
				near(t, "eigh", z.MatMul(diag(e, d)).MatMul(adjoint(z)), spd)
				near(t, "eigenvalues", linalg.EigValsH(spd, linalg.EighOptions{UPLO: "U"}), e)
				ch := linalg.Cholesky(spd)
				near(t, "Cholesky", ch.MatMul(adjoint(ch)), spd)
				near(t, "tri_inv", linalg.TriInv(ch).MatMul(ch), eye(d, n))
				root := linalg.MatrixSqrtH(spd)
				near(t, "sqrth", root.MatMul(root), spd)
				near(t, "inv", linalg.Inv(spd).MatMul(spd), eye(d, n))
				ld, piv := linalg.LDLFactor(spd, linalg.LDLOptions{Hermitian: true})
				near(t, "LDL", spd.MatMul(linalg.LDLSolve(ld, piv, a, linalg.LDLOptions{Hermitian: true})), a)
			})
		}
	}
}

// TestGradients are of functions that do not depend on the phase of vectors, and give Hermitian matrices to what reads one triangle.
func TestGradients(t *testing.T) {
	hermitian := func(x *lucid.Tensor) *lucid.Tensor { return x.Add(adjoint(x)) }
	definite := func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(adjoint(x)).Add(eye(x.DType(), x.Size(-1))) }
	type tensors = []*lucid.Tensor
	abs := func(x *lucid.Tensor) *lucid.Tensor { return x.Abs().Square() }
	for name, f := range map[string]func(x *lucid.Tensor) tensors{
		"eigh":     func(x *lucid.Tensor) tensors { w, v := linalg.Eigh(hermitian(x)); return tensors{w, abs(v)} },
		"eigvalsh": func(x *lucid.Tensor) tensors { return tensors{linalg.EigValsH(hermitian(x))} },
		"cholesky": func(x *lucid.Tensor) tensors { return tensors{linalg.Cholesky(definite(x))} },
		"cholesky upper": func(x *lucid.Tensor) tensors {
			return tensors{linalg.Cholesky(definite(x), linalg.CholeskyOptions{Upper: true})}
		},
		"sqrth":     func(x *lucid.Tensor) tensors { return tensors{linalg.MatrixSqrtH(definite(x))} },
		"svd":       func(x *lucid.Tensor) tensors { u, s, vh := linalg.SVD(x); return tensors{abs(u), s, abs(vh)} },
		"svd joint": func(x *lucid.Tensor) tensors { u, _, vh := linalg.SVD(x); return tensors{u.MatMul(vh)} },
		"eig":       func(x *lucid.Tensor) tensors { w, v := linalg.Eig(x); return tensors{w, abs(v)} },
		"qr":        func(x *lucid.Tensor) tensors { q, r := linalg.QR(x); return tensors{q, r} },
		"exp":       func(x *lucid.Tensor) tensors { return tensors{linalg.MatrixExp(x)} },
		"pinv hermitian": func(x *lucid.Tensor) tensors {
			return tensors{linalg.PInv(hermitian(x), linalg.PInvOptions{Hermitian: true})}
		},
		"det of a singular matrix": func(x *lucid.Tensor) tensors {
			return tensors{linalg.Det(lucid.Cat(tensors{x.Narrow(-1, 0, 2), x.Narrow(-1, 0, 1)}, -1))}
		},
	} {
		lucid.Seed(2) // matrices of a case do not depend on the order of cases: near ones with equal eigenvalues differences are wrong
		if err := lucid.GradCheck(func(in []*lucid.Tensor) []*lucid.Tensor { return f(in[0]) },
			tensors{randn(lucid.Float64, 2, 3, 3)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := complexCheck(f, 2, 3, 3); err != nil {
			t.Errorf("%s of complex matrices: %v", name, err)
		}
	}
	for _, s := range [][]int{{5, 3}, {3, 5}} {
		if err := complexCheck(func(x *lucid.Tensor) tensors {
			u, sv, vh := linalg.SVD(x, linalg.SVDOptions{Reduced: true})
			q, r := linalg.QR(x)
			return tensors{abs(u), sv, abs(vh), linalg.PInv(x), q, r}
		}, s...); err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// complexCheck is GradCheck by real and imaginary parts.
func complexCheck(f func(x *lucid.Tensor) []*lucid.Tensor, shape ...int) error {
	return lucid.GradCheck(func(in []*lucid.Tensor) []*lucid.Tensor {
		out := f(lucid.Complex(in[0], in[1]))
		for i, y := range out {
			if y.DType().IsComplex() {
				out[i] = lucid.ViewAsReal(y)
			}
		}
		return out
	}, []*lucid.Tensor{randn(lucid.Float64, shape...), randn(lucid.Float64, shape...)})
}

// TestBadMatrices: an error names the function, the matrix, the pivot and what gives it instead, when values are asked for; forms with info
// have none.
func TestBadMatrices(t *testing.T) {
	a := lucid.Stack([]*lucid.Tensor{lucid.Eye(2), lucid.New([]float32{1, 2, 2, 4}, 2, 2)}, 0)
	instead := map[string]string{"linalg_inv": "InvEx", "linalg_solve": "SolveEx", "linalg_lu_factor": "LUFactorEx",
		"linalg_cholesky": "CholeskyEx", "matrix_power": "InvEx"}
	for name, f := range map[string]func() *lucid.Tensor{
		"linalg_inv":       func() *lucid.Tensor { return linalg.Inv(a) },
		"linalg_solve":     func() *lucid.Tensor { return linalg.Solve(a, lucid.Ones(2, 2, 1)) },
		"linalg_lu_factor": func() *lucid.Tensor { lu, _ := linalg.LUFactor(a); return lu },
		"linalg_cholesky":  func() *lucid.Tensor { return linalg.Cholesky(a.Sub(lucid.Eye(2).Mul(1e-3))) },
		"matrix_power":     func() *lucid.Tensor { return linalg.MatrixPower(a, -2) },
	} {
		err := lucid.Eval(f())
		if !errors.Is(err, lucid.ErrSingular) || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), "matrix 1 of the batch") ||
			!strings.Contains(err.Error(), "pivot 2") || !strings.Contains(err.Error(), "linalg."+instead[name]+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, info := linalg.InvEx(a)
	if got := fmt.Sprint(lucid.ToSlice[int32](info)); got != "[0 2]" || info.DType() != lucid.Int32 {
		t.Errorf("info of inv_ex: %v", got)
	}
	_, info = linalg.CholeskyEx(a.Neg())
	if got := fmt.Sprint(lucid.ToSlice[int32](info)); got != "[1 1]" {
		t.Errorf("info of cholesky_ex: %v", got)
	}
	nan := lucid.Full([]int{2, 2}, math.NaN())
	for name, f := range map[string]func() *lucid.Tensor{
		"svd":  func() *lucid.Tensor { return linalg.SVDVals(nan) },
		"eigh": func() *lucid.Tensor { return linalg.EigValsH(nan) },
		"eig":  func() *lucid.Tensor { return linalg.EigVals(nan) },
	} {
		if err := lucid.Eval(f()); !errors.Is(err, lucid.ErrSingular) {
			t.Errorf("%s of NaN: %v", name, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	half := lucid.Eye(2).To(lucid.Float16)
	pivots := lucid.New([]int32{1, 9}, 2)
	for name, c := range map[string]struct {
		want error
		f    func() *lucid.Tensor
	}{
		"half":       {lucid.ErrDType, func() *lucid.Tensor { return linalg.Inv(half) }},
		"integers":   {lucid.ErrDType, func() *lucid.Tensor { return linalg.Det(lucid.Eye(2).To(lucid.Int64)) }},
		"a vector":   {lucid.ErrShapeMismatch, func() *lucid.Tensor { return linalg.Det(lucid.Ones(3)) }},
		"not square": {lucid.ErrShapeMismatch, func() *lucid.Tensor { return linalg.Cholesky(lucid.Ones(2, 3)) }},
		"rows":       {lucid.ErrShapeMismatch, func() *lucid.Tensor { return linalg.Solve(lucid.Eye(2), lucid.Ones(3, 1)) }},
		"mode": {lucid.ErrValue, func() *lucid.Tensor {
			q, _ := linalg.QR(lucid.Eye(2), linalg.QROptions{Mode: "full"})
			return q
		}},
		"UPLO": {lucid.ErrValue, func() *lucid.Tensor { return linalg.EigValsH(lucid.Eye(2), linalg.EighOptions{UPLO: "X"}) }},
		"driver": {lucid.ErrValue, func() *lucid.Tensor {
			return linalg.SVDVals(lucid.Eye(2), linalg.SVDValsOptions{Driver: "x"})
		}},
		"order of a norm": {lucid.ErrValue, func() *lucid.Tensor {
			return linalg.MatrixNorm(lucid.Eye(2), linalg.MatrixNormOptions{Ord: 3})
		}},
		"tolerance": {lucid.ErrValue, func() *lucid.Tensor { return linalg.PInv(lucid.Eye(2), linalg.PInvOptions{RTol: new(-1.0)}) }},
		"pivots":    {lucid.ErrIndex, func() *lucid.Tensor { _, l, _ := linalg.LUUnpack(lucid.Eye(2), pivots); return l }},
		"pivots of one matrix of a batch": {lucid.ErrIndex, func() *lucid.Tensor {
			p := make([]int32, 2*20)
			for i := range p {
				p[i] = 2
			}
			p[31] = 3
			return linalg.LUSolve(lucid.Ones(20, 2, 2), lucid.New(p, 20, 2), lucid.Ones(20, 2, 1))
		}},
	} {
		err := lucid.Try(func() {
			if e := lucid.Eval(c.f()); e != nil {
				panic(e)
			}
		})
		if name == "pivots" { // L and U do not need them; the permutation does
			p, _, _ := linalg.LUUnpack(lucid.Eye(2), pivots)
			err = lucid.Eval(p)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGradientOfEighIsHermitian: also of a function that the antisymmetric part of the input would change, and of the second order.
func TestGradientOfEighIsHermitian(t *testing.T) {
	lucid.Seed(12)
	for _, d := range dtypes {
		x, c := randn(d, 2, 4, 4), randn(d, 2, 4, 4)
		vectors := func(x *lucid.Tensor) *lucid.Tensor {
			_, v := linalg.Eigh(x)
			return v.Abs().Square().Mul(c.Abs()).Sum()
		}
		values := func(x *lucid.Tensor) *lucid.Tensor { return linalg.EigValsH(x).Cos().Sum() }
		for name, f := range map[string]func(*lucid.Tensor) *lucid.Tensor{"vectors": vectors, "values": values,
			"second order": func(x *lucid.Tensor) *lucid.Tensor {
				return lucid.Real(lucid.Grad(values)(x).Mul(c)).Sum()
			}} {
			g := lucid.Grad(f)(x)
			near(t, name, g, adjoint(g))
			tangent := randn(d, 2, 4, 4)
			_, dy := lucid.JVP(f, x, tangent)
			near(t, name+" and JVP", lucid.Real(g.Conj().Mul(tangent)).Sum(), dy)
		}
	}
}

// TestBitsOfBatches: a matrix has the same bits alone, in a batch, and for any number of processors.
func TestBitsOfBatches(t *testing.T) {
	lucid.Seed(3)
	for _, d := range dtypes {
		for _, n := range []int{4, 33, 150} {
			batch := randn(d, 3, n, n)
			all := func(x *lucid.Tensor) []*lucid.Tensor {
				u, s, vh := linalg.SVD(x)
				q, r := linalg.QR(x)
				w, v := linalg.Eigh(x)
				return []*lucid.Tensor{u, s, vh, q, r, w, v, linalg.Inv(x), linalg.Det(x), linalg.MatrixExp(x.Div(float64(n)))}
			}
			want := all(batch)
			if err := lucid.Eval(want...); err != nil {
				t.Fatal(err)
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			for i, one := range all(batch.At(1).Clone()) {
				if !lucid.Equal(one, want[i].At(1)) {
					t.Errorf("%v, %d rows: result %d differs", d, n, i)
				}
			}
			runtime.GOMAXPROCS(runtime.NumCPU())
		}
	}
}

func TestLstSq(t *testing.T) {
	lucid.Seed(4)
	a := randn(lucid.Float64, 6, 3)
	x := randn(lucid.Float64, 3, 2)
	for _, driver := range []string{"", "gels", "gelsy", "gelsd", "gelss"} {
		got, res, rank, sv := linalg.LstSq(a, a.MatMul(x), linalg.LstSqOptions{Driver: driver})
		near(t, driver, got, x)
		if driver == "gelsd" && (rank.Item() != 3 || sv.Size(0) != 3 || res.Size(0) != 2) {
			t.Errorf("%v %v %v", res, rank, sv)
		}
	}
	low := lucid.Cat([]*lucid.Tensor{a, a.Narrow(1, 0, 1)}, 1) // rank 3 of 4: the shortest solution is that of the pseudoinverse
	got, _, rank, _ := linalg.LstSq(low, a.MatMul(x))
	near(t, "rank below full", got, linalg.PInv(low).MatMul(a.MatMul(x)))
	if rank.Item() != 3 {
		t.Errorf("rank %v", rank)
	}
}

func TestLowRank(t *testing.T) {
	lucid.Seed(5)
	a := randn(lucid.Float64, 20, 3).MatMul(randn(lucid.Float64, 3, 12))
	for _, x := range []*lucid.Tensor{a, a.T()} {
		u, s, v := linalg.SVDLowRank(x, linalg.SVDLowRankOptions{Q: 4})
		near(t, "svd_lowrank", u.MatMul(lucid.Diag(s)).MatMul(v.T()), x)
		u, s, v = linalg.PCALowRank(x, linalg.PCALowRankOptions{Q: 4})
		near(t, "pca_lowrank", u.MatMul(lucid.Diag(s)).MatMul(v.T()), x.Sub(x.Mean(0)))
	}
	b := randn(lucid.Float64, 12, 12)
	spd := b.MatMul(b.T()).Add(lucid.Eye(12).To(lucid.Float64))
	all := linalg.EigValsH(spd)
	w, v := linalg.LOBPCG(spd, linalg.LOBPCGOptions{K: 2, Niter: 60})
	near(t, "the largest", w, all.Narrow(0, 10, 2).Flip(0))
	near(t, "their vectors", spd.MatMul(v), v.Mul(w))
	w, _ = linalg.LOBPCG(spd, linalg.LOBPCGOptions{K: 2, Niter: 60, Smallest: true, Preconditioner: linalg.Inv(spd)})
	near(t, "the smallest", w, all.Narrow(0, 0, 2))
}
