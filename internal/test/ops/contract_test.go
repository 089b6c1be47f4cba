package ops

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/linalg"
	F "github.com/lucid-go/lucid/nn/functional"
)

type contractCase struct {
	name string
	in   [][]int
	f    func(x []*lucid.Tensor) *lucid.Tensor
}

func contractCases() []contractCase {
	convCase := func(name string, x, w []int, o F.ConvGeneralOptions) contractCase {
		return contractCase{name, [][]int{x, w}, func(v []*lucid.Tensor) *lucid.Tensor { return F.ConvGeneral(v[0], v[1], o) }}
	}
	idx := func(v ...int64) *lucid.Tensor { return lucid.New(v, len(v)) }
	return []contractCase{
		{"matmul", [][]int{{2, 3}, {3, 4}}, func(v []*lucid.Tensor) *lucid.Tensor { return lucid.MatMul(v[0], v[1]) }},
		{"matmul batched", [][]int{{2, 1, 2, 3}, {3, 3, 2}}, func(v []*lucid.Tensor) *lucid.Tensor { return lucid.MatMul(v[0], v[1]) }},
		{"linear", [][]int{{2, 3}, {4, 3}, {4}}, func(v []*lucid.Tensor) *lucid.Tensor {
			return F.Linear(v[0], v[1], F.LinearOptions{Bias: v[2]})
		}},
		{"einsum", [][]int{{2, 3, 3}, {3, 4}, {4, 2}}, func(v []*lucid.Tensor) *lucid.Tensor {
			return lucid.Einsum("bii,ij,jb->bi", v...)
		}},
		{"einsum batch", [][]int{{2, 3, 2}, {2, 3, 2}}, func(v []*lucid.Tensor) *lucid.Tensor {
			return lucid.Einsum("qhd,khd->hqk", v...)
		}},
		{"cdist", [][]int{{3, 2}, {4, 2}}, func(v []*lucid.Tensor) *lucid.Tensor { return lucid.Cdist(v[0], v[1]) }},
		{"cdist 3", [][]int{{3, 2}, {4, 2}}, func(v []*lucid.Tensor) *lucid.Tensor {
			return lucid.Cdist(v[0], v[1], lucid.CdistOptions{P: new(3.0)})
		}},
		{"cdist by product", [][]int{{3, 2}, {4, 2}}, func(v []*lucid.Tensor) *lucid.Tensor {
			return lucid.Cdist(v[0], v[1], lucid.CdistOptions{ComputeMode: "use_mm_for_euclid_dist"})
		}},
		{"pdist", [][]int{{4, 3}}, func(v []*lucid.Tensor) *lucid.Tensor { return F.Pdist(v[0]) }},
		{"matrix_power", [][]int{{3, 3}}, func(v []*lucid.Tensor) *lucid.Tensor { return linalg.MatrixPower(v[0], 5) }},
		{"cross", [][]int{{2, 3}, {2, 3}}, func(v []*lucid.Tensor) *lucid.Tensor { return linalg.Cross(v[0], v[1]) }},
		{"vecdot", [][]int{{2, 3}, {2, 3}}, func(v []*lucid.Tensor) *lucid.Tensor { return linalg.Vecdot(v[0], v[1]) }},
		{"kron", [][]int{{2, 3}, {2, 2}}, func(v []*lucid.Tensor) *lucid.Tensor { return lucid.Kron(v[0], v[1]) }},
		{"gather_mm", [][]int{{3, 2, 2}, {2, 2, 3}}, func(v []*lucid.Tensor) *lucid.Tensor {
			return lucid.GatherMm(v[0], v[1], lucid.GatherMmOptions{LHSIndices: idx(0, 2, 2, -1), RHSIndices: idx(1, 0, 1, 1)})
		}},
		{"block_masked_mm", [][]int{{3, 4}, {4, 3}}, func(v []*lucid.Tensor) *lucid.Tensor {
			return lucid.BlockMaskedMm(v[0], v[1], lucid.BlockMaskedMmOptions{MaskOut: lucid.New([]bool{true, false, true, true}, 2, 2),
				MaskLHS: lucid.New([]float64{1, 2, 0, -1}, 2, 2), BlockSize: 2})
		}},
		convCase("conv", []int{2, 2, 5, 4}, []int{3, 2, 3, 2}, F.ConvGeneralOptions{Padding: 1}),
		convCase("conv stride", []int{2, 2, 7}, []int{3, 2, 3}, F.ConvGeneralOptions{Stride: []int{2}, Padding: [][]int{{1}, {0}}}),
		convCase("conv groups", []int{1, 4, 5, 4}, []int{6, 2, 2, 2},
			F.ConvGeneralOptions{Groups: 2, KernelDilation: []int{2, 1}, Flip: true}),
		convCase("conv input dilation", []int{1, 2, 4}, []int{2, 2, 3},
			F.ConvGeneralOptions{InputDilation: []int{2}, Stride: []int{3}, Padding: [][]int{{2}, {-1}}, Flip: true}),
		convCase("conv 3d", []int{1, 1, 3, 3, 3}, []int{2, 1, 2, 2, 2}, F.ConvGeneralOptions{Padding: []int{1, 0, 1}}),
		{"conv_transpose", [][]int{{1, 2, 3, 3}, {2, 2, 3, 2}, {4}}, func(v []*lucid.Tensor) *lucid.Tensor {
			return F.ConvTranspose2d(v[0], v[1], F.ConvTransposeOptions{Bias: v[2], Stride: []int{2}, Padding: []int{1},
				OutputPadding: []int{1}, Groups: 2})
		}},
	}
}

