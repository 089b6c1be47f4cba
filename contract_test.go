package lucid

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
)

type contractCase struct {
	name string
	in   [][]int
	f    func(x []*Tensor) *Tensor
}

func contractCases() []contractCase {
	convCase := func(name string, x, w []int, o ConvGeneralOptions) contractCase {
		return contractCase{name, [][]int{x, w}, func(v []*Tensor) *Tensor { return ConvGeneral(v[0], v[1], o) }}
	}
	idx := func(v ...int64) *Tensor { return New(v, len(v)) }
	return []contractCase{
		{"matmul", [][]int{{2, 3}, {3, 4}}, func(v []*Tensor) *Tensor { return MatMul(v[0], v[1]) }},
		{"matmul batched", [][]int{{2, 1, 2, 3}, {3, 3, 2}}, func(v []*Tensor) *Tensor { return MatMul(v[0], v[1]) }},
		{"linear", [][]int{{2, 3}, {4, 3}, {4}}, func(v []*Tensor) *Tensor { return Linear(v[0], v[1], v[2]) }},
		{"einsum", [][]int{{2, 3, 3}, {3, 4}, {4, 2}}, func(v []*Tensor) *Tensor { return Einsum("bii,ij,jb->bi", v...) }},
		{"einsum batch", [][]int{{2, 3, 2}, {2, 3, 2}}, func(v []*Tensor) *Tensor { return Einsum("qhd,khd->hqk", v...) }},
		{"cdist", [][]int{{3, 2}, {4, 2}}, func(v []*Tensor) *Tensor { return Cdist(v[0], v[1]) }},
		{"cdist 3", [][]int{{3, 2}, {4, 2}}, func(v []*Tensor) *Tensor { return Cdist(v[0], v[1], CdistOptions{P: new(3.0)}) }},
		{"cdist by product", [][]int{{3, 2}, {4, 2}}, func(v []*Tensor) *Tensor {
			return Cdist(v[0], v[1], CdistOptions{ComputeMode: "use_mm_for_euclid_dist"})
		}},
		{"pdist", [][]int{{4, 3}}, func(v []*Tensor) *Tensor { return Pdist(v[0]) }},
		{"matrix_power", [][]int{{3, 3}}, func(v []*Tensor) *Tensor { return MatrixPower(v[0], 5) }},
		{"cross", [][]int{{2, 3}, {2, 3}}, func(v []*Tensor) *Tensor { return Cross(v[0], v[1]) }},
		{"vecdot", [][]int{{2, 3}, {2, 3}}, func(v []*Tensor) *Tensor { return Vecdot(v[0], v[1]) }},
		{"kron", [][]int{{2, 3}, {2, 2}}, func(v []*Tensor) *Tensor { return Kron(v[0], v[1]) }},
		{"gather_mm", [][]int{{3, 2, 2}, {2, 2, 3}}, func(v []*Tensor) *Tensor {
			return GatherMm(v[0], v[1], idx(0, 2, 2, -1), idx(1, 0, 1, 1))
		}},
		{"block_masked_mm", [][]int{{3, 4}, {4, 3}}, func(v []*Tensor) *Tensor {
			return BlockMaskedMm(v[0], v[1], New([]bool{true, false, true, true}, 2, 2), New([]float64{1, 2, 0, -1}, 2, 2), nil, BlockMaskedMmOptions{BlockSize: new(2)})
		}},
		convCase("conv", []int{2, 2, 5, 4}, []int{3, 2, 3, 2}, ConvGeneralOptions{Padding: 1}),
		convCase("conv stride", []int{2, 2, 7}, []int{3, 2, 3}, ConvGeneralOptions{Stride: []int{2}, Padding: [][]int{{1}, {0}}}),
		convCase("conv groups", []int{1, 4, 5, 4}, []int{6, 2, 2, 2}, ConvGeneralOptions{Groups: new(2), KernelDilation: []int{2, 1}, Flip: true}),
		convCase("conv input dilation", []int{1, 2, 4}, []int{2, 2, 3}, ConvGeneralOptions{InputDilation: []int{2}, Stride: []int{3}, Padding: [][]int{{2}, {-1}}, Flip: true}),
		convCase("conv 3d", []int{1, 1, 3, 3, 3}, []int{2, 1, 2, 2, 2}, ConvGeneralOptions{Padding: []int{1, 0, 1}}),
		{"conv_transpose", [][]int{{1, 2, 3, 3}, {2, 2, 3, 2}, {4}}, func(v []*Tensor) *Tensor {
			return ConvTranspose2d(v[0], v[1], v[2], ConvTransposeOptions{Stride: []int{2}, Padding: []int{1}, OutputPadding: []int{1}, Groups: new(2)})
		}},
	}
}

