package ops

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/linalg"
	F "github.com/lucid-go/lucid/nn/functional"
)

// nearEach fails unless got has the values f gives for all positions, to a relative error.
func nearEach(t *testing.T, what string, got *lucid.Tensor, tol float64, f func(i int) float64) {
	t.Helper()
	for i, v := range lucid.ToSlice[float64](got.To(lucid.Float64)) {
		if w := f(i); !(math.Abs(v-w) <= tol*(1+math.Abs(w))) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, w)
		}
	}
}

func TestCbrt(t *testing.T) {
	x := tensortest.Uniform(-30, 30, 200)
	v := lucid.ToSlice[float64](x)
	nearEach(t, "float64", lucid.Cbrt(x), 1e-15, func(i int) float64 { return math.Cbrt(v[i]) })
	nearEach(t, "float32", lucid.Cbrt(x.To(lucid.Float32)), 1e-7, func(i int) float64 { return math.Cbrt(float64(float32(v[i]))) })
	tensortest.WantValues(t, "exact", lucid.Cbrt(lucid.New([]float32{27, -8, 0, float32(math.Inf(-1))}, 4)), lucid.Float32, 3, -2, 0,
		float32(math.Inf(-1)))
	tensortest.WantValues(t, "integers", lucid.Cbrt(lucid.New([]int32{-27, 64}, 2)), lucid.Float32, -3, 4)
	if err := lucid.Try(func() { lucid.Cbrt(lucid.New([]complex64{1}, 1)) }); !errors.Is(err, lucid.ErrDType) {
		t.Error(err)
	}
}

func TestRotate(t *testing.T) {
	x := tensortest.Uniform(-1, 1, 2, 3, 5, 5)
	for k := range 4 {
		for _, mode := range []string{"nearest", "bilinear"} {
			got := F.Rotate(x, 90*float64(k), F.RotateOptions{Mode: mode})
			want := lucid.ToSlice[float64](lucid.Rot90(x, lucid.Rot90Options{K: new(k), Dims: []int{2, 3}}))
			nearEach(t, mode, got, 1e-12, func(i int) float64 { return want[i] })
		}
	}
	// About the middle of the lower edge, a rotation by 90° against the clock brings the lower right pixel to the left.
	y := F.Rotate(lucid.New([]float64{1, 2, 3, 4}, 1, 1, 2, 2), 90, F.RotateOptions{Center: []float64{1, 2}})
	tensortest.WantValues(t, "about a point", y, lucid.Float64, 0, 0, 4, 0)
}

func TestRungeKutta(t *testing.T) {
	y, k0, k1 := tensortest.Uniform(-1, 1, 6), tensortest.Uniform(-2, 1, 6), tensortest.Uniform(-1, 3, 6)
	a, b, c := lucid.ToSlice[float64](y), lucid.ToSlice[float64](k0), lucid.ToSlice[float64](k1)
	nearEach(t, "rk_combine", byName("rk_combine", map[string]any{"coeffs": []float64{0.25, 0.5}, "dt": 0.1}, y, k0, k1)[0], 1e-15,
		func(i int) float64 { return a[i] + 0.1*(0.25*b[i]+0.5*c[i]) })
	sum := 0.0
	for i := range a {
		e := 0.1 * (0.25*b[i] - 0.5*c[i]) / (1e-3 + 1e-2*max(math.Abs(a[i]), math.Abs(c[i])))
		sum += e * e
	}
	nearEach(t, "rk_error_norm", byName("rk_error_norm", map[string]any{"coeffs": []float64{0.25, -0.5}, "dt": 0.1, "rtol": 1e-2,
		"atol": 1e-3}, y, k1, k0, k1)[0], 1e-14, func(int) float64 { return math.Sqrt(sum / 6) })
	inf := lucid.New([]float64{math.Inf(1)}, 1)
	tensortest.WantValues(t, "a stage of weight 0", byName("rk_combine", map[string]any{"coeffs": []float64{0, 1}, "dt": 1},
		lucid.New([]float64{1}, 1), inf, inf.Mul(0).NanToNum())[0], lucid.Float64, 1)
	probed := byName("broyden_probe", nil, lucid.Full([]int{4}, 2.0), lucid.Full([]int{4, 1}, 3.0), lucid.Full([]int{2, 2}, 5.0),
		lucid.New([]int64{7}, 1))
	for i, x := range probed {
		if want := []float64{16, 36, 100, 7}[i]; x.Item() != want {
			t.Errorf("broyden_probe: result %d is %v, want %v", i, x.Item(), want)
		}
	}
	if err := lucid.Try(func() { _ = byName("rk_combine", map[string]any{"coeffs": []float64{1, 2}, "dt": 1}, y, k0)[0] }); !errors.Is(err,
		lucid.ErrValue) {
		t.Error(err)
	}
}

