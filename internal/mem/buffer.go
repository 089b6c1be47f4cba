// Package mem owns the memory of tensors: buffers, the pools they come from,
// statistics, limits, and the counters by which a buffer is known to be free.
package mem

import (
	"runtime"
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

	pool  *Pool
	class int16        // -1: on the Go heap
	nodes atomic.Int32 // nodes that show it
	event atomic.Pointer[Event]
	clean runtime.Cleanup
}

// Event marks the moment a scheduled buffer has its value.
type Event struct {
	done chan struct{}
	err  error
}

// NewEvent returns an event that has not happened.
func NewEvent() *Event { return &Event{done: make(chan struct{})} }

// Signal lets the event happen; err says that the value could not be made.
func (e *Event) Signal(err error) {
	e.err = err
	close(e.done)
}

// Done is closed when the event happened.
func (e *Event) Done() <-chan struct{} { return e.done }

// Err returns the failure; it may be called after Done only.
func (e *Event) Err() error { return e.err }

// SetEvent says that the buffer's value comes with e.
func (b *Buffer) SetEvent(e *Event) { b.event.Store(e) }

// Event returns what must be waited for before reading, nil if nothing.
func (b *Buffer) Event() *Event { return b.event.Load() }

// Ready reports whether the value is there and good.
func (b *Buffer) Ready() bool { return b.event.Load() == nil }

// Wait blocks until the value is there and returns why it is not, if so.
func (b *Buffer) Wait() error {
	e := b.event.Load()
	if e == nil {
		return nil
	}
	<-e.done
	if e.err == nil {
		b.event.CompareAndSwap(e, nil)
	}
	return e.err
}

// Show counts one more node that shows the buffer.
func (b *Buffer) Show() { b.nodes.Add(1) }

// Hide counts one node less; the last one returns the memory to its pool.
func (b *Buffer) Hide() {
	if b.nodes.Add(-1) == 0 {
		b.Free()
	}
}

// Shows returns how many nodes show the buffer.
func (b *Buffer) Shows() int { return int(b.nodes.Load()) }

// Free returns the memory at once. Nothing may use the buffer afterwards.
func (b *Buffer) Free() {
	if b.pool == nil {
		return
	}
	if b.class >= 0 {
		b.clean.Stop()
	}
	p := b.pool
	b.pool = nil
	p.give(b.class, b.Mem, b.Dev, b.Size)
	b.Mem, b.Dev = nil, 0
}

// Window shows the buffer from a byte on, for reading. It counts for nothing: whoever uses it holds the buffer.
func (b *Buffer) Window(from int) *Buffer {
	w := &Buffer{Size: b.Size - from, Dev: b.Dev, class: -1, ReadOnly: true}
	if b.Mem != nil {
		w.Mem = b.Mem[from:]
	}
	if b.Dev != 0 {
		w.Dev += uintptr(from)
	}
	return w
}

// FromGo wraps memory the engine did not allocate and never frees, such as a caller's slice.
func FromGo(b []byte) *Buffer { return &Buffer{Mem: b, Size: len(b), class: -1, ReadOnly: true} }
