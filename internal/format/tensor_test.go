package format

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
)

// of gives element i of xs, whatever Go number that is.
func of[T dtype.Native](xs ...T) func(int) dtype.Scalar {
	return func(i int) dtype.Scalar { s, _ := dtype.ScalarOf(xs[i]); return s }
}

func ExampleTensor() {
	get := of[float32](1, 2.5, -3)
	fmt.Println(Tensor(Default(), dtype.Float32, []int{3}, get, nil))
	fmt.Println(Tensor(Default(), dtype.Float64, []int{3, 1}, get, []string{"requires_grad=True"}))
	// Output:
	// tensor([ 1.0000,  2.5000, -3.0000])
	// tensor([[ 1.0000],
	//         [ 2.5000],
	//         [-3.0000]], dtype=float64, requires_grad=True)
}

func ExampleScalar() {
	fmt.Println(Scalar(Default(), dtype.Scalar{Kind: dtype.KindFloat, F: 0.1}, dtype.Float32))
	// Output: 0.1000
}

func ExampleProfile() {
	o, _ := Profile("short")
	fmt.Println(Tensor(o, dtype.Float32, []int{3}, of[float32](1, 2.5, -3), nil))
	// Output: tensor([ 1.00,  2.50, -3.00])
}

func TestProfileUnknown(t *testing.T) {
	t.Parallel()
	if o, ok := Profile("long"); ok {
		t.Errorf("Profile(long) = %v, true; want false", o)
	}
}

// A billion elements must print at once, so only the corners may be read.
func TestHugeReadsOnlyCorners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shape []int
		reads int
	}{
		{[]int{1e9}, 6},
		{[]int{1e5, 1e4}, 36},
		{[]int{1000, 1000, 1000}, 216},
		{[]int{2, 1e9 / 2}, 12},
		{[]int{math.MaxInt}, 6},
	} {
		n := 0
		last := 0
		get := func(i int) dtype.Scalar {
			n++
			last = max(last, i)
			return dtype.Scalar{Kind: dtype.KindInt, I: int64(i)}
		}
		text := Tensor(Default(), dtype.Int64, c.shape, get, nil)
		if n != c.reads || last != count(c.shape)-1 {
			t.Errorf("%v: %d reads up to element %d; want %d up to %d", c.shape, n, last, c.reads, count(c.shape)-1)
		}
		if len(text) > 10000 {
			t.Errorf("%v: a text of %d bytes is no summary", c.shape, len(text))
		}
	}
}

func TestNoEdgeReadsNothing(t *testing.T) {
	t.Parallel()
	o := Default()
	o.EdgeItems = 0
	get := func(int) dtype.Scalar { t.Error("an element was read"); return dtype.Scalar{} }
	for want, shape := range map[string][]int{
		"tensor([...], size=(2000,))": {2000}, "tensor([...], size=(50, 50))": {50, 50}, "tensor([...], size=(9, 9, 99))": {9, 9, 99},
	} {
		if got := Tensor(o, dtype.Float32, shape, get, nil); got != want {
			t.Errorf("%v: got %q", shape, got)
		}
	}
}

// More elements than an int counts: a shape no memory can hold, but views by broadcasting come near.
func TestCountSaturates(t *testing.T) {
	t.Parallel()
	if n := count([]int{math.MaxInt, math.MaxInt}); n != math.MaxInt {
		t.Errorf("got %d, want %d", n, math.MaxInt)
	}
	if n := count([]int{math.MaxInt, math.MaxInt, 0}); n != 0 {
		t.Errorf("with a zero: got %d, want 0", n)
	}
}

func TestOptionsBelowZero(t *testing.T) {
	t.Parallel()
	o := Options{-1, -1, -1, -1, nil}
	if got := Tensor(o, dtype.Float32, []int{2}, of[float32](1, 2), nil); got != "tensor([...],\n       size=(2,))" {
		t.Errorf("got %q", got)
	}
	if got := Scalar(o, dtype.Scalar{Kind: dtype.KindFloat, F: 2.25}, dtype.Float32); got != "2" {
		t.Errorf("got %q", got)
	}
}

// A Go number may stand for an element of any dtype; the dtype decides how it looks.
func TestForeignKinds(t *testing.T) {
	t.Parallel()
	one, _ := dtype.ScalarOf(1)
	frac, _ := dtype.ScalarOf(2.75)
	big, _ := dtype.ScalarOf(uint64(math.MaxUint64))
	for _, c := range []struct {
		d    dtype.DType
		s    dtype.Scalar
		want string
	}{
		{dtype.Float32, one, "1."}, {dtype.Bool, one, "True"}, {dtype.Bool, frac, "True"}, {dtype.Complex64, one, "1.+0.j"},
		{dtype.Uint8, one, "1"}, {dtype.Uint8, frac, "2"}, {dtype.Int32, frac, "2"}, {dtype.Complex128, frac, "2.7500+0.j"},
		{dtype.Uint64, big, "18446744073709551615"}, {dtype.Float64, big, "1.8447e+19"},
	} {
		if got := Scalar(Default(), c.s, c.d); got != c.want {
			t.Errorf("%v of %v: got %q, want %q", c.d, c.s, got, c.want)
		}
	}
}

// Width is counted in characters, so a name in another script breaks no earlier than an English one.
func TestSuffixWidthInRunes(t *testing.T) {
	t.Parallel()
	o := Default()
	o.LineWidth = 24
	if got, want := Tensor(o, dtype.Int64, []int{1}, of[int64](1), []string{"n=ααααα"}), "tensor([1], n=ααααα)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func BenchmarkTensorFull(b *testing.B) {
	o, _ := Profile("full")
	get := func(i int) dtype.Scalar { return dtype.Scalar{Kind: dtype.KindFloat, F: float64(i) / 7} }
	b.ReportAllocs()
	for b.Loop() {
		Tensor(o, dtype.Float32, []int{100, 1000}, get, nil)
	}
}
