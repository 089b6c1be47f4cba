package lucid_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

func TestSetDeterministic(t *testing.T) {
	if lucid.AreDeterministicAlgorithmsEnabled() {
		t.Fatal("deterministic from the start")
	}
	lucid.Deterministic(func() {
		if !lucid.AreDeterministicAlgorithmsEnabled() {
			t.Error("not inside Deterministic")
		}
	})
	if was := lucid.SetDeterministic(true); was || !lucid.AreDeterministicAlgorithmsEnabled() {
		t.Error("it is not on")
	}
	x := lucid.Randn(64, 64)
	sum := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(x).Sum() })
	if a, b := sum(x).Item(), sum(x).Item(); a != b {
		t.Errorf("%v, then %v", a, b)
	}
	if was := lucid.SetDeterministic(false); !was || lucid.AreDeterministicAlgorithmsEnabled() {
		t.Error("it is not off")
	}
}

func TestSetNumThreads(t *testing.T) {
	x := lucid.Randn(300, 300)
	before := lucid.SetNumThreads(1)
	defer lucid.SetNumThreads(before)
	if n := lucid.GetNumThreads(); n != 1 {
		t.Errorf("%d threads", n)
	}
	one := x.MatMul(x).Sum().Item()
	if was := lucid.SetNumThreads(0); was != 1 {
		t.Errorf("the bound was %d", was)
	}
	if all := x.MatMul(x).Sum().Item(); all != one {
		t.Errorf("%v with one thread, %v with all", one, all)
	}
	if err := lucid.Try(func() { lucid.SetNumThreads(-1) }); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
}

func TestFactsOfTensors(t *testing.T) {
	if !lucid.Scalar(-0.5).IsNonzero() || lucid.Scalar(0.0).IsNonzero() || !lucid.Scalar(math.NaN()).IsNonzero() ||
		lucid.New([]bool{false}, 1, 1).IsNonzero() {
		t.Error("IsNonzero")
	}
	for _, x := range []*lucid.Tensor{lucid.Zeros(0), lucid.Zeros(2)} {
		if err := lucid.Try(func() { x.IsNonzero() }); !errors.Is(err, lucid.ErrShapeMismatch) {
			t.Error(err)
		}
	}
	if !lucid.Zeros(2, 3).IsSameSize(lucid.Ones(2, 3)) || lucid.Zeros(2, 3).IsSameSize(lucid.Ones(3, 2)) ||
		lucid.Zeros(1).IsSameSize(lucid.Scalar(1.0)) {
		t.Error("IsSameSize")
	}
	x := lucid.With{}.Arange(12).Reshape(3, 4)
	if err := lucid.Eval(x); err != nil {
		t.Fatal(err)
	}
	if got := x.At(2, lucid.Range{Start: 1, Stop: 3}).StorageOffset(); got != 9 {
		t.Errorf("storage offset %d", got)
	}
	if x.CPU().Device() != lucid.CPU {
		t.Error(x.CPU().Device())
	}
}

func TestIsDType(t *testing.T) {
	for kind, want := range map[string]string{
		"bool": "bool", "signed integer": "int8 int64", "unsigned integer": "uint8", "integral": "uint8 int8 int64",
		"real floating": "bfloat16 float32", "complex floating": "complex64", "numeric": "uint8 int8 int64 bfloat16 float32 complex64",
		"inexact": "bfloat16 float32 complex64", "generic": "bool uint8 int8 int64 bfloat16 float32 complex64",
		"integer": "uint8 int8 int64", "floating": "bfloat16 float32",
	} {
		var got []string
		for _, d := range []lucid.DType{lucid.Bool, lucid.Uint8, lucid.Int8, lucid.Int64, lucid.BFloat16, lucid.Float32, lucid.Complex64} {
			if d.IsKind(kind) {
				got = append(got, d.String())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", kind, got, want)
		}
	}
	if err := lucid.Try(func() { lucid.Int8.IsKind("real") }); !errors.Is(err, lucid.ErrValue) ||
		!strings.Contains(err.Error(), "integral") {
		t.Error(err)
	}
}

// TestDefaultStream asks that evaluations run on the default stream, that what they evaluate themselves does not wait for them, and that
// it can be taken away.
func TestDefaultStream(t *testing.T) {
	if lucid.DefaultStream() != nil {
		t.Fatal("there is a default stream from the start")
	}
	s, none := lucid.NewStream(), (*lucid.Stream)(nil)
	if was := s.SetDefault(); was != nil || lucid.DefaultStream() == nil {
		t.Error("it was not set")
	}
	defer none.SetDefault()
	x := lucid.Randn(400, 400)
	y := x.MatMul(x).Sum()
	if err := lucid.EvalAsync(y); err != nil {
		t.Fatal(err)
	}
	s.Synchronize()
	if got, want := y.Item(), x.Mul(1).MatMul(x).Sum().Item(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if was := none.SetDefault(); was == nil || lucid.DefaultStream() != nil {
		t.Error("it was not taken away")
	}
}

// TestSetPrintOptions changes how tensors print, and back. Numbers that mean nothing must not crash a program that only prints.
func TestSetPrintOptions(t *testing.T) {
	o := lucid.GetPrintOptions()
	o.Precision = 2
	old := lucid.SetPrintOptions(o)
	defer lucid.SetPrintOptions(old)
	if got, want := lucid.Scalar(1.0/3).String(), "tensor(0.33)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	x := lucid.Arange(12).Reshape(3, 4)
	for _, n := range []int{0, -1, math.MaxInt64, math.MinInt64} {
		lucid.SetPrintOptions(lucid.PrintOptions{Precision: n, Threshold: n, EdgeItems: n, LineWidth: n})
		if x.String() == "" || lucid.Randn(2, 2).String() == "" {
			t.Errorf("%d prints nothing", n)
		}
	}
}
