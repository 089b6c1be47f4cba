package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// A recurrent layer packs its weights once and then goes from step to step. A step is cut into blocks of units, and of rows
// if there are many: all gates of a block's units are computed in the cache, from the product with the state before to the
// state behind. Threads take the same blocks in every step if they can, so that a block's weights stay in the cache of a core.
// What is carried from step to step is never rounded to a half.

const (
	recurrentRows  = 64      // of a block
	recurrentPause = 1024    // of a product between two looks at the clock
	recurrentShort = 1 << 18 // multiplications of a step that are not worth a second thread
	recurrentDepth = 256     // of a product before its sums go to memory: a panel of weights stays in the first-level cache
)

func init() {
	register(backend.Table{"recurrent": recurrent, "recurrent_grad": recurrentGrad})
}

func recurrent(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if in[0].DType == dtype.Float64 {
		return runForward[float64](c, a, out, in)
	}
	return runForward[float32](c, a, out, in)
}

func recurrentGrad(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if in[0].DType == dtype.Float64 {
		return runBackward[float64](c, a, out, in)
	}
	return runBackward[float32](c, a, out, in)
}

// vectors are the routines of an element type over contiguous elements.
type vectors[T floats] struct {
	tiles               gemm.Tiles[T]
	sigmoid, tanh, relu func(z, x []T)
	add, sub, mul       func(z, x, y []T)
}

func vectorsOf[T floats]() (v vectors[T]) {
	switch v := any(&v).(type) {
	case *vectors[float32]:
		*v = vectors[float32]{gemm.Tiles32(), simd.SigmoidF32, simd.TanhF32, simd.ReluF32, simd.AddF32, simd.SubF32, simd.MulF32}
	case *vectors[float64]:
		*v = vectors[float64]{gemm.Tiles64(), simd.SigmoidF64, simd.TanhF64, relu64, simd.AddF64, simd.SubF64, simd.MulF64}
	}
	return v
}

func relu64(z, x []float64) {
	for i, v := range x {
		if v <= 0 { // a NaN stays
			v = 0
		}
		z[i] = v
	}
}

// layerPlan is what both directions know of a layer.
type layerPlan[T floats] struct {
	vectors[T]
	c                        *backend.Ctx
	a                        attr.Recurrent
	gates, hidden, state     int // gates of a unit, units, size of the state
	batch                    int
	offsets, order           []int
	width, units, stateUnits int // units of a block; blocks of units, of the state
}

func planLayer[T floats](c *backend.Ctx, a attr.Attr, w backend.View) *layerPlan[T] {
	l := &layerPlan[T]{vectors: vectorsOf[T](), c: c, a: a.(attr.Recurrent)}
	l.gates = l.a.Cell.Gates()
	l.hidden, l.state = w.Shape.Dim(0)/l.gates, w.Shape.Dim(1)
	l.offsets, l.order = l.a.Offsets(), l.a.Order()
	if len(l.order) > 0 {
		l.batch = l.offsets[1]
	}
	l.width = l.tiles.Cols()
	l.units, l.stateUnits = (l.hidden+l.width-1)/l.width, (l.state+l.width-1)/l.width
	return l
}

// step returns where the values of the k-th step begin, and how many sequences have it; none behind the last.
func (l *layerPlan[T]) step(k int) (at, n int) {
	if k < 0 || k >= len(l.order) {
		return 0, 0
	}
	t := l.order[k]
	return l.offsets[t], l.offsets[t+1] - l.offsets[t]
}

// part returns where a block of units begins, and its width.
func (l *layerPlan[T]) part(block, size int) (from, width int) {
	return block * l.width, min(l.width, size-block*l.width)
}

// stepBlocks runs blocks of a step, of units and of rows. It is made once for all steps, with what they do.
type stepBlocks struct {
	c           *backend.Ctx
	short       int // rows of a step that one thread does sooner than two find each other
	rows, parts int
	f           func(unit, lo, hi int)
	block       func(b int)
	pace        par.Pace
}

// blocks makes the blocks of steps in which a row takes so many multiplications.
func (l *layerPlan[T]) blocks(cost int, f func(unit, lo, hi int)) *stepBlocks {
	s := &stepBlocks{c: l.c, f: f, short: recurrentShort / max(1, cost), pace: par.NewPace()}
	s.block = func(b int) {
		lo, hi := part(s.rows, s.parts, b%s.parts)
		s.f(b/s.parts, lo, hi)
	}
	return s
}

