package fusion

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// joinShapes are those of parameters: many, of all sizes, one without elements and one without dimensions among them.
var joinShapes = [][]int{{8}, {3, 5}, {1}, {}, {0, 4}, {17, 33}, {2000}, {4, 1, 6}, {1 << 12}, {5}}

// adam makes steps of Adam over parameters of all shapes on a world's device, whose gradients come from elsewhere.
func adam(w *tensortest.Target, steps int, compiled bool) (all [][]float32) {
	var params, mean, square []*lucid.Tensor
	for i, s := range joinShapes {
		x := w.Put(lucid.Arange(math.Max(1, float64(product(s)))).To(lucid.Float32).Mul(0.01).Add(float64(i)).Narrow(0, 0,
			product(s)).Reshape(s...).Add(0)).Eval()
		params, mean, square = append(params, x), append(mean, w.Put(lucid.Zeros(s...)).Eval()),
			append(square, w.Put(lucid.Zeros(s...)).Eval())
	}
	step := func(t *lucid.Tensor) *lucid.Tensor {
		for i, p := range params {
			g := p.Mul(t).Sin()
			mean[i].Mul_(0.9).Add_(g.Mul(0.1))
			square[i].Mul_(0.99).Add_(g.Square().Mul(0.01))
			p.Sub_(mean[i].Div(square[i].Sqrt().Add(1e-6)).Mul(t))
		}
		return t.Mul(1)
	}
	if compiled {
		step = lucid.Compile(step)
	}
	for k := range steps {
		step(w.Put(lucid.Scalar(0.01 * float64(k+1))).Eval()).Eval()
		if !compiled {
			if err := lucid.Eval(slices.Concat(params, mean, square)...); err != nil {
				panic(err)
			}
		}
	}
	for _, x := range slices.Concat(params, mean, square) {
		all = append(all, lucid.ToSlice[float32](x))
	}
	return all
}

func product(s []int) int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// TestJoined updates many parameters by one launch, eagerly and compiled; the bits are those of updates one by one.
func TestJoined(t *testing.T) {
	want := adam(&tensortest.Target{Dev: cpu.Device}, 6, false)
	for _, compiled := range []bool{false, true} {
		dev, faults := fake.New(cpu.Device)
		got := adam(&tensortest.Target{Dev: dev}, 6, compiled)
		for i := range want {
			if !slices.Equal(want[i], got[i]) {
				t.Fatalf("compiled %v: value %d is %.8v, want %.8v", compiled, i, got[i][:min(4, len(got[i]))],
					want[i][:min(4, len(want[i]))])
			}
		}
		if joined := faults.Joined(); !slices.Contains(joined, len(joinShapes)) {
			t.Errorf("compiled %v: launches of %v programs, want one of all %d", compiled, joined, len(joinShapes))
		}
	}
}

// TestJoinedPuts: keys and values at the same positions of caches are written by one launch, those of another text by another, and
// each into its own cache.
func TestJoinedPuts(t *testing.T) {
	dev, faults := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: dev}
	put := func(v float64) *lucid.Tensor { return w.Put(lucid.Full([]int{1, 2, 8, 4}, v)).Contiguous().Eval() }
	caches := []*lucid.Tensor{put(1), put(2), put(3), put(4)}
	var rows []*lucid.Tensor
	for i := range caches {
		rows = append(rows, w.Put(lucid.Full([]int{1, 2, 1, 4}, float64(10*(i+1)))).Eval())
	}
	step := lucid.Compile(func(first, second *lucid.Tensor, caches []*lucid.Tensor) *lucid.Tensor {
		for i, at := range []*lucid.Tensor{first, first, second, second} {
			caches[i].Assign(caches[i].DynamicSliceUpdate(rows[i], at, []int{2}))
		}
		return caches[0].Add(caches[1]).Add(caches[2]).Add(caches[3]).Sum()
	})
	for k := range 4 {
		first, second := w.Put(lucid.New([]int64{int64(k)}, 1)).Eval(), w.Put(lucid.New([]int64{int64(7 - k)}, 1)).Eval()
		sum := step(first, second, caches).Item()
		if want := float64(8 * ((8-k-1)*10 + (k+1)*100)); sum != want {
			t.Fatalf("step %d: the sum is %v, want %v", k, sum, want)
		}
	}
	for i, c := range caches {
		for j, v := range lucid.ToSlice[float64](c.Select(1, 1).Select(0, 0).Select(1, 0)) {
			want := float64(i + 1)
			if i < 2 && j < 4 || i >= 2 && j >= 4 {
				want *= 10
			}
			if v != want {
				t.Fatalf("cache %d has %v at position %d, want %v", i, v, j, want)
			}
		}
	}
	if joined := faults.Joined(); !slices.Contains(joined, 2) || slices.Contains(joined, 4) {
		t.Errorf("launches of %v puts, want some of 2", joined)
	}
}

