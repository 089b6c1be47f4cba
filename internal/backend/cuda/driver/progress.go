package driver

import (
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/dl"
)

// A reader waits for the work that makes its value, not for work submitted since. So work is numbered as it is submitted,
// and events mark points in the stream: behind every so many launches, or so many bytes read and written. Not behind every
// launch: an event costs the host a fifth of a launch, and the device two microseconds.

const (
	numMarks  = 64
	markEvery = 16
)

// progress numbers the work submitted to a device's stream.
type progress struct {
	asked  atomic.Int64 // number of the last piece of work
	marked atomic.Int64 // all up to this one have an event behind them
	bytes  atomic.Int64 // that work used since

	mu    sync.Mutex
	marks [numMarks]mark
	next  int
}

// mark is an event behind all work up to a number.
type mark struct {
	event *Event
	upTo  int64
}

// Long is the number of bytes after which work gets an event behind it.
const Long = 256 << 20

// Submitted numbers the work just submitted, which uses so many bytes.
func (d *Device) Submitted(bytes int) (int64, error) {
	p := d.progress
	n := p.asked.Add(1) // after it was submitted: an event never promises what comes behind it
	if used := p.bytes.Add(int64(bytes)); used < Long && n-p.marked.Load() < markEvery {
		return n, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.mark(d)
	return n, err
}

// mark records an event behind all work so far. The caller holds the lock.
func (p *progress) mark(d *Device) (*mark, error) {
	m := &p.marks[p.next]
	p.next = (p.next + 1) % numMarks
	if m.event == nil {
		e, err := d.NewMark()
		if err != nil {
			return nil, err
		}
		m.event = e
	}
	upTo := p.asked.Load()
	if err := m.event.Record(); err != nil {
		return nil, err
	}
	m.upTo = upTo
	p.marked.Store(upTo)
	p.bytes.Store(0)
	return m, nil
}

// behind finds the first event behind work number n, or records one. The caller holds the lock.
func (p *progress) behind(d *Device, n int64) (*mark, error) {
	var best *mark
	for i := range p.marks {
		if m := &p.marks[i]; m.event != nil && m.upTo >= n && (best == nil || m.upTo < best.upTo) {
			best = m
		}
	}
	if best != nil {
		return best, nil
	}
	return p.mark(d)
}

// last reports whether nothing was submitted behind work number n.
func (p *progress) last(n int64) bool { return p.asked.Load() <= n }

// Reached waits until work number n is done; 0 stands for all work so far.
func (d *Device) Reached(n int64) error {
	p := d.progress
	if n == 0 {
		n = p.asked.Load() + 1 // no event is known to be behind it
	}
	p.mu.Lock()
	m, err := p.behind(d, n)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return m.event.Wait() // recorded again meanwhile, it covers more than needed
}

// waitFor makes another stream wait for work number n; 0 stands for all work so far.
func (d *Device) waitFor(n int64, stream uintptr) error {
	p := d.progress
	if n == 0 {
		n = p.asked.Load() + 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m, err := p.behind(d, n)
	if err != nil {
		return err
	}
	return d.call("waiting for an event", func() uintptr { return dl.Call(cu.streamWaitEvent, stream, m.event.handle, 0) })
}
