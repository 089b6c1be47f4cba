package mem

import (
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/fault"
)

// Source is where a pool gets device memory from.
type Source interface {
	// Alloc returns n bytes, as host memory, a device address, or both.
	Alloc(n int) (host []byte, dev uintptr, err error)
	// Release gives them back.
	Release(host []byte, dev uintptr)
}

// Stats counts bytes.
type Stats struct {
	Allocated int64 // in buffers now
	Peak      int64 // most ever allocated, since ResetPeak
	Cached    int64 // for reuse
	Limit     int64 // 0: none
	CacheCap  int64 // most that is cached
	Allocs    int64 // buffers handed out
	Frees     int64 // buffers given back
	Donated   int64 // outputs written over a dead input
	Collects  int64 // collections asked for
}

const (
	smallSize  = 4 << 10  // at most this much lives on the Go heap
	softBudget = 64 << 20 // freed-but-unseen memory worth a collection
	// A power of two has four classes, a large one sixteen, a huge one 64, from 4 GiB on 512: what a block has beyond its need is
	// lost where pages are not given on first use.
	largeExp   = 21
	largeClass = 4 * (largeExp - 11)
	hugeExp    = 28
	hugeClass  = largeClass + 16*(hugeExp-largeExp)
	vastExp    = 32
	vastClass  = hugeClass + 64*(vastExp-hugeExp)
)

// Pool hands out buffers of size classes and keeps the returned ones, with their pages touched.
type Pool struct {
	name   string
	src    Source
	poison bool
	// Pressure, if set, is called when memory runs out, before the cache is emptied: others may have some to give back.
	Pressure func()

	mu    sync.Mutex
	free  [hugeClass + 1][]block
	huge  map[int16][]block // those of higher classes
	stats Stats
	uses  *uses // who uses the memory, while that is tracked
	// since is how many bytes were handed out since the last collection began, less those given back by count: these are no garbage to
	// look for. It is below 0 where they were handed out before.
	since int64
	// collecting is set while a background collection runs.
	collecting atomic.Bool
	collected  chan struct{} // closed when it ends
}

type block struct {
	host []byte
	dev  uintptr
}

// NewPool returns an empty pool; name is for messages.
func NewPool(name string, src Source) *Pool {
	return &Pool{name: name, src: src, poison: os.Getenv("LUCID_DEBUG") == "poison", stats: Stats{CacheCap: 1 << 62}}
}

// Shared says that memory is used after it was given back, by several in turn, as recordings of launches do: it is never
// poisoned.
func (p *Pool) Shared() *Pool {
	p.poison = false
	return p
}

// classOf returns the class whose blocks hold n bytes, and their size.
func classOf(n int) (class int16, size int) {
	n = max(n, smallSize)
	e := bits.Len(uint(n-1)) - 1 // 2^e < n <= 2^(e+1)
	base, steps := classesOf(e)
	q := 1 << e / steps
	step := (n - 1<<e + q - 1) / q
	return int16(base + step), 1<<e + step*q
}

// classesOf returns the number before the classes of a power of two, and how many they are.
func classesOf(e int) (base, steps int) {
	switch {
	case e < largeExp:
		return 4 * (e - 11), 4
	case e < hugeExp:
		return largeClass + 16*(e-largeExp), 16
	case e < vastExp:
		return hugeClass + 64*(e-hugeExp), 64
	}
	return vastClass + 512*(e-vastExp), 512
}

// Get returns a buffer of n bytes, its contents undefined.
func (p *Pool) Get(op string, n int) (*Buffer, error) { return p.GetFor(Owner{Op: op}, n, nil) }

