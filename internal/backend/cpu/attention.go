package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// Flash attention: the matrix of weights is never stored. A block of query rows goes over the keys in tiles with an online
// softmax: scores of a few rows with one tile of keys, their maximum, their exponentials, the sum of values weighted by these. When a
// later tile has a larger score, the sums so far are scaled down. Keys are packed once for all blocks that read them; a few query
// rows, as in decoding, read keys and values without a copy, and half types are widened tile by tile. Then the rows of heads that share
// their keys are one block, so that keys and values are read once for all of them.

const (
	attentionKeys   = 512                // of a tile: scores of as many rows as a register tile has stay near the first-level cache
	attentionStride = attentionKeys + 16 // of rows of scores: equal columns must not fall into the same set of the cache
	attentionPanels = 5                  // register tiles of rows in a block
)

// attended is what both directions know of an attention.
type attended[T floats] struct {
	tiles               gemm.Tiles[T]
	n, h, g, l, s, e, f int    // batch, heads of the query, heads of keys; rows, keys; sizes of keys and values
	reach               *reach // which keys rows see by their mask; nil: all s
	causal              bool
	scale               T
	q, k, v             matrices[T]
	mask                *attentionMask
	maxOf               func(x []T) T
	expSub              func(z, x []T, a T) T // e^(x-a), and the sum
	times               func(z, x []T, a T)
	dot                 func(x, y []T) T
	log                 func(z, x []T)
	back                func(p, d []T, a, b, s, c T) // see simd.SoftmaxBackF32
	direct              bool                         // keys are read without packing
	pieces              int                          // parts of the heads that share their keys: fewer than these if direct
	packedKeys          []T
	keyStride           int // length of the panels of one head
}

// newAttended takes few rows directly if it may.
func newAttended[T floats](c *backend.Ctx, a attr.Attr, q, k, v backend.View, mask []backend.View, direct bool) (*attended[T], error) {
	dq, dk := q.Shape.Dims(), k.Shape.Dims()
	r := &attended[T]{n: dq[0], h: dq[1], g: dk[1], l: dq[2], s: dk[2], e: dq[3], f: v.Shape.Dim(3), causal: a.(attr.Attention).Causal,
		scale: T(a.(attr.Attention).Scale)}
	r.bind()
	if len(mask) > 0 {
		r.mask = newAttentionMask(mask[0])
		if direct { // the gradient of keys that no row sees is written, too
			r.reached(mask[0])
		}
	}
	r.direct = direct && r.l <= r.tiles.ColumnRows()
	r.pieces = r.parts()
	var err error
	if r.q, err = matricesOf[T](c, q, false); err != nil {
		return nil, err
	}
	if r.k, err = matricesOf[T](c, k, r.direct); err != nil {
		return nil, err
	}
	if r.v, err = matricesOf[T](c, v, r.direct); err != nil {
		return nil, err
	}
	return r, nil
}

// done gives the memory of copies back.
func (r *attended[T]) done() {
	r.q.done()
	r.k.done()
	r.v.done()
}

// reached bounds the keys of each row by what its mask lets it see.
func (r *attended[T]) reached(mask backend.View) {
	if r.reach = r.mask.reach(mask.Shape.Dims(), r.s); r.reach != nil {
		r.s = r.reach.most
	}
}

// attentionBlocks is how many blocks of work a small attention is cut into at least, for the sake of other threads.
const attentionBlocks = 3

// group is how many heads of the query share their keys.
func (r *attended[T]) group() int { return r.h / max(1, r.g) }

// parts is into how many parts the heads that share their keys are cut: as few as a kernel takes the rows of, so that keys and values are
// read for several of them at a time. They need not be equal: seven heads are three and four.
func (r *attended[T]) parts() int {
	group := r.group()
	if !r.direct {
		return group
	}
	for n := 1; n < group; n++ {
		if (group+n-1)/n*r.l <= r.tiles.ColumnRows() && r.n*r.g*n >= attentionBlocks {
			return n
		}
	}
	return group
}

