package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/par"
)

// The gradient goes over square tiles of the score matrix. A tile recomputes its weights from the scores and the stored
// log-sum-exp, and adds to the cotangents of its rows and of its keys. Tiles that share neither run in parallel: round t has
// the tiles of rows i and keys i+t, for all i and all heads, and there is a round for each query head that shares keys. So every sum
// is taken in one order, with any number of threads, and nothing is stored but the results.
const attentionSquare = 128

func attentionGrad(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if in[0].DType == dtype.Float64 {
		return attendBack[float64](c, a, out, in)
	}
	return attendBack[float32](c, a, out, in)
}

// attentionBack is a call of the gradient.
type attentionBack[T floats] struct {
	*attended[T]
	out        matrices[T] // cotangents of the result
	lse, sums  []T
	values     []T // packed
	grads      [3][]T
	rowSquares int
	keySquares int
}

func attendBack[T floats](c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	rest, shift := in[6:], []T(nil)
	if a.(attr.Attention).Shifted {
		base, err := dense(c, in[6])
		if err != nil {
			return err
		}
		shift, rest = elems[T](base, in[6].Numel()), in[7:]
	}
	r, err := newAttended[T](c, a, in[1], in[2], in[3], rest, false)
	if err != nil {
		return err
	}
	defer r.done()
	w := &attentionBack[T]{attended: r}
	if w.out, err = matricesOf[T](c, in[0], false); err != nil {
		return err
	}
	defer w.out.done()
	base, err := dense(c, in[4])
	if err != nil {
		return err
	}
	w.lse = elems[T](base, in[4].Numel())
	w.rowSquares, w.keySquares = (r.l+attentionSquare-1)/attentionSquare, (r.s+attentionSquare-1)/attentionSquare
	r.keyStride = r.tiles.PanelLen(r.s, r.e)
	keys, values, half := r.n*r.g*r.keyStride, r.n*r.g*r.tiles.PanelLen(r.s, r.f), 0
	if in[0].DType.IsHalf() {
		half = out[0].Numel() + out[1].Numel() + out[2].Numel()
	}
	rows := r.n * r.h * r.l
	return withTemp(rows+keys+values+half, func(t []T) error {
		w.sums, t = t[:rows], t[rows:]
		if err := w.sumRows(c, in[5], shift); err != nil {
			return err
		}
		r.packedKeys, w.values, t = t[:keys], t[keys:keys+values], t[keys+values:]
		for i := range w.grads {
			if half == 0 {
				w.grads[i] = outOf[T](out[i])
				continue
			}
			w.grads[i], t = t[:out[i].Numel()], t[out[i].Numel():]
		}
		if err := w.run(c); err != nil || half == 0 {
			return err
		}
		for i, g := range w.grads {
			if err := storeHalf(c, out[i], any(g).([]float32)); err != nil {
				return err
			}
		}
		return nil
	})
}

// sumRows is the dot product of each row of the result with its cotangent, less the cotangent of the log-sum-exp.
func (w *attentionBack[T]) sumRows(c *backend.Ctx, result backend.View, shift []T) error {
	y, err := matricesOf[T](c, result, false)
	if err != nil {
		return err
	}
	defer y.done()
	const each = 256
	blocks := (w.l + each - 1) / each
	return c.For(w.n*w.h*blocks, func(b int) {
		head, from := b/blocks, b%blocks*each
		g, yh := w.out.at(head/w.h, head%w.h), y.at(head/w.h, head%w.h)
		for i := from; i < min(from+each, w.l); i++ {
			row, sum := head*w.l+i, T(0)
			if w.f > 0 {
				sum = w.dot(g[i*w.out.rs:][:w.f], yh[i*y.rs:][:w.f])
			}
			if shift != nil {
				sum -= shift[row]
			}
			w.sums[row] = sum
		}
	})
}