func random64(seed int, dims ...int) *lucid.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(seed*97+i*i*3+i*7) + 0.3)
	}
	return lucid.New(x, dims...)
}

func (c *contractCase) args(seed int, lead ...int) []*lucid.Tensor {
	var v []*lucid.Tensor
	for i, d := range c.in {
		v = append(v, random64(seed+i, append(append([]int(nil), lead...), d...)...))
	}
	return v
}

func total(xs, ys []*lucid.Tensor) float64 {
	s := 0.0
	for i := range xs {
		s += xs[i].Mul(ys[i]).Sum().Item()
	}
	return s
}

func shifted(xs, vs []*lucid.Tensor, h float64) []*lucid.Tensor {
	out := make([]*lucid.Tensor, len(xs))
	for i := range xs {
		out[i] = xs[i].Add(vs[i].Mul(h))
	}
	return out
}

// TestContractDerivatives checks first and second derivatives, forward and backward, against differences.
func TestContractDerivatives(t *testing.T) {
	const h = 1e-5
	for _, c := range contractCases() {
		t.Run(c.name, func(t *testing.T) {
			x, v := c.args(1), c.args(50)
			y := c.f(x)
			u := random64(7, y.Shape()...)
			one := func(f func([]*lucid.Tensor) *lucid.Tensor) func([]*lucid.Tensor) []*lucid.Tensor {
				return func(x []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{f(x)} }
			}
			value := func(x []*lucid.Tensor) *lucid.Tensor { return c.f(x).Mul(u).Sum() }
			_, dy := lucid.JVPN(one(c.f), x, v)
			_, g := lucid.VJPN(one(c.f), x, []*lucid.Tensor{u})
			slope := (value(shifted(x, v, h)).Item() - value(shifted(x, v, -h)).Item()) / (2 * h)
			tensortest.Near(t, "jvp", dy[0].Mul(u).Sum().Item(), slope)
			tensortest.Near(t, "vjp", total(g, v), slope)
			// The gradient of a square has a second derivative even for bilinear ops.
			grad := func(x []*lucid.Tensor) []*lucid.Tensor {
				_, g := lucid.VJPN(one(func(x []*lucid.Tensor) *lucid.Tensor { return c.f(x).Square().Mul(u).Sum() }), x,
					[]*lucid.Tensor{lucid.New([]float64{1})})
				return g
			}
			w := c.args(80)
			_, hv := lucid.JVPN(grad, x, v)
			_, hw := lucid.VJPN(grad, x, w)
			curve := (total(grad(shifted(x, v, h)), w) - total(grad(shifted(x, v, -h)), w)) / (2 * h)
			tensortest.Near(t, "forward over reverse", total(hv, w), curve)
			tensortest.Near(t, "reverse over reverse", total(hw, v), curve)
		})
	}
}

