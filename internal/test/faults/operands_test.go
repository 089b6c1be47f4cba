package faults

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
)

// A tensor that is nil is a typed error wherever one is needed, and printing one is no error.
func TestNilTensors(t *testing.T) {
	var none *lucid.Tensor
	x := lucid.Ones(2, 2)
	for name, f := range map[string]func(){
		"method": func() { none.Sum() }, "operand": func() { x.Add(none) }, "argument": func() { lucid.MatMul(x, nil) },
		"list":  func() { lucid.Cat([]*lucid.Tensor{x, nil}, 0) },
		"shape": func() { none.Shape() }, "dtype": func() { none.DType() }, "item": func() { none.Item() },
		"slice":    func() { lucid.ToSlice[int](none) },
		"values":   func() { lucid.Values[int](none)(func(int) bool { return true }) },
		"backward": func() { none.Backward() }, "leaf": func() { none.RequiresGrad_(true) }, "at": func() { none.At(0) },
		"set": func() { none.SetAt(1, 0) },
		"to":  func() { x.To(none) }, "clone": func() { none.Clone() }, "assign": func() { x.Clone().Assign(none) },
		"copy": func() { x.Clone().Copy_(nil) }, "equal": func() { lucid.Equal(x, nil) },
		"grad":          func() { lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return x.Sum() })(nil) },
		"compiled":      func() { lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Sum() })(nil) },
		"compiled none": func() { lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return nil })(x) },
		"arange":        func() { lucid.Arange(nil) },
	} {
		var e *lucid.Error
		if err := lucid.Try(f); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for op, f := range map[string]func(){
		"matmul": func() { x.MatMul(none) }, "add": func() { x.Clone().Add_(none) }, "log_softmax": func() { lucid.LogSoftmax(none, 0) },
		"cat": func() { lucid.Cat([]*lucid.Tensor{x, nil}, 0) },
		"sum": func() { none.Sum() }, "at": func() { none.At(0) }, "item_as": func() { lucid.ItemAs[int](none) },
	} {
		var e *lucid.Error
		if err := lucid.Try(f); !errors.As(err, &e) || e.Op != op {
			t.Errorf("the error of %s does not name it: %v", op, err)
		}
	}
	x16 := lucid.Ones(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	_, err := lucid.Call("addmm", []*lucid.Tensor{x, x, lucid.Ones(3, 3)}, nil)
	for what, err := range map[string]error{"unsqueeze: reshape": lucid.Try(func() { x16.Unsqueeze(0) }),
		"addmm: matmul": lucid.Try(func() { lucid.Addmm(x, x, lucid.Ones(3, 3)) }), "addmm": err} {
		if err == nil || !strings.HasPrefix(err.Error(), "lucid: "+what+": ") {
			t.Errorf("an error from within %s: %v", what, err)
		}
	}
	none.Free()
	if none.String() != "tensor(nil)" {
		t.Error(none.String())
	}
}

// Numbers of types that a program defines are numbers; lucid's own types are not.
func TestNamedNumbers(t *testing.T) {
	x := lucid.New([]int64{1, 2}, 2)
	if got := lucid.ToSlice[int64](x.Add(time.Duration(3))); got[0] != 4 || got[1] != 5 {
		t.Errorf("got %v", got)
	}
	if got := lucid.Ones(2).Mul(time.March).DType(); got != lucid.Float32 {
		t.Errorf("a weak number made %v", got)
	}
	for _, v := range []any{lucid.Float32, lucid.Colon, lucid.Int8} {
		if err := lucid.Try(func() { x.Add(v) }); !errors.Is(err, lucid.ErrDType) {
			t.Errorf("%v is taken for a number: %v", v, err)
		}
	}
	for _, i := range []any{1, int8(1), uint16(1), int64(1), uint64(1), time.January} {
		if got := x.At(i).Item(); got != 2 {
			t.Errorf("index of type %T gives %v", i, got)
		}
	}
	for _, i := range []any{1.0, "1", 1i} {
		if err := lucid.Try(func() { x.At(i) }); !errors.Is(err, lucid.ErrIndex) {
			t.Errorf("%T is taken for an index: %v", i, err)
		}
	}
}