// TestLSTMForward holds the layer against its definition, element by element.
func TestLSTMForward(t *testing.T) {
	const T, B, in, H = 3, 2, 4, 3
	x, wi, wh, h0, c0, bi := tensortest.Uniform(-1, 1, T, B, in), tensortest.Uniform(-1, 1, 4*H, in), tensortest.Uniform(-1, 1, 4*H, H),
		tensortest.Uniform(-1, 1, B, H), tensortest.Uniform(-2, 1, B, H), tensortest.Uniform(-1, 1, 4*H)
	xs, wis, whs, bs := lucid.ToSlice[float64](x), lucid.ToSlice[float64](wi), lucid.ToSlice[float64](wh), lucid.ToSlice[float64](bi)
	sig := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	for _, reverse := range []bool{false, true} {
		out, h, c := F.LSTMForward(x, wi, wh, F.LSTMForwardOptions{H0: h0, C0: c0, BiasIH: bi, Reverse: reverse})
		hs, cs := lucid.ToSlice[float64](h0), lucid.ToSlice[float64](c0)
		want := make([]float64, T*B*H)
		for i := range T {
			t := i
			if reverse {
				t = T - 1 - i
			}
			old := append([]float64(nil), hs...)
			for b := range B {
				gate := func(row int) float64 {
					s := bs[row]
					for j := range in {
						s += wis[row*in+j] * xs[(t*B+b)*in+j]
					}
					for j := range H {
						s += whs[row*H+j] * old[b*H+j]
					}
					return s
				}
				for j := range H {
					cs[b*H+j] = sig(gate(H+j))*cs[b*H+j] + sig(gate(j))*math.Tanh(gate(2*H+j))
					hs[b*H+j] = sig(gate(3*H+j)) * math.Tanh(cs[b*H+j])
					want[(t*B+b)*H+j] = hs[b*H+j]
				}
			}
		}
		nearEach(t, "states", out, 1e-13, func(i int) float64 { return want[i] })
		nearEach(t, "last state", h, 1e-13, func(i int) float64 { return hs[i] })
		nearEach(t, "last memory", c, 1e-13, func(i int) float64 { return cs[i] })
	}
}

func TestAttentionWeights(t *testing.T) {
	q, k, v := tensortest.Uniform(-1, 1, 2, 4, 3, 2), tensortest.Uniform(-1, 1, 2, 2, 5, 2), tensortest.Uniform(-1, 1, 2, 2, 5, 3)
	for _, o := range []F.ScaledDotProductAttentionOptions{{EnableGQA: true}, {EnableGQA: true, IsCausal: true}} {
		y, w := F.ScaledDotProductAttentionWithWeights(q, k, v, o)
		want := lucid.ToSlice[float64](F.ScaledDotProductAttention(q, k, v, o))
		nearEach(t, "output", y, 1e-13, func(i int) float64 { return want[i] })
		nearEach(t, "sums of the weights", lucid.Sum(w, lucid.ReduceOptions{Dim: []int{-1}}), 1e-14, func(int) float64 { return 1 })
	}
}

