package cuda

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestLongRows sorts and scans rows that are split into tiles and chunks, of lengths around their boundaries, against the
// CPU. Sorted indices must be equal: sorts are stable, zeros have both signs, NaN comes last.
func TestLongRows(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(3, 4))
	types := []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Float16, lucid.Int8, lucid.Uint8, lucid.Int16, lucid.Int32,
		lucid.Int64, lucid.Bool}
	for _, c := range []struct{ rows, n int }{{1, 1 << 18}, {1, 1<<18 + 4097}, {5, 70000}, {40, 8193}} {
		v := make([]float64, c.rows*c.n)
		for i := range v {
			v[i] = math.Round(r.NormFloat64()*400) / 8
			switch r.IntN(50) {
			case 0:
				v[i] = 0
			case 1:
				v[i] = math.Copysign(0, -1)
			}
		}
		x := lucid.New(v, c.rows, c.n)
		for _, d := range types {
			y := x.To(d)
			if d == lucid.Float32 || d == lucid.BFloat16 {
				y = lucid.Where(x.Gt(120.0), math.NaN(), x).To(d)
			}
			y = y.Eval()
			z := y.To(dev).Eval()
			for _, down := range []bool{false, true} {
				o := lucid.SortOptions{Dim: new(1), Descending: down}
				want, got := lucid.ArgSort(y, o), lucid.ArgSort(z, o)
				if w, g := lucid.ToSlice[int64](want), lucid.ToSlice[int64](got); !slices.Equal(w, g) {
					t.Errorf("%v of %v, descending %v: the order differs", c, d, down)
				}
			}
		}
		for _, d := range []lucid.DType{lucid.Float64, lucid.Int64, lucid.Complex128} {
			y := x.To(d).Eval()
			z := y.To(dev)
			for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
				"cumsum":         func(x *lucid.Tensor) *lucid.Tensor { return x.CumSum(1) },
				"cumsum of rows": func(x *lucid.Tensor) *lucid.Tensor { return x.Transpose(0, 1).Contiguous().CumSum(0) },
				"cumsum backwards": func(x *lucid.Tensor) *lucid.Tensor {
					return lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return x.CumSum(1).Mul(x.Detach()).Sum().Real() })(x)
				},
				"cumprod": func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(0.01).Exp().CumProd(1).Log() },
				"cummax":  func(x *lucid.Tensor) *lucid.Tensor { _, at := x.CumMax(1); return at },
			} {
				if d == lucid.Complex128 && name != "cumsum" && name != "cumsum of rows" || d == lucid.Int64 &&
					(name == "cumprod" || name == "cumsum backwards") {
					continue
				}
				if want, got := f(y), f(z).To(lucid.CPU); !lucid.AllClose(got, want, lucid.CloseOptions{RTol: new(1e-9), ATol: new(1e-6)}) {
					t.Errorf("%s of %v, %v: %v, want %v", name, c, d, got, want)
				}
			}
		}
	}
}

// TestSameBits runs kernels with decoupled look-back many times: the bits do not depend on timing.
func TestSameBits(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(5, 6))
	v, at := make([]float32, 1<<22), make([]int64, 1<<16)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	for i := range at {
		at[i] = int64(r.IntN(100) * r.IntN(100))
	}
	x, where := lucid.New(v, 1<<22).To(dev).Eval(), lucid.New(at, 1<<16).To(dev).Eval()
	for name, f := range map[string]func() *lucid.Tensor{
		"cumsum":       func() *lucid.Tensor { return x.CumSum(0) },
		"cumsum, rows": func() *lucid.Tensor { return x.Reshape(4, -1).CumSum(1) },
		"logcumsumexp": func() *lucid.Tensor { return x.LogCumSumExp(0) },
		"argsort":      func() *lucid.Tensor { return x.ArgSort(0) },
		"index_add":    func() *lucid.Tensor { return lucid.Zeros(10000, 64).To(dev).IndexAdd(0, where, x.Reshape(-1, 64)) },
		"index_add, bfloat16": func() *lucid.Tensor {
			return lucid.Zeros(10000, 64).To(dev).To(lucid.BFloat16).IndexAdd(0, where, x.Reshape(-1, 64).To(lucid.BFloat16))
		},
	} {
		want := f().Eval()
		for range 20 {
			if got := f(); !lucid.Equal(got, want) {
				t.Errorf("%s: other bits in another run", name)
				break
			}
		}
	}
}

