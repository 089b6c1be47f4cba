package cublas

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

var fn struct{ create, setStream, setMathMode, setWorkspace, version, statusName, gemm, gemmBatched uintptr }

// Path is where the library was found; set by Init.
var Path string

var names = map[string][]string{
	"linux":   {"libcublas.so.13", "libcublas.so.12", "libcublas.so"},
	"windows": {"cublas64_13.dll", "cublas64_12.dll"},
}

// Init opens the library, once. Its error names each path tried.
var Init = sync.OnceValue(func() error {
	lib, err := dl.Open("cuBLAS", names[runtime.GOOS], nvrtc.Folders()...)
	if err != nil {
		return fault.Wrap(fault.Device, "cublas", err, "matrix products need it: install the CUDA toolkit or the Python package nvidia-cublas, or name its folder in LUCID_CUDA_PATH")
	}
	Path = lib.Path
	return lib.Symbols(map[string]*uintptr{"cublasCreate_v2": &fn.create, "cublasSetStream_v2": &fn.setStream, "cublasSetMathMode": &fn.setMathMode,
		"cublasSetWorkspace_v2": &fn.setWorkspace, "cublasGetVersion_v2": &fn.version, "cublasGetStatusName": &fn.statusName,
		"cublasGemmEx": &fn.gemm, "cublasGemmStridedBatchedEx": &fn.gemmBatched})
})

// Handle makes products on one device, in its stream's order.
type Handle struct {
	d       *driver.Device
	handle  uintptr
	mu      sync.Mutex // a handle serves one thread at a time
	Version int
}

// workspace is what Hopper's fastest algorithms ask for.
const workspace = 32 << 20

// New makes a handle with a workspace of its own, so that results do not vary from run to run.
func New(d *driver.Device) (*Handle, error) {
	if err := Init(); err != nil {
		return nil, err
	}
	h := &Handle{d: d}
	space, err := d.Alloc(workspace)
	if err != nil {
		return nil, err
	}
	v := new(int32)
	for _, c := range []struct {
		doing string
		f     func() uintptr
	}{
		{"starting cuBLAS", func() uintptr { return dl.Call(fn.create, uintptr(unsafe.Pointer(&h.handle))) }},
		{"choosing the stream", func() uintptr { return dl.Call(fn.setStream, h.handle, d.Stream) }},
		{"setting the workspace", func() uintptr { return dl.Call(fn.setWorkspace, h.handle, space, workspace) }},
		{"forbidding TF32 and sums in halves", func() uintptr { return dl.Call(fn.setMathMode, h.handle, 16) }},
		{"asking for the version", func() uintptr { return dl.Call(fn.version, h.handle, uintptr(unsafe.Pointer(v))) }},
	} {
		if s := d.With(c.f); s != 0 {
			return nil, failed(s, c.doing)
		}
	}
	h.Version = int(*v)
	return h, nil
}

func failed(status uintptr, doing string) error {
	return fault.New(fault.Device, "cublas", "%s: %s (%d)", doing, dl.GoString(dl.Call(fn.statusName, status)), status)
}

// Matrix is an operand in memory: Rows and columns lie Row or Column elements apart, one of them 1, and matrices of a
// batch Batch elements.
type Matrix struct {
	Address     uintptr
	Row, Column int
	Batch       int
}

// The names of element types and of the arithmetic, as cuBLAS numbers them.
var (
	types    = map[dtype.DType]uintptr{dtype.Float32: 0, dtype.Float64: 1, dtype.Float16: 2, dtype.Complex64: 4, dtype.Complex128: 5, dtype.BFloat16: 14}
	computes = map[dtype.DType]uintptr{dtype.Float32: 68, dtype.Float64: 70, dtype.Float16: 68, dtype.Complex64: 68, dtype.Complex128: 70, dtype.BFloat16: 68}
)

// Supports reports whether products of a dtype can be made.
func Supports(d dtype.DType) bool { _, ok := types[d]; return ok }

// op is how cuBLAS, which counts by columns, sees a matrix of ours, which counts by rows: a row-major matrix is its
// transpose, so the product z = x·y is made as zᵀ = yᵀ·xᵀ.
func (m Matrix) op() (trans, lead uintptr) {
	if m.Column == 1 {
		return 0, uintptr(m.Row)
	}
	return 1, uintptr(m.Column)
}

// Product makes z = x·y for a batch, z being contiguous: x is [m, k], y is [k, n].
func (h *Handle) Product(d dtype.DType, batch, m, n, k int, z uintptr, x, y Matrix) error {
	// alpha, then beta, in the type of the arithmetic.
	scale := new([4]float64)
	if c := computes[d]; c == 70 {
		scale[0] = 1
	} else {
		*(*float32)(unsafe.Pointer(scale)) = 1
	}
	tx, lx := x.op()
	ty, ly := y.op()
	t := types[d]
	h.mu.Lock()
	defer h.mu.Unlock()
	const algorithm = ^uintptr(0) // CUBLAS_GEMM_DEFAULT is -1
	s := h.d.With(func() uintptr {
		if batch == 1 {
			return dl.Call(fn.gemm, h.handle, ty, tx, uintptr(n), uintptr(m), uintptr(k), uintptr(unsafe.Pointer(&scale[0])),
				y.Address, t, ly, x.Address, t, lx, uintptr(unsafe.Pointer(&scale[2])), z, t, uintptr(n), computes[d], algorithm)
		}
		return dl.Call(fn.gemmBatched, h.handle, ty, tx, uintptr(n), uintptr(m), uintptr(k), uintptr(unsafe.Pointer(&scale[0])),
			y.Address, t, ly, uintptr(y.Batch), x.Address, t, lx, uintptr(x.Batch), uintptr(unsafe.Pointer(&scale[2])),
			z, t, uintptr(n), uintptr(m*n), uintptr(batch), computes[d], algorithm)
	})
	runtime.KeepAlive(scale)
	if s != 0 {
		return fault.New(fault.Device, "matmul", "cuBLAS cannot multiply %d pairs of [%d %d] and [%d %d] of %v: %s (%d)", batch, m, k, k, n, d, dl.GoString(dl.Call(fn.statusName, s)), s)
	}
	return nil
}