// TestJoinedFailure: what fails one of several programs of a launch does not reach the others.
func TestJoinedFailure(t *testing.T) {
	dev, faults := fake.New(cpu.Device)
	w := &tensortest.Target{Dev: dev}
	faults.FailLaunch("cumsum", fmt.Errorf("planted"))
	a, b, c := w.Put(lucid.Ones(4)).Eval(), w.Put(lucid.Ones(5)).Eval(), w.Put(lucid.Ones(6)).Eval()
	x, y, z := a.Add(1).Exp(), b.CumSum(0).Add(1).Exp(), c.Add(1).Exp()
	if err := lucid.Eval(x, y, z); err == nil {
		t.Error("the failure is not told")
	}
	if err := lucid.Eval(y); err == nil {
		t.Error("a value made of one that failed is there")
	}
	for _, v := range []*lucid.Tensor{x, z} {
		for _, f := range lucid.ToSlice[float64](v) {
			if math.Abs(f-math.Exp(2)) > 1e-5 {
				t.Fatalf("%v, want e²", v)
			}
		}
	}
}

// TestJoinedOrder: programs of the same code that wait for each other, directly or by way of others, are launches of their own,
// and memory that one of them gives free is not written by another.
func TestJoinedOrder(t *testing.T) {
	for _, dev := range []*tensortest.Target{{Dev: cpu.Device}, {Dev: first(fake.New(cpu.Device))}} {
		f := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
			a := x.Mul(2).Add(1) // the same code as b, which reads it by way of a sum
			b := a.CumSum(0).Mul(2).Add(1)
			c := y.Mul(2).Add(1) // free to join either
			d := b.CumSum(0).Add(c).CumSum(0).Mul(2).Add(1)
			return d.Add(c.CumSum(0))
		})
		for range 4 {
			x, y := dev.Put(lucid.Arange(5).To(lucid.Float32)).Eval(), dev.Put(lucid.Arange(5).To(lucid.Float32).Mul(3)).Eval()
			got := lucid.ToSlice[float64](f(x, y))
			want := wantJoinedOrder()
			if !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
}

func first[A, B any](a A, _ B) A { return a }

// wantJoinedOrder computes the function of TestJoinedOrder in plain Go.
func wantJoinedOrder() []float64 {
	line := func(x []float64) (y []float64) {
		for _, v := range x {
			y = append(y, v*2+1)
		}
		return y
	}
	sums := func(x []float64) (y []float64) {
		s := 0.0
		for _, v := range x {
			s += v
			y = append(y, s)
		}
		return y
	}
	add := func(x, y []float64) (z []float64) {
		for i := range x {
			z = append(z, x[i]+y[i])
		}
		return z
	}
	c := line([]float64{0, 3, 6, 9, 12})
	b := line(sums(line([]float64{0, 1, 2, 3, 4})))
	return add(line(sums(add(sums(b), c))), sums(c))
}
