package cudnn

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/profile"
)

// Handle runs work on one device. It may be used from any goroutine.
type Handle struct {
	d *driver.Device

	mu      sync.Mutex
	streams map[uintptr]*stream
	works   map[any]*chosen

	// Tuned counts the kinds of work whose engine was timed, Cached those read from the cache, Refused those that cuDNN
	// does not support.
	Tuned, Cached, Refused atomic.Int64
}

// stream is the library's handle for one stream; one goroutine submits at a time.
type stream struct {
	mu     sync.Mutex
	handle uintptr
}

// chosen is the result for a kind of work: a plan, or why there is none.
type chosen struct {
	plan *plan
	err  error
}

// New opens the library for a device.
func New(d *driver.Device) (*Handle, error) {
	if err := Init(); err != nil {
		return nil, err
	}
	begin := time.Now()
	h := &Handle{d: d, streams: map[uintptr]*stream{}, works: map[any]*chosen{}}
	_, err := h.stream(d)
	profile.Once(begin, "starting cuDNN")
	return h, err
}

// stream returns the handle for the stream of d.
func (h *Handle) stream(d *driver.Device) (*stream, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.streamLocked(d)
}

func (h *Handle) streamLocked(d *driver.Device) (*stream, error) {
	if s := h.streams[d.Stream]; s != nil {
		return s, nil
	}
	s := new(stream)
	if code := d.With(func() uintptr {
		if code := dl.Call(fn.create, uintptr(unsafe.Pointer(&s.handle))); uint32(code) != 0 {
			return code
		}
		return dl.Call(fn.setStream, s.handle, d.Stream)
	}); code != 0 {
		return nil, failed(code, "starting cuDNN")
	}
	h.streams[d.Stream] = s
	return s, nil
}

// Space allocates a workspace for the time of a call.
type Space interface {
	Get(op string, n int) (*mem.Buffer, error)
}

// work is something the library is asked to do.
type work interface {
	comparable
	fmt.Stringer
	describe(n *net)          // the graph
	allows(notes []note) bool // which engines are allowed
	tunes() bool              // whether timing engines pays
}

// run does work on the stream of d; timing is false during a capture. The first work of its kind chooses the engine. An
// error that wraps ErrRefused says that nothing was done and that cuDNN does not support it.
func run[W work](h *Handle, d *driver.Device, w W, timing bool, space Space, pointers []uintptr) error {
	p, err := choose(h, w, timing, space, pointers)
	if err != nil {
		return err
	}
	s, err := h.stream(d)
	if err != nil {
		return err
	}
	b, err := workspace(space, p.space)
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if code := p.run(d, s.handle, pointers, at(b)); code != 0 {
		return failed(code, "running "+p.String())
	}
	return nil
}

func workspace(space Space, n int) (*mem.Buffer, error) {
	if n == 0 {
		return nil, nil
	}
	return space.Get("cudnn", n)
}

func at(b *mem.Buffer) uintptr {
	if b == nil {
		return 0
	}
	return b.Dev
}

// choose returns the plan of a kind of work, made the first time.
func choose[W work](h *Handle, w W, timing bool, space Space, pointers []uintptr) (*plan, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.works[w]; c != nil {
		return c.plan, c.err
	}
	s, err := h.streamLocked(h.d)
	if err != nil {
		return nil, err
	}
	begin, c := time.Now(), new(chosen)
	c.plan, c.err = makePlan(h, s, w, timing, space, pointers)
	switch {
	case errors.Is(c.err, ErrRefused):
		h.Refused.Add(1)
	case c.err != nil:
		return nil, c.err // out of memory, say: it may succeed next time
	}
	h.works[w] = c
	profile.Once(begin, "plan of %v", w)
	return c.plan, c.err
}

// makePlan describes the work, lists engines and takes one: the cached one, the fastest by timing, or the first. A plan
// whose kernels had to be compiled is cached with them.
func makePlan[W work](h *Handle, s *stream, w W, timing bool, space Space, pointers []uintptr) (best *plan, err error) {
	n := &net{what: w.String()}
	key := keyOf(h.d.Name, w)
	cached, _ := nvrtc.Load(key)
	var list []config
	h.d.With(func() uintptr {
		if w.describe(n); n.err == nil {
			if len(cached) > 1 {
				best = n.read(s.handle, cached)
			}
			if best == nil {
				list = n.configs(s.handle, w.allows)
			}
		}
		return 0
	})
	if n.err != nil {
		n.free()
		return nil, n.err
	}
	if best != nil {
		h.Cached.Add(1)
		return best, nil
	}
	// Engines that compile take a second each, and are no faster where precompiled ones exist.
	if ready := slices.DeleteFunc(slices.Clone(list), func(c config) bool { return c.compiles }); len(ready) > 0 {
		list = ready
	}
	made := func(c config) (p *plan) {
		h.d.With(func() uintptr {
			p, err = n.plan(s.handle, c)
			return 0
		})
		return p
	}
	if len(cached) == 1 && int(cached[0]) < len(list) {
		if p := made(list[cached[0]]); p != nil {
			h.Cached.Add(1)
			return p, nil
		}
	}
	number, least, tried := 0, 0.0, 0
	tune := timing && w.tunes()
	for i, c := range list {
		p := made(c)
		if p == nil {
			continue
		}
		if !tune {
			best, number = p, i
			break
		}
		ms, terr := h.time(s, p, space, pointers)
		worse := p
		switch {
		case terr != nil:
			err = terr
		case best == nil || ms < least:
			worse, best, number, least = best, p, i, ms
		}
		if worse != nil {
			n.drop(worse.desc)
		}
		if terr != nil {
			continue
		}
		if tried++; tried == choices {
			break
		}
	}
	if best == nil {
		n.free()
		return nil, err
	}
	if tune {
		h.Tuned.Add(1)
	}
	switch {
	case best.compiles:
		var text []byte
		h.d.With(func() uintptr { text = best.text(); return 0 })
		if len(text) > 1 {
			nvrtc.Store(key, text)
		}
	case tune:
		nvrtc.Store(key, []byte{byte(number)})
	}
	return best, nil
}

// HasAttention reports whether a plan of an attention is cached.
func (h *Handle) HasAttention(a Attention) bool {
	b, ok := nvrtc.Load(keyOf(h.d.Name, a))
	return ok && len(b) > 1
}

// keyOf is the cache key of a choice: all of the work's fields, not its name, which omits some.
func keyOf[W work](device string, w W) string {
	return fmt.Sprintf("cudnn 3\x00%d\x00%d\x00%s\x00%#v", Version, driver.Version, device, w)
}

// time runs a plan some times and returns the shortest run in milliseconds.
func (h *Handle) time(s *stream, p *plan, space Space, pointers []uintptr) (least float64, err error) {
	b, err := workspace(space, p.space)
	if err != nil {
		return 0, err
	}
	if b != nil {
		defer b.Free()
	}
	var mark [2]*driver.Event
	for i := range mark {
		if mark[i], err = h.d.NewEvent(); err != nil {
			return 0, err
		}
		defer mark[i].Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range 4 {
		if err := mark[0].Record(); err != nil {
			return 0, err
		}
		if code := p.run(h.d, s.handle, pointers, at(b)); code != 0 {
			return 0, failed(code, "timing "+p.String())
		}
		if err := mark[1].Record(); err != nil {
			return 0, err
		}
		if err := mark[1].Wait(); err != nil {
			return 0, err
		}
		ms, err := mark[1].Since(mark[0])
		if err != nil {
			return 0, err
		}
		if i > 0 && (least == 0 || ms < least) { // the first run loads code
			least = ms
		}
	}
	return least, nil
}
