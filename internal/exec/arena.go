package exec

import (
	"cmp"
	"iter"
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
)

// Temporaries of a program lie in one block of memory for each device. Where each begins is decided with the plan, when all
// their lives are known: the largest first, each at the lowest place that is free as long as it lives. Memory taken one by
// one as launches come, and used again for the very same size, was two thirds more for a training step.

// arena is the memory of a program's temporaries on one device.
type arena struct {
	dev  *backend.Device
	size int
}

const (
	// maxPacked is how many temporaries are packed by their lives: it takes time that grows with the square. The smaller
	// ones of a larger program use memory again for the very same size alone.
	maxPacked = 1024
	// apart is how many launches a small temporary outlives its last use on a device that records launches: those of a
	// recording run side by side where they share no memory.
	captureLifetime = 16
	smallTemp       = 1 << 20
)

// temp is a piece of memory to be placed: a buffer, or several that are written over each other.
type temp struct {
	root        int32
	size        int
	first, last int32
	offset      int
}

// pack places the temporaries of the program.
func (p *planner) layOutArenas() {
	bufs := p.prog.bufs
	for i := p.prog.numIn; i < len(bufs); i++ {
		bufs[i].root, bufs[i].arena = int32(i), -1
	}
	for i := range p.prog.written() {
		b := &bufs[i]
		if int(b.donor) >= p.prog.numIn {
			b.root = bufs[b.donor].root
		}
		r := &bufs[b.root]
		r.end, r.stays = max(r.end, b.last), r.stays || b.keep
	}
	for {
		p.temps = p.temps[:0]
		var dev *backend.Device
		for i := p.prog.numIn; i < len(bufs); i++ {
			b := &bufs[i]
			if b.data != nil || b.root != int32(i) || b.donor >= 0 || b.stays || b.arena >= 0 || dev != nil && b.dev != dev {
				continue
			}
			dev = b.dev
			b.arena = int8(len(p.prog.arenas))
			t := temp{root: b.root, size: align(b.size), first: b.first, last: b.end}
			if dev.Capture != nil && t.size <= smallTemp {
				t.last += captureLifetime
			}
			p.temps = append(p.temps, t)
		}
		if dev == nil {
			break
		}
		a := arena{dev: dev, size: assignOffsets(p.temps)}
		for _, t := range p.temps {
			bufs[t.root].offset = t.offset
		}
		p.prog.arenas = append(p.prog.arenas, a)
	}
	for i := range p.prog.written() {
		if bufs[i].arena >= 0 {
			p.prog.slices = append(p.prog.slices, i)
		} else {
			p.prog.allocated = append(p.prog.allocated, i)
		}
	}
}

// written yields the buffers that launches write, in their order: what is written over another one comes behind it, which
// its number does not say.
func (p *Program) written() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for k := range p.steps {
			for _, o := range p.steps[k].out {
				if !yield(o.buf) {
					return
				}
			}
		}
	}
}

// align rounds a size up so that what follows begins where kernels like it.
func align(n int) int {
	const line, page = 256, 4096
	if n >= 16*page {
		return (n + page - 1) &^ (page - 1)
	}
	return (n + line - 1) &^ (line - 1)
}

// layOut gives every piece its place, and returns how much memory they take.
func assignOffsets(temps []temp) (top int) {
	slices.SortStableFunc(temps, func(a, b temp) int { return cmp.Compare(b.size, a.size) })
	large := temps[:min(len(temps), maxPacked)]
	placed := make([]*temp, 0, len(large)) // by place
	for i := range large {
		t := &large[i]
		for _, u := range placed {
			if u.last < t.first || t.last < u.first {
				continue
			}
			if u.offset-t.offset >= t.size {
				break
			}
			t.offset = max(t.offset, u.offset+u.size)
		}
		k, _ := slices.BinarySearchFunc(placed, t.offset, func(u *temp, at int) int { return cmp.Compare(u.offset, at) })
		placed = slices.Insert(placed, k, t)
		top = max(top, t.offset+t.size)
	}
	return assignOffsetsBySize(temps[len(large):], top)
}

// layOutRest gives pieces a place above top, the same one to pieces of one size that live one after the other.
func assignOffsetsBySize(temps []temp, top int) int {
	ends := make([]*temp, len(temps))
	slices.SortFunc(temps, func(a, b temp) int { return cmp.Compare(a.first, b.first) })
	for i := range temps {
		ends[i] = &temps[i]
	}
	slices.SortFunc(ends, func(a, b *temp) int { return cmp.Compare(a.last, b.last) })
	free := map[int][]int{} // by size: places
	for i := range temps {
		t := &temps[i]
		for ; ends[0].last < t.first; ends = ends[1:] {
			free[ends[0].size] = append(free[ends[0].size], ends[0].offset)
		}
		if list := free[t.size]; len(list) > 0 {
			t.offset, free[t.size] = list[len(list)-1], list[:len(list)-1]
			continue
		}
		t.offset = top
		top += t.size
	}
	return top
}
