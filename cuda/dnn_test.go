package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend/cuda/cudnn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// dnn skips a test without cuDNN; it returns how often cuDNN did an op so far.
func dnn(t testing.TB) func(op string) int64 {
	t.Helper()
	gpu(t)
	d, err := device(0)
	if err != nil {
		t.Fatal(err)
	}
	err = d.DNN()
	asmvariant.Feature("cudnn", err == nil)
	if err != nil {
		t.Logf("SKIP: %v", err)
		asmvariant.Require(t, "cudnn")
	}
	return func(op string) int64 {
		done, _, _, _ := d.DNNCounts()
		return done[op]
	}
}

// convCase is a convolution that is large enough for cuDNN.
type convCase struct {
	name             string
	x, w             []int
	stride, dilation []int
	pad              any
	groups           int
	transposed       bool
}

var convCases = []convCase{
	{"plain", []int{4, 32, 20, 20}, []int{48, 32, 3, 3}, nil, nil, 1, 1, false},
	{"stride", []int{4, 32, 21, 22}, []int{40, 32, 3, 3}, []int{2, 2}, nil, 1, 1, false},
	{"stride/uneven", []int{16, 32, 20, 20}, []int{40, 32, 3, 3}, []int{2, 3}, nil, []int{0, 2}, 1, false},
	{"dilation", []int{4, 32, 24, 24}, []int{40, 32, 3, 3}, nil, []int{2, 2}, 2, 1, false},
	{"pointwise", []int{8, 64, 14, 14}, []int{128, 64, 1, 1}, nil, nil, 0, 1, false},
	{"pointwise/stride", []int{16, 64, 14, 14}, []int{128, 64, 1, 1}, []int{2, 2}, nil, 0, 1, false},
	{"stem", []int{2, 3, 64, 64}, []int{64, 3, 7, 7}, []int{2, 2}, nil, 3, 1, false},
	{"stem/large", []int{8, 3, 96, 96}, []int{64, 3, 7, 7}, []int{2, 2}, nil, 3, 1, false},
	{"groups", []int{4, 64, 20, 20}, []int{96, 16, 3, 3}, nil, nil, 1, 4, false},
	{"depthwise", []int{8, 64, 40, 40}, []int{64, 1, 3, 3}, nil, nil, 1, 64, false},
	{"same/even", []int{4, 32, 20, 20}, []int{40, 32, 4, 2}, nil, nil, "same", 1, false},
	{"one", []int{8, 32, 500}, []int{48, 32, 5}, []int{2}, nil, 2, 1, false},
	{"three", []int{2, 16, 10, 12, 14}, []int{24, 16, 3, 3, 3}, []int{1, 2, 1}, nil, 1, 1, false},
	{"transposed", []int{64, 32, 12, 12}, []int{32, 24, 4, 4}, []int{2, 2}, nil, 1, 1, true},
	{"transposed/groups", []int{64, 32, 12, 12}, []int{32, 12, 3, 3}, []int{2, 2}, nil, 1, 2, true},
}

func (c convCase) run(x, w *lucid.Tensor) *lucid.Tensor {
	switch {
	case c.transposed:
		return F.ConvTranspose2d(x, w, F.ConvTransposeOptions{Stride: c.stride, Padding: []int{c.pad.(int)}, Groups: c.groups})
	case len(c.x) == 3:
		return F.Conv1d(x, w, F.ConvOptions{Stride: c.stride, Padding: c.pad, Dilation: c.dilation, Groups: c.groups})
	case len(c.x) == 5:
		return F.Conv3d(x, w, F.ConvOptions{Stride: c.stride, Padding: c.pad, Dilation: c.dilation, Groups: c.groups})
	}
	return F.Conv2d(x, w, F.ConvOptions{Stride: c.stride, Padding: c.pad, Dilation: c.dilation, Groups: c.groups})
}

// lastInMemory shows a tensor in NHWC layout.
func lastInMemory(x *lucid.Tensor) *lucid.Tensor {
	r := len(x.Shape())
	to, back := []int{0}, []int{0, r - 1}
	for i := 2; i < r; i++ {
		to, back = append(to, i), append(back, i-1)
	}
	return x.Permute(append(to, 1)...).Contiguous().Eval().Permute(back...)
}