func random64(seed int, dims ...int) *Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(seed*97+i*i*3+i*7) + 0.3)
	}
	return New(x, dims...)
}

func (c *contractCase) args(seed int, lead ...int) []*Tensor {
	var v []*Tensor
	for i, d := range c.in {
		v = append(v, random64(seed+i, append(append([]int(nil), lead...), d...)...))
	}
	return v
}

func total(xs, ys []*Tensor) float64 {
	s := 0.0
	for i := range xs {
		s += xs[i].Mul(ys[i]).Sum().Item()
	}
	return s
}

func shifted(xs, vs []*Tensor, h float64) []*Tensor {
	out := make([]*Tensor, len(xs))
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
			one := func(f func([]*Tensor) *Tensor) func([]*Tensor) []*Tensor {
				return func(x []*Tensor) []*Tensor { return []*Tensor{f(x)} }
			}
			value := func(x []*Tensor) *Tensor { return c.f(x).Mul(u).Sum() }
			_, dy := JVPN(one(c.f), x, v)
			_, g := VJPN(one(c.f), x, []*Tensor{u})
			slope := (value(shifted(x, v, h)).Item() - value(shifted(x, v, -h)).Item()) / (2 * h)
			near(t, "jvp", dy[0].Mul(u).Sum().Item(), slope)
			near(t, "vjp", total(g, v), slope)
			// The gradient of a square has a second derivative even for bilinear ops.
			grad := func(x []*Tensor) []*Tensor {
				_, g := VJPN(one(func(x []*Tensor) *Tensor { return c.f(x).Square().Mul(u).Sum() }), x, []*Tensor{New([]float64{1})})
				return g
			}
			w := c.args(80)
			_, hv := JVPN(grad, x, v)
			_, hw := VJPN(grad, x, w)
			curve := (total(grad(shifted(x, v, h)), w) - total(grad(shifted(x, v, -h)), w)) / (2 * h)
			near(t, "forward over reverse", total(hv, w), curve)
			near(t, "reverse over reverse", total(hw, v), curve)
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
				args := make([]*Tensor, len(c.in))
				for i := range axes {
					axes[i], args[i] = NoAxis, plain[i]
					if mask>>i&1 == 1 {
						axes[i], args[i] = 0, many[i]
					}
				}
				y := VMap(c.f, VMapOptions{In: axes})(args)
				for k := range size {
					for i := range args {
						if axes[i] == 0 {
							args[i] = rowOf(many[i], k)
						}
					}
					same(t, fmt.Sprint("example ", k), rowOf(y, k), c.f(args))
				}
			})
		}
	}
}

// rowOf is x[k].
func rowOf(x *Tensor, k int) *Tensor {
	all := ToSlice[float64](x)
	n := len(all) / x.Shape()[0]
	return New(all[k*n:(k+1)*n], x.Shape()[1:]...)
}

func TestGatherMMRefusesPositions(t *testing.T) {
	x := With{DType: dtype.Float32}.Zeros(2, 3, 3)
	y := GatherMm(x, x, New([]int64{2}, 1), New([]int64{0}, 1))
	if err := Try(func() { y.Eval() }); err == nil {
		t.Error("position 2 of 2 matrices was accepted")
	}
}

func TestConvolve(t *testing.T) {
	a, v := New([]float64{1, 2, 3, 4}, 4), New([]float64{1, 0, 2}, 3)
	same(t, "full", Convolve(a, v), New([]float64{1, 2, 5, 8, 6, 8}, 6))
	same(t, "same", Convolve(v, a, ConvolveOptions{Mode: "same"}), New([]float64{2, 5, 8, 6}, 4))
	same(t, "valid", Convolve(a, v, ConvolveOptions{Mode: "valid"}), New([]float64{5, 8}, 2))
	same(t, "even", Convolve(a, New([]float64{1, 10}, 2), ConvolveOptions{Mode: "same"}), New([]float64{1, 12, 23, 34}, 4))
}

