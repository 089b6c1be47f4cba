package driver

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
)

// Function is a kernel of a loaded module.
type Function struct {
	handle uintptr
	name   string
	Label  string       // what it is for
	PDL    bool         // it waits by itself for its predecessors (PDL), and touches no memory before
	shared atomic.Int64 // bytes of dynamic shared memory beyond the default limit
	carved atomic.Int64 // Device.Carveout that it was given
	group  atomic.Int32 // clusters of it: 1 can run, -1 cannot
	proven atomic.Bool  // it was launched before: a refusal from now on can only be the device's fault
}

const (
	everyShared      = 48 << 10
	attrSharedMemory = 8
	attrCarveout     = 9
	attrAnyCluster   = 14
)

// Load loads a cubin or PTX and finds a kernel in it. Modules stay loaded.
func (d *Device) Load(image []byte, name string) (*Function, error) {
	m, f, cname := new(uintptr), new(uintptr), dl.CString(name)
	image = append(image[:len(image):len(image)], 0) // PTX is a C string
	if err := d.call("loading the module of "+name, func() uintptr {
		return dl.Call(cu.moduleLoadData, uintptr(unsafe.Pointer(m)), uintptr(unsafe.Pointer(unsafe.SliceData(image))))
	}); err != nil {
		return nil, err
	}
	err := d.call("finding the kernel "+name, func() uintptr {
		return dl.Call(cu.moduleGetFunction, uintptr(unsafe.Pointer(f)), *m, uintptr(unsafe.Pointer(cname)))
	})
	runtime.KeepAlive(image)
	runtime.KeepAlive(cname)
	return &Function{handle: *f, name: name}, err
}

// clusterConfig is what the driver is asked about: CUlaunchConfig.
type clusterConfig struct {
	grid, block   [3]uint32
	shared        uint32
	stream, attrs uintptr
	count         uint32
}

// Clusters reports whether clusters of so many blocks of a kernel can run, which is compiled for that size.
func (d *Device) Clusters(f *Function, blocks, threads int) (bool, error) {
	if c := f.group.Load(); c != 0 {
		return c > 0, nil
	}
	if cu.occupancyClusters == 0 {
		return false, nil
	}
	if err := d.call("allowing large clusters of "+f.name, func() uintptr {
		return dl.Call(cu.funcSetAttribute, f.handle, attrAnyCluster, 1)
	}); err != nil {
		return false, err
	}
	n, c := new(int32), &clusterConfig{grid: [3]uint32{uint32(blocks), 1, 1}, block: [3]uint32{uint32(threads), 1, 1}}
	if err := d.call("asking how many clusters of "+f.name+" can run", func() uintptr {
		return dl.Call(cu.occupancyClusters, uintptr(unsafe.Pointer(n)), f.handle, uintptr(unsafe.Pointer(c)))
	}); err != nil {
		return false, err
	}
	runtime.KeepAlive(c)
	if *n > 0 {
		f.group.Store(1)
	} else {
		f.group.Store(-1)
	}
	return *n > 0, nil
}

// launching is the memory of a launch on the heap: what C reads must not move, as a goroutine's stack may.
type launching struct {
	params [1]unsafe.Pointer
	words  [64]uint64
	list   [11]uintptr
	// For the launcher: the kernel's name, or the event to record instead.
	name  string
	event uintptr
}

// fill sets what to launch; words holds the arguments.
func (l *launching) fill(d *Device, f *Function, gridX, gridY, threads, shared int, words []uint64) {
	l.params[0] = unsafe.Pointer(unsafe.SliceData(words))
	l.list = [11]uintptr{f.handle, uintptr(gridX), uintptr(gridY), 1, uintptr(threads), 1, 1, uintptr(shared), d.Stream,
		uintptr(unsafe.Pointer(&l.params[0])), 0}
	l.name, l.event = f.name, 0
}

var launchings = sync.Pool{New: func() any { return new(launching) }}

// Launch submits a grid. args is the kernel's one parameter, a struct passed by value; it is copied before Launch returns.
// shared is dynamic shared memory, in bytes.
func (d *Device) Launch(f *Function, gridX, gridY, threads, shared int, args []uint64) error {
	if shared > everyShared && int64(shared) > f.shared.Load() {
		if err := d.sized("giving "+f.name+" bytes of shared memory", shared, func() uintptr {
			return dl.Call(cu.funcSetAttribute, f.handle, attrSharedMemory, uintptr(shared))
		}); err != nil {
			return err
		}
		f.shared.Store(int64(shared))
	}
	if d.PDL && f.PDL {
		if c := int64(d.Carveout); c > 0 && f.carved.Swap(c) != c {
			if err := d.call("dividing the memory of multiprocessors for "+f.name, func() uintptr {
				return dl.Call(cu.funcSetAttribute, f.handle, attrCarveout, uintptr(c))
			}); err != nil {
				return err
			}
		}
		if err := d.pdl(); err != nil {
			return err
		}
	}
	if q := d.launcher; q != nil {
		if f.proven.Load() && len(args) <= len(launching{}.words) && d.takesOver() && q.add(func(l *launching) {
			copy(l.words[:], args)
			l.fill(d, f, gridX, gridY, threads, shared, l.words[:])
		}) {
			return q.refused()
		}
		if q.head.Load() != q.tail.Load() {
			q.drained()
		}
	}
	l := launchings.Get().(*launching)
	words := l.words[:]
	if len(args) > len(words) {
		words = make([]uint64, len(args))
	}
	copy(words, args)
	l.fill(d, f, gridX, gridY, threads, shared, words)
	s := d.launch(l)
	l.params[0] = nil
	launchings.Put(l)
	if s != 0 {
		return fail(s, "launching %s with %dx%d blocks of %d threads on device %d (%s)", f.name, gridX, gridY, threads, d.Index, d.Name)
	}
	if !f.proven.Load() {
		f.proven.Store(true)
	}
	return nil
}

// launch submits what l holds. The context is nearly always current already, and setting it costs a call: with a single
// context it is set only when a launch fails.
func (d *Device) launch(l *launching) uintptr {
	if contexts.Load() == 1 && uint32(dl.Call(cu.launchKernel, l.list[:]...)) == 0 {
		return 0
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if s := d.current(); s != 0 {
		return s
	}
	return uintptr(uint32(dl.Call(cu.launchKernel, l.list[:]...)))
}

// LaunchParams submits a grid; params points to a pointer to each of the kernel's parameters, which are copied before it
// returns.
func (d *Device) LaunchParams(f *Function, blocks, threads [3]int, shared int, params *unsafe.Pointer) error {
	s := d.With(func() uintptr {
		return dl.Call(cu.launchKernel, f.handle, uintptr(blocks[0]), uintptr(blocks[1]), uintptr(blocks[2]), uintptr(threads[0]),
			uintptr(threads[1]), uintptr(threads[2]),
			uintptr(shared), d.Stream, uintptr(unsafe.Pointer(params)), 0)
	})
	runtime.KeepAlive(params)
	if s != 0 {
		return fail(s, "launching %s with %v blocks of %v threads on device %d (%s)", f.name, blocks, threads, d.Index, d.Name)
	}
	return nil
}
