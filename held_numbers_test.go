package lucid

import (
	"math"
	"testing"
)

// TestConvolutionOfTheLastPlace cuts a transposed convolution down to one element, whose product reads the kernel backwards.
func TestConvolutionOfTheLastPlace(t *testing.T) {
	x, w := New([]float64{1, 2, 3, 4}, 1, 1, 4), New([]float64{5, 7}, 1, 1, 2)
	for _, d := range []DType{Float32, Float64, BFloat16, Int32, Complex64} {
		wantValues(t, d.String(), ConvTranspose1d(x.To(d), w.To(d), nil, ConvTransposeOptions{Padding: []int{2}}).To(Float64), Float64, 29.0)
	}
	a, b := With{DType: Float64}.Arange(1, 17).Reshape(1, 1, 4, 4), With{DType: Float64}.Arange(1, 5).Reshape(1, 1, 2, 2)
	wantValues(t, "2-d", ConvTranspose2d(a, b, nil, ConvTransposeOptions{Padding: []int{2}}), Float64, 6.0*4+7*3+10*2+11)
}

// TestWindowsThatSeeNothing refuses windows whose elements all lie in the padding: there is no largest.
func TestWindowsThatSeeNothing(t *testing.T) {
	x := Ones(2, 1, 8)
	o := MaxPoolOptions{Stride: []int{2}, Padding: []int{1}, Dilation: []int{2}}
	refuses(t, ErrValue, "steps over the only row", func() { MaxPool2d(x, []int{2, 4}, o) })
	o.ChannelsLast = true
	refuses(t, ErrValue, "steps over the only row, channels last", func() { MaxPool2d(Ones(1, 8, 2), []int{2, 4}, o) })
	y, _ := MaxPool2d(x, []int{1, 3}, MaxPoolOptions{Stride: []int{1}, Padding: []int{0, 2}, Dilation: []int{1, 3}}) // the first window begins in front
	if err := Eval(y); err != nil || y.Size(2) != 6 {
		t.Errorf("%v %v", y.Shape(), err)
	}
}

// TestFactorsAreHeld gives numbers that the tensors cannot hold: they are neither wrapped nor cut.
func TestFactorsAreHeld(t *testing.T) {
	ints, floats, at := New([]int8{1, 2}, 2), New([]float32{1, 2}, 2), New([]int64{0, 1}, 2)
	row, col := ints.Reshape(1, 2), ints.Reshape(2, 1)
	for what, f := range map[string]func(){
		"addcmul by 300":           func() { Addcmul(ints, ints, ints, ValueOptions{Value: 300}) },
		"addcmul by 0.5":           func() { Addcmul(ints, ints, ints, ValueOptions{Value: 0.5}) },
		"addcmul by -Inf":          func() { Addcmul(ints, ints, ints, ValueOptions{Value: math.Inf(-1)}) },
		"addcdiv by a complex":     func() { Addcdiv(floats, floats, floats, ValueOptions{Value: 2i}) },
		"index_add of 0.5":         func() { IndexAdd(ints, 0, at, ints, IndexAddOptions{Alpha: 0.5}) },
		"index_add of a complex":   func() { IndexAdd(floats, 0, at, floats, IndexAddOptions{Alpha: 2i}) },
		"addmm of 0.5":             func() { Addmm(ints, col, row, AddmmOptions{Alpha: 0.5}) },
		"addmm of 1000":            func() { Addmm(ints, col, row, AddmmOptions{Beta: 1000}) },
		"nanmean as an int":        func() { NanMean(floats, ReduceOptions{DType: Int32}) },
		"nanmean as an int by dim": func() { NanMean(floats, ReduceOptions{DType: Int64, Dim: []int{0}}) },
	} {
		refuses(t, ErrDType, what, f)
	}
	for what, f := range map[string]func(){
		"threshold with NaN for an int":  func() { Threshold(ints, 1, math.NaN()) },
		"threshold with 1000 for an int": func() { Threshold(ints, 1000, 1) },
		"softshrink by NaN":              func() { Softshrink(floats, LambdOptions{Lambd: new(math.NaN())}) },
		"softshrink by Inf":              func() { Softshrink(floats, LambdOptions{Lambd: new(math.Inf(1))}) },
		"clamp without bounds":           func() { floats.Clamp(nil, nil) },
	} {
		refuses(t, ErrValue, what, f)
	}
	for what, f := range map[string]func(){
		"inner of different lengths":  func() { Inner(floats, New([]float32{1}, 1)) },
		"addbmm of different lengths": func() { Addbmm(Zeros(1, 2), Zeros(3, 1, 0), Zeros(3, 1, 2)) },
		"a weight of more losses":     func() { BinaryCrossEntropy(Zeros(2), Zeros(2), Ones(3, 2)) },
		"a weight of more logits":     func() { BinaryCrossEntropyWithLogits(Zeros(2), Zeros(2), Ones(3, 2), nil) },
		"a pos_weight of more logits": func() { BinaryCrossEntropyWithLogits(Zeros(2), Zeros(2), nil, Ones(3, 2)) },
	} {
		refuses(t, ErrShapeMismatch, what, f)
	}
	wantValues(t, "a whole factor of integers", Addmm(ints, col, row, AddmmOptions{Alpha: 3.0}), Int8, int8(4), int8(8), int8(7), int8(14))
}

// TestEdgesAsInPyTorch has results of PyTorch 2.15 that ours were not.
func TestEdgesAsInPyTorch(t *testing.T) {
	bytes := New([]uint8{100, 200}, 2)
	wantValues(t, "addr of bytes and floats", Addr(Zeros(2, 2), bytes, bytes), Float32, float32(10000), float32(20000), float32(20000), float32(40000))
	wantValues(t, "vander of int16", Vander(New([]int16{300, 2}, 2), VanderOptions{N: new(3)}), Int64, int64(90000), int64(300), int64(1), int64(4), int64(2), int64(1))
	wantValues(t, "the largest magnitude", LpPool1d(New([]float32{1, -3, 2, -1}, 1, 4), math.Inf(1), []int{2}), Float32, float32(3), float32(2))
	wantValues(t, "the smallest magnitude", LpPool1d(New([]float32{1, -3, 2, -1}, 1, 4), math.Inf(-1), []int{2}), Float32, float32(1), float32(1))
	wantValues(t, "trapezoid of nothing", Trapezoid(Zeros(2, 0), nil), Float32, float32(0), float32(0))
	if x := CumulativeTrapezoid(Zeros(2, 0), Zeros(0)); x.Size(1) != 0 || x.Size(0) != 2 {
		t.Errorf("running trapezoids of nothing: %v", x.Shape())
	}
	if x := Trapezoid(New([]int8{1, 2}, 2), New([]float32{0, 1}, 2).Half()); x.DType() != Float16 || x.Item() != 1.5 {
		t.Errorf("trapezoid of int8 over float16: %v %v", x.DType(), x)
	}
	if x := Scalar(2.0).Unfold(0, 1, 1); x.Dim() != 1 || x.Item() != 2 {
		t.Errorf("windows of a 0-d tensor: %v", x)
	}
	if x := Var(Zeros(0), VarOptions{Correction: new(-1.0)}); !math.IsNaN(x.Item()) {
		t.Errorf("variance of nothing: %v", x)
	}
}
