package driver

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/profile"
)

// Device is an open device: its primary context and one stream in whose order everything runs.
type Device struct {
	Index        int
	Name         string
	Major, Minor int // compute capability
	SMs          int
	Shared       int // largest shared memory of a block, in bytes
	Memory       int64
	Pooled       bool // memory comes stream-ordered from the driver's pool
	PDL          bool // captured kernels are linked by programmatic dependent launch
	Carveout     int  // of the memory of a multiprocessor, percent that such kernels want to be shared memory; 0: as the driver chooses

	handle  uintptr
	context uintptr
	asked   []uintptr // the context, as a list of arguments
	pool    uintptr
	Stream  uintptr
	peers   *sync.Map // devices whose memory was accessed
	// State of copies and waits; shared by the launch modes of a device.
	staging  *staging
	progress *progress
	readers  *readers
	launcher *launcher // nil for a device that captures
}

// Attributes of a device.
const (
	attrSMs         = 16
	attrShared      = 97
	attrMajor       = 75
	attrMinor       = 76
	attrMemoryPools = 115

	poolReleaseThreshold = 4
)

// Open retains the primary context of device number index.
func Open(index int) (*Device, error) {
	begin := time.Now()
	n, err := Count()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= n {
		return nil, fault.New(fault.Device, "cuda", "there is no device %d: the driver %s sees %d; CUDA_VISIBLE_DEVICES may hide some",
			index, Path, n)
	}
	d := &Device{Index: index, staging: &staging{}, peers: &sync.Map{}, progress: &progress{}, readers: &readers{}, launcher: &launcher{}}
	h := new(int32)
	if s := dl.Call(cu.deviceGet, uintptr(unsafe.Pointer(h)), uintptr(index)); s != 0 {
		return nil, fail(s, "opening device %d", index)
	}
	d.handle = uintptr(*h)
	name, total := make([]byte, 128), new(uint64)
	if s := dl.Call(cu.deviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), d.handle); s != 0 {
		return nil, fail(s, "asking for the name of device %d", index)
	}
	d.Name = dl.GoString(uintptr(unsafe.Pointer(&name[0])))
	if s := dl.Call(cu.deviceTotalMem, uintptr(unsafe.Pointer(total)), d.handle); s != 0 {
		return nil, fail(s, "asking for the memory of device %d", index)
	}
	d.Memory = int64(*total)
	var pools int
	for a, to := range map[uintptr]*int{attrSMs: &d.SMs, attrShared: &d.Shared, attrMajor: &d.Major, attrMinor: &d.Minor,
		attrMemoryPools: &pools} {
		v := new(int32)
		if s := dl.Call(cu.deviceGetAttribute, uintptr(unsafe.Pointer(v)), a, d.handle); s != 0 {
			return nil, fail(s, "asking for attribute %d of device %d", a, index)
		}
		*to = int(*v)
	}
	if s := dl.Call(cu.primaryCtxRetain, uintptr(unsafe.Pointer(&d.context)), d.handle); s != 0 {
		return nil, fail(s, "making the context of device %d (%s)", index, d.Name)
	}
	d.asked = []uintptr{d.context}
	contexts.Add(1)
	if pools != 0 {
		if err := d.usePool(); err != nil {
			return nil, err
		}
	}
	profile.Once(begin, "opening the driver and device %d", index)
	const nonBlocking = 1
	return d, d.call("making a stream", func() uintptr {
		return dl.Call(cu.streamCreate, uintptr(unsafe.Pointer(&d.Stream)), nonBlocking)
	})
}

// usePool makes the driver cache freed memory, so that allocation needs no system call.
func (d *Device) usePool() error {
	if s := dl.Call(cu.deviceGetDefaultMemPool, uintptr(unsafe.Pointer(&d.pool)), d.handle); s != 0 {
		return fail(s, "asking for the memory pool of device %d", d.Index)
	}
	keep := new(uint64)
	*keep = 1<<64 - 1
	if s := dl.Call(cu.memPoolSetAttribute, d.pool, poolReleaseThreshold, uintptr(unsafe.Pointer(keep))); s != 0 {
		return fail(s, "setting up the memory pool of device %d", d.Index)
	}
	d.Pooled = true
	return nil
}

// With runs f on a thread whose current context is the device's; f calls C functions and returns their status.
func (d *Device) With(f func() uintptr) uintptr {
	if d.launcher != nil {
		d.launcher.drained()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if s := d.current(); s != 0 {
		return s
	}
	return uintptr(uint32(f()))
}

// contexts counts the devices that were opened. With one, a thread's context is that one or, rarely, none.
var contexts atomic.Int32

// current makes the context that of the calling thread.
func (d *Device) current() uintptr {
	return uintptr(uint32(dl.Call(cu.ctxSetCurrent, d.asked[:]...)))
}

// call is With for driver functions: the status becomes an error.
func (d *Device) call(doing string, f func() uintptr) error {
	if s := d.With(f); s != 0 {
		return fail(s, "%s on device %d (%s)", doing, d.Index, d.Name)
	}
	return d.refused()
}

// sized is call for something done to n bytes.
func (d *Device) sized(doing string, n int, f func() uintptr) error {
	if s := d.With(f); s != 0 {
		return fail(s, "%s (%d) on device %d (%s)", doing, n, d.Index, d.Name)
	}
	return d.refused()
}

// Sync waits until all submitted work is done. A fault of an earlier kernel shows here.
func (d *Device) Sync() error {
	return d.call("waiting for the stream", func() uintptr { return dl.Call(cu.streamSynchronize, d.Stream) })
}

// Free returns the free and the total bytes of the device.
func (d *Device) Free() (free, total int64, err error) {
	var v [2]uint64
	p := &v
	err = d.call("asking for free memory", func() uintptr {
		return dl.Call(cu.memGetInfo, uintptr(unsafe.Pointer(&p[0])), uintptr(unsafe.Pointer(&p[1])))
	})
	return int64(p[0]), int64(p[1]), err
}
