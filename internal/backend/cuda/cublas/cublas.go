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

// Path is where the library was found, Version what it says of itself (130100 for 13.1.0); set by Init.
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
		return fault.Wrap(fault.Device, "cublas", err, "matrix products need it: install the CUDA toolkit or the Python package nvidia-cublas, or name its folder in LUCID_CUDA_PATH")
	}
	Path = lib.Path
	if err := lib.Symbols(map[string]*uintptr{"cublasLtCreate": &fn.create, "cublasLtGetVersion": &fn.version, "cublasLtGetStatusName": &fn.statusName,
		"cublasLtMatmulDescCreate": &fn.descCreate, "cublasLtMatmulDescSetAttribute": &fn.descSet, "cublasLtMatrixLayoutCreate": &fn.layoutCreate,
		"cublasLtMatrixLayoutSetAttribute": &fn.layoutSet, "cublasLtMatmulPreferenceCreate": &fn.prefCreate,
		"cublasLtMatmulPreferenceSetAttribute": &fn.prefSet, "cublasLtMatmulPreferenceDestroy": &fn.prefDelete,
		"cublasLtMatmulAlgoGetHeuristic": &fn.heuristic, "cublasLtMatmul": &fn.matmul}); err != nil {
		return err
	}
	Version = int(dl.Call(fn.version))
	return nil
})

// TF32 lets float32 products keep only ten bits of their operands, for speed; off by default.
var TF32 atomic.Bool

// Handle makes products on one device.
type Handle struct {
	d      *driver.Device
	handle uintptr
	space  uintptr
	one    sync.Mutex // of who asks for a product: its kernels stand one behind the other
	mu     sync.Mutex
	plans  map[Product]*plan
	// Tuned counts the products whose algorithm was chosen by the clock, Kept those it was remembered for.
	Tuned, Kept atomic.Int64
}

// workspace is what Hopper's fastest algorithms ask for.
const workspace = 32 << 20

// New makes a handle with a workspace of its own. All work runs in one stream's order, and of products that are parts of sums and
// then the sums of those no two goroutines ask at a time: so one is enough.
func New(d *driver.Device) (*Handle, error) {
	begin := time.Now()
	if err := Init(); err != nil {
		return nil, err
	}
	profile.Once(begin, "opening cuBLASLt")
	begin = time.Now()
	h := &Handle{d: d, plans: map[Product]*plan{}}
	var err error
	if h.space, err = d.Alloc(workspace); err != nil {
		return nil, err
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

// Matrix is how an operand lies: rows and columns are Row or Column elements apart, one of them 1, and matrices of a
// batch Batch elements.
type Matrix struct{ Row, Column, Batch int }

// Product is a kind of product: z = x·y for a batch, x being [M, K], y [K, N], and z by rows, which lie Pitch elements apart;
// 0: one behind the other.
type Product struct {
	DType          dtype.DType
	Batch, M, N, K int
	X, Y           Matrix
	Pitch          int
	Wide           bool   // z has the sums of halves as they are, in float32
	Align          [3]int // of z, x and y in bytes, 256 at most
	Deterministic  bool   // the algorithm does not depend on the clock
	TF32           bool
	After          Epilogue
}

// Epilogue is what is done to a product before it is rounded and written, in this order.
type Epilogue struct {
	Residual bool // a matrix that lies like z is added
	Bias     bool // a vector of N elements is added to every row
	Aux      bool // what is there now is written too
	Gelu     bool // by the hyperbolic tangent
	Slope    bool // instead: times the slope of gelu at a matrix that lies like z, Aux in the operands
	Sums     bool // with Slope: its columns are added up, into Bias in the operands
	Later    bool // with Slope: its columns will be added up behind it
}

// Operands are where matrices lie; those of the epilogue are 0 without it. Z may be the residual.
type Operands struct{ Z, X, Y, Bias, Residual, Aux uintptr }

// ErrUnsupported is what Run returns if the library cannot make a product with its epilogue, or not as fast as without: the
// result is not there.
var ErrUnsupported = errors.New("cuBLASLt has no algorithm for this epilogue")

// AlignOf is the alignment of an address as Product counts it.
func AlignOf(p uintptr) int { return min(256, int(p&-p)) }

// The names of element types and of the arithmetic, as cuBLAS numbers them.
var (
	types    = map[dtype.DType]uintptr{dtype.Float32: 0, dtype.Float64: 1, dtype.Float16: 2, dtype.Complex64: 4, dtype.Complex128: 5, dtype.BFloat16: 14}
	scales   = map[dtype.DType]uintptr{dtype.Float32: 0, dtype.Float64: 1, dtype.Float16: 0, dtype.Complex64: 4, dtype.Complex128: 5, dtype.BFloat16: 0}
	computes = map[dtype.DType]uintptr{dtype.Float32: 68, dtype.Float64: 70, dtype.Float16: 68, dtype.Complex64: 68, dtype.Complex128: 70, dtype.BFloat16: 68}
)

const computeTF32 = 77

// Supports reports whether products of a dtype can be made.
func Supports(d dtype.DType) bool { _, ok := types[d]; return ok }

// Run makes a product on the stream of d; timing is false while it is recorded. The first one of its kind chooses the
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
		if l, err = h.plan(p, timing, o); err != nil && p.After == (Epilogue{}) {
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
	if p.After != (Epilogue{}) {
		s += fmt.Sprintf(" %+v", p.After)
	}
	return s
}

// launch asks for a product. cuBLAS counts by columns and we by rows: a row-major matrix is its transpose, so z = x·y is
// made as zᵀ = yᵀ·xᵀ.
func (h *Handle) launch(d *driver.Device, l *plan, algo *algorithm, o Operands) uintptr {
	added, by := o.Z, uintptr(unsafe.Pointer(&l.scale[2]))
	if o.Residual != 0 {
		added, by = o.Residual, uintptr(unsafe.Pointer(&l.scale[0]))
	}
	l.mu.Lock() // the addresses of an epilogue's operands are part of the description
	defer l.mu.Unlock()
	h.one.Lock()
	defer h.one.Unlock()
	s := d.With(func() uintptr {
		if s := l.point(o); s != 0 {
			return s
		}
		return dl.Call(fn.matmul, h.handle, l.desc, uintptr(unsafe.Pointer(&l.scale[0])), o.Y, l.y, o.X, l.x, by,
			added, l.z, o.Z, l.z, uintptr(unsafe.Pointer(algo)), h.space, workspace, d.Stream)
	})
	runtime.KeepAlive(l)
	return s
}
