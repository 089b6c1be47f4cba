package cuda

import (
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
	d    *Device
	main *driver.Device
	keep []*mem.Buffer // memory of its own
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
	r := &recorder{d: d, main: d.Device}
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

// graph is a recording that can run.
type graph struct {
	r      *recorder
	exec   *driver.Graph
	age    int64
	number uint64 // runs so far
}

// unclosed is what is left of a graph that nobody closed.
type unclosed struct {
	exec *driver.Graph
	r    *recorder
}

func (x unclosed) close() {
	// A device that cannot free any more has failed for good; the next call that can say so does.
	_ = x.exec.Close()
	x.r.free()
	x.r.release()
}

// release gives the ring back.
func (r *recorder) release() {
	if r.ring != nil {
		_ = r.main.Unpin(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(r.ring))), ringSize*int(unsafe.Sizeof(stamp{}))))
		r.ring = nil
	}
}

// Complains reports whether a launch can meet values it refuses.
func (g *graph) Complains() bool { return len(g.r.words) > 0 }

// Close lets go of the graph; runs under way and results that are still to be asked for keep it until they are done.
func (g *graph) Close() {}

// Launch asks for the graph between copies.
func (g *graph) Launch(before, behind []backend.Copy) (backend.Outcome, error) {
	d := g.r.d
	if g.Complains() && g.number >= ringSize/2 {
		// The ring holds what became of so many runs: the host may not be further ahead.
		if _, _, err := g.outcome(g.number - ringSize/2 + 1)(true); err != nil {
			return nil, err
		}
	}
	all := &d.recordings
	all.mu.Lock()
	defer all.mu.Unlock()
	if g.age != all.age {
		return nil, backend.ErrVoid
	}
	for _, c := range before {
		if c.Src.Mem != nil {
			if err := g.r.main.Upload(c.Dst.Dev, c.Src.Mem); err != nil {
				return nil, err
			}
		} else if err := g.r.main.Copy(c.Dst.Dev, c.Src.Dev, c.Src.Size); err != nil {
			return nil, err
		}
	}
	if err := g.exec.Launch(g.r.main); err != nil {
		return nil, err
	}
	g.number++
	all.ran.Add(1)
	for _, c := range behind {
		if err := g.r.main.Copy(c.Dst.Dev, c.Src.Dev, c.Src.Size); err != nil {
			return nil, err
		}
	}
	if !g.Complains() {
		return func(bool) (bool, []backend.Complaint, error) { return true, nil, nil }, nil
	}
	return g.outcome(g.number), nil
}

// outcome reads the stamp of a run.
func (g *graph) outcome(number uint64) backend.Outcome {
	return func(wait bool) (bool, []backend.Complaint, error) {
		s := &g.r.ring[number%ringSize]
		for try := 0; atomic.LoadUint64(&s.seq) < number; try++ {
			if !wait {
				return false, nil, nil
			}
			if try < 1000 {
				runtime.Gosched()
				continue
			}
			if err := g.r.main.Sync(); err != nil {
				return true, nil, err
			}
		}
		var bad []backend.Complaint
		named := false
		for i, w := range g.r.words {
			if s.mask>>(i%64)&1 == 0 {
				continue
			}
			says := word{code: s.first.code, value: -1, size: -1}
			if !named {
				says, named = s.first, true
			}
			bad = append(bad, backend.Complaint{Step: w.step, Err: says.complaint(w.op)})
		}
		return true, bad, nil
	}
}
