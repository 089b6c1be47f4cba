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

// Recordings share memory: what they use beside their inputs lies in one pool, taken while a recording is made and given
// back when it is done, so that the next one uses it too. They run one behind the other on the device's stream. When that
// pool gives memory back to the device, all recordings are void.

// recordings is what the graphs of a device share.
type recordings struct {
	mu     sync.Mutex // held while a graph is asked for with its copies
	making sync.Mutex // one at a time
	pool   *mem.Pool
	age    int64 // moves when memory went back
	dev    *driver.Device

	made, ran atomic.Int64
}

// scratch takes the recordings' memory from the device's pool, so that its limits hold and its counters count it.
type scratch struct {
	d    *Device
	busy atomic.Bool
	bufs map[uintptr]*mem.Buffer
	from *mem.Pool // instead of the device's; giving back to it makes nothing void
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
		if !s.busy.Load() { // else that pool itself is asking
			r.pool.Trim()
		}
	}
}

// recorder is the state of a recording under way, and of the graph it becomes.
type recorder struct {
	d     *Device
	main  *driver.Device
	keep  []*mem.Buffer // memory of its own
	early bool          // small kernels may start before those they wait for have ended
	order

	words []wordUse
	block *mem.Buffer // the fault words, maxWords of them
	ring  []stamp     // pinned; what became of the last runs
	seq   *mem.Buffer // number of runs the device has ended
}

// wordUse is who complains in a word.
type wordUse struct {
	step int
	op   string
}

const (
	maxWords = 1024
	ringSize = 64
)

// stamp is struct Stamp of stamp.cu: what became of a run.
type stamp struct {
	seq   uint64
	mask  uint64 // words that complained, by number modulo 64
	first word
}

// fixed sends bytes to memory of the recording's own, at once.
func (r *recorder) fixed(b []byte) (*mem.Buffer, error) {
	m, err := r.d.pool.Get("record", max(len(b), 1))
	if err != nil {
		return nil, err
	}
	r.keep = append(r.keep, m)
	return m, r.main.Upload(m.Dev, b)
}

// word gives a launch a fault word.
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

// capture records launches.
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

// stamp ends a recording that may complain: its last launch tells the host what became of the run.
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
