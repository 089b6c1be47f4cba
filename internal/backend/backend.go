// Package backend is the contract between the engine and a device: views of memory, kernels found by
// name, programs of fused elementwise ops. Nothing here knows of graphs.
package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// View is an operand of a kernel: a buffer seen with a dtype, a shape and a layout.
type View struct {
	Buf   *mem.Buffer
	DType dtype.DType
	Shape *shape.Shape
	Lay   *shape.Layout // nil: row-major from the start of the buffer
}

// Strides returns the strides in elements.
func (v View) Strides() []int {
	if v.Lay == nil {
		return v.Shape.Strides()
	}
	return v.Lay.Strides
}

// Offset returns the offset of the first element, in elements.
func (v View) Offset() int {
	if v.Lay == nil {
		return 0
	}
	return v.Lay.Offset
}

// Contiguous reports whether the elements follow each other in row-major order.
func (v View) Contiguous() bool { return v.Lay.IsContiguous(v.Shape) }

// Numel returns the number of elements.
func (v View) Numel() int { return v.Shape.Numel() }

// Bytes returns the bytes of a contiguous view.
func (v View) Bytes() []byte {
	o, s := v.Offset(), v.DType.Size()
	return v.Buf.Mem[o*s : (o+v.Numel())*s]
}

// Slice returns the elements of a contiguous view.
func Slice[T any](v View) []T { return dtype.Slice[T](v.Bytes()) }

// Whole returns all elements of the view's buffer from its offset on, for strided access.
func Whole[T any](v View) []T { return dtype.Slice[T](v.Buf.Mem[v.Offset()*v.DType.Size():]) }

// Base returns the address of element 0 of the buffer, for negative strides.
func (v View) Base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(v.Buf.Mem)) }

// Ctx is what a kernel may use in addition to its operands.
type Ctx struct {
	Context       context.Context
	Deterministic bool
	// For runs fixed blocks, some at the same time; see package par.
	For func(n int, f func(block int)) error
	// DeferCheck leaves a check for the end of the evaluation: whether a launch that ran had a device error. An
	// asynchronous device uses it so as not to wait after every such launch; nil: check at once.
	DeferCheck func(check func() error)
	// NoCompile asks a device that would first have to compile its kernel to return ErrNotCompiled instead: the caller holds a lock.
	NoCompile bool
	// LaunchMode, if set, asks a device to do something with a launch other than running it: compile its kernel, or record it. It comes
	// from the device's Precompile or Capture; kernels that run on the host refuse it. Step is then the launch's number.
	LaunchMode any
	Step       int
	// LaunchCache, if not nil, belongs to a launch from run to run of its program: the device may cache there what it derived from the
	// operands' dtypes, shapes and layouts, which stay the same; buffers do not.
	LaunchCache *any
	// StableInputs says by bits which inputs of the launch are not written during the run: one that has the buffer of an earlier run, and
	// the same mem.Buffer.Version, has the same value.
	StableInputs uint64
}

// ErrNotCompiled is what RunFused returns under Ctx.NoCompile if the kernel must be compiled first; nothing was done.
var ErrNotCompiled = errors.New("the kernel is not compiled yet")

// ErrNoKernel is what a kernel returns for operands it was not written for, before it did anything: the op then runs as
// if there were no kernel.
var ErrNoKernel = errors.New("no kernel for these operands")

// Kernel computes out from in. Outputs are contiguous, fresh or donated, and never overlap inputs in part. The views are
// the caller's: a kernel does not change them.
type Kernel func(c *Ctx, a attr.Attr, out, in []View) error

// Table finds kernels by the op's name.
type Table map[string]Kernel

// Device is where kernels run. What it can do beyond that is in the interfaces it embeds, which Implement sets; nil: it cannot.
type Device struct {
	Type  string // "cpu", "cuda", "ref", …
	Index int
	Pool  *mem.Pool
	Table Table
	// Host says that the device computes on ordinary memory, so that a kernel of the reference device can stand in.
	Host bool

	Fuser
	ReductionFuser
	EpilogueFuser
	HorizontalFuser
	RowFuser
	ProductGrouper
	CastFolder
	Pitcher
	StridedWriter
	Enqueuer
	Waiter
	Transfer
	PeerCopier
	Precompiler
	Capturer
	ControlRecorder
	Configurable
	HostFallback
}

// String names the device: "cpu", "cuda:1".
func (d *Device) String() string {
	if d.Index == 0 {
		return d.Type
	}
	return fmt.Sprintf("%s:%d", d.Type, d.Index)
}

// Opener opens device number index, or says why it cannot.
type Opener func(index int) (*Device, error)

var registry struct {
	sync.Mutex
	openers map[string]Opener
	open    map[string]*Device
}

// Register makes a device type available; a device package calls it from init.
func Register(typ string, open Opener) {
	registry.Lock()
	defer registry.Unlock()
	if registry.openers == nil {
		registry.openers, registry.open = make(map[string]Opener), make(map[string]*Device)
	}
	registry.openers[typ] = open
}

// Types lists the device types that are available, sorted.
func Types() []string {
	registry.Lock()
	defer registry.Unlock()
	return slices.Sorted(maps.Keys(registry.openers))
}

// Opened lists the devices that were opened, sorted by type and index.
func Opened() []*Device {
	registry.Lock()
	defer registry.Unlock()
	list := slices.Collect(maps.Values(registry.open))
	slices.SortFunc(list, func(a, b *Device) int { return cmp.Or(strings.Compare(a.Type, b.Type), a.Index-b.Index) })
	return list
}

// Open returns the device, opening it the first time.
func Open(typ string, index int) (*Device, error) {
	registry.Lock()
	defer registry.Unlock()
	key := fmt.Sprintf("%s:%d", typ, index)
	if d := registry.open[key]; d != nil {
		return d, nil
	}
	open := registry.openers[typ]
	if open == nil {
		known := strings.Join(slices.Sorted(maps.Keys(registry.openers)), " ")
		return nil, fault.New(fault.Device, "device",
			"unknown device type %q; known: %s (CUDA needs import _ \"github.com/lucid-go/lucid/cuda\")", typ, known)
	}
	d, err := open(index)
	if err != nil {
		return nil, err
	}
	registry.open[key] = d
	return d, nil
}
