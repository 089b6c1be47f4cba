// Package mem owns the memory of tensors: buffers, the pools they come from,
// statistics, limits, and the counters by which a buffer is known to be free.
package mem

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Buffer is one piece of device memory. Kernels hold the *Buffer, never a bare slice, so that the collector
// cannot return the memory to the pool under a running kernel.
type Buffer struct {
	Mem  []byte  // host memory; nil on devices the host cannot read
	Dev  uintptr // device address, for devices with memory of their own
	Size int     // bytes asked for

	// ReadOnly marks memory that is not the engine's to write over: a caller's slice, a mapped file.
	ReadOnly bool

	// Fixed marks memory that no caller writes over, such as what was read from a file.
	Fixed bool

	// Mapped marks memory of a file that is mapped for reading: its value stays as it is, and Evict takes it out of memory.
	Mapped bool

	// LastWrite is the number under which a device with a time of its own knows the work that last wrote the buffer; 0: it does not.
	LastWrite atomic.Int64

	pool    *Pool
	class   int16        // below 0: on the Go heap, or lent
	refs    atomic.Int32 // nodes that show it
	version atomic.Uint32
	event   atomic.Pointer[Event]
	clean   runtime.Cleanup
	forms   atomic.Pointer[derivedForms] // see Derive
}

// Event happens when a scheduled buffer has its value.
type Event struct {
	done   chan struct{}
	err    error
	polled *polled // nil: it is signalled
}

// polled is an event that is not signalled: its readers poll the device.
type polled struct {
	mu   sync.Mutex
	poll func(wait bool) (done bool, err error)
}

// NewPolledEvent returns an event that happens when poll says so. Later work of the same device may use the buffer before:
// the event only tells whether the value is valid. poll is called by one goroutine at a time, until it is done.
func NewPolledEvent(poll func(wait bool) (done bool, err error)) *Event {
	return &Event{done: make(chan struct{}), polled: &polled{poll: poll}}
}

// Polled reports whether later work of the same device may use the value already.
func (e *Event) Polled() bool { return e.polled != nil }

// Happened reports whether the event happened; a late one is asked, and waited for if need be.
func (e *Event) Happened(wait bool) bool {
	if e.polled != nil {
		e.polled.mu.Lock()
		defer e.polled.mu.Unlock()
		if e.polled.poll != nil {
			done, err := e.polled.poll(wait)
			if !done {
				return false
			}
			e.polled.poll = nil
			e.Signal(err)
		}
		return true
	}
	if wait {
		<-e.done
	}
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// NewEvent returns an event that has not happened.
func NewEvent() *Event { return &Event{done: make(chan struct{})} }

// Signal lets the event happen; err says that the value could not be made.
func (e *Event) Signal(err error) {
	e.err = err
	close(e.done)
}

// Done is closed when the event happened; of a late event it returns only then.
func (e *Event) Done() <-chan struct{} {
	if e.polled != nil {
		e.Happened(true)
	}
	return e.done
}

// Err returns the failure; it may be called after Done only.
func (e *Event) Err() error { return e.err }

// SetEvent says that the buffer's value comes with e.
func (b *Buffer) SetEvent(e *Event) { b.event.Store(e) }

// Event returns what must be waited for before reading, nil if nothing.
func (b *Buffer) Event() *Event {
	e := b.event.Load()
	if e != nil && e.polled != nil && e.Happened(false) && e.err == nil {
		b.event.CompareAndSwap(e, nil)
		return nil
	}
	return e
}

// Ready reports whether the value is there and good.
func (b *Buffer) Ready() bool { return b.Event() == nil }

// Wait blocks until the value is there and returns why it is not, if so. A plan that ran may have left another event, which
// says that this one of its values failed.
func (b *Buffer) Wait() error {
	for {
		e := b.event.Load()
		if e == nil {
			return nil
		}
		<-e.Done()
		if e.err != nil {
			return e.err
		}
		if b.event.CompareAndSwap(e, nil) {
			return nil
		}
	}
}

// Ref counts one more node that shows the buffer.
func (b *Buffer) Ref() { b.refs.Add(1) }

// Unref counts one node less; the last one returns the memory to its pool.
func (b *Buffer) Unref() {
	if b.refs.Add(-1) == 0 {
		b.Free()
	}
}

// Version is a number for the value that the buffer holds once it has one: another one after each time that it is written over.
func (b *Buffer) Version() uint32 { return b.version.Load() }

// BumpVersion says that the buffer, which had a value, is about to have another.
func (b *Buffer) BumpVersion() { b.version.Add(1) }

// Refs returns how many nodes show the buffer.
func (b *Buffer) Refs() int { return int(b.refs.Load()) }

// Free returns the memory at once. Nothing may use the buffer afterwards.
func (b *Buffer) Free() {
	if b.forms.Load() != nil {
		b.dropDerived()
	}
	if b.pool == nil {
		return
	}
	if b.class >= 0 {
		b.clean.Stop()
	}
	p := b.pool
	b.pool = nil
	p.give(b.class, b.Mem, b.Dev, b.Size, true)
	b.Mem, b.Dev = nil, 0
}

// Renew moves the memory to a new buffer, which has nothing to wait for; holders of this one find its event, and no memory.
func (b *Buffer) Renew() *Buffer {
	n := &Buffer{Mem: b.Mem, Dev: b.Dev, Size: b.Size, ReadOnly: b.ReadOnly, Fixed: b.Fixed, Mapped: b.Mapped, pool: b.pool, class: b.class}
	n.LastWrite.Store(b.LastWrite.Load())
	n.version.Store(b.version.Load())
	n.forms.Store(b.forms.Swap(nil))
	if b.pool != nil && b.class >= 0 {
		b.clean.Stop()
		n.clean = runtime.AddCleanup(n, unreachable.back, unreachable{b.pool, block{b.Mem, b.Dev}, b.Size, b.class})
	}
	b.Mem, b.Dev, b.pool = nil, 0, nil
	return n
}

// Window shows a part of the buffer, for reading. It is no reference: its user holds the buffer.
func (b *Buffer) Window(from, size int) *Buffer {
	w := &Buffer{Size: size, Dev: b.Dev, class: -1, ReadOnly: true}
	if b.Mem != nil {
		w.Mem = b.Mem[from : from+size]
	}
	if b.Dev != 0 {
		w.Dev += uintptr(from)
	}
	w.event.Store(b.event.Load())
	w.LastWrite.Store(b.LastWrite.Load())
	return w
}

// SliceInto makes c show a part of the buffer, for reading and writing. Like a window it is no reference.
func (b *Buffer) SliceInto(c *Buffer, from, size int) {
	c.Size, c.class = size, -1
	if b.Mem != nil {
		c.Mem = b.Mem[from : from+size : from+size]
	}
	if b.Dev != 0 {
		c.Dev = b.Dev + uintptr(from)
	}
}

// Clear makes a part show nothing.
func (b *Buffer) Clear() { b.Mem, b.Dev, b.Size = nil, 0, 0 }

// FromGo wraps memory the engine did not allocate and never frees, such as a caller's slice.
func FromGo(b []byte) *Buffer { return &Buffer{Mem: b, Size: len(b), class: -1, ReadOnly: true} }
