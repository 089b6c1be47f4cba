package conv

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/half"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Where products of bfloat16 are made in pairs (gemm.BFloat16), which takes half the time of float32 or less, a convolution of
// bfloat16 is such products: the second matrix is im2col with elements as they are, block by block. The ways of float32
// read the input in place, and would have to widen it first.

const (
	bf16Cols  = 256     // columns of a block
	bf16Depth = 1152    // rows of a chunk
	bf16Least = 16      // kernels, and terms of a sum, for which it pays
	bf16Work  = 1 << 20 // multiply-adds
)

// bf16Convolve is a convolution of bfloat16 so. It reports whether it was: not if there are too few kernels or terms, or if
// padding would be multiplied by a filter that is not finite.
func bf16Convolve(d *Device, c *backend.Ctx, a attr.Conv, out backend.View, in []backend.View, then Epilogue) (bool, error) {
	x, err := flatOf[uint16](d, c, in[0])
	if err != nil {
		return false, err
	}
	defer x.done()
	w, err := flatOf[uint16](d, c, in[1])
	if err != nil {
		return false, err
	}
	defer w.done()
	j := newJob[uint16](a, out, in, x.strides, w.strides)
	j.float, j.isBF16 = &routines[uint16]{product: d.BF16, batched: d.BatchedBF16}, true
	j.x, j.w, j.then = x.x, w.x, then
	if a.Sums {
		j.sums, j.sumsProduct = backend.Slice[float32](out), d.BF16Sums
	} else {
		j.z = backend.Slice[uint16](out)
	}
	taps := j.kernelSize[0] * j.kernelSize[1] * j.kernelSize[2]
	outs := out.Numel()
	if j.kernels < bf16Least || j.channels*taps < bf16Least || outs*j.channels*taps < bf16Work {
		return false, nil
	}
	if j.isPointwise() {
		if a.Sums {
			w, x := j.pointwiseFactors()
			return true, inStrips(c, j.images*j.groups, j.sums, w, x, d.BF16Sums, d.BatchedBF16Sums, then)
		}
		return true, j.pointwise(c)
	}
	kernels, care := j.groups*j.kernels*j.channels*taps, j.readsZeros()
	if care && outs > kernels && anyNonFiniteBF16(c, j.w[:j.kernelEnd()]) {
		return false, nil
	}
	if care && outs <= kernels { // what follows must not see results that are made again
		j.then = nil
	}
	if err := j.run(c); err != nil || !care || outs > kernels {
		return true, err
	}
	strange := false
	if a.Sums {
		strange = anyNonFinite(c, j.sums[:outs])
	} else {
		strange = anyNonFiniteBF16(c, j.z[:outs])
	}
	if strange && anyNonFiniteBF16(c, j.w[:j.kernelEnd()]) {
		return false, nil
	}
	if then != nil {
		j.then, j.epilogueDone = then, false
		return true, j.follow(c)
	}
	return true, nil
}

// anyNonFiniteBF16 reports whether one of some bfloat16 is infinite or no number.
func anyNonFiniteBF16(c *backend.Ctx, x []uint16) bool {
	found := make([]bool, ceil(len(x), blockElems))
	err := c.For(len(found), func(b int) {
		const special = 0x7f80 // the greatest exponent
		for _, v := range x[b*blockElems : min((b+1)*blockElems, len(x))] {
			if v&special == special {
				found[b] = true
				return
			}
		}
	})
	for _, f := range found {
		if f {
			return err == nil
		}
	}
	return false
}

// byBF16 computes a phase.
func (j *job[T]) byBF16(c *backend.Ctx) error {
	p := bf16Conv{j: any(j).(*job[uint16])}
	if p.j.isProduct() {
		return p.product(c)
	}
	return p.im2col(c)
}

type bf16Conv struct {
	j       *job[uint16]
	partial []float32 // parts of sums, by block
}

