package cpu

import (
	"bytes"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dtype"
)

// reachStep is what the ends of a span are multiples of, so that sums have the same order whatever is outside of it.
const reachStep = 64

// span are some keys, from the first to behind the last.
type span struct{ from, to int32 }

// reach is which keys each row of a boolean mask sees. Keys outside are not read: those behind a text in a cache, and half of a prompt's,
// as its tokens see none that come later.
type reach struct {
	dims  [3]int // examples, heads and rows that have masks of their own
	spans []span
	most  int // keys that any row sees
}

// of is what a row sees.
func (r *reach) of(batch, head, row int) span {
	batch, head, row = min(batch, r.dims[0]-1), min(head, r.dims[1]-1), min(row, r.dims[2]-1)
	return r.spans[(batch*r.dims[1]+head)*r.dims[2]+row]
}

// reach is nil if a mask is not boolean: it may have any numbers then.
func (m *attentionMask) reach(dims []int, s int) *reach {
	if m.d != dtype.Bool || m.strides[3] != 1 {
		return nil
	}
	r := &reach{most: min(s, reachStep)}
	for i := range r.dims {
		r.dims[i] = used(dims[i], m.strides[i])
	}
	r.spans = make([]span, 0, r.dims[0]*r.dims[1]*r.dims[2])
	for i := range r.dims[0] {
		for j := range r.dims[1] {
			for k := range r.dims[2] {
				at := unsafe.Add(m.base, i*m.strides[0]+j*m.strides[1]+k*m.strides[2])
				p := spanOf(elems[uint8](at, s))
				r.spans, r.most = append(r.spans, p), max(r.most, int(p.to))
			}
		}
	}
	return r
}

// spanOf is where the ones of a row are; none if there are none.
func spanOf(row []byte) span {
	to := (len(row) + reachStep - 1) / reachStep * reachStep
	for to > 0 && bytes.IndexByte(row[to-reachStep:min(to, len(row))], 1) < 0 {
		to -= reachStep
	}
	if to == 0 {
		return span{}
	}
	return span{int32(bytes.IndexByte(row, 1) / reachStep * reachStep), int32(min(to, len(row)))}
}