// TestContractRefuses checks that what does not fit is a typed error at the call.
func TestContractRefuses(t *testing.T) {
	z := func(dims ...int) *Tensor { return Zeros(dims...) }
	for name, f := range map[string]func(){
		"matmul inner": func() { MatMul(z(2, 3), z(4, 2)) },
		"matmul 0-d":   func() { MatMul(z(), z(2)) },
		"mm rank":      func() { Mm(z(2), z(2, 2)) },
		"bmm length":   func() { Bmm(z(2, 2, 2), z(3, 2, 2)) },
		"dot rank":     func() { Dot(z(2, 2), z(2)) },
		"dot length":   func() { Dot(z(3), z(2)) },
		"bool":         func() { MatMul(New([]bool{true}, 1, 1), New([]bool{true}, 1, 1)) },
		"addmm shape":  func() { Addmm(z(3, 3), z(2, 3), z(3, 2)) },
		"addmm alpha": func() {
			Addmm(New([]int64{1}, 1, 1), New([]int64{1}, 1, 1), New([]int64{1}, 1, 1), AddmmOptions{Alpha: 0.5})
		},
		"tensordot dims":       func() { Tensordot(z(2), z(2), 2) },
		"tensordot type":       func() { Tensordot(z(2), z(2), "1") },
		"tensordot sizes":      func() { Tensordot(z(2, 3), z(4, 2), 1) },
		"einsum count":         func() { Einsum("ij,jk", z(2, 2)) },
		"einsum rank":          func() { Einsum("ijk", z(2, 2)) },
		"einsum size":          func() { Einsum("ij,jk", z(2, 3), z(4, 2)) },
		"einsum diagonal":      func() { Einsum("ii", z(1, 2)) },
		"einsum output":        func() { Einsum("ij->k", z(2, 2)) },
		"einsum twice":         func() { Einsum("ij->ii", z(2, 2)) },
		"einsum letter":        func() { Einsum("i1", z(2, 2)) },
		"cross size":           func() { Cross(z(2, 2), z(2, 2)) },
		"cdist rows":           func() { Cdist(z(2, 3), z(2, 2)) },
		"matrix_power square":  func() { MatrixPower(z(2, 3), 2) },
		"conv rank":            func() { Conv2d(z(1, 2, 3), z(1, 2, 3), nil) },
		"conv channels":        func() { Conv1d(z(1, 2, 5), z(3, 1, 2), nil) },
		"conv groups":          func() { Conv1d(z(1, 4, 5), z(3, 2, 2), nil, ConvOptions{Groups: new(2)}) },
		"conv groups 0":        func() { Conv1d(z(1, 4, 5), z(3, 2, 2), nil, ConvOptions{Groups: new(0)}) },
		"conv kernel":          func() { Conv1d(z(1, 1, 2), z(1, 1, 3), nil) },
		"conv stride":          func() { Conv1d(z(1, 1, 5), z(1, 1, 3), nil, ConvOptions{Stride: []int{0}}) },
		"conv stride list":     func() { Conv2d(z(1, 1, 5, 5), z(1, 1, 3, 3), nil, ConvOptions{Stride: []int{1, 1, 1}}) },
		"conv padding word":    func() { Conv1d(z(1, 1, 5), z(1, 1, 3), nil, ConvOptions{Padding: "reflect"}) },
		"conv padding type":    func() { Conv1d(z(1, 1, 5), z(1, 1, 3), nil, ConvOptions{Padding: 1.5}) },
		"conv same stride":     func() { Conv1d(z(1, 1, 5), z(1, 1, 3), nil, ConvOptions{Padding: "same", Stride: []int{2}}) },
		"conv bias":            func() { Conv1d(z(1, 1, 5), z(2, 1, 3), z(3)) },
		"conv_transpose extra": func() { ConvTranspose1d(z(1, 1, 5), z(1, 1, 3), nil, ConvTransposeOptions{OutputPadding: []int{1}}) },
		"gather_mm sizes":      func() { GatherMm(z(2, 2, 3), z(2, 2, 3), nil, nil) },
		"gather_mm positions":  func() { GatherMm(z(2, 2, 2), z(2, 2, 2), z(1), nil) },
		"block_masked_mm mask": func() { BlockMaskedMm(z(4, 4), z(4, 4), z(1, 1), nil, nil, BlockMaskedMmOptions{BlockSize: new(2)}) },
	} {
		if err := Try(f); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
