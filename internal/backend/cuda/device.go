package cuda

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/cudnn"
	"github.com/lucid-go/lucid/internal/backend/cuda/cufft"
	"github.com/lucid-go/lucid/internal/backend/cuda/cusolver"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

// Device is one GPU in one launch mode: a capture and a precompilation each have a Device of their own.
type Device struct {
	*shared
	*driver.Device // with the stream launches go to
	pool           *mem.Pool
	mode           launchMode
	rec            *recorder    // of the mode that captures
	held           *heldProgram // a launch that it has not captured yet
}

// shared is what a GPU's Devices have in common.
type shared struct {
	arch    string
	kernels sync.Map     // key → *compiled
	setters sync.Map     // name → *driver.Function, of control.go
	queue   compileQueue // of kernels to compile
	begun   atomic.Int64
	slow    bool // LUCID_CUDA_SYNC=1: synchronise after every launch, so that a fault names its kernel
	strict  bool
	times   kernelTimes

	timeline *timeline // nil unless LUCID_CUDA_TIMELINE=1

	faults *faultRecords

	blasOnce  sync.Once
	blas      *cublas.Handle
	blasErr   error
	blasAsked atomic.Bool // a caller needs matmuls

	dnnOnce   sync.Once
	dnnDone   atomic.Bool
	dnnHandle *cudnn.Handle // nil: not found
	dnnErr    error
	dnnOff    bool
	dnnUsed   bool     // by an earlier process
	dnnAlways bool     // also for work too small to pay, in tests
	dnnOps    sync.Map // op → *atomic.Int64: calls done by cuDNN

	fftOnce sync.Once
	fft     *cufft.Handle // nil: not found
	fftErr  error

	solverOnce sync.Once
	solver     *cusolver.Handle // nil: not found
	solverErr  error

	attentions attentionWork

	graphs graphs

	// Fallbacks counts ops that ran on the host because the device has no kernel for them.
	Fallbacks atomic.Int64
	byOp      sync.Map // op → *atomic.Int64
}

var table = map[string]kernel{}

// register adds kernels to the table; each family does so from init.
func register(t map[string]kernel) {
	for name, k := range t {
		if table[name] != nil {
			panic("lucid: internal: cuda has two kernels for " + name)
		}
		table[name] = k
	}
}

// Open opens device number index for the engine. Libraries are opened at first use.
func Open(index int) (*backend.Device, *Device, error) {
	cold := nvrtc.Cold()
	if cold {
		go func() { _ = nvrtc.Init() }() // a caller that compiles sees the error again
	}
	dd, err := driver.Open(index)
	if err != nil {
		return nil, nil, err
	}
	d := &Device{Device: dd, shared: &shared{arch: fmt.Sprintf("sm_%d%d", dd.Major, dd.Minor), slow: os.Getenv("LUCID_CUDA_SYNC") == "1",
		strict: os.Getenv("LUCID_CUDA_STRICT") == "1",
		dnnOff: os.Getenv("LUCID_CUDA_CUDNN") == "0", dnnAlways: os.Getenv("LUCID_CUDA_CUDNN") == "always"}}
	if os.Getenv("LUCID_CUDA_TIMELINE") == "1" {
		if d.timeline, err = newTimeline(dd); err != nil {
			return nil, nil, err
		}
	}
	d.pool = mem.NewPool(fmt.Sprintf("cuda:%d (%s)", index, dd.Name), &source{d: dd, free: map[int][]uintptr{}, size: map[uintptr]int{}})
	if d.faults, err = newFaultRecords(d); err != nil {
		return nil, nil, err
	}
	b := &backend.Device{Type: "cuda", Index: index, Pool: d.pool, Table: backend.Table{}}
	if os.Getenv("LUCID_CUDA_GRAPHS") == "0" {
		b.Implement(capabilities{d: d})
	} else {
		d.graphs.open(d)
		b.Implement(withGraphs{capabilities{d: d}})
	}
	for name, k := range table {
		b.Table[name] = d.bind(name, k)
	}
	opened.Store(b, d)
	d.preload(cold)
	return b, d, nil
}

