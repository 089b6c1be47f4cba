package fft

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/par"
)

// For runs n blocks, some at the same time.
type For func(n int, f func(block int)) error

// Rows are the sizes of a tensor around the dimension that is transformed: it is Outer by n by Inner, contiguous. Where Inner is 1 and
// ReadsFrames, Step, if not 0, is the distance of real rows, which may overlap, and Pitch, if not 0, that of rows of bins. Results go
// around the cache, where there is a way, if Stream. Where Outer is 1 and Inner a multiple of Lanes, Apart, if not 0, is the distance of
// the input's elements along the dimension, and Next, if not 0, how many bytes behind the input there is what will be read next.
type Rows struct {
	Outer, Inner, Step, Pitch int
	Apart, Next               int
	Stream                    bool
}

// GoesAround reports whether transforms along other dimensions than the last have a way around the cache.
func GoesAround[T floats](n int) bool { return !isLong(n) && smooth(n) && streamsLast(planOf[T](n)) }

// ReadsFrames reports whether ToHalf can read rows of n numbers at any distance.
func ReadsFrames[T floats](n int) bool { return n%2 == 0 && !isLong(n/2) && isStraight[T](n/2) }

// Lanes is the number of elements of a vector.
func Lanes[T floats]() int { return lanesOf[T]() }

// Half says what a transform between a real signal and half its spectrum multiplies bins by; see attr.HalfFFT.
type Half struct {
	N             int
	Inverse       bool
	Scale, Middle float64
}

