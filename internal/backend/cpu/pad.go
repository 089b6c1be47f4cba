package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// Constant padding is a slice update of one value: the gaps between rows are filled as the rows are copied, so that the
// output is written once.

// isPadding reports whether a slice update is that: a new, dense output of one value, and a part of dense rows without steps.
func isPadding(s attr.Slice, out backend.View, in []backend.View) bool {
	rank := out.Shape.Rank()
	if rank == 0 || out.Buf == in[0].Buf || !out.Contiguous() || in[1].Numel() == 0 || in[1].Shape.Dim(rank-1) > 1 &&
		in[1].Strides()[rank-1] != 1 {
		return false
	}
	for i, t := range in[0].Strides() {
		if t != 0 && in[0].Shape.Dim(i) != 1 || s.Step.At(i) != 1 {
			return false
		}
	}
	return true
}

// padded computes it, some planes of the part at a time; each plane fills the gap before it.
func padded(c *backend.Ctx, s attr.Slice, out backend.View, in []backend.View) error {
	p := newPadding(s, out, in)
	each := max(1, copyBlock/(p.size*out.Numel()/p.planes+1))
	return c.For(ceil(p.planes, each), func(b int) {
		done := 0
		if b > 0 {
			done, _ = p.offsets(b*each - 1)
			done += p.rows * p.pitch
		}
		for i := b * each; i < min((b+1)*each, p.planes); i++ {
			to, from := p.offsets(i)
			p.fill(done, to)
			p.plane(unsafe.Add(p.z, to*p.size), unsafe.Add(p.x, from*p.size))
			done = to + p.rows*p.pitch
		}
		if (b+1)*each >= p.planes {
			p.fill(done, out.Numel())
		}
	})
}

// padding sees the part as planes of rows.
type padding struct {
	size               int // of an element
	z, value, x        unsafe.Pointer
	dims, start        []int // of the dimensions before the planes
	zs, xs             []int
	planes             int
	rows, wide         int // of a plane
	lo, pitch, rowStep int // elements before a row of the part, of a row of the output, from row to row of the part
	zero               bool
}

func newPadding(s attr.Slice, out backend.View, in []backend.View) *padding {
	z, x := stridedOf(out), stridedOf(in[1])
	last := out.Shape.Rank() - 1
	p := &padding{size: out.DType.Size(), z: z.base, value: stridedOf(in[0]).base, x: x.base, planes: 1, rows: 1,
		wide: in[1].Shape.Dim(last), lo: s.Start.At(last), pitch: out.Shape.Dim(last)}
	if last > 0 {
		p.rows, p.rowStep = in[1].Shape.Dim(last-1), x.strides[last-1]
	}
	for d := range last {
		if d < last-1 {
			p.planes *= in[1].Shape.Dim(d)
		}
		p.dims, p.start = append(p.dims, in[1].Shape.Dim(d)), append(p.start, s.Start.At(d))
		p.zs, p.xs = append(p.zs, z.strides[d]), append(p.xs, x.strides[d])
	}
	p.zero = true
	for _, v := range unsafe.Slice((*byte)(p.value), p.size) {
		p.zero = p.zero && v == 0
	}
	return p
}

// offsets is where plane i begins in the output, including what is before its first row, and in the part.
func (p *padding) offsets(i int) (to, from int) {
	d := len(p.dims) - 1
	if d >= 0 {
		to = p.start[d] * p.zs[d]
	}
	for d--; d >= 0; d-- {
		k := i % p.dims[d]
		i /= p.dims[d]
		to += (p.start[d] + k) * p.zs[d]
		from += k * p.xs[d]
	}
	return to, from
}

// fill puts the value into elements from to before to of the output.
func (p *padding) fill(from, to int) {
	if from < to { // else there may be no memory at from
		fill(unsafe.Add(p.z, from*p.size), p.value, p.size, to-from)
	}
}

// plane copies the rows of a plane, each between what is before and behind it.
func (p *padding) plane(z, x unsafe.Pointer) {
	hi := p.pitch - p.lo - p.wide
	if p.size == 4 && p.zero && p.rowStep >= 0 {
		simd.PadRowsF32(unsafe.Slice((*float32)(z), p.rows*p.pitch), p.pitch, unsafe.Slice((*float32)(x), (p.rows-1)*p.rowStep+p.wide),
			p.rowStep, 1, p.rows, p.lo, p.wide, hi, 0)
		return
	}
	for r := range p.rows {
		at := r * p.pitch
		fill(unsafe.Add(z, at*p.size), p.value, p.size, p.lo)
		copyBytes(unsafe.Add(z, (at+p.lo)*p.size), unsafe.Add(x, r*p.rowStep*p.size), p.wide*p.size)
		if hi > 0 {
			fill(unsafe.Add(z, (at+p.lo+p.wide)*p.size), p.value, p.size, hi)
		}
	}
}
