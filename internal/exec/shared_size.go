package exec

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/shape"
)

// Bytes estimates the memory that the program takes between its runs, in addition to values of the caller's.
func (r *Replay) Bytes() int {
	p := r.prog
	n := int(unsafe.Sizeof(*r)) + int(unsafe.Sizeof(*p)) + len(p.bufs)*(int(unsafe.Sizeof(bufInfo{}))+8) +
		p.operands*int(unsafe.Sizeof(operand{})+unsafe.Sizeof(backend.View{}))
	if p.ownArena() {
		n += maxOwnArena
	}
	for k := range p.steps {
		s := &p.steps[k]
		n += int(unsafe.Sizeof(*s)) + 4*(len(s.nodes)+len(s.from))
		for _, list := range [][]operand{s.out, s.in} {
			for _, o := range list {
				if o.lay != nil {
					n += int(unsafe.Sizeof(shape.Layout{})) + 8*len(o.lay.Strides)
				}
			}
		}
		if s.fused != nil {
			n += int(unsafe.Sizeof(*s.fused))
		}
	}
	for _, b := range r.capturedBufs {
		if b != nil {
			n += b.Size
		}
	}
	return n
}
