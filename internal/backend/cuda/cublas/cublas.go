package cublas

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/profile"
)

var fn struct {
	create, version, statusName                uintptr
	descCreate, descSet, layoutCreate          uintptr
	layoutSet, prefCreate, prefSet, prefDelete uintptr
	heuristic, matmul                          uintptr
}

// Path is where the library was found, Version its version (130100 for 13.1.0); set by Init.
var (
	Path    string
	Version int
)

var names = map[string][]string{
	"linux":   {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"},
	"windows": {"cublasLt64_13.dll", "cublasLt64_12.dll"},
}

// Init opens the library, once. Its error names each path tried.
var Init = sync.OnceValue(func() error {
	lib, err := dl.Open("cuBLASLt", names[runtime.GOOS], nvrtc.Named(), nvrtc.Folders()...)
	if err != nil {
		return fault.Wrap(fault.Device, "cublas", err,
			"matrix products need it: install the CUDA toolkit or the Python package nvidia-cublas, or name its folder in LUCID_CUDA_PATH")
	}
	Path = lib.Path
	if err := lib.Symbols(map[string]*uintptr{"cublasLtCreate": &fn.create, "cublasLtGetVersion": &fn.version,
		"cublasLtGetStatusName":    &fn.statusName,
		"cublasLtMatmulDescCreate": &fn.descCreate, "cublasLtMatmulDescSetAttribute": &fn.descSet,
		"cublasLtMatrixLayoutCreate":       &fn.layoutCreate,
		"cublasLtMatrixLayoutSetAttribute": &fn.layoutSet, "cublasLtMatmulPreferenceCreate": &fn.prefCreate,
		"cublasLtMatmulPreferenceSetAttribute": &fn.prefSet, "cublasLtMatmulPreferenceDestroy": &fn.prefDelete,
		"cublasLtMatmulAlgoGetHeuristic": &fn.heuristic, "cublasLtMatmul": &fn.matmul}); err != nil {
		return err
	}
	Version = int(dl.Call(fn.version))
	return nil
})

// TF32 allows float32 products to round their operands to ten bits of mantissa, for speed; off by default.
var TF32 atomic.Bool

// Handle computes products on one device.
type Handle struct {
	d      *driver.Device
	handle uintptr
	spaces [workspaces]uintptr
	one    sync.Mutex // held while a product is submitted: a split product is several kernels on one workspace
	mu     sync.Mutex
	plans  map[Product]*plan
	// Tuned counts the products whose algorithm was timed, Cached those whose algorithm was read from the cache.
	Tuned, Cached atomic.Int64
}

// workspace is what Hopper's fastest algorithms ask for. Products of a graph that run at the same time have different ones.
const (
	workspace  = 32 << 20
	workspaces = 3
)

// Spaces is how many workspaces there are.
func (h *Handle) Spaces() int { return len(h.spaces) }

// New makes a handle with workspaces of its own. Outside of graphs one is enough: all work is ordered on one stream, and the kernels of a
// split product are submitted under a lock.
func New(d *driver.Device) (*Handle, error) {
	begin := time.Now()
	if err := Init(); err != nil {
		return nil, err
	}
	profile.Once(begin, "opening cuBLASLt")
	begin = time.Now()
	h := &Handle{d: d, plans: map[Product]*plan{}}
	var err error
	for i := range h.spaces {
		if h.spaces[i], err = d.Alloc(workspace); err != nil {
			return nil, err
		}
	}
	if s := d.With(func() uintptr { return dl.Call(fn.create, uintptr(unsafe.Pointer(&h.handle))) }); s != 0 {
		return nil, failed(s, "starting cuBLASLt")
	}
	profile.Once(begin, "starting cuBLASLt")
	return h, nil
}

func failed(status uintptr, doing string) error {
	return fault.New(fault.Device, "cublas", "%s: %s (%d)", doing, dl.GoString(dl.Call(fn.statusName, status)), status)
}

// Matrix is the layout of an operand: strides of rows and columns, one of them 1, and of the matrices of a batch.
type Matrix struct{ Row, Column, Batch int }

// Product is a kind of product: z = x·y for a batch, x being [M, K], y [K, N], and z row-major with rows Pitch elements
// apart; 0: contiguous.
type Product struct {
	DType          dtype.DType
	Batch, M, N, K int
	X, Y           Matrix
	Pitch          int
	Wide           bool   // z has the unrounded sums of a half-precision product, in float32
	Align          [3]int // of z, x and y in bytes, 256 at most
	Deterministic  bool   // the algorithm does not depend on timings
	TF32           bool
	Epilogue       Epilogue
}

// Epilogue is what is done to a product before it is rounded and written, in this order.
type Epilogue struct {
	Residual      bool // a matrix with the layout of z is added
	Bias          bool // a vector of N elements is added to every row
	Aux           bool // the value so far is stored too
	Gelu          bool // tanh form
	DGelu         bool // instead: times gelu's derivative at a matrix with the layout of z, Aux in the operands
	BiasGrad      bool // with DGelu: its column sums, into Bias in the operands
	BiasGradLater bool // with DGelu: its column sums will be computed by a pass behind it
}

// Operands are the addresses of matrices; those of the epilogue are 0 without it. Z may be the residual. Space numbers the workspace.
type Operands struct {
	Z, X, Y, Bias, Residual, Aux uintptr
	Space                        int
}

// ErrUnsupported is what Run returns if the library has no algorithm for a product with its epilogue, or none that pays:
// nothing was written.
var ErrUnsupported = errors.New("cuBLASLt has no algorithm for this epilogue")

// AlignOf is the alignment of an address as Product counts it.
func AlignOf(p uintptr) int { return min(256, int(p&-p)) }

// Element types and compute types, as cuBLAS numbers them.
var (
	types = map[dtype.DType]uintptr{dtype.Float32: 0, dtype.Float64: 1, dtype.Float16: 2, dtype.Complex64: 4, dtype.Complex128: 5,
		dtype.BFloat16: 14}
	scales = map[dtype.DType]uintptr{dtype.Float32: 0, dtype.Float64: 1, dtype.Float16: 0, dtype.Complex64: 4, dtype.Complex128: 5,
		dtype.BFloat16: 0}
	computes = map[dtype.DType]uintptr{dtype.Float32: 68, dtype.Float64: 70, dtype.Float16: 68, dtype.Complex64: 68, dtype.Complex128: 70,
		dtype.BFloat16: 68}
)

const computeTF32 = 77

// Supports reports whether products of a dtype can be computed.
func Supports(d dtype.DType) bool { _, ok := types[d]; return ok }

// Run computes a product on the stream of d; timing is false during a capture. The first one of its kind chooses the
// algorithm.
func (h *Handle) Run(d *driver.Device, p Product, timing bool, o Operands) error {
	p.TF32 = TF32.Load() && (p.DType == dtype.Float32 || p.DType == dtype.Complex64)
	if p.Pitch == 0 {
		p.Pitch = p.N
	}
	h.mu.Lock()
	l := h.plans[p]
	if l == nil {
		begin := time.Now()
		var err error
		if l, err = h.plan(p, timing, o); err != nil && p.Epilogue == (Epilogue{}) {
			h.mu.Unlock()
			return err
		}
		if err != nil {
			l = &plan{unsupported: true}
		}
		h.plans[p] = l
		profile.Once(begin, "algorithm of %v", p)
	}
	h.mu.Unlock()
	if l.unsupported {
		return ErrUnsupported
	}
	if s := h.launch(d, l, &l.algo, o); s != 0 {
		return fault.New(fault.Device, "matmul", "cuBLASLt cannot make %v: %s (%d)", p, dl.GoString(dl.Call(fn.statusName, s)), s)
	}
	return nil
}

// String names the product.
func (p Product) String() string {
	s := fmt.Sprintf("%d products of [%d %d] and [%d %d] of %v", p.Batch, p.M, p.K, p.K, p.N, p.DType)
	if p.Wide {
		s += " into float32"
	}
	if p.Epilogue != (Epilogue{}) {
		s += fmt.Sprintf(" %+v", p.Epilogue)
	}
	return s
}

// launch submits a product. cuBLAS is column-major and we are row-major: a row-major matrix is its transpose, so z = x·y is
// computed as zᵀ = yᵀ·xᵀ.
func (h *Handle) launch(d *driver.Device, l *plan, algo *algorithm, o Operands) uintptr {
	added, by := o.Z, uintptr(unsafe.Pointer(&l.scale[2]))
	if o.Residual != 0 {
		added, by = o.Residual, uintptr(unsafe.Pointer(&l.scale[0]))
	}
	l.mu.Lock() // the addresses of an epilogue's operands are part of the descriptor
	defer l.mu.Unlock()
	h.one.Lock()
	defer h.one.Unlock()
	s := d.With(func() uintptr {
		if s := l.point(o); s != 0 {
			return s
		}
		return dl.Call(fn.matmul, h.handle, l.desc, uintptr(unsafe.Pointer(&l.scale[0])), o.Y, l.y, o.X, l.x, by,
			added, l.z, o.Z, l.z, uintptr(unsafe.Pointer(algo)), h.spaces[o.Space], workspace, d.Stream)
	})
	runtime.KeepAlive(l)
	return s
}