// settings identifies the global settings that change how matmuls and convolutions are computed.
func settings() int64 {
	if cublas.TF32.Load() {
		return 1
	}
	return 0
}

func (d *Device) upload(dst *mem.Buffer, src []byte) error {
	if dst.Mem != nil {
		copy(dst.Mem, src)
		return nil
	}
	if err := d.Upload(dst.Dev, src); err != nil {
		return err
	}
	return d.made(len(src), dst)
}

// made stores the number of the work just submitted in the buffers it writes; bytes is how much memory it uses.
func (d *Device) made(bytes int, bufs ...*mem.Buffer) error {
	n, err := d.Submitted(bytes)
	for _, b := range bufs {
		b.LastWrite.Store(n)
	}
	return err
}

// did submits work, and stores its number in the outputs.
func (d *Device) did(out, in []backend.View, run func() error) error {
	if err := run(); err != nil || d.mode != running {
		return err
	}
	return d.note(out, in)
}

// note numbers the work that writes outputs.
func (d *Device) note(out, in []backend.View) error {
	bytes := 0
	for i := range out {
		bytes += out[i].Buf.Size
	}
	for i := range in {
		bytes += in[i].Buf.Size
	}
	n, err := d.Submitted(bytes)
	for i := range out {
		out[i].Buf.LastWrite.Store(n)
	}
	return err
}

func (d *Device) download(dst []byte, src *mem.Buffer) error {
	if src.Mem != nil {
		copy(dst, src.Mem)
		return nil
	}
	return d.Download(dst, src.Dev, src.LastWrite.Load())
}

// opened maps the engine's device to ours.
var opened sync.Map // *backend.Device → *Device

// peer copies from another GPU.
func (d *Device) peer(dst, src *mem.Buffer, from *backend.Device) error {
	f, ok := opened.Load(from)
	if !ok {
		return fault.New(fault.Device, "to_device", "%v is not open", from)
	}
	if err := d.Device.CopyPeer(dst.Dev, f.(*Device).Device, src.Dev, src.Size); err != nil {
		return err
	}
	return d.made(src.Size, dst)
}

// onHost are the ops that run on the host by choice, and why. LUCID_CUDA_STRICT=1 allows them too.
var onHost = map[string]string{
	"eig": "of small matrices, and where cuSOLVER has no Xgeev: " +
		"its iterations depend on each other, and the host is faster at them",
	"ldl_factor":      "each of its steps chooses a pivot; Cholesky and LU have kernels",
	"class_loss":      "on a GPU class_nll and ops around it are recorded instead",
	"class_loss_grad": "it belongs to class_loss",
	"ldl_solve":       "it solves with the factors of ldl_factor, which are on the host",
}

// RunsOnHost reports whether an op runs on the host by choice.
func RunsOnHost(op string) bool { return onHost[op] != "" }

// fallback counts an op that runs on the host, or refuses it.
func (d *Device) fallback(op string) error {
	if d.strict && onHost[op] == "" {
		return fault.New(fault.NotImplemented, op, "cuda has no kernel for it, and LUCID_CUDA_STRICT=1 forbids running it on the host")
	}
	d.Fallbacks.Add(1)
	n, _ := d.byOp.LoadOrStore(op, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	return nil
}

// FallbackOps returns how often each op ran on the host.
func (d *Device) FallbackOps() map[string]int64 {
	m := map[string]int64{}
	d.byOp.Range(func(op, n any) bool {
		m[op.(string)] = n.(*atomic.Int64).Load()
		return true
	})
	return m
}

// HasKernel reports whether an op has a kernel of its own or can be fused, for some dtypes at least.
func HasKernel(op string) bool { return table[op] != nil || kinds[op] != "" }