// bind picks the routines of the element type.
func (r *attended[T]) bind() {
	switch r := any(r).(type) {
	case *attended[float32]:
		r.tiles, r.maxOf, r.expSub, r.times, r.log = gemm.Tiles32(), simd.MaxOfF32, simd.ExpSubSumF32, simd.ScaleF32, simd.LogF32
		r.dot, r.back = simd.DotF32, simd.SoftmaxBackF32
	case *attended[float64]:
		r.tiles, r.maxOf, r.expSub, r.times, r.log = gemm.Tiles64(), maxOf64, expSub64, simd.ScaleF64, simd.LogF64
		r.dot, r.back = dot64, softmaxBack64
	}
}

func maxOf64(x []float64) float64 {
	low := math.Inf(-1)
	m := [4]float64{low, low, low, low}
	i := 0
	for ; i+4 <= len(x); i += 4 { // four side by side: each waits for the one before
		u := x[i : i+4 : i+4]
		m[0], m[1], m[2], m[3] = max(m[0], u[0]), max(m[1], u[1]), max(m[2], u[2]), max(m[3], u[3])
	}
	for ; i < len(x); i++ {
		m[0] = max(m[0], x[i])
	}
	return max(m[0], m[1], m[2], m[3])
}

func expSub64(z, x []float64, a float64) (sum float64) {
	simd.AddScalarF64(z, x, -a)
	simd.ExpF64(z, z)
	var s [4]float64
	i := 0
	for ; i+4 <= len(z); i += 4 {
		u := z[i : i+4 : i+4]
		s[0], s[1], s[2], s[3] = s[0]+u[0], s[1]+u[1], s[2]+u[2], s[3]+u[3]
	}
	for ; i < len(z); i++ {
		s[0] += z[i]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

func dot64(x, y []float64) (sum float64) {
	for i, v := range x {
		sum = math.FMA(v, y[i], sum)
	}
	return sum
}

func softmaxBack64(p, d []float64, a, b, s, c float64) {
	for i, v := range p {
		p[i] = math.FMA(v, a, -b)
	}
	simd.ExpF64(p, p)
	for i, v := range p {
		d[i] = c * v * (d[i] - s)
	}
}

// sees is how many keys row i sees.
func (r *attended[T]) sees(i int) int {
	if r.causal {
		return min(r.s, i+1)
	}
	return r.s
}

// panelsOf packs the columns of every matrix, rows of keys or values, into panels.
func (r *attended[T]) panelsOf(c *backend.Ctx, m *matrices[T], dst []T, rows, size int) error {
	const each = 128
	blocks := (rows + each - 1) / each
	stride := r.tiles.PanelLen(rows, size)
	return c.For(r.n*r.g*blocks, func(b int) {
		at, from := b/blocks, b%blocks*each
		n := min(each, rows-from)
		_ = withTemp(n*m.wide(), func(t []T) error {
			src, rs := m.rowsFrom(at/r.g, at%r.g, from, n, t)
			r.tiles.PackColumns(dst[at*stride+from*size:], src, rs, size, n)
			return nil
		})
	})
}

func attention(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if out[1].Numel() == 0 {
		return nil
	}
	if in[0].DType == dtype.Float64 {
		return attend[float64](c, a, out, in)
	}
	return attend[float32](c, a, out, in)
}

func attend[T floats](c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	r, err := newAttended[T](c, a, in[0], in[1], in[2], in[3:], true)
	if err != nil {
		return err
	}
	defer r.done()
	return r.run(c, out)
}

// run computes the result, with keys packed first unless there are few rows.
func (r *attended[T]) run(c *backend.Ctx, out []backend.View) error {
	if r.direct {
		return r.blocks(c, out)
	}
	r.keyStride = r.tiles.PanelLen(r.s, r.e)
	if r.packsAlone() {
		return r.blocks(c, out)
	}
	return withTemp(r.n*r.g*r.keyStride, func(t []T) error {
		r.packedKeys = t
		if err := r.panelsOf(c, &r.k, t, r.s, r.e); err != nil {
			return err
		}
		return r.blocks(c, out)
	})
}

// packsAlone reports whether a block has all rows of a head and packs its keys itself: if there are heads enough for all threads, and so
// few rows that no thread waits long for the last one. Threads need not wait for each other between packing and products then.
func (r *attended[T]) packsAlone() bool {
	const most, each = 256, 4 // rows; blocks of a thread
	return r.group() == 1 && r.l <= most && r.s <= most && r.n*r.h >= each*par.Threads()
}

// blocks computes the rows of all heads.
func (r *attended[T]) blocks(c *backend.Ctx, out []backend.View) error {
	per, group, keys := 1, r.group(), 0
	switch {
	case r.direct:
	case r.packedKeys == nil:
		keys = r.keyStride
	default:
		per = (r.l + attentionPanels*r.tiles.Rows() - 1) / (attentionPanels * r.tiles.Rows())
	}
	wide := attentionKeys * max(r.k.wide(), r.v.wide())
	return c.For(r.n*r.g*r.pieces*per, func(b int) {
		shared, piece := b/per/r.pieces, b/per%r.pieces
		head, end := part(group, r.pieces, piece)
		// Rows that see many keys come first, so that no long block is left for the end.
		from, to := part((end-head)*r.l, per, per-1-b%per)
		_ = withTemp((to-from)*(r.e+r.f+2)+wide+keys+r.tiles.Rows()*attentionStride, func(t []T) error {
			w := &attentionBlock[T]{attended: r, head: shared*group + head, from: from, rows: to - from, wide: t[:wide]}
			t = t[wide:]
			if w.keys = w.keysOf(t[:keys]); keys > 0 {
				t = t[keys:]
			}
			w.run(t, out)
			return nil
		})
	})
}

// attentionBlock is some rows of the query of a head, and of those behind it that share its keys.
type attentionBlock[T floats] struct {
	*attended[T]
	head, from, rows int
	q, y             []T // scaled queries; sums of values
	top, sum         []T // largest score so far, and the sum of exponentials, by row
	score            []T
	keys             []T // in panels; nil if direct
	wide             []T // a tile of keys or values, widened from a half type
}

func (w *attentionBlock[T]) run(t []T, out []backend.View) {
	cut := func(n int) []T {
		z := t[:n:n]
		t = t[n:]
		return z
	}
	w.q, w.top, w.sum = cut(w.rows*w.e), cut(w.rows), cut(w.rows)
	if first := (w.head*w.l + w.from) * w.f; out[0].DType.IsHalf() {
		w.y = cut(w.rows * w.f)
	} else {
		w.y = outOf[T](out[0])[first : first+w.rows*w.f]
	}
	w.score = t
	for i := range w.rows {
		head, row := w.row(i)
		src, at := w.attended.q.at(head/w.h, head%w.h), row*w.attended.q.rs
		w.times(w.q[i*w.e:(i+1)*w.e], src[at:at+w.e], w.scale)
		w.top[i], w.sum[i] = T(math.Inf(-1)), 0
	}
	if w.s == 0 || w.e == 0 {
		clear(w.y)
	}
	panels := (w.rows + w.tiles.Rows() - 1) / w.tiles.Rows()
	_, most := w.seen(0, w.rows)
	pace := par.NewPace()
	for k0 := 0; k0 < most; k0 += attentionKeys {
		for p := range panels {
			lo, hi := part(w.rows, panels, p)
			from, to := w.seen(lo, hi)
			first := from >= k0
			if from, to = max(from, k0), min(to, k0+attentionKeys); from < to {
				w.tile(lo, hi, from, to-from, first)
			}
			pace.Step()
		}
	}
	w.store(out)
}

// row is the head and the row of the query that is row i of the block.
func (w *attentionBlock[T]) row(i int) (head, row int) {
	return w.head + (w.from+i)/w.l, (w.from + i) % w.l
}

// sees are the keys that a row of a head sees, from the first to behind the last.
func (w *attentionBlock[T]) sees(head, row int) (from, to int) {
	to = w.attended.sees(row)
	if w.reach != nil {
		s := w.reach.of(head/w.h, head%w.h, row)
		return int(s.from), min(to, int(s.to))
	}
	return 0, to
}

// seen are the keys that any of the rows lo to hi of the block sees.
func (w *attentionBlock[T]) seen(lo, hi int) (from, to int) {
	switch alike := w.reach == nil || len(w.reach.spans) == w.reach.dims[0]; {
	case alike && !w.causal: // all rows see the same
		return w.sees(w.row(hi - 1))
	case w.reach == nil: // the last row of a head sees what others do
		lo = max(lo, hi-w.l)
	}
	from = w.s
	for i := lo; i < hi; i++ {
		a, b := w.sees(w.row(i))
		from, to = min(from, a), max(to, b)
	}
	return from, to
}

// keysOf are the panels of keys that rows of the block's head are multiplied with, packed into own if they are not packed yet.
func (w *attentionBlock[T]) keysOf(own []T) []T {
	batch, group := w.head/w.h, w.head%w.h*w.g/w.h
	switch {
	case w.direct:
		return nil
	case len(own) == 0:
		return tail(w.packedKeys, (batch*w.g+group)*w.keyStride)
	}
	const each = 128
	for from := 0; from < w.s; from += each { // as much as is widened at a time
		n := min(each, w.s-from)
		src, rs := w.attended.k.rowsFrom(batch, group, from, n, w.wide)
		w.tiles.PackColumns(own[from*w.e:], src, rs, w.e, n)
	}
	return own
}

// tile takes rows lo to hi over n keys from k0 on, which are the first ones of these rows, or behind others.
func (w *attentionBlock[T]) tile(lo, hi, k0, n int, first bool) {
	m, batch, group := hi-lo, w.head/w.h, w.head%w.h*w.g/w.h
	if w.e == 0 {
		clear(w.score[:m*attentionStride])
	}
	if w.direct {
		for j := 0; j < n; { // scores do not depend on each other, so that keys are read where they are
			run := w.k.together(batch, k0+j, n-j)
			keys, rs := w.k.rowsFrom(batch, group, k0+j, run, w.wide)
			w.tiles.Columns(m, run, w.e, w.q[lo*w.e:], w.e, 1, keys, rs, w.score[j:], attentionStride, false)
			j += run
		}
	} else {
		w.tiles.Panels(m, n, w.e, w.q[lo*w.e:], w.e, 1, w.keys[k0*w.e:], w.score, attentionStride, false)
	}
	for i := range m {
		row, at := w.score[i*attentionStride:][:n], lo+i
		head, query := w.row(at)
		_, to := w.sees(head, query)
		seen := row[:max(0, min(n, to-k0))]
		if w.mask != nil {
			addMask(w.mask, seen, head/w.h, head%w.h, query, k0)
		}
		top := max(w.top[at], w.maxOf(seen))
		if math.IsInf(float64(top), -1) {
			clear(row)
			if w.mask == nil && len(seen) > 0 {
				row[0] = T(math.NaN()) // what a softmax of -Inf gives
				w.sum[at] = row[0]
			}
			continue
		}
		if top != w.top[at] {
			if !first {
				f := T(math.Exp(float64(w.top[at] - top)))
				w.sum[at] *= f
				w.times(w.y[at*w.f:(at+1)*w.f], w.y[at*w.f:(at+1)*w.f], f)
			}
			w.top[at] = top
		}
		w.sum[at] += w.expSub(seen, seen, top)
		clear(row[len(seen):])
	}
	values, rs := w.v.rowsFrom(batch, group, k0, n, w.wide)
	w.tiles.InPlace(m, w.f, n, w.score, attentionStride, 1, values, rs, w.y[lo*w.f:], w.f, !first)
}

// store divides by the sums and writes rows and logarithms.
func (w *attentionBlock[T]) store(out []backend.View) {
	first := w.head*w.l + w.from
	lse := outOf[T](out[1])[first : first+w.rows]
	w.log(lse, w.sum)
	for i := range w.rows {
		y := w.y[i*w.f : (i+1)*w.f]
		if w.sum[i] == 0 {
			clear(y)
			lse[i] = T(math.Inf(1))
			continue
		}
		w.times(y, y, 1/w.sum[i])
		lse[i] += w.top[i]
	}
	if out[0].DType.IsHalf() {
		narrower(out[0].DType)(unsafe.Add(out[0].Base(), 2*(out[0].Offset()+first*w.f)), any(w.y).([]float32))
	}
}

func init() {
	register(backend.Table{"attention": attention, "attention_grad": attentionGrad, "paged_attention": pagedAttention})
}
