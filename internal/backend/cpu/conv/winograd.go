package conv

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/conv/kernel"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// Winograd's convolution F(4×4, 3×3) needs a quarter of the products: tiles of 6 by 6 inputs, and the kernels, are
// transformed, multiplied position by position as 36 products of matrices, and transformed back to 4 by 4 outputs. What is
// saved is paid for in accuracy, so it is used only where asked for (attr.Conv.Winograd). Strips of tiles are laid out as
// the direct way does it, with a stride of 4: the tiles that follow each other are lanes.

// winogradScratch is how many elements the transformed inputs and products of a strip may have: most of a second cache.
const winogradScratch = 150 << 10

// winogradLeast is the fewest channels, in or out, for which it pays.
const winogradLeast = 8

// winogradPays reports whether fewer products make up for what they need in addition: kernels are transformed once for a
// call, which takes as long as winogradPack products for each of a tile's; a strip has tiles for whole vectors, and as many as
// the scratch memory holds for all channels; and a product takes winogradCost times as long as one of the direct way. The
// batch does not count: an image has the same bits alone as in any batch.
func winogradPays(a attr.Conv, out, w []int) bool {
	const winogradPack, winogradCost = 80, 2.2
	if len(out) != 4 || a.Groups < 1 {
		return false
	}
	high, wide := ceil(out[2], 4), ceil(out[3], 4)
	pitch := wide + 1
	rows := max(1, min(high, winogradScratch/(simd.WinogradTile*max(1, w[1]+w[0]/a.Groups))/pitch))
	tiles := ceil(high, rows) * ceil((rows-1)*pitch+wide, simd.WinogradLanes) * simd.WinogradLanes
	return 10*simd.WinogradTile*(winogradPack+winogradCost*float64(tiles)) < 9*9*float64(out[2])*float64(out[3])
}

// isWinograd reports whether the phase is a 3 by 3 convolution of stride 1 that may be computed so here.
func (j *job[T]) isWinograd() bool {
	if !j.attr.Winograd || !j.phase.one() || !j.isFloat32() || !simd.HasWinograd() || j.channels < winogradLeast ||
		j.kernels < winogradLeast {
		return false
	}
	for _, p := range j.phase[1:] {
		if p.taps != 3 || p.stride != 1 || p.step*p.step != 1 || p.outStep != 1 {
			return false
		}
	}
	return true
}

// winogradConv is a phase computed so.
type winogradConv[T number] struct {
	j          *job[T]
	high, wide axis
	tiles      [2]int // of an image: rows of them, and in a row
	rows       int    // rows of tiles in a strip
	strips     int
	plane      int // of a remainder in the scratch
	pitch      int
	count      int // tiles of a strip, rounded up
	packed     []float32
	off        []int
	fused      bool
}

// byWinograd computes a phase.
func (j *job[T]) byWinograd(c *backend.Ctx) error {
	p := &j.phase
	d := &winogradConv[T]{j: j, tiles: [2]int{ceil(p[1].outs, 4), ceil(p[2].outs, 4)}}
	d.high = newAxis(p[1].first+min(0, 2*p[1].step), 4, 1, 6)
	d.wide = newAxis(p[2].first+min(0, 2*p[2].step), 4, 1, 6)
	d.wide.share(d.tiles[1], j.size[2])
	d.pitch = d.tiles[1] + d.wide.extra - d.wide.shared
	d.rows = max(1, min(d.tiles[0], winogradScratch/(simd.WinogradTile*(j.channels+j.kernels))/d.pitch))
	d.strips = ceil(d.tiles[0], d.rows)
	d.count = ceil((d.rows-1)*d.pitch+d.tiles[1], simd.WinogradLanes) * simd.WinogradLanes
	d.plane = (d.rows+d.high.extra)*d.pitch + d.wide.shared
	for ch := range j.channels {
		d.off = append(d.off, ch*d.count)
	}
	var free func()
	d.packed, free = bufpool.Borrow[float32](j.groups * j.kernels * j.channels * simd.WinogradTile)
	defer free()
	if err := d.pack(c); err != nil {
		return err
	}
	d.fused = j.fusesEpilogue()
	return c.For(j.images*j.groups*d.strips, d.strip)
}