func TestDropouts(t *testing.T) {
	x := lucid.Full([]int{64, 16, 8, 8}, 1.0)
	p := 0.3
	for _, name := range []string{"dropout", "feature_dropout", "drop_path"} {
		lucid.Seed(3)
		y := byName(name, map[string]any{"p": p}, x)[0]
		left := y.Ne(0.0).To(lucid.Float64)
		mask := lucid.ToSlice[float64](left)
		nearEach(t, name, y, 1e-7, func(i int) float64 { return mask[i] / 0.7 })
		if share := left.Mean().Item(); math.Abs(share-0.7) > 0.15 {
			t.Errorf("%s leaves %v", name, share)
		}
		// Along the dimensions a mask is shared over, all or nothing is dropped.
		dims := map[string][]int{"dropout": nil, "feature_dropout": {2, 3}, "drop_path": {1, 2, 3}}[name]
		if dims != nil && lucid.Mean(left, lucid.ReduceOptions{Dim: dims}).Sub(0.5).Abs().Ne(0.5).Any().Item() != 0 {
			t.Errorf("%s dropped a part of what belongs together", name)
		}
		if !lucid.Equal(byName(name, map[string]any{"p": p, "training": false}, x)[0], x) {
			t.Errorf("%s changed x in evaluation", name)
		}
	}
	lucid.Seed(4)
	y := F.AlphaDropout(lucid.Randn(200, 200), F.DropoutOptions{P: &p})
	if m, s := y.Mean().Item(), y.Std().Item(); math.Abs(m) > 0.03 || math.Abs(s-1) > 0.03 {
		t.Errorf("alpha_dropout: mean %v, deviation %v", m, s)
	}
	z := F.DropBlock(x, F.DropBlockOptions{BlockSize: 3, P: &p})
	if share := z.Eq(0.0).To(lucid.Float64).Mean().Item(); math.Abs(z.Mean().Item()-1) > 1e-6 || share < 0.1 || share > 0.4 {
		t.Errorf("drop_block: mean %v, %v dropped", z.Mean().Item(), share)
	}
}

func TestFlags(t *testing.T) {
	ops := map[string]lucid.Op{}
	for _, o := range lucid.Ops() {
		ops[o.Name] = o
	}
	for _, name := range []string{"dropout", "feature_dropout", "alpha_dropout", "drop_path", "drop_block"} {
		if ops[name].Deterministic {
			t.Errorf("%s is said to be deterministic", name)
		}
	}
	half := func(s ...int) *lucid.Tensor { return tensortest.Uniform(0.5, 1, s...).To(lucid.BFloat16) }
	for name, in := range map[string][]*lucid.Tensor{
		"global_response_norm": {half(1, 2, 2, 2), half(2), half(2)}, "rope": {half(2, 2)},
		"rotary_pos_embedding": {half(2, 2), half(2, 2), half(2, 2)},
		"mse_loss":             {half(2), half(2)}, "l1_loss": {half(2), half(2)}, "binary_cross_entropy_with_logits": {half(2), half(2)},
		"huber_loss": {half(2), half(2)},
		"nll_loss":   {half(2, 3), tensortest.UniformInt(3, 2)}, "cross_entropy": {half(2, 3), tensortest.UniformInt(3, 2)},
		"kl_div": {half(2), half(2)}, "group_norm": {half(2, 4)},
		"cbrt": {half(2)}, "rpow_scalar": {half(2)}, "gelu_exact": {half(2)},
	} {
		a := map[string]tensortest.Attrs{"rope": {"dims": 2}, "group_norm": {"num_groups": 2}, "rpow_scalar": {"base": 2.0}}[name]
		if ops[name].AMP != "float32" {
			t.Errorf("%s has the policy %s", name, ops[name].AMP)
		}
		lucid.Autocast(lucid.BFloat16, func() {
			if out, err := lucid.Call(name, in, a); err != nil || out[0].DType() != lucid.Float32 {
				t.Errorf("%s: %v under autocast, %v", name, out, err)
			}
		})
	}
}

