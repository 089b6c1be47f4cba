package mem

import (
	"cmp"
	"slices"
	"unsafe"
)

// Owner is what memory is used for: an op, and the modules that recorded it, if they are known.
type Owner struct{ Op, Module string }

// Part is the share of an owner in memory.
type Part struct {
	Owner
	Bytes int64
}

// use is who asked for a block, and how much of it is whose if several share it.
type use struct {
	by    Owner
	size  int64
	parts []Part
}

// uses tracks who uses the memory of a pool. The pool's lock guards it.
type uses struct {
	by   map[uintptr]use // by address of the block
	live map[Owner]int64 // now
	peak map[Owner]int64 // at the peak; nil: it is now, or was not seen
}

// address is that of a block, on the host or on a device.
func (b block) address() uintptr {
	if b.host != nil {
		return uintptr(unsafe.Pointer(unsafe.SliceData(b.host)))
	}
	return b.dev
}

// add notes a block that is handed out; highest says that this is more than ever.
func (u *uses) add(b block, by use, highest bool) {
	u.by[b.address()] = by
	u.count(by, 1)
	if highest {
		u.peak = nil
	}
}

// drop notes that a block is given back. The state before the first one given back after a peak is that of the peak.
func (u *uses) drop(b block) {
	by, ok := u.by[b.address()]
	if !ok {
		return // it was handed out before
	}
	u.notePeak()
	delete(u.by, b.address())
	u.count(by, -1)
}

func (u *uses) notePeak() {
	if u.peak != nil {
		return
	}
	u.peak = make(map[Owner]int64, len(u.live))
	for op, n := range u.live {
		u.peak[op] = n
	}
}

// count adds a block to what its ops use, or takes it away.
func (u *uses) count(by use, sign int64) {
	rest := by.size
	for _, p := range by.parts {
		u.live[p.Owner] += sign * p.Bytes
		rest -= p.Bytes
	}
	if u.live[by.by] += sign * rest; u.live[by.by] == 0 {
		delete(u.live, by.by)
	}
}

// Track begins or ends to note who uses the memory. It costs some 100 ns an allocation; what was allocated before has no name.
func (p *Pool) Track(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !on:
		p.uses = nil
	case p.uses == nil:
		p.uses = &uses{by: map[uintptr]use{}, live: map[Owner]int64{}}
	}
}

// Tracking reports whether that is noted.
func (p *Pool) Tracking() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.uses != nil
}

// PeakParts returns who used the memory when most of it was in use, the largest first; nil if that is not tracked.
func (p *Pool) PeakParts() (parts []Part) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.uses == nil {
		return nil
	}
	p.uses.notePeak()
	for op, n := range p.uses.peak {
		if n > 0 {
			parts = append(parts, Part{op, n})
		}
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(-cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Module, b.Module))
	})
	return parts
}