// GetFor is Get for an op of known modules. Where several share the buffer, parts says which of it is whose when most of it is used.
func (p *Pool) GetFor(by Owner, n int, parts []Part) (*Buffer, error) {
	if p.OnHeap(n) {
		return p.small(n), nil
	}
	class, size := classOf(n)
	p.awaitCollection(class)
	for try := 0; ; try++ {
		blk, ok, err := p.take(class, size, use{by, int64(size), parts})
		if ok {
			b := &Buffer{Mem: blk.host, Dev: blk.dev, Size: n, pool: p, class: class}
			if blk.host != nil {
				b.Mem = blk.host[:n] // with the block's capacity: Free gives all of it back
			}
			b.clean = runtime.AddCleanup(b, unreachable.back, unreachable{p, blk, n, class})
			return b, nil
		}
		// Let the collector find unreachable buffers, then free the cache. A request that is larger than the limit or the machine fails at
		// once.
		if st := p.Stats(); try == 3 || st.Limit > 0 && int64(size) > st.Limit || p.hostHeap() && MachineBytes() > 0 &&
			int64(size) > MachineBytes() {
			limit := "the system has no more"
			if st.Limit > 0 {
				limit = fmt.Sprintf("the limit is %d; free tensors, or raise it with SetMemoryLimit", st.Limit)
			}
			e := fault.New(fault.OutOfMemory, by.Op, "%s needs %d more bytes: %d are in use, %s", p.name, n, st.Allocated, limit)
			e.Err = err
			e.Requested, e.InUse, e.Peak = int64(n), st.Allocated, st.Peak
			return nil, e
		}
		if p.Pressure != nil {
			p.Pressure()
		}
		p.collect()
		p.Trim()
	}
}

// unreachable is the memory of a buffer that the collector found unreachable.
type unreachable struct {
	p     *Pool
	blk   block
	n     int
	class int16
}

func (l unreachable) back() { l.p.give(l.class, l.blk.host, l.blk.dev, l.n, false) }

func (p *Pool) hostHeap() bool { return p.src == nil || p.src == Source(Host{}) }

func (p *Pool) take(class int16, size int, by use) (block, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stats.Limit > 0 && p.stats.Allocated+int64(size) > p.stats.Limit {
		return block{}, false, nil
	}
	list := p.cached(class)
	var blk block
	if len(list) > 0 {
		blk = list[len(list)-1]
		list[len(list)-1] = block{}
		p.setCached(class, list[:len(list)-1])
		p.stats.Cached -= int64(size)
	} else {
		if p.stats.Limit > 0 && p.stats.Allocated+p.stats.Cached+int64(size) > p.stats.Limit {
			p.trimLocked(0)
		}
		host, dev, err := p.src.Alloc(size)
		if err != nil {
			return block{}, false, err
		}
		blk = block{host, dev}
	}
	p.stats.Allocated += int64(size)
	p.stats.Allocs++
	if p.uses != nil {
		p.uses.add(blk, by, p.stats.Allocated > p.stats.Peak)
	}
	p.stats.Peak = max(p.stats.Peak, p.stats.Allocated)
	p.since += int64(size)
	if p.since > max(softBudget, p.stats.Allocated/2) && p.collecting.CompareAndSwap(false, true) {
		p.since = 0
		done := make(chan struct{})
		p.collected = done
		go func() {
			defer close(done)
			defer p.collecting.Store(false)
			p.collect()
		}()
	}
	return blk, true, nil
}

// cached returns the free blocks of a class.
func (p *Pool) cached(class int16) []block {
	if int(class) < len(p.free) {
		return p.free[class]
	}
	return p.huge[class]
}

// setCached replaces the free blocks of a class.
func (p *Pool) setCached(class int16, list []block) {
	switch {
	case int(class) < len(p.free):
		p.free[class] = list
	case p.huge == nil:
		p.huge = map[int16][]block{class: list}
	default:
		p.huge[class] = list
	}
}