// TestTiles sorts, scans and sums a few tiles: small enough for a sanitizer.
func TestTiles(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(7, 8))
	v, at := make([]float32, 1<<17+5), make([]int64, 700)
	for i := range v {
		v[i] = float32(r.IntN(300))
	}
	for i := range at {
		at[i] = int64(r.IntN(30))
	}
	x, where := lucid.New(v, len(v)), lucid.New(at, len(at))
	for name, f := range map[string]func(x, where *lucid.Tensor) *lucid.Tensor{
		"argsort": func(x, _ *lucid.Tensor) *lucid.Tensor { return x.ArgSort(0) },
		"sort":    func(x, _ *lucid.Tensor) *lucid.Tensor { v, _ := x.Sort(0); return v },
		"cumsum":  func(x, _ *lucid.Tensor) *lucid.Tensor { return x.Narrow(0, 0, 40000).CumSum(0) },
		"nonzero": func(x, _ *lucid.Tensor) *lucid.Tensor { return x.Narrow(0, 0, 20000).Gt(150).Nonzero() },
		"topk": func(x, _ *lucid.Tensor) *lucid.Tensor {
			_, at := x.Narrow(0, 0, 30000).Reshape(10, -1).TopK(20)
			return at
		},
		"index_add": func(x, w *lucid.Tensor) *lucid.Tensor {
			return x.Narrow(0, 0, 900).Reshape(-1, 30).IndexAdd(0, w, x.Narrow(0, 0, 21000).Reshape(-1, 30))
		},
	} {
		if want, got := f(x, where), f(x.To(dev), where.To(dev)).To(lucid.CPU); !lucid.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestChosen selects from rows that stay in shared memory, rows that do not, and few that are sorted, and by masks, against
// the CPU: ties, zeros of both signs and NaN included.
func TestChosen(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct{ rows, n int }{{40, 2500}, {40, 8193}, {33, 70000}, {2, 1<<17 + 3}} {
		v := make([]float64, c.rows*c.n)
		for i := range v {
			v[i] = math.Round(r.NormFloat64()*400) / 8
			switch r.IntN(50) {
			case 0:
				v[i] = 0
			case 1:
				v[i] = math.Copysign(0, -1)
			}
		}
		x := lucid.New(v, c.rows, c.n)
		x = lucid.Cat([]*lucid.Tensor{x.Narrow(0, 0, 1), lucid.Where(x.Narrow(0, 1, c.rows-1).Gt(140.0), math.NaN(),
			x.Narrow(0, 1, c.rows-1))}, 0).Eval()
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Int8, lucid.Int64} {
			y := x.To(d).Eval()
			z := y.To(dev).Eval()
			for name, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{
				"topk":     func(x *lucid.Tensor) *lucid.Tensor { _, at := x.TopK(100); return at },
				"kthvalue": func(x *lucid.Tensor) *lucid.Tensor { _, at := x.KthValue(c.n / 3); return at },
				"median of rows": func(x *lucid.Tensor) *lucid.Tensor {
					_, at := lucid.Median(x, lucid.ArgOptions{Dim: new(1)})
					return at
				},
				"median": func(x *lucid.Tensor) *lucid.Tensor {
					m, _ := lucid.Median(x, lucid.ArgOptions{})
					return m
				},
				"nanmedian": func(x *lucid.Tensor) *lucid.Tensor {
					m, _ := lucid.NanMedian(x, lucid.ArgOptions{})
					return m
				},
				"argpartition": func(x *lucid.Tensor) *lucid.Tensor {
					return lucid.ArgPartition(x, c.n/2, lucid.DimOptions{Dim: new(1)})
				},
				"masked_select": func(x *lucid.Tensor) *lucid.Tensor { return x.MaskedSelect(x.Gt(3)) },
				"nonzero":       func(x *lucid.Tensor) *lucid.Tensor { return x.Gt(3).Nonzero() },
			} {
				if want, got := f(y), f(z).To(lucid.CPU); !lucid.AllClose(got, want,
					lucid.CloseOptions{RTol: new(0.0), ATol: new(0.0), EqualNaN: true}) {
					t.Errorf("%s of %v, %v: %v, want %v", name, c, d, got, want)
				}
			}
		}
	}
}

// TestCounts adds integers by atomics, at many equal indices, against the CPU, and refuses indices out of range.
func TestCounts(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(11, 12))
	at := make([]int64, 1<<16)
	for i := range at {
		if at[i] = int64(r.IntN(100) * r.IntN(100)); i > 1<<15 {
			at[i] = 77
		}
	}
	where := lucid.New(at, len(at))
	for _, d := range []lucid.DType{lucid.Int32, lucid.Int64, lucid.Uint32, lucid.Int16, lucid.Float64} {
		src := lucid.RandInt(-50, 50, len(at)).Abs().To(d).Eval()
		for name, f := range map[string]func(dev lucid.Device) *lucid.Tensor{
			"bincount": func(dev lucid.Device) *lucid.Tensor { return lucid.Bincount(where.To(dev)) },
			"index_add": func(dev lucid.Device) *lucid.Tensor {
				return lucid.Ones(10000).To(d).To(dev).IndexAdd(0, where.To(dev), src.To(dev))
			},
			"scatter_add": func(dev lucid.Device) *lucid.Tensor {
				return lucid.Ones(10000, 4).To(d).To(dev).ScatterAdd(0, where.Reshape(-1, 4).To(dev),
					src.Reshape(4, -1).To(dev).Transpose(0, 1))
			},
		} {
			if want, got := f(lucid.CPU), f(dev).To(lucid.CPU); !lucid.Equal(got, want) {
				t.Errorf("%s of %v: %v, want %v", name, d, got, want)
			}
		}
		bad := lucid.Where(lucid.Arange(len(at)).Eq(70), 1<<40+5, where).To(dev)
		for _, f := range []func() *lucid.Tensor{
			func() *lucid.Tensor { return lucid.Ones(10000).To(d).To(dev).IndexAdd(0, bad, src.To(dev)) },
			func() *lucid.Tensor { return lucid.Ones(10000).To(d).To(dev).ScatterAdd(0, bad, src.To(dev)) },
		} {
			if err := lucid.Try(func() { f().Eval().Sum().Item() }); !errors.Is(err, lucid.ErrIndex) ||
				!strings.Contains(err.Error(), "1099511627781") {
				t.Errorf("a position out of range, %v: %v", d, err)
			}
		}
	}
}