// bytesOf shows numbers as bytes.
func bytesOf[T floats](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// borrow returns scratch of n elements that begins at a multiple of 64 bytes.
func borrow[T floats](n int) ([]T, func()) {
	l := lanesOf[T]()
	buf, back := bufpool.Borrow[T](n + l)
	var z T
	skip := int(-uintptr(unsafe.Pointer(&buf[0]))%64) / int(unsafe.Sizeof(z))
	return buf[skip:][:n], back
}

// eachGroup runs f over groups of rows, several small ones in a block. size is the number of elements of scratch of each of the two
// buffers that f gets.
func eachGroup[T floats](run For, groups, n, size int, f func(g int, x, y []T, yield func())) error {
	const work = 1 << 11
	per := max(1, work/n)
	block := func(b int) {
		// The buffers do not begin in the same set of the cache.
		buf, back := borrow[T](2*size + 5*lanesOf[T]())
		defer back()
		pace := par.NewPace()
		for g := b * per; g < min((b+1)*per, groups); g++ {
			f(g, buf[:size], buf[size+5*lanesOf[T]():], pace.Step)
			pace.StepElems(n)
		}
	}
	if groups <= per {
		block(0)
		return nil
	}
	return run((groups+per-1)/per, block)
}

// Complex transforms complex numbers, stored as pairs, of n elements along the dimension. out may be in.
func Complex[T floats](run For, out, in []T, r Rows, n int, inverse bool, scale float64) error {
	return complexes(run, out, in, r, n, swaps{inverse, inverse}, T(scale))
}

// complexes is Complex with the parts of elements swapped at either end.
func complexes[T floats](run For, out, in []T, r Rows, n int, sw swaps, scale T) error {
	t := tensor{r.Outer, r.Inner}
	if t.rows() == 0 {
		return nil
	}
	if isLong(n) {
		g := longOf[T](n)
		if g.conv == nil && t.inner >= lanesOf[T]() && n <= wideLength {
			return g.neighbours(run, out, in, t, sw, r.Stream, scale)
		}
		return eachRow(run, t, n, n, g.withRoom, func(run For, rm room[T], from, to *lanes) error {
			to.stream = r.Stream
			return g.run(run, rm, out, in, to, from, sw, scale)
		})
	}
	if t.inner == 1 && isStraight[T](n) {
		s := straightOf[T](n)
		return s.each(run, t.outer, true, func(i, c int, u, v, _ []T) {
			s.rows(out[2*i*n:][:2*c*n], in[2*i*n:][:2*c*n], c, 2*n, u, v, sw, r.Stream, scale)
		})
	}
	if t.inner == 1 && isStraightConv[T](n) {
		s := straightOf[T](n)
		return s.each(run, t.outer, false, func(r, _ int, u, v, _ []T) {
			s.convolve(out[2*r*n:][:2*n], in[2*r*n:][:2*n], u, v, sw, scale)
		})
	}
	if isFew[T](n, t.rows()) {
		return eachRow(run, t, n, n, noRoom[T], func(_ For, _ room[T], from, to *lanes) error {
			fewOf[T](n).row(out, in, to, from, sw, scale)
			return nil
		})
	}
	p := planOf[T](n)
	if done, err := shortRows(run, out, in, t, p, sw, r.Stream, scale); done {
		return err
	}
	return rows(run, out, in, t, p, sw, r, scale)
}

// complexSize is the length of the complex transform behind one of n real elements.
func complexSize(n int) int {
	if n%2 == 0 {
		return n / 2
	}
	return n
}

// halfFactors are the factors of bins of a transform of real signals.
func halfFactors[T floats](h Half) factors[T] {
	f := factors[T]{T(h.Scale), T(h.Scale * h.Middle), 1}
	if h.Inverse {
		f.sign = -1
	}
	return f
}

// ToHalf transforms real signals of h.N elements to the first h.N/2+1 bins of their spectra.
func ToHalf[T floats](run For, out, in []T, r Rows, h Half) error {
	t := tensor{r.Outer, r.Inner}
	if t.rows() == 0 {
		return nil
	}
	n := h.N
	f := halfFactors[T](h)
	size, l := complexSize(n), lanesOf[T]()
	var w []T
	if n%2 == 0 {
		w = halfRootsOf[T](n)
	}
	if t.inner == 1 && ReadsFrames[T](n) {
		step, pitch := n, n+2
		if r.Step > 0 {
			step = r.Step
		}
		if r.Pitch > 0 {
			pitch = r.Pitch
		}
		s := straightOf[T](size)
		return s.each(run, t.outer, false, func(i, c int, u, v, z []T) {
			from, to := in[i*step:][:(c-1)*step+n], out[i*pitch:][:(c-1)*pitch+n+2]
			if !r.Stream || pitch != n+2 {
				s.toHalf(to, from, c, step, pitch, to[n:], pitch, u, v, z, f)
				return
			}
			s.toHalf(z, from, c, step, pitch, z[n:], pitch, u, v, nil, f)
			simd.NonTemporalCopy(bytesOf(to), bytesOf(z[:len(to)]))
		})
	}
	if isLong(size) || isFew[T](size, t.rows()) {
		return eachRow(run, t, n, n/2+1, noRoom[T], func(run For, _ room[T], from, to *lanes) error {
			return longToHalf(run, out, in, to, from, n, f)
		})
	}
	p := planOf[T](size)
	return eachGroup(run, t.groups(l), size, max(p.scratch(l), 2*l*(n/2+1)), func(g int, x, y []T, yield func()) {
		from, to := t.group(g, l, n), t.group(g, l, n/2+1)
		loadReal(x, in, &from, n)
		z := p.run(l, x, y, swaps{}, yield)
		if &z[0] == &y[0] {
			x, y = y, x
		}
		if n%2 == 0 {
			unpack(l, y, x, w, size, 0, size/2+1, f)
		} else {
			bins(l, y, x, n, f)
		}
		save(out, y, &to, n/2+1, 1)
	})
}

// FromHalf transforms the first h.N/2+1 bins of spectra to real signals of h.N elements.
func FromHalf[T floats](run For, out, in []T, r Rows, h Half) error {
	t := tensor{r.Outer, r.Inner}
	if t.rows() == 0 {
		return nil
	}
	n := h.N
	f := factors[T]{T(h.Scale), T(h.Scale * h.Middle), 1}
	if !h.Inverse {
		f.sign = -1
	}
	size, l := complexSize(n), lanesOf[T]()
	var w []T
	if n%2 == 0 {
		w = halfRootsOf[T](n)
	}
	if t.inner == 1 && ReadsFrames[T](n) {
		s := straightOf[T](size)
		return s.each(run, t.outer, false, func(r, c int, u, v, _ []T) {
			s.fromHalf(out[r*n:][:c*n], in[r*(n+2):][:c*(n+2)], c, u, v, f)
		})
	}
	if isLong(size) || isFew[T](size, t.rows()) {
		return eachRow(run, t, n/2+1, n, noRoom[T], func(run For, _ room[T], from, to *lanes) error {
			return longFromHalf(run, out, in, to, from, n, f)
		})
	}
	p := planOf[T](size)
	return eachGroup(run, t.groups(l), size, max(p.scratch(l), 2*l*(n/2+1)), func(g int, x, y []T, yield func()) {
		from, to := t.group(g, l, n/2+1), t.group(g, l, n)
		load(x, in, &from, n/2+1)
		if n%2 == 0 {
			pack(l, y, x, w, size, 0, size/2+1, f)
		} else {
			mirror(l, y, x, n, f)
		}
		saveReal(out, p.run(l, y, x, swaps{out: true}, yield), &to, n)
	})
}

// shortRows transforms rows so short that a group of them is little work: an element has several vectors, of as many groups; those of one
// length by a kernel of its own. It does nothing where rows are not one behind the other, or there is no assembly for it.
func shortRows[T floats](run For, out, in []T, t tensor, p *plan[T], sw swaps, stream bool, scale T) (done bool, err error) {
	const most, elements = 64, 1 << 8
	l, n := lanesOf[T](), p.n
	wide := elements / n
	if n == wholeLength {
		wide = 1
	}
	if t.inner != 1 || n > most || n < 2 || p.conv != nil || t.outer < wide*l || !hasTensors[T]() {
		return false, nil
	}
	bands := t.outer / (wide * l)
	if n == wholeLength {
		err = wholeRows(run, out, in, bands, sw, stream, scale)
	} else {
		err = eachGroup(run, bands, wide*n, 2*l*wide*n, func(b int, x, y []T, yield func()) {
			at := 2 * b * wide * l * n
			for g := range wide {
				fromRows(x[2*l*g:], wide, in[at+2*g*l*n:], 2*n, 2*n)
			}
			z := p.runWide(wide, x, y, sw, yield)
			if scale != 1 {
				scaleFast(z[:2*l*wide*n], scale)
			}
			for g := range wide {
				toRows(out[at+2*g*l*n:], 2*n, z[2*l*g:], wide, 2*n)
			}
		})
	}
	if rest := t.outer - bands*wide*l; rest > 0 && err == nil {
		at := 2 * bands * wide * l * n
		err = rows(run, out[at:], in[at:], tensor{rest, 1}, p, sw, Rows{Stream: stream}, scale)
	}
	return true, err
}

// rows transforms groups of rows in the lanes of vectors.
func rows[T floats](run For, out, in []T, t tensor, p *plan[T], sw swaps, r Rows, scale T) error {
	n, l := p.n, lanesOf[T]()
	return eachGroup(run, t.groups(l), n, p.scratch(l), func(g int, x, y []T, yield func()) {
		w := t.group(g, l, n)
		if w.near {
			at := 2 * w.off[0]
			from, to := end[T]{at: in[at:], step: w.stride, pairs: true, next: r.Next}, end[T]{at: out[at:], step: w.stride, pairs: true}
			to.stream = r.Stream
			if r.Apart > 0 {
				from.step = r.Apart
			}
			p.between(from, to, x, y, sw, scale, yield)
			return
		}
		load(x, in, &w, n)
		save(out, p.run(l, x, y, sw, yield), &w, n, scale)
	})
}

// noRoom is for rows that need no room.
func noRoom[T floats](_ bool, f func(r room[T]) error) error { return f(room[T]{}) }

// eachRow runs f for every row, of n elements in the input and m in the result: several rows at the same time, or, if rows are few or
// long, pieces of one. The room is that of rows which run one after the other, or whose pieces run at the same time.
func eachRow[T floats](run For, t tensor, n, m int, withRoom func(serial bool, f func(r room[T]) error) error,
	f func(run For, r room[T], from, to *lanes) error) error {
	some := func(run For, serial bool, lo, hi int) error {
		return withRoom(serial, func(rm room[T]) error {
			for r := lo; r < hi; r++ {
				var from, to lanes
				from.off[0], from.stride = r/t.inner*n*t.inner+r%t.inner, t.inner
				to.off[0], to.stride = r/t.inner*m*t.inner+r%t.inner, t.inner
				if err := f(run, rm, &from, &to); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if few := t.rows() < 4 || n > wideLength && t.rows() < 2*par.Threads(); few || n > mostWide {
		return some(run, false, 0, t.rows())
	}
	per := max(1, wide/n)
	return run((t.rows()+per-1)/per, func(b int) {
		if err := some(inOrder, true, b*per, min((b+1)*per, t.rows())); err != nil {
			panic(err) // in order nothing is cancelled
		}
	})
}
