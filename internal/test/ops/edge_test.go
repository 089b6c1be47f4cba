package ops

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestConvolutionOfOneElement cuts a transposed convolution down to one element, whose product reads the kernel backwards.
func TestConvolutionOfOneElement(t *testing.T) {
	x, w := lucid.New([]float64{1, 2, 3, 4}, 1, 1, 4), lucid.New([]float64{5, 7}, 1, 1, 2)
	for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Int32, lucid.Complex64} {
		tensortest.WantValues(t, d.String(), F.ConvTranspose1d(x.To(d), w.To(d),
			F.ConvTransposeOptions{Padding: []int{2}}).To(lucid.Float64), lucid.Float64, 29.0)
	}
	a, b := lucid.With{DType: lucid.Float64}.Arange(1, 17).Reshape(1, 1, 4, 4), lucid.With{DType: lucid.Float64}.Arange(1,
		5).Reshape(1, 1, 2, 2)
	tensortest.WantValues(t, "2-d", F.ConvTranspose2d(a, b, F.ConvTransposeOptions{Padding: []int{2}}), lucid.Float64, 6.0*4+7*3+10*2+11)
}

// TestWindowsThatSeeNothing refuses windows whose elements are all in the padding: there is no largest.
func TestWindowsThatSeeNothing(t *testing.T) {
	x := lucid.Ones(2, 1, 8)
	o := F.MaxPoolOptions{Stride: []int{2}, Padding: []int{1}, Dilation: []int{2}}
	tensortest.Refuses(t, lucid.ErrValue, "steps over the only row", func() { F.MaxPool2dWithIndices(x, []int{2, 4}, o) })
	o.ChannelsLast = true
	tensortest.Refuses(t, lucid.ErrValue, "steps over the only row, channels last",
		func() { F.MaxPool2dWithIndices(lucid.Ones(1, 8, 2), []int{2, 4}, o) })
	// the first window begins in front
	y := F.MaxPool2d(x, []int{1, 3}, F.MaxPoolOptions{Stride: []int{1}, Padding: []int{0, 2}, Dilation: []int{1, 3}})
	if err := lucid.Eval(y); err != nil || y.Size(2) != 6 {
		t.Errorf("%v %v", y.Shape(), err)
	}
}

// TestFactorsAreHeld gives numbers that the tensors cannot hold: they are neither wrapped nor cut.
func TestFactorsAreHeld(t *testing.T) {
	ints, floats, at := lucid.New([]int8{1, 2}, 2), lucid.New([]float32{1, 2}, 2), lucid.New([]int64{0, 1}, 2)
	row, col := ints.Reshape(1, 2), ints.Reshape(2, 1)
	for what, f := range map[string]func(){
		"addcmul by 300":           func() { lucid.Addcmul(ints, ints, ints, lucid.ValueOptions{Value: 300}) },
		"addcmul by 0.5":           func() { lucid.Addcmul(ints, ints, ints, lucid.ValueOptions{Value: 0.5}) },
		"addcmul by -Inf":          func() { lucid.Addcmul(ints, ints, ints, lucid.ValueOptions{Value: math.Inf(-1)}) },
		"addcdiv by a complex":     func() { lucid.Addcdiv(floats, floats, floats, lucid.ValueOptions{Value: 2i}) },
		"index_add of 0.5":         func() { lucid.IndexAdd(ints, 0, at, ints, lucid.IndexAddOptions{Alpha: 0.5}) },
		"index_add of a complex":   func() { lucid.IndexAdd(floats, 0, at, floats, lucid.IndexAddOptions{Alpha: 2i}) },
		"addmm of 0.5":             func() { lucid.Addmm(ints, col, row, lucid.AddmmOptions{Alpha: 0.5}) },
		"addmm of 1000":            func() { lucid.Addmm(ints, col, row, lucid.AddmmOptions{Beta: 1000}) },
		"nanmean as an int":        func() { lucid.NanMean(floats, lucid.ReduceOptions{DType: lucid.Int32}) },
		"nanmean as an int by dim": func() { lucid.NanMean(floats, lucid.ReduceOptions{DType: lucid.Int64, Dim: []int{0}}) },
	} {
		tensortest.Refuses(t, lucid.ErrDType, what, f)
	}
	for what, f := range map[string]func(){
		"threshold with NaN for an int":  func() { F.Threshold(ints, 1, math.NaN()) },
		"threshold with 1000 for an int": func() { F.Threshold(ints, 1000, 1) },
		"softshrink by NaN":              func() { F.Softshrink(floats, F.ShrinkOptions{Lambd: new(math.NaN())}) },
		"softshrink by Inf":              func() { F.Softshrink(floats, F.ShrinkOptions{Lambd: new(math.Inf(1))}) },
		"clamp without bounds":           func() { floats.Clamp(nil, nil) },
	} {
		tensortest.Refuses(t, lucid.ErrValue, what, f)
	}
	for what, f := range map[string]func(){
		"inner of different lengths":  func() { lucid.Inner(floats, lucid.New([]float32{1}, 1)) },
		"addbmm of different lengths": func() { lucid.Addbmm(lucid.Zeros(1, 2), lucid.Zeros(3, 1, 0), lucid.Zeros(3, 1, 2)) },
		"a weight of more losses": func() {
			F.BinaryCrossEntropy(lucid.Zeros(2), lucid.Zeros(2), F.BinaryCrossEntropyOptions{Weight: lucid.Ones(3, 2)})
		},
		"a weight of more logits": func() {
			F.BinaryCrossEntropyWithLogits(lucid.Zeros(2), lucid.Zeros(2), F.BinaryCrossEntropyWithLogitsOptions{Weight: lucid.Ones(3, 2)})
		},
		"a pos_weight of more logits": func() {
			F.BinaryCrossEntropyWithLogits(lucid.Zeros(2), lucid.Zeros(2),
				F.BinaryCrossEntropyWithLogitsOptions{PosWeight: lucid.Ones(3, 2)})
		},
	} {
		tensortest.Refuses(t, lucid.ErrShapeMismatch, what, f)
	}
	tensortest.WantValues(t, "a whole factor of integers", lucid.Addmm(ints, col, row, lucid.AddmmOptions{Alpha: 3.0}), lucid.Int8, int8(4),
		int8(8), int8(7), int8(14))
}

