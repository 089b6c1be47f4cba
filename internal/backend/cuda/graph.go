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

// recordings is what the graphs of a device share.
type recordings struct {
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
		r := &s.d.recordings
		r.mu.Lock()
		r.age++
		r.mu.Unlock()
	}
	s.bufs[p].Free()
	delete(s.bufs, p)
}

func (r *recordings) open(d *Device) {
	s := &scratch{d: d, bufs: map[uintptr]*mem.Buffer{}}
	r.pool = mem.NewPool("recordings", s)
	d.pool.Pressure = func() {
		if !s.busy.Load() { // else that pool itself is allocating
			r.pool.Trim()
		}
	}
}

// recorder is the state of a capture, and of the graph it becomes.
type recorder struct {
	d     *Device
	main  *driver.Device
	keep  []*mem.Buffer // memory of its own
	early bool          // small kernels use programmatic dependent launch
	order

	words []wordUse
	block *mem.Buffer // the fault records, maxFaults of them
	ring  []stamp     // pinned; the status of the last runs
	seq   *mem.Buffer // number of runs the device has completed
}

// faultUse is the launch that owns a fault record.
type wordUse struct {
	step int
	op   string
}

const (
	maxWords = 1024
	ringSize = 64
)

// graphStatus is struct Status of graph_status.cu: the outcome of a run.
type stamp struct {
	seq   uint64
	mask  uint64 // records that hold an error, by number modulo 64
	first word
}

// fixed uploads bytes to memory of the graph's own, at once.
func (r *recorder) fixed(b []byte) (*mem.Buffer, error) {
	m, err := r.d.pool.Get("record", max(len(b), 1))
	if err != nil {
		return nil, err
	}
	r.keep = append(r.keep, m)
	return m, r.main.Upload(m.Dev, b)
}

// record gives a launch a fault record.
func (r *recorder) word(step int, op string) (uintptr, error) {
	if r.block == nil {
		var err error
		if r.block, err = r.fixed(make([]byte, maxWords*int(unsafe.Sizeof(word{})))); err != nil {
			return 0, err
		}
	}
	if len(r.words) == maxWords {
		return 0, fault.New(fault.NotImplemented, op, "more than %d launches check values", maxWords)
	}
	r.words = append(r.words, wordUse{step, op})
	return r.block.Dev + uintptr(len(r.words)-1)*unsafe.Sizeof(word{}), nil
}

// capture captures launches into a CUDA graph.
func (d *Device) capture(show func(face any) error) (backend.Graph, error) {
	all := &d.recordings
	all.making.Lock()
	defer all.making.Unlock()
	if all.dev == nil {
		dev, err := d.Recorder()
		if err != nil {
			return nil, err
		}
		all.dev = dev
	}
	all.mu.Lock()
	age := all.age
	all.mu.Unlock()
	r := &recorder{d: d, main: d.Device, early: d.StartsEarly() && os.Getenv("LUCID_CUDA_GRAPHS") != "apart"}
	f := &Device{shared: d.shared, Device: all.dev, pool: all.pool, face: recording, rec: r}
	if err := all.dev.Begin(); err != nil {
		return nil, err
	}
	err := show(f)
	if jerr := r.join(f); err == nil {
		err = jerr
	}
	if err == nil && len(r.words) > 0 {
		err = r.stamp(f)
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
func (r *recorder) stamp(f *Device) error {
	b, err := r.main.Pinned(ringSize * int(unsafe.Sizeof(stamp{})))
	if err != nil {
		return err
	}
	r.ring = unsafe.Slice((*stamp)(unsafe.Pointer(unsafe.SliceData(b))), ringSize)
	if r.seq, err = r.fixed(make([]byte, 8)); err != nil {
		return err
	}
	fn, err := f.kernel("stamp", "stamp", func() string { return kernels.Source("prelude", "stamp") })
	if err != nil {
		return err
	}
	var a args
	a.int(len(r.words))
	a.ptr(r.block.Dev, uintptr(unsafe.Pointer(unsafe.SliceData(b))), r.seq.Dev)
	a.int(ringSize)
	return f.launch(fn, 1, 1, threads, a)
}
