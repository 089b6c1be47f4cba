// Package shape owns shapes, strides and layouts: broadcasting, axes, and the
// collapsing of dimensions. It knows nothing of dtypes or memory.
package shape

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/lucid-go/lucid/internal/fault"
)

// MaxRank is the most dimensions a shape may have.
const MaxRank = 16

// MaxElements bounds the product of a shape's sizes, so that byte counts never overflow.
const MaxElements = math.MaxInt64 / 64

// Shape is an immutable list of sizes. Equal shapes are usually the same pointer
// (a bounded cache interns them), so that comparing is cheap; Equal decides.
type Shape struct {
	dims  []int
	numel int
}

// Scalar is the shape of a 0-d value.
var Scalar = &Shape{numel: 1}

var cache struct {
	sync.RWMutex
	m map[string]*Shape
}

const cacheLimit = 1 << 16

// Of returns the shape with the given sizes; it copies dims. A negative size, a rank over MaxRank or an
// element count that overflows is a panic naming op.
func Of(op string, dims ...int) *Shape {
	if len(dims) == 0 {
		return Scalar
	}
	var key [MaxRank * 8]byte
	if len(dims) > MaxRank {
		fault.Throw(fault.Shape, op, "rank %d is over the limit of %d: %v", len(dims), MaxRank, dims)
	}
	k := key[:0]
	for _, d := range dims {
		u := uint64(d)
		k = append(k, byte(u), byte(u>>8), byte(u>>16), byte(u>>24), byte(u>>32), byte(u>>40), byte(u>>48), byte(u>>56))
	}
	cache.RLock()
	s := cache.m[string(k)]
	cache.RUnlock()
	if s != nil {
		return s
	}
	n := 1
	zero := false
	for _, d := range dims {
		if d < 0 {
			fault.Throw(fault.Shape, op, "negative size in %v; sizes are zero or more", dims)
		}
		if d == 0 {
			zero = true
			continue
		}
		if n > MaxElements/d {
			fault.Throw(fault.Shape, op, "%v has more than 2^57 elements; want smaller sizes", dims)
		}
		n *= d
	}
	if zero {
		n = 0
	}
	s = &Shape{dims: slices.Clone(dims), numel: n}
	cache.Lock()
	if cache.m == nil || len(cache.m) >= cacheLimit {
		cache.m = make(map[string]*Shape)
	}
	cache.m[string(k)] = s
	cache.Unlock()
	return s
}

// Rank returns the number of dimensions.
func (s *Shape) Rank() int { return len(s.dims) }

// Numel returns the number of elements.
func (s *Shape) Numel() int { return s.numel }

// Dim returns the size of dimension i; negative counts from the end.
func (s *Shape) Dim(i int) int {
	if i < 0 {
		i += len(s.dims)
	}
	if uint(i) >= uint(len(s.dims)) {
		s.noDim(i)
	}
	return s.dims[i]
}

// noDim is the last guard where an op asks before it has checked the rank.
func (s *Shape) noDim(i int) {
	fault.Throw(fault.Shape, "shape", "%v has no dim %d; the op wants more dimensions", s, i)
}

// Dims returns the sizes; the caller must not change them.
func (s *Shape) Dims() []int { return s.dims }

// Clone returns a fresh copy of the sizes.
func (s *Shape) Clone() []int { return append(make([]int, 0, len(s.dims)+1), s.dims...) }

// Equal reports whether two shapes have the same sizes.
func (s *Shape) Equal(t *Shape) bool { return s == t || slices.Equal(s.dims, t.dims) }

// String prints as Go prints a slice: [2 3].
func (s *Shape) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range s.dims {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, d)
	}
	b.WriteByte(']')
	return b.String()
}

// Strides returns the row-major strides in elements.
func (s *Shape) Strides() []int {
	st := make([]int, len(s.dims))
	s.stridesInto(st)
	return st
}

func (s *Shape) stridesInto(st []int) {
	n := 1
	for i := len(s.dims) - 1; i >= 0; i-- {
		st[i] = n
		n *= s.dims[i]
	}
}

// Axis resolves a dimension number, negative from the end. For a 0-d value, 0 and -1 are allowed as in PyTorch.
func Axis(op string, axis, rank int) int {
	r := max(rank, 1)
	if axis < -r || axis >= r {
		fault.Throw(fault.Index, op, "dim %d is out of range for rank %d; want %d to %d", axis, rank, -r, r-1)
	}
	if axis < 0 {
		axis += r
	}
	return axis
}

// Axes resolves a list of dimensions, sorted; nil means all. A repeated dimension is an error.
func Axes(op string, axes []int, rank int) []int {
	if len(axes) == 0 {
		all := make([]int, rank)
		for i := range all {
			all[i] = i
		}
		return all
	}
	out := make([]int, 0, len(axes))
	for _, a := range axes {
		a = Axis(op, a, rank)
		if slices.Contains(out, a) {
			fault.Throw(fault.Index, op, "dim %d appears twice in %v", a, axes)
		}
		out = append(out, a)
	}
	if rank == 0 {
		return nil
	}
	slices.Sort(out)
	return out
}

// Broadcast returns the common shape by NumPy's rule.
func Broadcast(op string, a, b *Shape) *Shape {
	if a == b || a.Equal(b) {
		return a
	}
	if len(a.dims) == 0 {
		return b
	}
	if len(b.dims) == 0 {
		return a
	}
	if BroadcastsTo(b, a) {
		return a
	}
	if BroadcastsTo(a, b) {
		return b
	}
	r := max(len(a.dims), len(b.dims))
	var buf [MaxRank]int
	out := buf[:r]
	for i := 1; i <= r; i++ {
		x, y := 1, 1
		if i <= len(a.dims) {
			x = a.dims[len(a.dims)-i]
		}
		if i <= len(b.dims) {
			y = b.dims[len(b.dims)-i]
		}
		switch {
		case x == y || y == 1:
			out[r-i] = x
		case x == 1:
			out[r-i] = y
		default:
			fault.Throw(fault.Shape, op, "shapes %v and %v do not broadcast: sizes %d and %d at dim %d from the end; want equal sizes or 1",
				a, b, x, y, i)
		}
	}
	return Of(op, out...)
}

// BroadcastsTo reports whether a value of shape a can be shown with shape b.
func BroadcastsTo(a, b *Shape) bool {
	if len(a.dims) > len(b.dims) {
		return false
	}
	off := len(b.dims) - len(a.dims)
	for i, d := range a.dims {
		if d != 1 && d != b.dims[off+i] {
			return false
		}
	}
	return true
}

// Reduced returns the shape after reducing the (sorted, resolved) axes.
func Reduced(op string, s *Shape, axes []int, keep bool) *Shape {
	var buf [MaxRank]int
	out := buf[:0]
	for i, d := range s.dims {
		if slices.Contains(axes, i) {
			if keep {
				out = append(out, 1)
			}
			continue
		}
		out = append(out, d)
	}
	return Of(op, out...)
}
