package cuda

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/fft"
	"github.com/lucid-go/lucid/linalg"
)

var factorTypes = []lucid.DType{lucid.Float32, lucid.Float64, lucid.Complex64, lucid.Complex128}

func adjoint(x *lucid.Tensor) *lucid.Tensor { return lucid.MT(x).Conj() }

// largest is the largest magnitude of a tensor, in float64.
func largest(x *lucid.Tensor) float64 {
	for _, n := range x.Shape() {
		if n == 0 {
			return 0
		}
	}
	return x.Abs().Max().To(lucid.Float64).Item()
}

// closeTo compares to some units of n·ε·scale, as LAPACK's own tests do.
func closeTo(t *testing.T, what string, got, want *lucid.Tensor, n int) {
	t.Helper()
	eps := 0x1p-52
	if got.DType() == lucid.Float32 || got.DType() == lucid.Complex64 {
		eps = 0x1p-23
	}
	if fmt.Sprint(got.Shape()) != fmt.Sprint(want.Shape()) {
		t.Errorf("%s: shape %v, want %v", what, got.Shape(), want.Shape())
		return
	}
	scale := max(largest(want), 1)
	if off := largest(got.Sub(want)); !(off <= 20*eps*scale*float64(max(n, 4))) {
		t.Errorf("%s: off by %g of %g, %.1f times n·ε", what, off, scale, off/eps/scale/float64(max(n, 1)))
	}
}

// factorShapes have matrices for a warp, for a block and for the library, single ones and batches, empty ones too.
var factorShapes = [][]int{{1, 1}, {2, 2}, {3, 3}, {5, 4, 4}, {4, 7, 3}, {3, 7}, {16, 16}, {40, 31, 31}, {9, 32, 32}, {2, 20, 32}, {33, 33},
	{12, 40, 40}, {10, 50, 37}, {9, 37, 50}, {100, 100}, {2, 150, 90}, {90, 150}, {260, 260}, {0, 3, 3}, {3, 0}, {0, 3}, {2, 0, 0}}

func identity(x *lucid.Tensor, n int) *lucid.Tensor {
	shape := append(append([]int(nil), x.Shape()[:x.Dim()-2]...), n, n)
	return lucid.With{DType: x.DType()}.Eye(n).Expand(shape...)
}

// TestFactors: on the GPU factors multiply back to the matrix and orthogonal ones are orthogonal, for every dtype and size.
func TestFactors(t *testing.T) {
	lucid.WithDevice(gpu(t), func() {
		lucid.Seed(1)
		for _, d := range factorTypes {
			for _, s := range factorShapes {
				t.Run(fmt.Sprint(d, s), func(t *testing.T) { factorsOf(t, d, s) })
			}
		}
	})
}

func factorsOf(t *testing.T, d lucid.DType, s []int) {
	m, n := s[len(s)-2], s[len(s)-1]
	a := lucid.With{DType: d}.Randn(s...)
	size := max(m, n)
	q, r := linalg.QR(a)
	closeTo(t, "QR", q.MatMul(r), a, size)
	closeTo(t, "QᴴQ", adjoint(q).MatMul(q), identity(q, min(m, n)), size)
	q, r = linalg.QR(a, linalg.QROptions{Mode: "complete"})
	closeTo(t, "complete QR", q.MatMul(r), a, size)
	closeTo(t, "complete QᴴQ", adjoint(q).MatMul(q), identity(q, m), size)
	u, sv, vh := linalg.SVD(a, linalg.SVDOptions{Reduced: true})
	closeTo(t, "SVD", u.MatMul(lucid.DiagEmbed(sv.To(d))).MatMul(vh), a, size)
	closeTo(t, "singular values", linalg.SVDVals(a), sv, size)
	u, _, vh = linalg.SVD(a)
	closeTo(t, "UᴴU", adjoint(u).MatMul(u), identity(u, m), size)
	closeTo(t, "VVᴴ", vh.MatMul(adjoint(vh)), identity(vh, n), size)
	p, l, up := linalg.LU(a)
	closeTo(t, "LU", p.MatMul(l).MatMul(up), a, size)
	h, tau := linalg.Geqrf(a)
	if k := min(m, n); k > 0 {
		closeTo(t, "geqrf", linalg.HouseholderProduct(h.Narrow(-1, 0, k), tau).MatMul(lucid.Triu(h.Narrow(-2, 0, k))), a, size)
	}
	if m != n {
		closeTo(t, "pinv", a.MatMul(linalg.PInv(a)).MatMul(a), a, 20*size)
		b := lucid.With{DType: d}.Randn(append(append([]int{}, s[:len(s)-1]...), 2)...)
		x, _, _, _ := linalg.LstSq(a, b)
		closeTo(t, "least squares", x, linalg.PInv(a).MatMul(b), 20*size)
		return
	}
	if n == 100 {
		w, v := linalg.Eig(a)
		closeTo(t, "eig", a.To(v.DType()).MatMul(v), v.MatMul(lucid.DiagEmbed(w)), 20*size)
		closeTo(t, "lengths", v.Abs().Square().Sum(-2), lucid.OnesLike(w.Abs()), size)
	}
	definite := a.MatMul(adjoint(a)).Add(identity(a, n).Mul(float64(n)))
	e, z := linalg.Eigh(definite)
	closeTo(t, "eigh", z.MatMul(lucid.DiagEmbed(e.To(d))).MatMul(adjoint(z)), definite, size)
	closeTo(t, "eigenvectors", adjoint(z).MatMul(z), identity(z, n), size)
	closeTo(t, "eigenvalues", linalg.EigValsH(definite, linalg.EighOptions{UPLO: "U"}), e, size)
	c := linalg.Cholesky(definite)
	closeTo(t, "Cholesky", c.MatMul(adjoint(c)), definite, size)
	closeTo(t, "solve_triangular", c.MatMul(linalg.SolveTriangular(c, a, false)), a, size)
	closeTo(t, "solve", definite.MatMul(linalg.Solve(definite, a)), a, size)
	closeTo(t, "inv", linalg.Inv(definite).MatMul(definite), identity(a, n), size)
	root := linalg.MatrixSqrtH(definite)
	closeTo(t, "sqrth", root.MatMul(root), definite, size)
	sign, log := linalg.SlogDet(definite)
	closeTo(t, "sign", sign, lucid.OnesLike(sign), 4)
	closeTo(t, "slogdet", log, lucid.Log(e).Sum(-1), size)
	small := a.Mul(0.5 / math.Sqrt(float64(max(n, 1))))
	closeTo(t, "exp", linalg.MatrixExp(small).MatMul(linalg.MatrixExp(small.Neg())), identity(a, n), 10*size)
}

