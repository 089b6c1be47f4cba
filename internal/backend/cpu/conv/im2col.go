package conv

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"sync"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// The im2col way makes the second matrix block by block: each block of columns fills its part, cut in chunks of rows that
// stay in the cache, and multipis at once.

const (
	convCols  = 128 // columns of a block
	convDepth = 256 // rows of a chunk
	convMin   = 16  // blocks below which the sums, then the channels, are split too
	convSums  = 512 // rows of a split sum, at least
	convSplit = 64  // channels of a block then, at least
)

// tiling is how the work of a phase is cut: the output into groups, rows and columns, and its sums.
type tiling struct {
	groups, rows, cols int
	sums               int  // parts of a sum
	sum                int  // rows of a part
	width              int  // columns of a block
	perImage           int  // blocks of columns in one image; 0: a block holds whole images
	depth              int  // rows of a chunk
	byTaps             bool // the second matrix is im2col along the taps, not along the outputs
}

// count is the number of blocks of the output.
func (t *tiling) count() int { return t.groups * t.rows * t.cols }

// plan fixes the blocks by the sizes alone: so many columns in a block, and at most so many rows in a chunk.
func (j *job[T]) plan(cols, depth int) tiling {
	outs := j.phase.outs()
	t := tiling{groups: j.groups, rows: 1, sums: 1, byTaps: j.phase[2].taps > j.phase[2].outs}
	if outs >= cols {
		t.width, t.perImage = cols, ceil(outs, cols)
		t.cols = t.perImage * j.images
	} else {
		each := max(1, cols/outs)
		t.width, t.cols = each*outs, (j.images+each-1)/each
	}
	k := j.channels * j.phase.taps()
	if n := t.groups * t.cols; n < convMin {
		t.sums = max(1, min(k/convSums, (convMin+n-1)/n))
		n *= t.sums
		t.rows = max(1, min(j.kernels/convSplit, (convMin+n-1)/n))
	}
	t.sum = max(1, (k+t.sums-1)/t.sums)
	chunks := ceil(t.sum, depth)
	t.depth = ((t.sum+chunks-1)/chunks + 15) / 16 * 16
	return t
}

// columns returns the columns of block b.
func (j *job[T]) columns(b int) (from, to int) {
	t, outs := &j.tiles, j.phase.outs()
	if t.perImage == 0 {
		return b * t.width, min((b+1)*t.width, j.images*outs)
	}
	image := b / t.perImage * outs
	b %= t.perImage
	return image + b*t.width, image + min((b+1)*t.width, outs)
}

// positions is scratch for the positions a block reads.
type patchIndex struct {
	points []point
	runs   []run
}

var patchPool = sync.Pool{New: func() any { return new(patchIndex) }}

// tile is one block of the output: rows o0 to o1 of a group, and columns c0 to c1.
type tile struct{ group, o0, o1, c0, c1 int }

func (j *job[T]) tile(b int) tile {
	t := &j.tiles
	col, b := b%t.cols, b/t.cols
	row, group := b%t.rows, b/t.rows
	c0, c1 := j.columns(col)
	return tile{group, row * j.kernels / t.rows, (row + 1) * j.kernels / t.rows, c0, c1}
}

// area is the most elements a tile has.
func (j *job[T]) area() int { return (j.kernels + j.tiles.rows - 1) / j.tiles.rows * j.tiles.width }

// block computes one block of the output.
//
//go:noinline
func (j *job[T]) block(b int) {
	t := j.tile(b)
	n, outs := t.c1-t.c0, j.phase.outs()
	if j.tiles.perImage > 0 && j.z != nil && outs == j.outPositions { // in place
		at := ((t.c0/outs)*j.groups*j.kernels+t.group*j.kernels+t.o0)*outs + t.c0%outs
		j.multiply(t, 0, j.z[at:], outs)
		return
	}
	z, free := bufpool.Borrow[T]((t.o1 - t.o0) * n)
	defer free()
	j.multiply(t, 0, z, n)
	j.spread(t, z)
}

// splitBlock computes one part of the sums of a block.
func (j *job[T]) splitBlock(b int) {
	t := j.tile(b / j.tiles.sums)
	j.multiply(t, b%j.tiles.sums, j.partial[b*j.area():], t.c1-t.c0)
}

// joinBlock adds the parts of a block, first to last.
func (j *job[T]) joinBlock(b int) {
	t, sums, area := j.tile(b), j.tiles.sums, j.area()
	z := j.partial[b*sums*area:][:(t.o1-t.o0)*(t.c1-t.c0)]
	for s := 1; s < sums; s++ {
		addTo(z, j.partial[(b*sums+s)*area:])
	}
	j.spread(t, z)
}

func addTo[T number](z, x []T) {
	x = x[:len(z)]
	if f, ok := any(z).([]float32); ok {
		simd.AddF32(f, f, any(x).([]float32))
		return
	}
	for i, v := range x {
		z[i] += v
	}
}

