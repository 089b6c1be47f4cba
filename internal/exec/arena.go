package exec

import (
	"cmp"
	"iter"
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
)

// The temporaries of a program share one block of memory for each device, its arena. Their offsets are chosen with the plan, when the
// liveness of all of them is known: the largest first, each at the lowest offset that is free while it is live. Allocating each
// when its launch comes, and reusing memory for the same size alone, took two thirds more for a training step.

// arena is the memory of a program's temporaries on one device.
type arena struct {
	dev  *backend.Device
	size int
}

const (
	// maxPacked is how many temporaries get the lowest free offset: the search takes time that grows with the square. The smaller
	// ones of a larger program reuse memory of the same size alone.
	maxPacked = 1024
	// captureLifetime is how many launches a small temporary stays allocated behind its last use on a device that captures: launches
	// of a recording run concurrently where they share no memory.
	captureLifetime = 16
	smallTemp       = 1 << 20
)

// temp is memory that needs an offset: a buffer, or several that are written over each other.
type temp struct {
	root        int32
	size        int
	first, last int32
	offset      int
}

// layOutArenas gives the temporaries of the program their offsets.
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
			if dev.Capturer != nil && t.size <= smallTemp {
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

// align rounds a size up so that the next temporary is aligned for kernels.
func align(n int) int {
	const line, page = 256, 4096
	if n >= 16*page {
		return (n + page - 1) &^ (page - 1)
	}
	return (n + line - 1) &^ (line - 1)
}

// assignOffsets gives every temporary its offset, and returns the size of the arena.
func assignOffsets(temps []temp) (top int) {
	slices.SortStableFunc(temps, func(a, b temp) int { return cmp.Compare(b.size, a.size) })
	large := temps[:min(len(temps), maxPacked)]
	placed := make([]*temp, 0, len(large)) // by offset
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

// assignOffsetsBySize gives temporaries an offset above top, the same one to those of one size that are live one after the other.
func assignOffsetsBySize(temps []temp, top int) int {
	ends := make([]*temp, len(temps))
	slices.SortFunc(temps, func(a, b temp) int { return cmp.Compare(a.first, b.first) })
	for i := range temps {
		ends[i] = &temps[i]
	}
	slices.SortFunc(ends, func(a, b *temp) int { return cmp.Compare(a.last, b.last) })
	free := map[int][]int{} // by size: free offsets
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