func (w *attentionBack[T]) run(c *backend.Ctx) error {
	if err := w.panelsOf(c, &w.k, w.packedKeys, w.s, w.e); err != nil {
		return err
	}
	if err := w.panelsOf(c, &w.v, w.values, w.s, w.f); err != nil {
		return err
	}
	w.clearMasked()
	rounds := max(w.rowSquares, w.keySquares)
	for t := range rounds {
		var pairs [][2]int // of rows and keys
		for i := range rounds {
			if j := (i + t) % rounds; w.overlap(i, j) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
		if len(pairs) == 0 {
			continue
		}
		shared := w.h / max(1, w.g)
		for s := range shared {
			err := c.For(w.n*w.g*len(pairs), func(b int) {
				p, stack := pairs[b%len(pairs)], b/len(pairs)
				_ = withTemp(2*attentionSquare*attentionSquare, func(tmp []T) error {
					w.square(tmp, stack, stack/w.g*w.h+stack%w.g*shared+s, p[0], p[1], w.firstOfRows(p[0]) == t, s == 0 &&
						w.firstOfKeys(p[1]) == t)
					return nil
				})
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// overlap reports whether some row of square i sees some key of square j.
func (w *attentionBack[T]) overlap(i, j int) bool {
	if i >= w.rowSquares || j >= w.keySquares {
		return false
	}
	return !w.causal || j*attentionSquare < w.sees(min((i+1)*attentionSquare, w.l)-1)
}

// firstOfRows is the first round in which tile i of rows sees a key, -1 if none; firstOfKeys the same for keys.
func (w *attentionBack[T]) firstOfRows(i int) int {
	rounds := max(w.rowSquares, w.keySquares)
	for t := range rounds {
		if w.overlap(i, (i+t)%rounds) {
			return t
		}
	}
	return -1
}

func (w *attentionBack[T]) firstOfKeys(j int) int {
	rounds := max(w.rowSquares, w.keySquares)
	for t := range rounds {
		if w.overlap((j-t+rounds)%rounds, j) {
			return t
		}
	}
	return -1
}

// clearMasked writes the zeros of rows and keys that no tile overwrites.
func (w *attentionBack[T]) clearMasked() {
	if w.e == 0 || w.f == 0 { // no product either
		for _, g := range w.grads {
			clear(g)
		}
		return
	}
	for i := range w.rowSquares {
		if w.firstOfRows(i) >= 0 {
			continue
		}
		for h := range w.n * w.h {
			clear(w.grads[0][(h*w.l+i*attentionSquare)*w.e : (h*w.l+min((i+1)*attentionSquare, w.l))*w.e])
		}
	}
	for j := range w.keySquares {
		if w.firstOfKeys(j) >= 0 {
			continue
		}
		for h := range w.n * w.g {
			lo, hi := h*w.s+j*attentionSquare, h*w.s+min((j+1)*attentionSquare, w.s)
			clear(w.grads[1][lo*w.e : hi*w.e])
			clear(w.grads[2][lo*w.f : hi*w.f])
		}
	}
}

// square adds the part of rows i and keys j of a head; stack is that of its keys.
func (w *attentionBack[T]) square(t []T, stack, head, i, j int, firstRows, firstKeys bool) {
	const ld = attentionSquare
	i0, j0 := i*ld, j*ld
	m, n := min(ld, w.l-i0), min(ld, w.s-j0)
	p, ds := t[:ld*ld], t[ld*ld:2*ld*ld]
	batch, own := head/w.h, head%w.h
	q, k, g := w.q.at(batch, own), w.k.at(batch, stack%w.g), w.out.at(batch, own)
	keys := w.packedKeys[stack*w.keyStride+j0*w.e:]
	values := w.values[stack*w.tiles.PanelLen(w.s, w.f)+j0*w.f:]
	dq := w.grads[0][(head*w.l+i0)*w.e:]
	panels := (m + w.tiles.Rows() - 1) / w.tiles.Rows()
	pace := par.NewPace()
	for x := range panels {
		pace.Step()
		lo, hi := part(m, panels, x)
		cols := min(n, w.sees(i0+hi-1)-j0)
		if cols <= 0 {
			for r := lo; r < hi; r++ {
				clear(p[r*ld : r*ld+n])
				clear(ds[r*ld : r*ld+n])
			}
			if firstRows && w.e > 0 {
				clear(dq[lo*w.e : hi*w.e])
			}
			continue
		}
		if w.e == 0 {
			clear(p[lo*ld : hi*ld])
		}
		if w.f == 0 {
			clear(ds[lo*ld : hi*ld])
		}
		w.tiles.Panels(hi-lo, cols, w.e, behind(q, (i0+lo)*w.q.rs), w.q.rs, 1, keys, p[lo*ld:], ld, false)
		w.tiles.Panels(hi-lo, cols, w.f, behind(g, (i0+lo)*w.out.rs), w.out.rs, 1, values, ds[lo*ld:], ld, false)
		for r := lo; r < hi; r++ {
			w.weights(p[r*ld:r*ld+n], ds[r*ld:r*ld+n], head, i0+r, j0)
		}
		w.tiles.InPlace(hi-lo, w.e, cols, ds[lo*ld:], ld, 1, behind(k, j0*w.k.rs), w.k.rs, dq[lo*w.e:], w.e, !firstRows)
	}
	w.downKeys(p, ds, behind(q, i0*w.q.rs), behind(g, i0*w.out.rs), stack, i0, j0, m, n, firstKeys)
}

// behind cuts the front off; of nothing, nothing.
func behind[T any](x []T, from int) []T {
	if len(x) == 0 {
		return nil
	}
	return x[from:]
}

// weights converts scores and cotangents of weights to weights and cotangents of scores, for row i and keys from j0 on.
func (w *attentionBack[T]) weights(p, ds []T, head, i, j0 int) {
	seen := max(0, min(len(p), w.sees(i)-j0))
	scale, row := w.scale, head*w.l+i
	if w.mask != nil {
		w.times(p[:seen], p[:seen], scale)
		scale = 1
		addMask(w.mask, p[:seen], head/w.h, head%w.h, i, j0)
	}
	w.back(p[:seen], ds[:seen], scale, w.lse[row], w.sums[row], w.scale)
	clear(p[seen:])
	clear(ds[seen:])
}

// downKeys adds weightsᵀ·cotangents to those of values, and dsᵀ·queries to those of keys. A few keys at a time, from the
// first row that sees any of them on.
func (w *attentionBack[T]) downKeys(p, ds, q, g []T, stack, i0, j0, m, n int, first bool) {
	const ld = attentionSquare
	dk, dv := w.grads[1][(stack*w.s+j0)*w.e:], w.grads[2][(stack*w.s+j0)*w.f:]
	panels := (n + w.tiles.Rows() - 1) / w.tiles.Rows()
	for x := range panels {
		lo, hi := part(n, panels, x)
		from := 0
		if w.causal {
			from = max(0, j0+lo-i0)
		}
		if from >= m {
			if first {
				clear(dk[lo*w.e : hi*w.e])
				clear(dv[lo*w.f : hi*w.f])
			}
			continue
		}
		w.tiles.InPlace(hi-lo, w.f, m-from, p[from*ld+lo:], 1, ld, behind(g, from*w.out.rs), w.out.rs, dv[lo*w.f:], w.f, !first)
		w.tiles.InPlace(hi-lo, w.e, m-from, ds[from*ld+lo:], 1, ld, behind(q, from*w.q.rs), w.q.rs, dk[lo*w.e:], w.e, !first)
	}
}