// product is byProduct: rows of positions by rows of positions.
func (p bf16Conv) product(c *backend.Ctx) error {
	j := p.j
	x, w := j.productRows()
	k := j.phase.taps() * j.channels
	xs, freeX := bufpool.Borrow[uint16](x.rows * k)
	defer freeX()
	ws, freeW := bufpool.Borrow[uint16](w.rows * k)
	defer freeW()
	if err := packRows(c, xs, j.x, &x, j.channels); err != nil {
		return err
	}
	if err := packRows(c, ws, j.w, &w, j.channels); err != nil {
		return err
	}
	var failed error
	run := gemm.RunnerOf(c.For, &failed)
	if j.sums != nil {
		j.sumsProduct(x.rows, w.rows, k, xs, k, 1, ws, 1, k, j.sums, w.rows, nil, run)
	} else {
		j.float.product(x.rows, w.rows, k, xs, k, 1, ws, 1, k, j.z, w.rows, nil, run)
	}
	return failed
}

func (p bf16Conv) im2col(c *backend.Ctx) error {
	j := p.j
	free, err := j.packKernels(c)
	if err != nil {
		return err
	}
	if free != nil {
		defer free()
	}
	j.tiles = j.plan(bf16Cols, bf16Depth)
	n := j.tiles.count()
	if j.tiles.sums == 1 {
		return c.For(n, p.block)
	}
	var done func()
	p.partial, done = bufpool.Borrow[float32](n * j.tiles.sums * j.area())
	defer done()
	if err := c.For(n*j.tiles.sums, p.splitBlock); err != nil {
		return err
	}
	return c.For(n, p.joinBlock)
}

// block computes one block of the output.
func (p bf16Conv) block(b int) {
	t := p.j.tile(b)
	sums, free := bufpool.Borrow[float32]((t.o1 - t.o0) * (t.c1 - t.c0))
	defer free()
	p.multiply(t, 0, sums)
	p.round(t, sums)
}

// splitBlock computes one part of the sums of a block.
func (p bf16Conv) splitBlock(b int) {
	j := p.j
	p.multiply(j.tile(b/j.tiles.sums), b%j.tiles.sums, p.partial[b*j.area():])
}

// joinBlock adds the parts of a block, first to last.
func (p bf16Conv) joinBlock(b int) {
	t, sums, area := p.j.tile(b), p.j.tiles.sums, p.j.area()
	z := p.partial[b*sums*area:][:(t.o1-t.o0)*(t.c1-t.c0)]
	for s := 1; s < sums; s++ {
		addTo(z, p.partial[(b*sums+s)*area:])
	}
	p.round(t, z)
}

func (p bf16Conv) multiply(t tile, part int, sums []float32) {
	n := t.c1 - t.c0
	p.j.chunks(t, part, func(m, k int, w, col []uint16, brs, bcs int, add bool) {
		mode := gemm.Overwrite
		if add {
			mode = gemm.Accumulate
		}
		gemm.BFloat16(m, n, k, w, p.j.panelRow, p.j.panelCol, col, brs, bcs, sums, n, mode, nil, nil)
	})
}

// round writes finished sums to the output.
func (p bf16Conv) round(t tile, sums []float32) {
	j, m, cols := p.j, t.o1-t.o0, t.c1-t.c0
	if j.sums != nil {
		spread(j, t, sums, func(at, step int, x []float32) { writeTo(j.sums, at, step, x) })
		return
	}
	if outs := j.phase.outs(); j.tiles.perImage > 0 && outs == j.outPositions { // columns follow each other there too
		at := ((t.c0/outs)*j.groups*j.kernels+t.group*j.kernels+t.o0)*outs + t.c0%outs
		half.NarrowRows(dtype.BFloat16, j.z[at:], outs, sums, cols, m, cols)
		return
	}
	n := m * cols
	z, free := bufpool.Borrow[uint16](n)
	defer free()
	half.Narrow(dtype.BFloat16, z, sums[:n])
	j.spread(t, z)
}