// TestConvLibrary compares cuDNN's convolutions and their gradients with the CPU's in float64.
func TestConvLibrary(t *testing.T) {
	count := dnn(t)
	dev := gpu(t)
	for _, c := range convCases {
		lucid.Seed(11)
		x, w := lucid.Randn(c.x...), lucid.Randn(c.w...).Mul(0.2)
		g := lucid.Randn(c.run(x, w).Shape()...)
		lucid.Eval(x, w, g)
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Float16} {
			grads := func(dev lucid.Device, dt lucid.DType, last bool) (out [][]float64) {
				in := []*lucid.Tensor{x.To(d).To(dt).To(dev), w.To(d).To(dt).To(dev)}
				h := g.To(d).To(dt).To(dev)
				if last {
					in[0], in[1], h = lastInMemory(in[0]), lastInMemory(in[1]), lastInMemory(h)
				}
				y, all := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{c.run(in[0], in[1])} }, in,
					[]*lucid.Tensor{h})
				for _, v := range append(y, all...) {
					out = append(out, lucid.ToSlice[float64](v.To(lucid.CPU).To(lucid.Float64).Reshape(-1)))
				}
				return out
			}
			want := grads(lucid.CPU, lucid.Float64, false)
			for _, last := range []bool{false, true} {
				before := count("conv")
				got := grads(dev, d, last)
				tol := map[lucid.DType]float64{lucid.Float32: 3e-6, lucid.Float64: 1e-12, lucid.BFloat16: 6e-3, lucid.Float16: 3e-3}[d]
				for i, what := range []string{"result", "gradient to the input", "gradient to the weight"} {
					if e := distance(got[i], want[i]); !(e <= tol) {
						t.Errorf("%s %v last %v: the %s is off by %.2g, more than %.2g", c.name, d, last, what, e, tol)
					}
				}
				t.Logf("%s %v last %v: %d of 3 by cuDNN", c.name, d, last, count("conv")-before)
				least := int64(3)
				switch {
				case c.name == "same/even": // unequal paddings are computed by our kernels
					least = 0
				case c.transposed: // so is the weight gradient of a transposed convolution
					least = 2
				}
				if n := count("conv") - before; n < least {
					t.Errorf("%s %v last %v: cuDNN did %d, want %d", c.name, d, last, n, least)
				}
			}
		}
	}
}

// TestConvDeterministic runs the same gradient twice under Deterministic: the bits are equal.
func TestConvDeterministic(t *testing.T) {
	count := dnn(t)
	dev := gpu(t)
	x, w := lucid.Randn(16, 64, 28, 28).To(lucid.BFloat16).To(dev), lucid.Randn(64, 64, 3, 3).To(lucid.BFloat16).To(dev)
	var bits [2][]float32
	before := count("conv")
	lucid.Deterministic(func() {
		f := lucid.Grad(func(w *lucid.Tensor) *lucid.Tensor {
			return F.Conv2d(x, w, F.ConvOptions{Padding: 1}).To(lucid.Float32).Square().Sum()
		})
		for i := range bits {
			bits[i] = lucid.ToSlice[float32](f(w).To(lucid.Float32).To(lucid.CPU).Reshape(-1))
		}
	})
	for i := range bits[0] {
		if bits[0][i] != bits[1][i] {
			t.Fatalf("element %d is %v, then %v", i, bits[0][i], bits[1][i])
		}
	}
	if count("conv") == before {
		t.Error("cuDNN did nothing")
	}
}

// TestConvTF32 checks that float32 is computed in float32 unless AllowTF32.
func TestConvTF32(t *testing.T) {
	dnn(t)
	dev := gpu(t)
	lucid.Seed(5)
	x, w := lucid.Randn(8, 128, 28, 28), lucid.Randn(128, 128, 3, 3)
	want := lucid.ToSlice[float64](F.Conv2d(x.To(lucid.Float64), w.To(lucid.Float64)).Reshape(-1))
	off := func() float64 {
		y := F.Conv2d(x.To(dev), w.To(dev))
		return distance(lucid.ToSlice[float64](y.To(lucid.CPU).To(lucid.Float64).Reshape(-1)), want)
	}
	if e := off(); !(e < 2e-6) {
		t.Errorf("float32 is off by %.2g", e)
	}
	defer AllowTF32(AllowTF32(true))
	e := off()
	t.Logf("TF32 is off by %.2g", e)
	if !(e < 2e-3) {
		t.Errorf("TF32 is off by %.2g", e)
	}
}