// TestContractVMap compares mapped ops with a loop, for every choice of mapped arguments.
func TestContractVMap(t *testing.T) {
	const size = 3
	for _, c := range contractCases() {
		for mask := 1; mask < 1<<len(c.in); mask++ {
			t.Run(fmt.Sprintf("%s %b", c.name, mask), func(t *testing.T) {
				plain, many := c.args(1), c.args(20, size)
				axes := make([]int, len(c.in))
				args := make([]*lucid.Tensor, len(c.in))
				for i := range axes {
					axes[i], args[i] = lucid.NoAxis, plain[i]
					if mask>>i&1 == 1 {
						axes[i], args[i] = 0, many[i]
					}
				}
				y := lucid.VMap(c.f, lucid.VMapOptions{In: axes})(args)
				for k := range size {
					for i := range args {
						if axes[i] == 0 {
							args[i] = rowOf(many[i], k)
						}
					}
					tensortest.Same(t, fmt.Sprint("example ", k), rowOf(y, k), c.f(args))
				}
			})
		}
	}
}

// rowOf is x[k].
func rowOf(x *lucid.Tensor, k int) *lucid.Tensor {
	all := lucid.ToSlice[float64](x)
	n := len(all) / x.Shape()[0]
	return lucid.New(all[k*n:(k+1)*n], x.Shape()[1:]...)
}

func TestGatherMMRefusesPositions(t *testing.T) {
	x := lucid.With{DType: dtype.Float32}.Zeros(2, 3, 3)
	y := lucid.GatherMm(x, x, lucid.GatherMmOptions{LHSIndices: lucid.New([]int64{2}, 1), RHSIndices: lucid.New([]int64{0}, 1)})
	if err := lucid.Try(func() { y.Eval() }); err == nil {
		t.Error("position 2 of 2 matrices was accepted")
	}
}

func TestConvolve(t *testing.T) {
	a, v := lucid.New([]float64{1, 2, 3, 4}, 4), lucid.New([]float64{1, 0, 2}, 3)
	tensortest.Same(t, "full", F.Convolve(a, v), lucid.New([]float64{1, 2, 5, 8, 6, 8}, 6))
	tensortest.Same(t, "same", F.Convolve(v, a, F.ConvolveOptions{Mode: "same"}), lucid.New([]float64{2, 5, 8, 6}, 4))
	tensortest.Same(t, "valid", F.Convolve(a, v, F.ConvolveOptions{Mode: "valid"}), lucid.New([]float64{5, 8}, 2))
	tensortest.Same(t, "even", F.Convolve(a, lucid.New([]float64{1, 10}, 2), F.ConvolveOptions{Mode: "same"}),
		lucid.New([]float64{1, 12, 23, 34}, 4))
}

