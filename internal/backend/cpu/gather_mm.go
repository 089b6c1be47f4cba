package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// gather_mm adds chosen products of matrices to chosen outputs. Small matrices are joined: products that share their
// right matrix and have outputs of their own become the rows of one product, and products of one output with a short
// inner size become one with a long one.

func init() { register(backend.Table{"gather_mm": gatherKernel}) }

func gatherKernel(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	switch in[0].DType {
	case dtype.Float32:
		return gatherStacks(c, out[0], in, product32)
	case dtype.Float64:
		return gatherStacks(c, out[0], in, product64)
	case dtype.BFloat16, dtype.Float16:
		return gatherHalf(c, out[0], in)
	case dtype.Complex64:
		return gatherStacks(c, out[0], in, productC64)
	case dtype.Complex128:
		return gatherStacks(c, out[0], in, productC128)
	}
	switch in[0].DType.Size() { // sums and products wrap: signed and unsigned integers of a size have the same bits
	case 8:
		return gatherStacks(c, out[0], in, productInt64)
	case 4:
		return gatherStacks(c, out[0], in, productInt32)
	case 2:
		return gatherStacks(c, out[0], in, product16)
	}
	return gatherStacks(c, out[0], in, productOf[uint8])
}

func gatherStacks[T numbers](c *backend.Ctx, out backend.View, in []backend.View, mul product[T]) error {
	a, err := stackOf[T](c, in[0])
	if err != nil {
		return err
	}
	defer a.done()
	b, err := stackOf[T](c, in[1])
	if err != nil {
		return err
	}
	defer b.done()
	g := gatherJob[T]{mul: mul, a: &a, b: &b, z: backend.Slice[T](out)}
	return g.run(c, out.Shape.Dim(0), in)
}

func gatherHalf(c *backend.Ctx, out backend.View, in []backend.View) error {
	a, err := widenedStack(c, in[0])
	if err != nil {
		return err
	}
	defer a.done()
	z := backend.Slice[uint16](out)
	f, free := borrow[float32](len(z))
	defer free()
	g := gatherJob[float32]{mul: product32, a: &a, z: f}
	b, err := g.widenChosen(c, in)
	if err != nil {
		return err
	}
	defer b.done()
	g.b = &b
	if err := g.run(c, out.Shape.Dim(0), in); err != nil {
		return err
	}
	return forRuns(c, len(z), func(from, n int) { narrowHalf(out.DType, z[from:from+n], f[from:from+n]) })
}

// widenChosen widens the right matrices that are chosen, if they are few of many, as the experts of a token are: the others are not
// read. Positions count the chosen ones then.
func (g *gatherJob[T]) widenChosen(c *backend.Ctx, in []backend.View) (b stack[float32], err error) {
	w, all := in[1], in[1].Shape.Dim(0)
	if in[3].Numel() >= all {
		return widenedStack(c, w)
	}
	s, err := stackOf[uint16](c, w)
	if err != nil {
		return b, err
	}
	defer s.done()
	size := s.rows * s.cols
	if !(s.cs == 1 && s.rs == s.cols || s.rs == 1 && s.cs == s.rows) || size == 0 {
		return widenedStack(c, w)
	}
	if g.r, err = positions("gather_mm", in[3], all); err != nil {
		return b, err
	}
	number, chosen := map[int64]int64{}, []int64{}
	for i, e := range g.r {
		at, seen := number[e]
		if !seen {
			at = int64(len(chosen))
			number[e], chosen = at, append(chosen, e)
		}
		g.r[i] = at
	}
	x, free := borrow[float32](len(chosen) * size)
	each := (size + blockElems - 1) / blockElems
	err = c.For(len(chosen)*each, func(i int) {
		from, to := i%each*blockElems, min((i%each+1)*blockElems, size)
		widenHalf(w.DType, x[i/each*size+from:i/each*size+to], s.at(int(chosen[i/each]))[from:to])
	})
	return stack[float32]{x: x, rows: s.rows, cols: s.cols, rs: s.rs, cs: s.cs, lead: []int{len(chosen)}, step: []int{size}, free: free}, err
}

// positions reads a list of int64 and checks it.
func positions(op string, v backend.View, below int) ([]int64, error) {
	x := newScratch[int64](v.Numel())
	if len(x) == 0 {
		return x, nil
	}
	l := compactOf(v)
	tmp := make([]int64, l.count)
	gatherTile(unsafe.Pointer(&tmp[0]), &l.src, 0, l.count)
	for i := range x {
		x[i] = tmp[i*l.fresh[0]]
		if x[i] < 0 || x[i] >= int64(below) {
			return nil, fault.IndexError(op, int64(x[i]), int64(below))
		}
	}
	return x, nil
}

// sortBy lists 0, 1, … so that those with equal keys follow each other, in order; starts has where each key begins.
func sortBy(keys []int64, below int) (order, starts []int) {
	starts = newScratch[int](below + 1)
	for _, k := range keys {
		starts[k+1]++
	}
	for i := range below {
		starts[i+1] += starts[i]
	}
	next, order := append([]int(nil), starts...), make([]int, len(keys))
	for i, k := range keys {
		order[next[k]] = i
		next[k]++
	}
	return order, starts
}