// awaitCollection waits for the running collection if new memory would be allocated on a device: work is submitted faster than garbage
// is found, which would fill the device.
func (p *Pool) awaitCollection(class int16) {
	if p.hostHeap() {
		return
	}
	p.mu.Lock()
	behind, done := len(p.cached(class)) == 0 && p.collecting.Load(), p.collected
	p.mu.Unlock()
	if behind {
		<-done
	}
}

// give takes back a block, by count or from the collector.
func (p *Pool) give(class int16, host []byte, dev uintptr, n int, counted bool) {
	if class < 0 {
		p.giveSmall(-int(class), host)
		return
	}
	_, size := classOf(n)
	if host != nil {
		host = unsafe.Slice(unsafe.SliceData(host), size) // a buffer shows only what was asked for
	}
	if p.poison {
		poisonBytes(host)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Allocated -= int64(size)
	p.stats.Frees++
	if p.uses != nil {
		p.uses.drop(block{host, dev})
	}
	if counted {
		p.since -= int64(size)
	} else if p.since > 0 { // the collection found some of what was handed out since it began
		p.since = max(0, p.since-int64(size))
	}
	if p.stats.Cached+int64(size) > p.stats.CacheCap {
		p.src.Release(host, dev)
		return
	}
	p.setCached(class, append(p.cached(class), block{host, dev}))
	p.stats.Cached += int64(size)
}

// collect runs Go's collector and lets the cleanups of dead buffers come through.
func (p *Pool) collect() {
	p.mu.Lock()
	p.stats.Collects++
	p.mu.Unlock()
	// A sentinel's cleanup is queued with those of the dead buffers; when it has run, they are on their way.
	done := make(chan struct{})
	s := new([16]byte)
	runtime.AddCleanup(s, func(c chan struct{}) { close(c) }, done)
	runtime.KeepAlive(s)
	s = nil
	runtime.GC()
	select {
	case <-done:
	case <-time.After(200 * time.Millisecond):
	}
	runtime.Gosched()
}

// Trim returns all cached memory to the system.
func (p *Pool) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trimLocked(0)
}

func (p *Pool) trimLocked(keep int64) {
	for c := range p.free {
		p.drop(int16(c), keep)
	}
	for c := range p.huge {
		p.drop(c, keep)
	}
}

// drop releases the blocks of a class, if more is cached than should be.
func (p *Pool) drop(class int16, keep int64) {
	list := p.cached(class)
	if len(list) == 0 || p.stats.Cached <= keep {
		return
	}
	for _, b := range list {
		p.stats.Cached -= int64(classSize(int(class)))
		p.src.Release(b.host, b.dev)
	}
	p.setCached(class, nil)
}

// classSize is the inverse of classOf.
func classSize(c int) int {
	e := (c-1)/4 + 11
	switch {
	case c > vastClass:
		e = (c-1-vastClass)/512 + vastExp
	case c > hugeClass:
		e = (c-1-hugeClass)/64 + hugeExp
	case c > largeClass:
		e = (c-1-largeClass)/16 + largeExp
	}
	base, steps := classesOf(e)
	return 1<<e + (c-base)*(1<<e/steps)
}

// Stats returns a copy of the counters.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// CountDonation notes that an output was written over a dead input.
func (p *Pool) CountDonation() {
	p.mu.Lock()
	p.stats.Donated++
	p.mu.Unlock()
}

// ResetPeak makes the peak what is allocated now.
func (p *Pool) ResetPeak() {
	p.mu.Lock()
	p.stats.Peak = p.stats.Allocated
	if p.uses != nil {
		p.uses.peak = nil
	}
	p.mu.Unlock()
}

// SetLimit bounds what may be allocated; 0 means no bound. It returns the previous limit.
func (p *Pool) SetLimit(n int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.stats.Limit
	p.stats.Limit = n
	return old
}

// SetCacheLimit bounds what is cached for reuse. It returns the previous bound.
func (p *Pool) SetCacheLimit(n int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.stats.CacheCap
	p.stats.CacheCap = n
	p.trimLocked(n)
	return old
}
