// Package fake is a device that computes late: kernels run on a goroutine of their own, in order, some time after they
// were asked for, and faults can be planted. It shows in tests, without a GPU, that asynchrony, donation and error paths
// hold.
package fake

import (
	"slices"
	"sync"
	"time"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

// Faults says what goes wrong.
type Faults struct {
	mu     sync.Mutex
	launch map[string]error // op → what its next launches fail with
	alloc  int              // allocations until one fails; 0: never
	delay  time.Duration
	gate   chan struct{} // work starts when it is closed; nil: at once
	ran    int

	setting int64
	joined  []int
	grouped []int
	// decisions counts what recordings decided.
	decisions int

	voided, replayed int
}

// FailLaunch makes launches of op fail until cleared with nil.
func (f *Faults) FailLaunch(op string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.launch == nil {
		f.launch = map[string]error{}
	}
	f.launch[op] = err
}

// FailAlloc makes the n-th allocation from now fail, and the ones its retries make.
func (f *Faults) FailAlloc(n int) {
	f.mu.Lock()
	f.alloc = n
	f.mu.Unlock()
}

// SetDelay makes every piece of work wait before it starts.
func (f *Faults) SetDelay(d time.Duration) {
	f.mu.Lock()
	f.delay = d
	f.mu.Unlock()
}

// Hold keeps work from starting until the function it returns is called.
func (f *Faults) Hold() (release func()) {
	gate := make(chan struct{})
	f.mu.Lock()
	f.gate = gate
	f.mu.Unlock()
	return func() {
		f.mu.Lock()
		f.gate = nil
		f.mu.Unlock()
		close(gate)
	}
}

// Set changes how the device is set.
func (f *Faults) Set(v int64) {
	f.mu.Lock()
	f.setting = v
	f.mu.Unlock()
}

// Settings implements backend.Configurable.
func (f *Faults) Settings() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.setting
}

// Launched returns the number of kernels that ran.
func (f *Faults) Launched() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ran
}

func (f *Faults) launched(op string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ran++
	return f.launch[op]
}

// source is host memory that can run out.
type source struct{ f *Faults }

func (s source) Alloc(n int) ([]byte, uintptr, error) {
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	if s.f.alloc > 0 {
		if s.f.alloc--; s.f.alloc == 0 {
			s.f.alloc = 1 // stays until cleared: a retry must not succeed by itself
			return nil, 0, fault.New(fault.OutOfMemory, "alloc", "planted: no memory for %d bytes", n)
		}
	}
	return make([]byte, n), 0, nil
}

func (s source) Release([]byte, uintptr) {}

// New makes a device over the kernels of another one, which must compute on host memory.
func New(from *backend.Device) (*backend.Device, *Faults) {
	f := &Faults{}
	queue := newQueue(func(work func()) {
		f.mu.Lock()
		d, gate := f.delay, f.gate
		f.mu.Unlock()
		if gate != nil {
			<-gate
		}
		time.Sleep(d)
		work()
	})
	table := backend.Table{}
	for name, k := range from.Table {
		table[name] = func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			return take(c, out, in, func(c *backend.Ctx, out, in []backend.View) error {
				if err := f.launched(name); err != nil {
					return err
				}
				return k(c, a, out, in)
			})
		}
	}
	d := &backend.Device{Type: "fake", Pool: mem.NewPool("fake", source{f}), Table: table, Host: true,
		Enqueuer: queue, Configurable: f, Capturer: f.capturer()}
	if from.Fuser != nil {
		fused := fuser{from, f}
		d.Fuser, d.HorizontalFuser = fused, fused
		d.ReductionFuser, d.EpilogueFuser = from.ReductionFuser, from.EpilogueFuser
	}
	if from.RowFuser != nil {
		d.RowFuser = rowFuser{from.RowFuser, f}
	}
	d.ProductGrouper, d.ControlRecorder = grouper{from, f}, controlRecorder{f}
	return d, f
}

// launchedFused counts the ops of a fused program.
func (f *Faults) launchedFused(p *backend.Fused) error {
	for _, ins := range p.Instrs {
		if err := f.launched(ins.Op); err != nil {
			return err
		}
	}
	if p.Producer != nil {
		if err := f.launched(p.Producer.Op); err != nil {
			return err
		}
	}
	for t := p.Reduction; t != nil; t = t.Next {
		if err := f.launched(t.Op); err != nil {
			return err
		}
	}
	return nil
}

// many notes a launch over several sets of operands.
func (f *Faults) many(sets int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.joined = append(f.joined, sets)
}

// Joined returns how many sets of operands each launch of more than one had.
func (f *Faults) Joined() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.joined)
}