// multiply computes a part of the sums of a tile: chunk by chunk of rows, fill and multiply.
func (j *job[T]) multiply(t tile, part int, z []T, zrs int) {
	j.chunks(t, part, func(m, k int, w, col []T, brs, bcs int, add bool) {
		j.float.mul(m, t.c1-t.c0, k, w, j.panelRow, j.panelCol, col, brs, bcs, z, zrs, add, nil)
	})
}

// chunks gives f the kernels and the second matrix of a part of a tile's sums, chunk by chunk of rows, im2col.
func (j *job[T]) chunks(t tile, part int, f func(m, k int, w, col []T, brs, bcs int, add bool)) {
	p, tiles := &j.phase, &j.tiles
	n := t.c1 - t.c0
	from := part * tiles.sum
	to := min(from+tiles.sum, j.channels*p.taps())
	col, free := bufpool.Borrow[T](tiles.depth * n)
	defer free()
	pl := patchPool.Get().(*patchIndex)
	defer patchPool.Put(pl)
	input := t.group * j.channels * j.channelStep
	for k := from; k < to || k == from; k += tiles.depth {
		kc := max(0, min(tiles.depth, to-k))
		brs, bcs := n, 1
		if tiles.byTaps {
			brs, bcs = 1, kc
			pl.points = points(pl.points, t.c0, t.c1, j.imageStep, p.column)
			pl.runs = runs(pl.runs, k, k+kc, j.channelStep, p[2].taps, p.row)
			j.fill(col, kc, input, pl, p[2].step)
		} else {
			pl.points = points(pl.points, k, k+kc, j.channelStep, p.row)
			pl.runs = runs(pl.runs, t.c0, t.c1, j.imageStep, p[2].outs, p.column)
			j.fill(col, n, input, pl, p[2].stride)
		}
		f(t.o1-t.o0, kc, j.panel[min(len(j.panel), t.group*j.panelLen+t.o0*j.panelRow+k*j.panelCol):], col, brs, bcs, k > from)
	}
}

// fill writes, for every point, the runs seen from there; zero where that is outside the input.
func (j *job[T]) fill(dst []T, width, base int, pl *patchIndex, step int) {
	in, last := j.size, j.step[2]
	for i := range pl.points {
		p, row := &pl.points[i], dst[i*width:][:width]
		for q := range pl.runs {
			r := &pl.runs[q]
			to := row[r.dst:][:r.n]
			i0, i1, first := p.at[0]+r.at[0], p.at[1]+r.at[1], p.at[2]+r.at[2]
			if uint(i0) >= uint(in[0]) || uint(i1) >= uint(in[1]) {
				clear(to)
				continue
			}
			if first < 0 {
				lo := min((-first+step-1)/step, len(to))
				clear(to[:lo])
				to, first = to[lo:], first+lo*step
			}
			if end := first + (len(to)-1)*step; end >= in[2] {
				hi := max(0, (in[2]-first+step-1)/step)
				clear(to[hi:])
				to = to[:hi]
			}
			if len(to) == 0 {
				continue
			}
			at, by := base+p.base+r.base+i0*j.step[0]+i1*j.step[1]+first*last, step*last
			j.read(to, at, by)
		}
	}
}

// spread writes a finished tile to its positions in the output.
func (j *job[T]) spread(b tile, z []T) { spread(j, b, z, j.write) }

// spread hands each run of a finished tile to write, with its first position in the output and the step to the next.
func spread[T, Z number](j *job[T], b tile, z []Z, write func(at, step int, x []Z)) {
	p, all, n := &j.phase, j.groups*j.kernels, b.c1-b.c0
	outs, channel := p.outs(), b.group*j.kernels+b.o0
	for c := b.c0; c < b.c1; {
		image, at := c/outs, c%outs
		t2 := at % p[2].outs
		run := min(p[2].outs-t2, b.c1-c)
		t1, t0 := at/p[2].outs%p[1].outs, at/p[2].outs/p[1].outs
		pos := ((p[0].out+t0*p[0].outStep)*j.outSize[1]+p[1].out+t1*p[1].outStep)*j.outSize[2] + p[2].out + t2*p[2].outStep
		for r := range b.o1 - b.o0 {
			write((image*all+channel+r)*j.outPositions+pos, p[2].outStep, z[r*n+c-b.c0:][:run])
		}
		c += run
	}
}

func (j *job[T]) write(at, step int, x []T) {
	if j.z == nil {
		j.save(at, step, x)
		return
	}
	writeTo(j.z, at, step, x)
}

// writeTo writes elements step apart.
func writeTo[T number](z []T, at, step int, x []T) {
	if step == 1 {
		copy(z[at:], x)
		return
	}
	for i, v := range x {
		z[at+i*step] = v
	}
}
