package lucid

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/ref"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
)

// Device names where tensors are computed. The zero value is the default device.
type Device struct {
	Type  string
	Index int
}

// CPU is the device every program has.
var CPU = Device{Type: "cpu"}

// CUDA is the i-th NVIDIA GPU, for programs that import _ "github.com/lucid-go/lucid/cuda".
func CUDA(i int) Device { return Device{Type: "cuda", Index: i} }

// String names the device: "cpu", "cuda:1".
func (d Device) String() string { return (&backend.Device{Type: d.Type, Index: d.Index}).String() }

var defaultDevice atomic.Pointer[backend.Device]

func init() {
	defaultDevice.Store(cpu.Device)
	exec.DefaultDevice = defaultDevice.Load
	exec.Reference, exec.Host = ref.Device, cpu.Device
	ops.Read = func(n *graph.Node) (backend.View, error) { return exec.HostView(scope.Current().Context(), n) }
}

// open returns the device; an unknown one is a panic with ErrDevice.
func (d Device) open() *backend.Device {
	if d.Type == "" {
		return defaultDevice.Load()
	}
	dev, err := backend.Open(d.Type, d.Index)
	if err != nil {
		throw("device", err)
	}
	return dev
}

func deviceOf(n *graph.Node) Device {
	d := n.Device()
	if d == nil {
		d = defaultDevice.Load()
	}
	return Device{d.Type, d.Index}
}

// SetDefaultDevice changes where tensors go that name no device.
func SetDefaultDevice(d Device) { defaultDevice.Store(d.open()) }

// DefaultDevice returns it.
func DefaultDevice() Device {
	d := defaultDevice.Load()
	return Device{d.Type, d.Index}
}

// usualDevice is where this goroutine creates what names no device.
func usualDevice() Device {
	if d, ok := scope.Current().Device.(*backend.Device); ok {
		return Device{d.Type, d.Index}
	}
	return DefaultDevice()
}

// WithDevice runs f with another default device for what this goroutine creates.
func WithDevice(d Device, f func()) {
	dev := d.open()
	scope.With(func(s *scope.State) { s.Device = dev }, f)
}

// toDevice moves a node.
func toDevice(n *graph.Node, to Device) *graph.Node {
	dev := to.open()
	from := n.Device()
	if from == nil {
		from = defaultDevice.Load()
	}
	if from == dev {
		return n
	}
	return ops.ToDevice(n, dev)
}

// moved brings a value to a device, where nil on either side is the default.
func moved(n *graph.Node, to *backend.Device) *graph.Node {
	from, usual := n.Device(), defaultDevice.Load()
	if to == nil {
		to = usual
	}
	if from == to || from == nil && to == usual {
		return n
	}
	return ops.ToDevice(n, to)
}

// Stats counts a device's memory in bytes, and what was done with it.
type Stats struct {
	Allocated int64 // in buffers now
	Peak      int64 // most ever allocated, since ResetPeakMemory
	Cached    int64 // cached for reuse
	Limit     int64 // see SetMemoryLimit; 0: none
	CacheCap  int64 // most cached for reuse; see SetCacheLimit
	Allocs    int64 // buffers handed out
	Frees     int64 // buffers given back
	Donated   int64 // results written over an input that is not read any more
	Collects  int64 // collections asked for
}

// MemoryStats returns the device's counters.
func MemoryStats(d Device) Stats { return Stats(d.open().Pool.Stats()) }

// MemoryUse is the share of an op, or of a module, in a device's memory.
type MemoryUse struct {
	Op     string // that computed the values; "temporaries" is what a plan's arena has beyond its values
	Module string // types of the modules whose Forward recorded the op, from the outermost: GPT.Block.Linear; "" for gradients and the rest
	Bytes  int64  // of its values
}

// trackers are the devices whose memory is tracked, with what ends the names of modules that it needs.
var trackers struct {
	sync.Mutex
	stop map[*backend.Device]func()
}

// TrackMemory begins, or ends, to note which ops and modules use a device's memory, for PeakMemoryByOp and PeakMemoryByModule. It costs
// some 100 ns an allocation and an op. What was allocated before, and values of at most 4 KiB in host memory, are not counted. A function
// that was compiled before does not know its modules.
func (d Device) TrackMemory(on bool) {
	dev := d.open()
	trackers.Lock()
	defer trackers.Unlock()
	stop := trackers.stop[dev]
	switch {
	case on && stop == nil:
		if trackers.stop == nil {
			trackers.stop = map[*backend.Device]func(){}
		}
		trackers.stop[dev] = graph.LabelNodes()
	case !on && stop != nil:
		stop()
		delete(trackers.stop, dev)
	}
	dev.Pool.Track(on)
}

// PeakMemoryByOp returns which ops' values were in memory when the most was allocated since ResetPeakMemory, the largest first. It is nil
// unless TrackMemory is on.
func (d Device) PeakMemoryByOp() []MemoryUse {
	return d.peakMemory(func(p mem.Part) MemoryUse { return MemoryUse{Op: p.Op} })
}

// PeakMemoryByModule is PeakMemoryByOp by the modules that recorded the ops. Its entries have no Op.
func (d Device) PeakMemoryByModule() []MemoryUse {
	return d.peakMemory(func(p mem.Part) MemoryUse { return MemoryUse{Module: p.Module} })
}

// peakMemory adds up what has the same key.
func (d Device) peakMemory(key func(p mem.Part) MemoryUse) (uses []MemoryUse) {
	sum := map[MemoryUse]int64{}
	for _, p := range d.open().Pool.PeakParts() {
		sum[key(p)] += p.Bytes
	}
	for u, n := range sum {
		u.Bytes = n
		uses = append(uses, u)
	}
	slices.SortFunc(uses, func(a, b MemoryUse) int {
		return cmp.Or(-cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Module, b.Module))
	})
	return uses
}

// ResetPeakMemory makes the peak what is allocated now.
func ResetPeakMemory(d Device) { d.open().Pool.ResetPeak() }

// SetMemoryLimit bounds what may be allocated on a device; 0 means no bound but the machine's. It returns the previous limit. Past it,
// evaluations fail with ErrOutOfMemory and the program goes on.
func SetMemoryLimit(d Device, bytes int64) int64 {
	if bytes < 0 {
		fault.Throw(fault.Value, "set_memory_limit", "%d bytes; want a number of bytes, or 0 for no limit", bytes)
	}
	return d.open().Pool.SetLimit(bytes)
}

// SetCacheLimit bounds what is cached for reuse. It returns the previous bound.
func SetCacheLimit(d Device, bytes int64) int64 {
	if bytes < 0 {
		fault.Throw(fault.Value, "set_cache_limit", "%d bytes; want a number of bytes", bytes)
	}
	return d.open().Pool.SetCacheLimit(bytes)
}

// ClearCache returns the memory cached for reuse to the system, on every device given, or on the default one.
func ClearCache(devices ...Device) {
	if len(devices) == 0 {
		devices = []Device{{}}
	}
	for _, d := range devices {
		d.open().Pool.Trim()
	}
}