// TestFewDigits sorts long rows of integers most or all of whose digits are equal, against the CPU.
func TestFewDigits(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(13, 14))
	for _, c := range []struct {
		rows, n int
		from    int64
		span    int64
	}{{1, 1<<20 + 7, 0, 60000}, {1, 1 << 20, -3, 7}, {2, 1<<20 + 1, 1 << 40, 300}, {1, 1 << 20, 5, 1}, {1, 1 << 20, -1 << 62, 1 << 62}} {
		v := make([]int64, c.rows*c.n)
		for i := range v {
			v[i] = c.from + r.Int64N(c.span)
		}
		x := lucid.New(v, c.rows, c.n)
		for _, d := range []lucid.DType{lucid.Int64, lucid.Int32, lucid.Uint64} {
			y := x.To(d).Eval()
			z := y.To(dev).Eval()
			for _, down := range []bool{false, true} {
				want, at := lucid.Sort(y, lucid.SortOptions{Dim: new(1), Descending: down})
				got, where := lucid.Sort(z, lucid.SortOptions{Dim: new(1), Descending: down})
				if !lucid.Equal(got.To(lucid.CPU), want) || !lucid.Equal(where.To(lucid.CPU), at) {
					t.Errorf("%+v of %v, descending %v: the order differs", c, d, down)
				}
			}
		}
	}
}

// TestFewOfMany takes a few elements of one long row, of lengths around whole segments of it, against the CPU.
func TestFewOfMany(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(17, 18))
	for _, n := range []int{1 << 20, 1<<20 + 1, 1<<21 - 5} {
		v := make([]float64, n)
		for i := range v {
			if v[i] = math.Round(r.NormFloat64()*40) / 8; i%1000 == 5 {
				v[i] = math.Copysign(0, -1)
			}
		}
		x := lucid.New(v, n)
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Int8} {
			y := x.To(d).Eval()
			if d == lucid.Float32 {
				y = lucid.Where(x.Gt(21.0), math.NaN(), x).To(d).Eval()
			}
			z := y.To(dev).Eval()
			for _, k := range []int{0, 1, 100, 256} {
				for _, smallest := range []bool{false, true} {
					want, at := lucid.TopK(y, k, lucid.TopKOptions{Smallest: smallest})
					got, where := lucid.TopK(z, k, lucid.TopKOptions{Smallest: smallest})
					if !lucid.Equal(where.To(lucid.CPU), at) ||
						!lucid.AllClose(got.To(lucid.CPU), want, lucid.CloseOptions{RTol: new(0.0), ATol: new(0.0), EqualNaN: true}) {
						t.Errorf("%d of %d %v, smallest %v: %v, want %v", k, n, d, smallest, where, at)
					}
				}
			}
		}
	}
}

// TestMaskCompaction partitions booleans along every dimension, some of them and all, against the CPU.
func TestMaskCompaction(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(15, 16))
	for _, s := range [][]int{{8192}, {8193}, {3, 20000, 2}, {2, 2049}, {5000, 3}, {300000}} {
		n := 1
		for _, d := range s {
			n *= d
		}
		for _, often := range []float64{0, 0.001, 0.5, 1} {
			v := make([]bool, n)
			for i := range v {
				v[i] = r.Float64() < often
			}
			y := lucid.New(v, s...)
			z := y.To(dev).Eval()
			for axis, length := range s {
				for _, k := range []int{0, 1, length / 2, length} {
					for _, smallest := range []bool{false, true} {
						o := lucid.TopKOptions{Dim: new(axis), Smallest: smallest}
						want, at := lucid.TopK(y, k, o)
						got, where := lucid.TopK(z, k, o)
						if !lucid.Equal(got.To(lucid.CPU), want) || !lucid.Equal(where.To(lucid.CPU), at) {
							t.Errorf("%d of %v along %d, %v true, smallest %v: the order differs", k, s, axis, often, smallest)
						}
					}
				}
			}
			if want, got := y.Nonzero(), z.Nonzero().To(lucid.CPU); !lucid.Equal(got, want) {
				t.Errorf("nonzero of %v, %v true: %v, want %v", s, often, got, want)
			}
		}
	}
}