// TestFactorsLikeCPU compares what is unique with the CPU's values: determinants, solutions with the adjoint, exponentials and gradients.
func TestFactorsLikeCPU(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(2)
	for _, d := range factorTypes {
		for _, s := range [][]int{{3, 5, 5}, {40, 40}, {2, 70, 70}} {
			n := s[len(s)-1]
			a := lucid.With{DType: d}.Randn(s...).Mul(1 / math.Sqrt(float64(n)))
			for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
				"det": linalg.Det,
				"exp": func(x *lucid.Tensor) *lucid.Tensor { return linalg.MatrixExp(x.Mul(3)) },
				"det grad": func(x *lucid.Tensor) *lucid.Tensor {
					return gradOf(x, func(x *lucid.Tensor) *lucid.Tensor { return linalg.Det(x).Abs().Sum() })
				},
				"solve grad": func(x *lucid.Tensor) *lucid.Tensor {
					return gradOf(x, func(x *lucid.Tensor) *lucid.Tensor {
						return linalg.Inv(x.Add(identity(x, n).Mul(3))).Abs().Square().Sum()
					})
				},
				"lu":     func(x *lucid.Tensor) *lucid.Tensor { lu, _ := linalg.LUFactor(x); return lu },
				"pivots": func(x *lucid.Tensor) *lucid.Tensor { _, p := linalg.LUFactor(x); return p.To(lucid.Float32) },
				"svdvals grad": func(x *lucid.Tensor) *lucid.Tensor {
					return gradOf(x, func(x *lucid.Tensor) *lucid.Tensor { return linalg.SVDVals(x).Sum() })
				},
			} {
				want := f(a)
				got := f(a.To(dev)).To(lucid.CPU)
				closeTo(t, fmt.Sprint(name, " ", d, s), got, want, 20*n)
			}
		}
	}
}

func gradOf(x *lucid.Tensor, f func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
	return lucid.Grad(f)(x)
}

