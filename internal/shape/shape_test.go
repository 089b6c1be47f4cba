package shape

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/fault"
)

func refused(t *testing.T, k fault.Kind, what string, f func()) {
	t.Helper()
	if err := fault.Catch(f); !errors.Is(err, fault.SentinelOf(k)) {
		t.Errorf("%s gives %v, want %v", what, err, k)
	}
}

func TestOf(t *testing.T) {
	s := Of("t", 2, 3, 4)
	if s.Rank() != 3 || s.Numel() != 24 || s.Dim(-1) != 4 || s.String() != "[2 3 4]" || !slices.Equal(s.Strides(), []int{12, 4, 1}) {
		t.Errorf("%v: rank %d, %d elements, strides %v", s, s.Rank(), s.Numel(), s.Strides())
	}
	if Of("t", 2, 3, 4) != s || Of("t") != Scalar || Scalar.Numel() != 1 {
		t.Error("equal shapes are one pointer")
	}
	dims := []int{5, 6}
	u := Of("t", dims...)
	dims[0] = 7
	if u.Dim(0) != 5 {
		t.Error("a shape must not see later changes of the slice")
	}
	if c := u.Clone(); &c[0] == &u.Dims()[0] {
		t.Error("Clone must copy")
	}
	if Of("t", 0, math.MaxInt32, 5).Numel() != 0 {
		t.Error("a zero size has no elements")
	}
	refused(t, fault.Shape, "an overflow next to a zero, which strides would show", func() { Of("t", 0, math.MaxInt, math.MaxInt) })
	if Of("t", MaxElements).Numel() != MaxElements {
		t.Error("the largest shape is allowed")
	}
	refused(t, fault.Shape, "a negative size", func() { Of("t", 2, -1) })
	refused(t, fault.Shape, "an overflow", func() { Of("t", MaxElements, 2) })
	refused(t, fault.Shape, "an overflow that wraps to 0", func() { Of("t", 1<<32, 1<<32) })
	refused(t, fault.Shape, "rank 17", func() { Of("t", make([]int, MaxRank+1)...) })
	if Of("t", slices.Repeat([]int{1}, MaxRank)...).Rank() != MaxRank {
		t.Error("rank 16 is allowed")
	}
}

func TestOfConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				if s := Of("t", i%50, g+i%7, 3); s.Numel() != i%50*(g+i%7)*3 {
					t.Errorf("%v has %d elements", s, s.Numel())
				}
			}
		})
	}
	wg.Wait()
}

func TestAxis(t *testing.T) {
	for _, c := range [][3]int{{0, 3, 0}, {2, 3, 2}, {-1, 3, 2}, {-3, 3, 0}, {0, 0, 0}, {-1, 0, 0}} {
		if got := Axis("t", c[0], c[1]); got != c[2] {
			t.Errorf("Axis(%d, rank %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
	refused(t, fault.Index, "dim 3 of 3", func() { Axis("t", 3, 3) })
	refused(t, fault.Index, "dim -4 of 3", func() { Axis("t", -4, 3) })
	refused(t, fault.Index, "a dim twice", func() { Axes("t", []int{0, -3}, 3) })
	if got := Axes("t", []int{-1, 0}, 3); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("Axes are %v", got)
	}
	if got := Axes("t", nil, 2); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("all axes are %v", got)
	}
	if got := Reduced("t", Of("t", 2, 3, 4), []int{0, 2}, true); got != Of("t", 1, 3, 1) {
		t.Errorf("reduced to %v", got)
	}
	if got := Reduced("t", Of("t", 2, 3, 4), []int{0, 2}, false); got != Of("t", 3) {
		t.Errorf("reduced to %v", got)
	}
}

func TestBroadcast(t *testing.T) {
	of := func(d ...int) *Shape { return Of("t", d...) }
	for _, c := range []struct{ a, b, want *Shape }{
		{of(2, 3), of(3), of(2, 3)}, {of(2, 1), of(1, 4), of(2, 4)}, {Scalar, of(0), of(0)}, {of(1), of(0), of(0)},
		{of(5, 1, 2), of(3, 1), of(5, 3, 2)}, {of(1, 1), of(1), of(1, 1)},
	} {
		for _, got := range []*Shape{Broadcast("t", c.a, c.b), Broadcast("t", c.b, c.a)} {
			if got != c.want {
				t.Errorf("%v and %v broadcast to %v, want %v", c.a, c.b, got, c.want)
			}
		}
		if !BroadcastsTo(c.a, c.want) || !BroadcastsTo(c.b, c.want) {
			t.Errorf("%v and %v must fit %v", c.a, c.b, c.want)
		}
	}
	refused(t, fault.Shape, "3 against 2", func() { Broadcast("t", of(3), of(2)) })
	refused(t, fault.Shape, "0 against 2", func() { Broadcast("t", of(0), of(2)) })
	if BroadcastsTo(of(2, 3), of(3)) || BroadcastsTo(of(3), of(1)) || !BroadcastsTo(of(1), of(0)) {
		t.Error("BroadcastsTo is wrong")
	}
}

// offsets lists the elements' offsets in the buffer in row-major order: what a layout means.
func offsets(s *Shape, strides []int, offset int) []int {
	out := make([]int, 0, s.Numel())
	at := make([]int, s.Rank())
	for range s.Numel() {
		o := offset
		for d, i := range at {
			o += i * strides[d]
		}
		out = append(out, o)
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < s.Dim(d) {
				break
			}
			at[d] = 0
		}
	}
	return out
}