// pack transforms the kernels and lays them out for products.
func (d *winogradConv[T]) pack(c *backend.Ctx) error {
	j := d.j
	m, k := j.kernels, j.channels
	plain, free := bufpool.Borrow[float32](len(d.packed))
	defer free()
	w, at := any(j.w).([]float32), j.tapOffsets3x3()
	const each = 4
	if err := c.For(ceil(j.groups*m, each), func(b int) {
		for o := b * each; o < min((b+1)*each, j.groups*m); o++ {
			simd.WinogradTapsF32(plain[o/m*simd.WinogradTile*m*k+o%m*k:], m*k, w[o*j.kernelStep:], &at, j.kernelInStep, k)
		}
	}); err != nil {
		return err
	}
	return c.For(j.groups*simd.WinogradTile, func(b int) {
		kernel.PackDirect(d.packed[b*m*k:][:m*k], m, k, plain[b*m*k:], k, 1)
	})
}

// strip computes one strip of an image.
func (d *winogradConv[T]) strip(b int) {
	j, p := d.j, &d.j.phase
	t, image, group := b%d.strips*d.rows, b/d.strips/j.groups, b/d.strips%j.groups
	rows := min(d.rows, d.tiles[0]-t)
	x, freeX := bufpool.Borrow[T](16*d.plane + d.count + 2)
	defer freeX()
	clear(x[16*d.plane:]) // read by the last lanes, which mean nothing
	v, freeV := bufpool.Borrow[float32](simd.WinogradTile * j.channels * d.count)
	defer freeV()
	for ch := range j.channels {
		d.fill(x, image*j.imageStep+(group*j.channels+ch)*j.channelStep, t, rows)
		simd.WinogradInputF32(v[ch*d.count:], j.channels*d.count, any(x).([]float32), d.plane, d.pitch, d.count)
	}
	m, freeM := bufpool.Borrow[float32](simd.WinogradTile * j.kernels * d.count)
	defer freeM()
	for f := range simd.WinogradTile {
		at := (group*simd.WinogradTile + f) * j.kernels * j.channels
		kernel.Direct(j.kernels, d.count, d.packed[at:], d.off, v[f*j.channels*d.count:], m[f*j.kernels*d.count:], d.count, false)
	}
	y, freeY := bufpool.Borrow[float32](16 * d.count)
	defer freeY()
	z := any(j.z).([]float32)
	for o := range j.kernels {
		simd.WinogradOutputF32(y, 4*d.count, m[o*d.count:], j.kernels*d.count, d.count)
		plane := z[(image*j.groups*j.kernels+group*j.kernels+o)*j.outPositions+p[1].out*j.outSize[2]+p[2].out:]
		for r := range min(4, p[1].outs-4*t) {
			n := min(rows, ceil(p[1].outs-4*t-r, 4)) // tiles that have this row
			simd.PadRowsF32(plane[(4*t+r)*j.outSize[2]:], 4*j.outSize[2], y[r*4*d.count:], 4*d.pitch, 1, n, 0, p[2].outs, 0, 0)
		}
	}
	if d.fused {
		j.then((image*j.groups+group)*j.kernels, 4*t*j.outSize[2], j.kernels, min(4*rows, p[1].outs-4*t)*j.outSize[2])
	}
}

// fill lays out the rows of one channel that a strip reads, from row t of tiles on.
func (d *winogradConv[T]) fill(x []T, base, t, rows int) {
	j := d.j
	if j.step[2] != 1 {
		for q := range 16 {
			j.copyWindow(x[q*d.plane:], 0, base, 1, &inputWindow{
				high: d.high.at(d.high.part[q/4], t), highStep: 4, rows: rows + d.high.extra,
				wide: d.wide.at(d.wide.part[q%4], 0), wideStep: 4, pitch: d.pitch, tail: d.wide.shared})
		}
		return
	}
	for q := range 16 {
		clear(x[q*d.plane+(rows+d.high.extra)*d.pitch:][:d.wide.shared])
	}
	n := 4*rows + 2
	r0, r1 := layout.Inside(d.high.lo+4*t, 1, n, j.size[1])
	c0, c1 := layout.Inside(d.wide.lo, 1, 4*d.pitch, j.size[2])
	if c0 == c1 {
		r0, r1 = 0, 0
	}
	for r := range n {
		for q := 0; q < 4 && (r < r0 || r >= r1); q++ {
			clear(x[(r%4*4+q)*d.plane+r/4*d.pitch:][:d.pitch])
		}
	}
	if r0 < r1 {
		at := base + (d.high.lo+4*t+r0)*j.step[1] + d.wide.lo + c0
		simd.WinogradRowsF32(any(x).([]float32), d.plane, d.pitch, d.pitch, any(j.x).([]float32)[at:], j.step[1], r0, r1, c0, c1)
	}
}