// TestAttentionLibrary compares cuDNN's attention, as compiled functions use it, with the CPU's in float32.
func TestAttentionLibrary(t *testing.T) {
	count := dnn(t)
	dev := gpu(t)
	type form struct{ n, heads, groups, length, keys, e, f int }
	for _, c := range []form{{2, 8, 8, 512, 512, 64, 64}, {1, 8, 8, 512, 512, 128, 128}, {2, 8, 2, 512, 512, 64, 64},
		{1, 8, 8, 384, 896, 128, 128}, {2, 8, 8, 700, 700, 64, 64}, {1, 4, 4, 512, 512, 256, 256}} {
		for _, d := range []lucid.DType{lucid.BFloat16, lucid.Float16} {
			for _, causal := range []bool{false, true} {
				if causal && d == lucid.Float16 {
					continue
				}
				lucid.Seed(7)
				q, k, v := lucid.Randn(c.n, c.heads, c.length, c.e), lucid.Randn(c.n, c.groups, c.keys, c.e),
					lucid.Randn(c.n, c.groups, c.keys, c.f)
				g := lucid.Randn(c.n, c.heads, c.length, c.f)
				run := func(dev lucid.Device, dt lucid.DType) (out [][]float64) {
					f := lucid.Compile(func(q, k, v, g *lucid.Tensor) []*lucid.Tensor {
						y, grads := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor {
							return []*lucid.Tensor{F.ScaledDotProductAttention(in[0], in[1], in[2],
								F.ScaledDotProductAttentionOptions{IsCausal: causal, EnableGQA: c.groups != c.heads})}
						}, []*lucid.Tensor{q, k, v}, []*lucid.Tensor{g})
						return append(y, grads...)
					})
					for i := range 4 {
						all := f(q.To(d).To(dt).To(dev), k.To(d).To(dt).To(dev), v.To(d).To(dt).To(dev), g.To(d).To(dt).To(dev))
						lucid.Eval(all...)
						if i%3 != 0 {
							continue
						}
						for _, x := range all {
							out = append(out, lucid.ToSlice[float64](x.To(lucid.CPU).To(lucid.Float64).Reshape(-1)))
						}
						if dev == lucid.CPU {
							return slices.Concat(out, out)
						}
					}
					return out
				}
				before, beforeGrad := count("attention"), count("attention_grad")
				got, want := run(dev, d), run(lucid.CPU, lucid.Float32)
				tol := map[lucid.DType]float64{lucid.BFloat16: 1.5e-2, lucid.Float16: 3e-3}[d]
				name := fmt.Sprint(c, d, " causal ", causal)
				// The first run uses our kernels, which cuDNN's replace.
				for i, what := range []string{"first result", "first gradient of q", "first gradient of k", "first gradient of v", "result",
					"gradient of q", "gradient of k", "gradient of v"} {
					if e := distance(got[i], want[i]); !(e <= tol) {
						t.Errorf("%s: the %s is off by %.2g, more than %.2g", name, what, e, tol)
					} else {
						t.Logf("%s: the %s is off by %.2g", name, what, e)
					}
				}
				t.Logf("%s: cuDNN did %d and %d", name, count("attention")-before, count("attention_grad")-beforeGrad)
				if count("attention") == before || c.keys%128 == 0 && c.e <= 128 && count("attention_grad") == beforeGrad {
					t.Errorf("%s: cuDNN did %d and %d", name, count("attention")-before, count("attention_grad")-beforeGrad)
				}
			}
		}
	}
}

// TestConvGoroutines convolves from many goroutines at once, with shapes in common and shapes of their own.
func TestConvGoroutines(t *testing.T) {
	dnn(t)
	dev := gpu(t)
	w := lucid.Randn(32, 32, 3, 3).To(dev).Eval()
	x := lucid.Randn(4, 32, 32, 32).To(dev).Eval()
	want := lucid.ToSlice[float32](F.Conv2d(x, w).To(lucid.CPU).Reshape(-1))
	errs := make([]error, 4*runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range 20 {
				own := F.Conv2d(x.Narrow(2, 0, 16+i%8), w, F.ConvOptions{Padding: k % 2})
				if err := lucid.Eval(own); err != nil {
					errs[i] = err
					return
				}
				for j, v := range lucid.ToSlice[float32](F.Conv2d(x, w).To(lucid.CPU).Reshape(-1)) {
					if v != want[j] {
						errs[i] = fmt.Errorf("element %d is %v, want %v", j, v, want[j])
						return
					}
				}
			}
		}()
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// TestLibraryVersion logs cuDNN's version.
func TestLibraryVersion(t *testing.T) {
	dnn(t)
	t.Logf("cuDNN %d at %s", cudnn.Version, cudnn.Path)
}
