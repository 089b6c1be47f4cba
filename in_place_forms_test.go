package lucid_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// argument makes one of the type for an op on x; false if this test knows none.
func argument(t reflect.Type, x *lucid.Tensor) (reflect.Value, bool) {
	switch {
	case t == reflect.TypeFor[*lucid.Tensor]():
		return reflect.ValueOf(lucid.OnesLike(x)), true
	case t.Kind() == reflect.Interface:
		return reflect.ValueOf(1), true
	case t.Kind() == reflect.Float64:
		return reflect.ValueOf(0.5), true
	case t.Kind() == reflect.Int:
		return reflect.ValueOf(1), true
	case t.Kind() == reflect.Bool:
		return reflect.ValueOf(false), true
	case t.Kind() == reflect.Pointer:
		return reflect.Zero(t), true
	}
	return reflect.Value{}, false
}

// TestInPlaceForms: every method X_ writes what X returns, gives its tensor back, and refuses what X refuses, results that the tensor
// cannot hold, and views.
func TestInPlaceForms(t *testing.T) {
	inputs := []*lucid.Tensor{
		lucid.New([]float32{0.25, -0.5, 0.75, 1, -1, 0, 2, 3.5, -2.5}, 3, 3),
		lucid.New([]int64{3, 1, -2, 5, 0, 7, 4, 2, 9}, 3, 3),
		lucid.New([]bool{true, false, true, true, true, false, false, false, true}, 3, 3),
	}
	tried, wrote := 0, 0
	handle := reflect.TypeFor[*lucid.Tensor]()
	for i := range handle.NumMethod() {
		name := handle.Method(i).Name
		plain, ok := handle.MethodByName(strings.TrimSuffix(name, "_"))
		if !strings.HasSuffix(name, "_") || !ok || plain.Type != handle.Method(i).Type {
			continue
		}
		tried++
		written := false
		for _, x := range inputs {
			var args []reflect.Value
			known := true
			for k := 1; k < plain.Type.NumIn() && !(plain.Type.IsVariadic() && k == plain.Type.NumIn()-1); k++ {
				a, ok := argument(plain.Type.In(k), x)
				args, known = append(args, a), known && ok
			}
			if !known {
				t.Fatalf("%s takes what this test does not know: %v", name, plain.Type)
			}
			call := func(x *lucid.Tensor, name string) (y *lucid.Tensor, err error) {
				err = lucid.Try(func() {
					y = reflect.ValueOf(x).MethodByName(name).Call(args)[0].Interface().(*lucid.Tensor)
					y.Eval()
				})
				return y, err
			}
			want, refused := call(x, plain.Name)
			to := x.Clone()
			got, err := call(to, name)
			fits := refused == nil && lucid.CanCast(want.DType(), x.DType()) && slices.Equal(want.Shape(), x.Shape())
			switch {
			case fits && err != nil:
				t.Errorf("%s of %v: %v; %s gives %v", name, x.DType(), err, plain.Name, want)
			case !fits && err == nil:
				t.Errorf("%s of %v: %v was written; %s: %v, %v", name, x.DType(), got, plain.Name, want, refused)
			case !fits && !lucid.Equal(to, x):
				t.Errorf("%s of %v: refused, and the tensor is %v", name, x.DType(), to)
			case fits && (got != to || !lucid.AllClose(to, want.To(x.DType()), lucid.CloseOptions{EqualNaN: true, RTol: new(0.0)})):
				t.Errorf("%s of %v: %v; want %v", name, x.DType(), to, want)
			}
			written = written || fits
			base := lucid.Stack([]*lucid.Tensor{x, x}, 1).Eval()
			if _, err := call(base.Select(1, 1), name); err == nil || !lucid.Equal(base.Select(1, 1), x) {
				t.Errorf("%s of a view of %v: %v, %v", name, x.DType(), err, base)
			}
		}
		if written {
			wrote++
		} else {
			t.Errorf("%s wrote nothing that this test tried", name)
		}
	}
	if tried < 80 || wrote != tried {
		t.Errorf("%d of %d methods wrote something", wrote, tried)
	}
}
