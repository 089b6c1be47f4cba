package cufft

import (
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/profile"
)

var fn struct {
	create, automatic, make, area, stream, destroy uintptr
	exec                                           [6]uintptr // by Kind
}

// Path is where the library was found; set by Init.
var Path string

var names = map[string][]string{
	"linux":   {"libcufft.so.12", "libcufft.so.11", "libcufft.so"},
	"windows": {"cufft64_12.dll", "cufft64_11.dll"},
}

// Init opens the library, once. Its error names each path tried.
var Init = sync.OnceValue(func() error {
	lib, err := dl.Open("cuFFT", names[runtime.GOOS], nvrtc.Named(), nvrtc.Folders()...)
	if err != nil {
		return fault.Wrap(fault.Device, "cufft", err,
			"install the CUDA toolkit or the Python package nvidia-cufft, or name its folder in LUCID_CUDA_PATH")
	}
	Path = lib.Path
	return lib.Symbols(map[string]*uintptr{"cufftCreate": &fn.create, "cufftSetAutoAllocation": &fn.automatic,
		"cufftMakePlanMany64": &fn.make, "cufftSetWorkArea": &fn.area, "cufftSetStream": &fn.stream, "cufftDestroy": &fn.destroy,
		"cufftExecC2C": &fn.exec[C2C], "cufftExecR2C": &fn.exec[R2C], "cufftExecC2R": &fn.exec[C2R],
		"cufftExecZ2Z": &fn.exec[Z2Z], "cufftExecD2Z": &fn.exec[D2Z], "cufftExecZ2D": &fn.exec[Z2D]})
})

// Kind is between which element types a transform is: Z is complex128, D float64.
type Kind byte

// The kinds.
const (
	C2C Kind = iota
	R2C
	C2R
	Z2Z
	D2Z
	Z2D
)

// numbers are those of cufft.h.
var numbers = [6]uintptr{0x29, 0x2a, 0x2c, 0x69, 0x6a, 0x6c}

// Transform is what a plan is for: Batch transforms over the last Rank of N, with elements Stride apart and the first elements of
// transforms Dist apart, the same in input and output but for half spectra, which are contiguous.
type Transform struct {
	Kind         Kind
	Rank         int
	N            [3]int
	Stride, Dist int // 0: contiguous
	Batch        int
}

// maxPlans is how many plans are cached. Those that a captured graph uses stay beyond that.
const maxPlans = 256

type plan struct {
	handle uintptr
	work   int // bytes
	used   int64
	fixed  bool // a captured graph uses it
	stream uintptr
	area   uintptr
}

// Handle has the plans of a device.
type Handle struct {
	mu    sync.Mutex
	plans map[Transform]*plan
	clock int64
}

// New makes a handle.
func New() (*Handle, error) {
	begin := time.Now()
	if err := Init(); err != nil {
		return nil, err
	}
	profile.Once(begin, "opening cuFFT")
	return &Handle{plans: map[Transform]*plan{}}, nil
}

// NumPlans is how many plans are cached.
func (h *Handle) NumPlans() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.plans)
}

var statusNames = map[uintptr]string{1: "invalid plan", 2: "out of memory", 3: "invalid type", 4: "invalid value", 5: "internal error",
	6: "execution failed", 7: "setup failed", 8: "invalid size", 9: "unaligned data", 11: "invalid device", 14: "not implemented",
	16: "not supported"}

func failed(status uintptr, doing string) error {
	return fault.New(fault.Device, "cufft", "%s: %s (%d)", doing, statusNames[status], status)
}

// Run transforms in to out on the stream of d; capturing says that a CUDA graph is being captured. work gives temporary memory.
// A transform to real numbers may overwrite its input.
func (h *Handle) Run(d *driver.Device, t Transform, inverse, capturing bool, in, out uintptr, work func(bytes int) (uintptr, error)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if capturing && h.plans[t] == nil {
		return fault.New(fault.NotImplemented, "fft", "cuFFT makes a plan at the first transform of a kind, which a capture cannot hold")
	}
	p, err := h.plan(d, t)
	if err != nil {
		return err
	}
	h.clock++
	p.used, p.fixed = h.clock, p.fixed || capturing
	var area uintptr
	if p.work > 0 {
		if area, err = work(p.work); err != nil {
			return err
		}
	}
	direction := -1
	if inverse {
		direction = 1
	}
	if p.stream != d.Stream {
		if s := d.With(func() uintptr { return dl.Call(fn.stream, p.handle, d.Stream) }); s != 0 {
			return failed(s, "setting the stream")
		}
		p.stream = d.Stream
	}
	if p.area != area {
		if s := d.With(func() uintptr { return dl.Call(fn.area, p.handle, area) }); s != 0 {
			return failed(s, "setting the work area")
		}
		p.area = area
	}
	if s := d.With(func() uintptr { return dl.Call(fn.exec[t.Kind], p.handle, in, out, uintptr(direction)) }); s != 0 {
		return failed(s, "a transform")
	}
	return nil
}

// plan returns a plan from the cache, or makes one.
func (h *Handle) plan(d *driver.Device, t Transform) (*plan, error) {
	if p := h.plans[t]; p != nil {
		return p, nil
	}
	begin := time.Now()
	if len(h.plans) >= maxPlans {
		if err := h.evict(d); err != nil {
			return nil, err
		}
	}
	n := new([3]int64)
	for i := range t.Rank {
		n[i] = int64(t.N[i])
	}
	var embed uintptr // nil: contiguous, and strides are ignored
	stride, dist := t.Stride, t.Dist
	if t.Stride != 0 {
		embed = uintptr(unsafe.Pointer(n))
	} else {
		stride = 1
	}
	handle, size := new(int32), new(uint64)
	s := d.With(func() uintptr {
		if s := dl.Call(fn.create, uintptr(unsafe.Pointer(handle))); s != 0 {
			return s
		}
		if s := dl.Call(fn.automatic, uintptr(*handle), 0); s != 0 {
			return s
		}
		return dl.Call(fn.make, uintptr(*handle), uintptr(t.Rank), uintptr(unsafe.Pointer(n)), embed, uintptr(stride), uintptr(dist),
			embed, uintptr(stride), uintptr(dist), numbers[t.Kind], uintptr(t.Batch), uintptr(unsafe.Pointer(size)))
	})
	runtime.KeepAlive(n)
	if s != 0 {
		return nil, failed(s, "making a plan")
	}
	p := &plan{handle: uintptr(*handle), work: int(*size)}
	h.plans[t] = p
	profile.Once(begin, "plan of %+v", t)
	return p, nil
}

// evict destroys the plan that was used least recently. Work it was submitted for may still run, so it waits.
func (h *Handle) evict(d *driver.Device) error {
	var oldest Transform
	var p *plan
	for t, q := range h.plans {
		if !q.fixed && (p == nil || q.used < p.used) {
			oldest, p = t, q
		}
	}
	if p == nil {
		return nil
	}
	if err := d.Sync(); err != nil {
		return err
	}
	delete(h.plans, oldest)
	if s := d.With(func() uintptr { return dl.Call(fn.destroy, p.handle) }); s != 0 {
		return failed(s, "destroying a plan")
	}
	return nil
}
