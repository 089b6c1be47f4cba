package cuda

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/mem"
)

// graph is a captured graph that can run.
type graph struct {
	r      *recorder
	exec   *driver.Graph
	age    int64
	number uint64          // runs so far
	works  [ringSize]int64 // work numbers of the last ones
}

// unclosed is what is freed when a graph is collected without Close.
type unclosed struct {
	exec *driver.Graph
	r    *recorder
}

func (x unclosed) close() {
	// A device that cannot free memory has failed for good; the next call that returns an error reports it.
	_ = x.exec.Close()
	x.r.free()
	x.r.release()
}

// release frees the ring.
func (r *recorder) release() {
	if r.ring != nil {
		_ = r.main.Unpin(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(r.ring))), ringSize*int(unsafe.Sizeof(graphStatus{}))))
		r.ring = nil
	}
}

// ReportsErrors reports whether a launch can report a device error.
func (g *graph) ReportsErrors() bool { return len(g.r.faults) > 0 }

// Close lets go of the graph; runs in flight and unread outcomes hold it until they are done.
func (g *graph) Close() {}

// Launch submits the graph between copies.
func (g *graph) Launch(before, behind []backend.Copy, made []*mem.Buffer) (backend.Outcome, error) {
	d := g.r.d
	if g.ReportsErrors() && g.number >= ringSize/2 {
		// The ring holds the status of so many runs: the host may not be further ahead.
		n := g.number - ringSize/2 + 1
		if _, _, err := g.outcome(n, g.works[n%ringSize])(true); err != nil {
			return nil, err
		}
	}
	all := &d.graphs
	all.mu.Lock()
	defer all.mu.Unlock()
	if g.age != all.age {
		return nil, backend.ErrStaleRecording
	}
	if err := g.copies(before); err != nil {
		return nil, err
	}
	if err := g.exec.Launch(g.r.main); err != nil {
		return nil, err
	}
	g.number++
	all.ran.Add(1)
	if err := g.copies(behind); err != nil {
		return nil, err
	}
	work, err := g.r.main.Submitted(driver.Long)
	if err != nil {
		return nil, err
	}
	for _, b := range made {
		b.LastWrite.Store(work)
	}
	if !g.ReportsErrors() {
		return func(bool) (bool, []backend.DeviceError, error) { return true, nil, nil }, nil
	}
	g.works[g.number%ringSize] = work
	return g.outcome(g.number, work), nil
}

// outcome reads the status of a run, whose work number is given.
func (g *graph) outcome(number uint64, work int64) backend.Outcome {
	return func(wait bool) (bool, []backend.DeviceError, error) {
		s := &g.r.ring[number%ringSize]
		for try := 0; atomic.LoadUint64(&s.seq) < number; try++ {
			if !wait {
				return false, nil, nil
			}
			if try < 1000 {
				runtime.Gosched()
				continue
			}
			if err := g.r.main.Reached(work); err != nil {
				return true, nil, err
			}
		}
		var bad []backend.DeviceError
		named := false
		for i, w := range g.r.faults {
			if s.mask>>(i%64)&1 == 0 {
				continue
			}
			says := faultRecord{code: s.first.code, value: -1, size: -1}
			if !named {
				says, named = s.first, true
			}
			bad = append(bad, backend.DeviceError{Step: w.step, Err: says.err(w.op)})
		}
		return true, bad, nil
	}
}