// TestEdgesAsInPyTorch has results of PyTorch 2.15 that ours were not.
func TestEdgesAsInPyTorch(t *testing.T) {
	bytes := lucid.New([]uint8{100, 200}, 2)
	tensortest.WantValues(t, "addr of bytes and floats", lucid.Addr(lucid.Zeros(2, 2), bytes, bytes), lucid.Float32, float32(10000),
		float32(20000), float32(20000), float32(40000))
	tensortest.WantValues(t, "vander of int16", lucid.Vander(lucid.New([]int16{300, 2}, 2), lucid.VanderOptions{N: 3}), lucid.Int64,
		int64(90000), int64(300), int64(1), int64(4), int64(2), int64(1))
	tensortest.WantValues(t, "the largest magnitude", F.LPPool1d(lucid.New([]float32{1, -3, 2, -1}, 1, 4), math.Inf(1), []int{2}),
		lucid.Float32, float32(3), float32(2))
	tensortest.WantValues(t, "the smallest magnitude", F.LPPool1d(lucid.New([]float32{1, -3, 2, -1}, 1, 4), math.Inf(-1), []int{2}),
		lucid.Float32, float32(1), float32(1))
	tensortest.WantValues(t, "trapezoid of nothing", lucid.Trapezoid(lucid.Zeros(2, 0)), lucid.Float32, float32(0), float32(0))
	if x := lucid.CumulativeTrapezoid(lucid.Zeros(2, 0), lucid.TrapezoidOptions{X: lucid.Zeros(0)}); x.Size(1) != 0 || x.Size(0) != 2 {
		t.Errorf("running trapezoids of nothing: %v", x.Shape())
	}
	if x := lucid.Trapezoid(lucid.New([]int8{1, 2}, 2),
		lucid.TrapezoidOptions{X: lucid.New([]float32{0, 1}, 2).Half()}); x.DType() != lucid.Float16 || x.Item() != 1.5 {
		t.Errorf("trapezoid of int8 over float16: %v %v", x.DType(), x)
	}
	if x := lucid.Scalar(2.0).Unfold(0, 1, 1); x.Dim() != 1 || x.Item() != 2 {
		t.Errorf("windows of a 0-d tensor: %v", x)
	}
	if x := lucid.Var(lucid.Zeros(0), lucid.VarOptions{Correction: new(-1.0)}); !math.IsNaN(x.Item()) {
		t.Errorf("variance of nothing: %v", x)
	}
}
