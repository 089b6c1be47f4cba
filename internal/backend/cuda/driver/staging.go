package driver

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
)

// Large copies from and to the host go through slots: a block of pinned memory and one of device memory. An upload crosses
// the bus on a stream of its own while the device computes; the main stream only copies it out of the slot. So the host
// need not wait for earlier work, as it must when the driver stages pageable memory.

const (
	slotSize   = 4 << 20
	maxSlots   = 8
	leastSlots = 64<<10 + 1 // bytes from which slots are used; less the driver copies at once, without waiting for the stream
)

// staging is the slots of a device.
type staging struct {
	mu    sync.Mutex
	side  *Device // with the copies' stream
	slots []*slot
	next  int
}

// slot is a block of memory on both sides of the bus.
type slot struct {
	host   []byte
	dev    uintptr
	copied *Event // its bytes are on the device
	used   *Event // and have been copied out of it
}

// slot returns the next one, whose pinned memory is free.
func (g *staging) slot(d *Device) (*slot, error) {
	if g.side == nil {
		side, err := d.NewStream()
		if err != nil {
			return nil, err
		}
		g.side = side
	}
	if len(g.slots) < maxSlots && g.next == len(g.slots) {
		s := &slot{}
		var err error
		if s.host, err = d.Pinned(slotSize); err != nil {
			return nil, err
		}
		if s.dev, err = d.Alloc(slotSize); err != nil {
			return nil, err
		}
		if s.copied, err = g.side.NewMark(); err != nil {
			return nil, err
		}
		if s.used, err = d.NewMark(); err != nil {
			return nil, err
		}
		// The slot's memory may still be in use by its last owner's work.
		if err = s.used.Record(); err != nil {
			return nil, err
		}
		g.slots = append(g.slots, s)
	}
	s := g.slots[g.next]
	g.next = (g.next + 1) % maxSlots
	return s, s.copied.Wait()
}

// stagedUpload copies to the device through slots.
func (d *Device) stagedUpload(dst uintptr, src []byte) error {
	g := d.staging
	g.mu.Lock()
	defer g.mu.Unlock()
	for at := 0; at < len(src); at += slotSize {
		n := min(slotSize, len(src)-at)
		s, err := g.slot(d)
		if err != nil {
			return err
		}
		copy(s.host, src[at:at+n])
		err = d.sized("copying bytes to the device", n, func() uintptr {
			if e := dl.Call(cu.streamWaitEvent, g.side.Stream, s.used.handle, 0); e != 0 {
				return e
			}
			if e := dl.Call(cu.memcpyHtoD, s.dev, uintptr(unsafe.Pointer(unsafe.SliceData(s.host))), uintptr(n), g.side.Stream); e != 0 {
				return e
			}
			if e := dl.Call(cu.eventRecord, s.copied.handle, g.side.Stream); e != 0 {
				return e
			}
			if e := dl.Call(cu.streamWaitEvent, d.Stream, s.copied.handle, 0); e != 0 {
				return e
			}
			if e := dl.Call(cu.memcpyDtoD, dst+uintptr(at), s.dev, uintptr(n), d.Stream); e != 0 {
				return e
			}
			return dl.Call(cu.eventRecord, s.used.handle, d.Stream)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// stagedDownload copies to the host through the pinned memory of slots, several in flight, and waits for it.
func (d *Device) stagedDownload(dst []byte, src uintptr, stream uintptr) error {
	const ahead = 4
	g := d.staging
	g.mu.Lock()
	defer g.mu.Unlock()
	var way []*slot
	out := 0
	take := func() error {
		s := way[0]
		way = way[1:]
		if err := s.copied.Wait(); err != nil {
			return err
		}
		out += copy(dst[out:], s.host)
		return nil
	}
	for at := 0; at < len(dst); at += slotSize {
		n := min(slotSize, len(dst)-at)
		s, err := g.slot(d)
		if err != nil {
			return err
		}
		err = d.sized("copying bytes from the device", n, func() uintptr {
			if e := dl.Call(cu.memcpyDtoH, uintptr(unsafe.Pointer(unsafe.SliceData(s.host))), src+uintptr(at), uintptr(n), stream); e != 0 {
				return e
			}
			return dl.Call(cu.eventRecord, s.copied.handle, stream)
		})
		if err != nil {
			return err
		}
		if way = append(way, s); len(way) == ahead {
			if err := take(); err != nil {
				return err
			}
		}
	}
	for len(way) > 0 {
		if err := take(); err != nil {
			return err
		}
	}
	runtime.KeepAlive(dst)
	return nil
}