// run runs those of one step.
func (s *stepBlocks) run(units, rows int) error {
	s.rows, s.parts = rows, (rows+recurrentRows-1)/recurrentRows
	if rows <= s.short {
		for b := range units * s.parts {
			s.block(b)
		}
		s.pace.Step()
		return nil
	}
	return s.c.For(units*s.parts, s.block)
}

// ahead prefetches rows of w elements, rs apart, that are read soon: they are too far apart for the hardware prefetcher. own
// prefetches rows that are written, with ownership.
func ahead[T floats](x []T, rs, rows, w int) {
	if size := int(unsafe.Sizeof(T(0))); len(x) > 0 {
		simd.PrefetchRows(unsafe.Pointer(&x[0]), rs*size, rows, w*size)
	}
}

func own[T floats](x []T, rs, rows, w int) {
	if size := int(unsafe.Sizeof(T(0))); len(x) > 0 {
		simd.PrefetchOwn(unsafe.Pointer(&x[0]), rs*size, rows, w*size)
	}
}

// product adds m rows of a, k deep, times a panel to c.
func (l *layerPlan[T]) product(m, w, k int, a []T, ars int, panel []T, c []T, crs int) {
	l.sums(m, w, k, recurrentDepth, a, ars, panel, c, crs, true)
}

// sums multiplies m rows of a, k deep, with a panel; sums go to c, or are added to it, every chunk of k.
func (l *layerPlan[T]) sums(m, w, k, chunk int, a []T, ars int, panel []T, c []T, crs int, add bool) {
	rows := l.tiles.Rows()
	pieces := (m + rows - 1) / rows
	for at := 0; at < k; at += chunk {
		depth := min(chunk, k-at)
		if at > 0 && at%recurrentPause == 0 {
			par.NewPace()
		}
		for p := range pieces {
			lo, hi := part(m, pieces, p)
			l.tiles.Panels(hi-lo, w, depth, a[lo*ars+at:], ars, 1, panel[at*l.width:], c[lo*crs:], crs, add || at > 0)
		}
	}
}

// packRows packs columns of w, whose rows are contiguous, as panels of as many columns as a block has.
func (l *layerPlan[T]) packRows(dst, w []T, rows, cols int) error {
	blocks := (cols + l.width - 1) / l.width
	const each = 256
	parts := (rows + each - 1) / each
	return l.c.For(blocks*parts, func(b int) {
		from, width := l.part(b/parts, cols)
		lo := b % parts * each
		n := min(each, rows-lo)
		l.tiles.CopyRows(dst[(b/parts*rows+lo)*l.width:], l.width, w[lo*cols+from:], cols, n, width)
	})
}

// packColumns packs rows of w, each k long, as columns of panels; those of each gate begin with a panel of their own.
func (l *layerPlan[T]) packColumns(dst, w []T, gates, size, k int) error {
	blocks := (size + l.width - 1) / l.width
	return l.c.For(gates*blocks, func(b int) {
		from, width := l.part(b/gates, size)
		row := b%gates*size + from
		l.tiles.PackColumns(dst[b*l.width*k:][:l.width*k], w[row*k:], k, k, width)
	})
}

// floatsOf returns a view's elements in order, half types widened.
func floatsOf[T floats](c *backend.Ctx, v backend.View) ([]T, error) {
	if v.DType.IsHalf() {
		x, err := denseF32(c, v)
		return any(x).([]T), err
	}
	p, err := dense(c, v)
	return elems[T](p, v.Numel()), err
}

// operandsOf is floatsOf for several.
func operandsOf[T floats](c *backend.Ctx, in []backend.View) (x [][]T, err error) {
	x = make([][]T, len(in))
	for i, v := range in {
		if x[i], err = floatsOf[T](c, v); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// withResults calls f with the outputs as T, and rounds to a half type afterwards.
func withResults[T floats](c *backend.Ctx, out []backend.View, f func(z [][]T) error) error {
	if len(out) == 0 || !out[0].DType.IsHalf() {
		z := make([][]T, len(out))
		for i, v := range out {
			z[i] = outOf[T](v)
		}
		return f(z)
	}
	size := 0
	for _, v := range out {
		size += v.Numel()
	}
	return withTemp(size, func(t []T) error {
		z := make([][]T, len(out))
		for i, v := range out {
			z[i], t = t[:v.Numel():v.Numel()], t[v.Numel():]
		}
		if err := f(z); err != nil {
			return err
		}
		for i, v := range out {
			if err := storeHalf(c, v, any(z[i]).([]float32)); err != nil {
				return err
			}
		}
		return nil
	})
}

// cutter takes pieces of scratch one after the other.
type cutter[T floats] []T

func (c *cutter[T]) cut(n int) []T {
	z := (*c)[:n:n]
	*c = (*c)[n:]
	return z
}