// TestBadMatricesOnGPU: errors and info words are those of the CPU, small matrices and large ones.
func TestBadMatricesOnGPU(t *testing.T) {
	lucid.WithDevice(gpu(t), func() {
		for _, n := range []int{2, 40, 150} {
			bad := lucid.Eye(n).Mul(lucid.Arange(n).Ne(n - 1).To(lucid.Float32))
			a := lucid.Stack([]*lucid.Tensor{lucid.Eye(n), bad}, 0)
			for name, f := range map[string]func() *lucid.Tensor{
				"linalg_inv":       func() *lucid.Tensor { return linalg.Inv(a) },
				"linalg_lu_factor": func() *lucid.Tensor { lu, _ := linalg.LUFactor(a); return lu },
				"linalg_cholesky":  func() *lucid.Tensor { return linalg.Cholesky(a) },
			} {
				err := lucid.Eval(f())
				if !errors.Is(err, lucid.ErrSingular) || !strings.Contains(err.Error(), name) ||
					!strings.Contains(err.Error(), "matrix 1 of the batch") || !strings.Contains(err.Error(), fmt.Sprint("pivot ", n)) {
					t.Errorf("%s of %d: %v", name, n, err)
				}
			}
			_, info := linalg.InvEx(a)
			if got := fmt.Sprint(lucid.ToSlice[int32](info)); got != fmt.Sprint([]int{0, n}) {
				t.Errorf("info of %d: %v", n, got)
			}
			nan := lucid.Full([]int{n, n}, math.NaN())
			for name, f := range map[string]func() *lucid.Tensor{
				"svd":  func() *lucid.Tensor { return linalg.SVDVals(nan) },
				"eigh": func() *lucid.Tensor { return linalg.EigValsH(nan) },
				"eig":  func() *lucid.Tensor { return linalg.EigVals(nan) },
			} {
				if err := lucid.Eval(f()); !errors.Is(err, lucid.ErrSingular) {
					t.Errorf("%s of NaN, %d: %v", name, n, err)
				}
			}
			if x := linalg.SVDVals(bad); x.Min().Item() != 0 || x.Max().Item() != 1 {
				t.Errorf("singular values of a singular matrix of %d: %v", n, x)
			}
		}
	})
}

// TestTransforms compares Fourier transforms of every kind of length and layout with the CPU's.
func TestTransforms(t *testing.T) {
	dev := gpu(t)
	lucid.Seed(3)
	same := func(name string, x *lucid.Tensor, f func(x *lucid.Tensor) *lucid.Tensor) {
		closeTo(t, name, f(x.To(dev)).To(lucid.CPU), f(x), 64)
	}
	for _, d := range factorTypes {
		for _, n := range []int{1, 2, 3, 4, 5, 8, 12, 30, 64, 97, 100, 127, 1000, 1024, 2027, 4093} {
			x := lucid.With{DType: d}.Randn(3, n, 2)
			for _, dim := range []int{-2, 1} {
				o := fft.Options{Dim: &dim}
				same(fmt.Sprint("fft ", d, n), x, func(x *lucid.Tensor) *lucid.Tensor { return fft.FFT(x, o) })
				same(fmt.Sprint("ifft ", d, n), x.Transpose(0, 2), func(x *lucid.Tensor) *lucid.Tensor { return fft.IFFT(x, o) })
				if !d.IsComplex() {
					same(fmt.Sprint("rfft ", d, n), x, func(x *lucid.Tensor) *lucid.Tensor { return fft.RFFT(x, o) })
				}
			}
			last := lucid.With{DType: d}.Randn(5, n)
			same(fmt.Sprint("rows ", d, n), last, func(x *lucid.Tensor) *lucid.Tensor { return fft.FFT(x) })
			for _, odd := range []int{0, 1} {
				o := fft.Options{N: max(1, 2*n-2+odd)}
				same(fmt.Sprint("irfft ", d, n), last, func(x *lucid.Tensor) *lucid.Tensor { return fft.IRFFT(x, o) })
				same(fmt.Sprint("hfft ", d, n), last, func(x *lucid.Tensor) *lucid.Tensor { return fft.HFFT(x, o) })
			}
		}
		x := lucid.With{DType: d}.Randn(3, 6, 10, 7)
		same(fmt.Sprint("fft2 ", d), x, func(x *lucid.Tensor) *lucid.Tensor { return fft.FFT2(x) })
		same(fmt.Sprint("fftn ", d), x, func(x *lucid.Tensor) *lucid.Tensor { return fft.FFTN(x) })
		same(fmt.Sprint("ifftn ", d), x, func(x *lucid.Tensor) *lucid.Tensor { return fft.IFFTN(x) })
	}
}

// TestCaptured: transforms and small factorisations are part of a CUDA graph; a large factorisation refuses it, and its function still
// runs.
func TestCaptured(t *testing.T) {
	lucid.WithDevice(gpu(t), func() {
		x := lucid.Randn(20, 16, 16)
		small := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
			q, _ := linalg.QR(x)
			return fft.FFT(q).Abs().Add(linalg.SVDVals(x).Sum())
		})
		large := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return linalg.Inv(x.MatMul(x.MT())).Mul(2) })
		y := lucid.Randn(200, 200).Add(lucid.Eye(200).Mul(50))
		for range 4 {
			q, _ := linalg.QR(x)
			closeTo(t, "small", small(x), fft.FFT(q).Abs().Add(linalg.SVDVals(x).Sum()), 64)
			closeTo(t, "large", large(y), linalg.Inv(y.MatMul(y.MT())).Mul(2), 200)
		}
		t.Logf("small: %v", lucid.Explain(small))
		t.Logf("large: %v", lucid.Explain(large))
	})
}