func TestTri(t *testing.T) {
	for _, c := range [][3]int{{3, 3, 0}, {3, 4, -1}, {2, 5, 2}, {4, 2, 1}} {
		out, err := lucid.Call("tri", nil, tensortest.Attrs{"n": c[0], "m": c[1], "k": c[2]})
		if err != nil {
			t.Fatal(err)
		}
		nearEach(t, "tri", out[0], 0, func(i int) float64 {
			if i%c[1] <= i/c[1]+c[2] {
				return 1
			}
			return 0
		})
	}
}

func TestIndexScatter(t *testing.T) {
	x := tensortest.Uniform(-1, 1, 4, 6)
	order := lucid.ArgSort(x, lucid.SortOptions{Dim: new(1)})
	out, err := lucid.Call("index_scatter", []*lucid.Tensor{lucid.Gather(x, 1, order), order}, tensortest.Attrs{"size": 6, "dim": 1})
	if err != nil || !lucid.Equal(out[0], x) {
		t.Errorf("%v, %v", out, err)
	}
}

// TestHadamardMLX holds the transform against what MLX 0.32.4 computes for the numbers 7i modulo 11, without a factor.
func TestHadamardMLX(t *testing.T) {
	one := 1.0
	for n, want := range map[int][]float64{
		8:  {42, -6, -12, 0, -2, -22, 0, 0},
		12: {41, -9, -11, -9, 25, -15, 11, -21, -3, -5, 11, -33},
		20: {-26, -28, -30, -10, -12, -4, 14, -4, 0, -4, -14, 12, -14, -18, 30, -40, -70, -12, -42, -28},
		28: {-60, -18, -42, -44, -46, -48, -28, -18, -14, 14, -48, -22, 6, -12, 16, -46, 2, -36, -52, -26, -22, -24, -18, -14,
			-32, -6, -24, -18},
		48: {196, -30, 6, 0, -74, 28, 12, -66, 18, -28, -12, -22, -30, -16, 12, 22, 44, -6, 10, -44, -38, -60, 12, -22, 40, -6, 10, 0,
			-46, -16, -32, -22,
			36, -6, -34, 0, -32, 6, -10, 0, 40, 38, -34, 0, -62, -16, 12, 22},
	} {
		x := lucid.Arange(n).Mul(7).Remainder(11).To(lucid.Float32)
		nearEach(t, "hadamard_transform", linalg.HadamardTransform(x, linalg.HadamardTransformOptions{Scale: &one}),
			0, func(i int) float64 { return want[i] })
		y := linalg.HadamardTransform(x) // with its own factor it keeps lengths
		nearEach(t, "length", lucid.Dot(y, y), 1e-5, func(int) float64 { return lucid.Dot(x, x).Item() })
	}
	for _, n := range []int{0, 3, 24 + 4, 36} {
		if err := lucid.Try(func() { linalg.HadamardTransform(lucid.Zeros(2, n)) }); n != 28 && !errors.Is(err, lucid.ErrShapeMismatch) {
			t.Errorf("size %d: %v", n, err)
		}
	}
}

// TestSegmentedMmMLX holds the product against MLX 0.32.4, and sees that what is outside a segment has no part.
func TestSegmentedMmMLX(t *testing.T) {
	a, b := lucid.Arange(15).Mul(7).Remainder(11).To(lucid.Float32).Reshape(3, 5),
		lucid.Arange(10).Mul(3).Remainder(7).To(lucid.Float32).Reshape(5, 2)
	y := lucid.SegmentedMm(a, b, lucid.New([]uint32{0, 2, 2, 5, 1, 1}, 3, 2))
	tensortest.WantValues(t, "segmented_mm", y.Flatten(0, -1), lucid.Float32, 42, 14, 54, 24, 0, 12, 73, 39, 53, 53, 77, 67,
		0, 0, 0, 0, 0, 0)
	bad := lucid.New([]float32{1, float32(math.NaN()), 2}, 1, 3)
	tensortest.WantValues(t, "NaN outside", lucid.SegmentedMm(bad, bad.T(), lucid.New([]int64{0, 1, 2, 3}, 2, 2)).Flatten(0, -1),
		lucid.Float32, 1, 4)
}

