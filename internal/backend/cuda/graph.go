package cuda

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

// Captured graphs share memory: their temporaries come from one pool, taken during a capture and given back after it, so
// that the next graph uses it too. Graphs run one after the other on the device's stream. When the pool returns memory to
// the device, all graphs are void.

// graphs is what the graphs of a device share.
type graphs struct {
	mu     sync.Mutex // held while a graph is launched with its copies
	making sync.Mutex // one capture at a time
	pool   *mem.Pool
	age    int64 // incremented when memory was returned
	dev    *driver.Device

	made, ran atomic.Int64
}

// scratch takes the graphs' memory from the device's pool, so that its limits and counters include it.
type scratch struct {
	d    *Device
	busy atomic.Bool
	bufs map[uintptr]*mem.Buffer
	from *mem.Pool // instead of the device's; returning memory to it voids nothing
}

func (s *scratch) Alloc(n int) ([]byte, uintptr, error) {
	s.busy.Store(true)
	defer s.busy.Store(false)
	from := s.from
	if from == nil {
		from = s.d.pool
	}
	b, err := from.Get("record", n)
	if err != nil {
		return nil, 0, err
	}
	s.bufs[b.Dev] = b
	return nil, b.Dev, nil
}

func (s *scratch) Release(_ []byte, p uintptr) {
	if s.from == nil {
		r := &s.d.graphs
		r.mu.Lock()
		r.age++
		r.mu.Unlock()
	}
	s.bufs[p].Free()
	delete(s.bufs, p)
}

func (r *graphs) open(d *Device) {
	s := &scratch{d: d, bufs: map[uintptr]*mem.Buffer{}}
	r.pool = mem.NewPool("graphs", s)
	d.pool.Pressure = func() {
		if !s.busy.Load() { // else that pool itself is allocating
			r.pool.Trim()
		}
	}
}

// recorder is the state of a capture, and of the graph it becomes.
type recorder struct {
	d    *Device
	main *driver.Device
	keep []*mem.Buffer // memory of its own
	pdl  bool          // small kernels use programmatic dependent launch
	// outer is the recorder of the graph that this one is a part of; it holds what the whole graph needs.
	outer *recorder
	dependencies

	faults []faultUse
	block  *mem.Buffer   // the fault records, maxFaults of them
	ring   []graphStatus // pinned; the status of the last runs
	seq    *mem.Buffer   // number of runs the device has completed
}

// faultUse is the launch that owns a fault record.
type faultUse struct {
	step int
	op   string
}

const (
	maxFaults = 1024
	ringSize  = 64
)

// graphStatus is struct Status of graph_status.cu: the outcome of a run.
type graphStatus struct {
	seq   uint64
	mask  uint64 // records that hold an error, by number modulo 64
	first faultRecord
}

// fixed uploads bytes to memory of the graph's own, at once.
func (r *recorder) fixed(b []byte) (*mem.Buffer, error) {
	m, err := r.d.pool.Get("record", max(len(b), 1))
	if err != nil {
		return nil, err
	}
	r = r.root()
	r.keep = append(r.keep, m)
	return m, r.main.Upload(m.Dev, b)
}

// newFault gives a launch a fault record.
func (r *recorder) newFault(step int, op string) (uintptr, error) {
	if r = r.root(); r.block == nil {
		var err error
		if r.block, err = r.fixed(make([]byte, maxFaults*int(unsafe.Sizeof(faultRecord{})))); err != nil {
			return 0, err
		}
	}
	if len(r.faults) == maxFaults {
		return 0, fault.New(fault.NotImplemented, op, "more than %d launches check values", maxFaults)
	}
	r.faults = append(r.faults, faultUse{step, op})
	return r.block.Dev + uintptr(len(r.faults)-1)*unsafe.Sizeof(faultRecord{}), nil
}

// capture captures launches into a CUDA graph.
func (d *Device) capture(show func(mode any) error) (backend.Graph, error) {
	all := &d.graphs
	all.making.Lock()
	defer all.making.Unlock()
	if all.dev == nil {
		dev, err := d.NewStream()
		if err != nil {
			return nil, err
		}
		all.dev = dev
	}
	all.mu.Lock()
	age := all.age
	all.mu.Unlock()
	r := &recorder{d: d, main: d.Device, pdl: d.SupportsPDL() && os.Getenv("LUCID_CUDA_GRAPHS") != "apart"}
	f := &Device{shared: d.shared, Device: all.dev, pool: all.pool, mode: capturing, rec: r}
	all.dev.Carveout = 0
	if err := all.dev.Begin(); err != nil {
		return nil, err
	}
	err := show(f)
	if jerr := r.join(f); err == nil {
		err = jerr
	}
	if err == nil && len(r.faults) > 0 {
		err = r.status(f)
	}
	exec, eerr := all.dev.End(err == nil)
	if err == nil {
		err = eerr
	}
	if err != nil {
		r.free()
		return nil, err
	}
	all.made.Add(1)
	g := &graph{r: r, exec: exec, age: age}
	runtime.AddCleanup(g, func(x unclosed) { x.close() }, unclosed{exec, r})
	return g, nil
}

func (r *recorder) free() {
	for _, m := range r.keep {
		m.Free()
	}
	r.keep = nil
}

// status adds the last node of a graph that may report device errors: it writes the outcome of the run to pinned memory.
func (r *recorder) status(f *Device) error {
	b, err := r.main.Pinned(ringSize * int(unsafe.Sizeof(graphStatus{})))
	if err != nil {
		return err
	}
	r.ring = unsafe.Slice((*graphStatus)(unsafe.Pointer(unsafe.SliceData(b))), ringSize)
	if r.seq, err = r.fixed(make([]byte, 8)); err != nil {
		return err
	}
	fn, err := f.kernel("graph_status", "graph_status", func() string { return kernels.Source("prelude", "graph_status") })
	if err != nil {
		return err
	}
	var a args
	a.int(len(r.faults))
	a.ptr(r.block.Dev, uintptr(unsafe.Pointer(unsafe.SliceData(b))), r.seq.Dev)
	a.int(ringSize)
	return f.launch(fn, 1, 1, threads, a)
}