// randomLayout is a contiguous layout after some permutations, slices and broadcasts.
func randomLayout(r *rand.Rand) (*Shape, *Layout) {
	dims := make([]int, r.IntN(5))
	for i := range dims {
		dims[i] = []int{1, 2, 3, 4, 6}[r.IntN(5)]
	}
	s := Of("t", dims...)
	l := Contiguous(s)
	for range r.IntN(3) {
		switch r.IntN(3) {
		case 0:
			order := r.Perm(s.Rank())
			to := make([]int, s.Rank())
			for i, o := range order {
				to[i] = s.Dim(o)
			}
			l, s = l.Permute(order), Of("t", to...)
		case 1:
			start, step, to := make([]int, s.Rank()), make([]int, s.Rank()), make([]int, s.Rank())
			for d := range start {
				step[d] = []int{1, 1, 2, -1}[r.IntN(4)]
				switch n := s.Dim(d); step[d] {
				case -1:
					start[d], to[d] = n-1, n
				case 2:
					to[d] = (n + 1) / 2
				default:
					start[d] = r.IntN(n)
					to[d] = n - start[d]
				}
			}
			l, s = l.Slice(start, step), Of("t", to...)
		case 2:
			to := Of("t", append([]int{1 + r.IntN(3)}, s.Dims()...)...)
			l, s = l.BroadcastTo(s, to), to
		}
	}
	return s, l
}

// splits cuts the element count of s into random sizes.
func splits(r *rand.Rand, s *Shape) *Shape {
	var dims []int
	for n := s.Numel(); n > 1 && len(dims) < 6; {
		var divs []int
		for d := 2; d <= n; d++ {
			if n%d == 0 {
				divs = append(divs, d)
			}
		}
		d := divs[r.IntN(len(divs))]
		if r.IntN(4) == 0 {
			dims = append(dims, 1)
		}
		dims = append(dims, d)
		n /= d
	}
	return Of("t", dims...)
}

// canShow is the oracle of Reshape: whether some strides show these offsets with shape to.
func canShow(p []int, to *Shape) bool {
	st := make([]int, to.Rank())
	for d, n := range to.Strides() {
		if to.Dim(d) > 1 {
			st[d] = p[n] - p[0]
		}
	}
	return slices.Equal(offsets(to, st, p[0]), p)
}

func TestReshape(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	viewed, copied := 0, 0
	for range 20000 {
		s, l := randomLayout(r)
		to := splits(r, s)
		if to.Numel() != s.Numel() {
			continue
		}
		p := offsets(s, l.Strides, l.Offset)
		got := l.Reshape(s, to)
		switch {
		case got == nil && canShow(p, to):
			t.Fatalf("%v with strides %v can be shown as %v, but Reshape copies", s, l.Strides, to)
		case got == nil:
			copied++
		case !slices.Equal(offsets(to, got.Strides, got.Offset), p):
			t.Fatalf("%v with strides %v as %v has strides %v, offset %d", s, l.Strides, to, got.Strides, got.Offset)
		default:
			viewed++
		}
	}
	if viewed < 1000 || copied < 1000 {
		t.Errorf("%d shown, %d copied: the test is one-sided", viewed, copied)
	}
	if l := Contiguous(Of("t", 0, 3)).Reshape(Of("t", 0, 3), Of("t", 5, 0)); l == nil {
		t.Error("what is empty has any shape")
	}
}

func TestIsContiguous(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		s, l := randomLayout(r)
		p := offsets(s, l.Strides, 0)
		want := true
		for i, o := range p {
			want = want && o == i
		}
		if got := l.IsContiguous(s); got != want {
			t.Fatalf("%v with strides %v: contiguous %v, want %v", s, l.Strides, got, want)
		}
	}
	if !(*Layout)(nil).IsContiguous(Of("t", 2, 2)) {
		t.Error("no layout means contiguous")
	}
}

func TestCollapse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		s, l := randomLayout(r)
		other := Contiguous(s)
		dims, st := Collapse(s, l.Strides, other.Strides)
		c := Of("t", dims...)
		if len(dims) == 0 {
			st = [][]int{{}, {}}
		}
		if c.Numel() != s.Numel() || !slices.Equal(offsets(c, st[0], l.Offset), offsets(s, l.Strides, l.Offset)) ||
			!slices.Equal(offsets(c, st[1], 0), offsets(s, other.Strides, 0)) {
			t.Fatalf("%v with strides %v collapses to %v with %v", s, l.Strides, dims, st)
		}
		if slices.Contains(dims, 1) {
			t.Fatalf("%v collapses to %v, with a size of 1", s, dims)
		}
		if one, _ := Collapse(s, other.Strides); len(one) > 1 {
			t.Fatalf("contiguous %v collapses to %v, want one dimension", s, one)
		}
	}
}
