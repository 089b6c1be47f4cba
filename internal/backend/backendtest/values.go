package backendtest

import (
	"math"
	"math/rand/v2"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// input describes an operand: numbers between lo and hi, or those listed.
type input struct {
	lo, hi  float64
	dtype   dtype.DType // Invalid: the one the check runs for
	shape   []int       // nil: the one the check runs for
	list    []float64
	special bool // some elements are NaN, infinities, zeros
	steady  bool // its values matter: a broadcast layout would spoil them
}

// value is a tensor by its elements in row-major order.
type value struct {
	dtype  dtype.DType
	dims   []int
	elems  []dtype.Scalar
	steady bool
}

// layout is the memory layout of an operand.
type layout string

const (
	contiguous layout = "contiguous"
	offset     layout = "offset"     // does not start at the buffer's start
	transposed layout = "transposed" // columns first
	gaps       layout = "gaps"       // every other element
	negative   layout = "negative"   // walked backwards
	repeated   layout = "repeated"   // stride 0 along the first dimension
)

var layouts = []layout{contiguous, offset, transposed, gaps, negative, repeated}

var specials = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, -1}

// make gives the operand its values.
func (in input) make(d dtype.DType, dims []int, lay layout, salt uint64) value {
	if in.dtype != dtype.Invalid {
		d = in.dtype
	}
	if in.shape != nil {
		dims = in.shape
	}
	n := 1
	for _, k := range dims {
		n *= k
	}
	v := value{dtype: d, dims: dims, elems: make([]dtype.Scalar, 0, n), steady: in.steady || in.list != nil}
	r := rand.New(rand.NewPCG(uint64(n), salt))
	buf := make([]byte, 16)
	for i := range n {
		x, y := in.lo+(in.hi-in.lo)*r.Float64(), in.lo+(in.hi-in.lo)*r.Float64()
		switch {
		case in.list != nil:
			x = in.list[i%len(in.list)]
		case in.special && d.IsFloat() && r.IntN(4) == 0:
			x = specials[r.IntN(len(specials))]
		case d == dtype.Bool:
			x = float64(r.IntN(2))
		case !d.IsInexact():
			x = math.Round(x)
			if d.Kind() == dtype.KindUint {
				x = math.Abs(x)
			}
		}
		s := dtype.Scalar{Kind: dtype.KindFloat, F: x}
		if d.IsComplex() {
			s = dtype.Scalar{Kind: dtype.KindComplex, F: x, G: y}
		}
		d.Put(buf, 0, s)
		v.elems = append(v.elems, d.Get(buf, 0))
	}
	if lay == repeated && !v.steady && len(dims) > 0 && dims[0] > 0 {
		for i := range v.elems {
			v.elems[i] = v.elems[i%(n/dims[0])]
		}
	}
	return v
}

// strides gives the layout's strides and offset, and the number of elements the buffer has.
func (v value) strides(lay layout) (st []int, off, size int) {
	st = make([]int, len(v.dims))
	n := 1
	for k := range v.dims {
		i := len(v.dims) - 1 - k
		if lay == transposed {
			i = k
		}
		st[i] = n
		n *= max(v.dims[i], 1)
	}
	switch lay {
	case offset:
		return st, 5, n + 7
	case gaps:
		for i := range st {
			st[i] *= 2
		}
		return st, 1, 2*n + 1
	case negative:
		for i := range st {
			off += max(v.dims[i]-1, 0) * st[i]
			st[i] = -st[i]
		}
	case repeated:
		if len(st) > 0 && !v.steady {
			st[0] = 0
		}
	}
	return st, off, n
}

// store puts the value on a device with a layout.
func (v value) store(dev *backend.Device, lay layout) *node {
	st, off, size := v.strides(lay)
	words := make([]uint64, (size*v.dtype.Size()+15)/8)
	b := dtype.Bytes(words)[:size*v.dtype.Size()]
	for i := range size { // the gaps must not be read
		v.dtype.Put(b, i, dtype.Scalar{Kind: dtype.KindFloat, F: 77})
	}
	at := make([]int, len(v.dims))
	for i := range v.elems {
		o := off
		for k := range at {
			o += at[k] * st[k]
		}
		v.dtype.Put(b, o, v.elems[i])
		step(at, v.dims)
	}
	buf, err := dev.Pool.Get("conformance", len(b))
	if err != nil {
		throw(err)
	}
	if dev.Transfer == nil {
		copy(buf.Mem, b)
	} else if err := dev.Upload(buf, b); err != nil {
		throw(err)
	}
	spec := graph.Spec{Shape: shape.Of("conformance", v.dims...), DType: v.dtype}
	if lay == contiguous {
		return graph.NewStored(buf, spec, dev)
	}
	return graph.NewStoredView(buf, spec, dev, &shape.Layout{Strides: st, Offset: off})
}

// step goes to the next multi-index in row-major order.
func step(at, dims []int) {
	for k := len(at) - 1; k >= 0; k-- {
		if at[k]++; at[k] < dims[k] {
			return
		}
		at[k] = 0
	}
}

// read takes the elements out of a view of host memory.
func read(v backend.View) value {
	out := value{dtype: v.DType, dims: v.Shape.Clone(), elems: make([]dtype.Scalar, 0, v.Numel())}
	st, at := v.Strides(), make([]int, v.Shape.Rank())
	for range v.Numel() {
		o := v.Offset()
		for k := range at {
			o += at[k] * st[k]
		}
		out.elems = append(out.elems, v.DType.Get(v.Buf.Mem, o))
		step(at, out.dims)
	}
	return out
}

// op finds a primitive that has no function of its own.
func op(name string) *graph.Op {
	o := graph.Lookup(name)
	if o == nil {
		fault.Throw(fault.Internal, name, "there is no such op")
	}
	return o
}