// TestSegmentedMmWays holds the way that reads the segments against the one inside compiled functions, which does not, with overlapping,
// empty and crossed segments and with ends outside: values and gradients.
func TestSegmentedMmWays(t *testing.T) {
	a, b := tensortest.Uniform(-1, 1, 7, 40), tensortest.Uniform(-1, 1, 40, 5)
	for _, s := range [][]int64{{0, 40}, {0, 10, 10, 25, 25, 40}, {3, 20, 10, 12, 7, 7, 30, 20, -5, 4, 38, 90}, {}} {
		f := func(in []*lucid.Tensor) []*lucid.Tensor {
			y := lucid.SegmentedMm(in[0], in[1], in[2])
			return []*lucid.Tensor{y, y.Mul(y).Mul(lucid.Arange(y.Size(0)).Add(1).Reshape(-1, 1, 1)).Sum()}
		}
		both := func(in []*lucid.Tensor) []*lucid.Tensor {
			loss := func(p []*lucid.Tensor) *lucid.Tensor { return f([]*lucid.Tensor{p[0], p[1], in[2]})[1] }
			_, g := lucid.ValueAndGradTree(loss)(in[:2])
			return append(f(in), g...)
		}
		in := []*lucid.Tensor{a, b, lucid.New(s, len(s)/2, 2)}
		got, want := both(in), lucid.Compile(both)(in)
		for i := range want {
			w := lucid.ToSlice[float64](want[i])
			nearEach(t, fmt.Sprint(s, " result ", i), got[i], 1e-12, func(i int) float64 { return w[i] })
		}
	}
}

// TestRoPEStarts sees that a tensor of first positions, and waves given by their lengths, rotate as numbers do.
func TestRoPEStarts(t *testing.T) {
	x := tensortest.Uniform(-1, 1, 2, 3, 4, 6)
	a := F.RoPE(x.At(lucid.Range{Stop: 1}), 4, F.RoPEOptions{Offset: 7})
	b := F.RoPE(x.At(lucid.Range{Start: 1, Stop: 2}), 4, F.RoPEOptions{Offset: 2})
	want := lucid.ToSlice[float64](lucid.Cat([]*lucid.Tensor{a, b}, 0))
	nearEach(t, "starts", F.RoPE(x, 4, F.RoPEOptions{Starts: lucid.New([]int32{6, 1}, 2), Offset: 1}), 1e-14,
		func(i int) float64 { return want[i] })
	one := lucid.ToSlice[float64](F.RoPE(x, 4, F.RoPEOptions{Offset: 3}))
	nearEach(t, "lengths", F.RoPE(x, 4, F.RoPEOptions{Freqs: lucid.New([]float64{1, 100}, 2), Starts: lucid.New([]int64{3}, 1).Squeeze()}),
		1e-14, func(i int) float64 { return one[i] })
	if err := lucid.Try(func() { F.RoPE(x, 4, F.RoPEOptions{Starts: lucid.New([]int64{1, 2, 3}, 3)}) }); !errors.Is(err,
		lucid.ErrShapeMismatch) {
		t.Error(err)
	}
}

func TestFlattenForms(t *testing.T) {
	x := lucid.Zeros(2, 3, 4)
	for _, c := range []struct {
		dims []int
		want string
	}{{nil, "[24]"}, {[]int{1}, "[2 12]"}, {[]int{-2}, "[2 12]"}, {[]int{0, 1}, "[6 4]"}, {[]int{0, -1}, "[24]"}} {
		if got := fmt.Sprint(x.Flatten(c.dims...).Shape()); got != c.want {
			t.Errorf("Flatten(%v): %s, want %s", c.dims, got, c.want)
		}
	}
	if err := lucid.Try(func() { x.Flatten(0, 1, 2) }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("three dimensions: %v", err)
	}
}

// byName calls an op that has no function, or whose function does more than the op.
func byName(name string, attrs map[string]any, in ...*lucid.Tensor) []*lucid.Tensor {
	out, err := lucid.Call(name, in, attrs)
	if err != nil {
		panic(err)
	}
	return out
}