// TestContractRefuses checks that what does not fit is a typed error at the call.
func TestContractRefuses(t *testing.T) {
	z := func(dims ...int) *lucid.Tensor { return lucid.Zeros(dims...) }
	for name, f := range map[string]func(){
		"matmul inner": func() { lucid.MatMul(z(2, 3), z(4, 2)) },
		"matmul 0-d":   func() { lucid.MatMul(z(), z(2)) },
		"mm rank":      func() { lucid.Mm(z(2), z(2, 2)) },
		"bmm length":   func() { lucid.Bmm(z(2, 2, 2), z(3, 2, 2)) },
		"dot rank":     func() { lucid.Dot(z(2, 2), z(2)) },
		"dot length":   func() { lucid.Dot(z(3), z(2)) },
		"bool":         func() { lucid.MatMul(lucid.New([]bool{true}, 1, 1), lucid.New([]bool{true}, 1, 1)) },
		"addmm shape":  func() { lucid.Addmm(z(3, 3), z(2, 3), z(3, 2)) },
		"addmm alpha": func() {
			lucid.Addmm(lucid.New([]int64{1}, 1, 1), lucid.New([]int64{1}, 1, 1), lucid.New([]int64{1}, 1, 1),
				lucid.AddmmOptions{Alpha: 0.5})
		},
		"tensordot dims":      func() { lucid.Tensordot(z(2), z(2), 2) },
		"tensordot type":      func() { lucid.Tensordot(z(2), z(2), "1") },
		"tensordot sizes":     func() { lucid.Tensordot(z(2, 3), z(4, 2), 1) },
		"einsum count":        func() { lucid.Einsum("ij,jk", z(2, 2)) },
		"einsum rank":         func() { lucid.Einsum("ijk", z(2, 2)) },
		"einsum size":         func() { lucid.Einsum("ij,jk", z(2, 3), z(4, 2)) },
		"einsum diagonal":     func() { lucid.Einsum("ii", z(1, 2)) },
		"einsum output":       func() { lucid.Einsum("ij->k", z(2, 2)) },
		"einsum twice":        func() { lucid.Einsum("ij->ii", z(2, 2)) },
		"einsum letter":       func() { lucid.Einsum("i1", z(2, 2)) },
		"cross size":          func() { linalg.Cross(z(2, 2), z(2, 2)) },
		"cdist rows":          func() { lucid.Cdist(z(2, 3), z(2, 2)) },
		"matrix_power square": func() { linalg.MatrixPower(z(2, 3), 2) },
		"conv rank":           func() { F.Conv2d(z(1, 2, 3), z(1, 2, 3)) },
		"conv channels":       func() { F.Conv1d(z(1, 2, 5), z(3, 1, 2)) },
		"conv groups":         func() { F.Conv1d(z(1, 4, 5), z(3, 2, 2), F.ConvOptions{Groups: 2}) },
		"conv groups 0":       func() { F.Conv1d(z(1, 4, 5), z(3, 2, 2), F.ConvOptions{Groups: 0}) },
		"conv kernel":         func() { F.Conv1d(z(1, 1, 2), z(1, 1, 3)) },
		"conv stride":         func() { F.Conv1d(z(1, 1, 5), z(1, 1, 3), F.ConvOptions{Stride: []int{0}}) },
		"conv stride list":    func() { F.Conv2d(z(1, 1, 5, 5), z(1, 1, 3, 3), F.ConvOptions{Stride: []int{1, 1, 1}}) },
		"conv padding word":   func() { F.Conv1d(z(1, 1, 5), z(1, 1, 3), F.ConvOptions{Padding: "reflect"}) },
		"conv padding type":   func() { F.Conv1d(z(1, 1, 5), z(1, 1, 3), F.ConvOptions{Padding: 1.5}) },
		"conv same stride": func() {
			F.Conv1d(z(1, 1, 5), z(1, 1, 3), F.ConvOptions{Padding: "same", Stride: []int{2}})
		},
		"conv bias": func() { F.Conv1d(z(1, 1, 5), z(2, 1, 3), F.ConvOptions{Bias: z(3)}) },
		"conv_transpose extra": func() {
			F.ConvTranspose1d(z(1, 1, 5), z(1, 1, 3), F.ConvTransposeOptions{OutputPadding: []int{1}})
		},
		"gather_mm sizes":     func() { lucid.GatherMm(z(2, 2, 3), z(2, 2, 3)) },
		"gather_mm positions": func() { lucid.GatherMm(z(2, 2, 2), z(2, 2, 2), lucid.GatherMmOptions{LHSIndices: z(1)}) },
		"block_masked_mm mask": func() {
			lucid.BlockMaskedMm(z(4, 4), z(4, 4), lucid.BlockMaskedMmOptions{MaskOut: z(1, 1), BlockSize: 2})
		},
	} {
		if err := lucid.Try(f); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// TestEinsumOfIntegers asks for PyTorch's dtypes: products wrap in the operands' own, and a sum over what one operand alone has is int64.
func TestEinsumOfIntegers(t *testing.T) {
	u := lucid.New([]uint8{200, 100, 3, 255}, 2, 2)
	row := lucid.New([]uint8{200, 100}, 2)
	for _, c := range []struct {
		equation string
		in       []*lucid.Tensor
		want     *lucid.Tensor
	}{
		{"ij->i", []*lucid.Tensor{u}, lucid.New([]int64{300, 258}, 2)},
		{"ii->", []*lucid.Tensor{u}, lucid.New([]int64{455})},
		{"ij,i->i", []*lucid.Tensor{u, row}, lucid.New([]int64{60000, 25800}, 2)},
		{"ij,k->ik", []*lucid.Tensor{u, row}, lucid.New([]int64{60000, 30000, 51600, 25800}, 2, 2)},
		{"i->", []*lucid.Tensor{row.To(lucid.Bool)}, lucid.New([]int64{2})},
		{"ij->ji", []*lucid.Tensor{u}, lucid.New([]uint8{200, 3, 100, 255}, 2, 2)},
		{"ij,ij->", []*lucid.Tensor{u, u}, lucid.New([]uint8{90})},
	} {
		if got := lucid.Einsum(c.equation, c.in...); got.DType() != c.want.DType() || !lucid.Equal(got, c.want) {
			t.Errorf("%s: %v of %v, want %v of %v", c.equation, got, got.DType(), c.want, c.want.DType())
		}
	}
}
