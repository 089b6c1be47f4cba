package cusolver

import (
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/profile"
)

// Path is where cuSOLVER was found; set by Init.
var Path string

var (
	names = map[string][]string{
		"linux":   {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"},
		"windows": {"cusolver64_12.dll", "cusolver64_11.dll"},
	}
	blasNames = map[string][]string{
		"linux":   {"libcublas.so.13", "libcublas.so.12", "libcublas.so"},
		"windows": {"cublas64_13.dll", "cublas64_12.dll"},
	}
)

// routines are the functions of cuSOLVER with a version for each element type; those of complex types have other names at times.
var routines = map[string]string{"getrf": "", "getrf_bufferSize": "", "potrf": "", "potrf_bufferSize": "", "geqrf": "",
	"geqrf_bufferSize": "", "orgqr": "ungqr", "orgqr_bufferSize": "ungqr_bufferSize", "syevd": "heevd",
	"syevd_bufferSize": "heevd_bufferSize", "gesvdj": "", "gesvdj_bufferSize": ""}

var letters = map[dtype.DType]string{dtype.Float32: "S", dtype.Float64: "D", dtype.Complex64: "C", dtype.Complex128: "Z"}

// fn has the functions: "getrf" of float32 is "Sgetrf", also where its name in the library differs.
var fn = map[string]*uintptr{}

// Init opens the libraries, once. Its error names each path tried.
var Init = sync.OnceValue(func() error {
	const remedy = "install the CUDA toolkit or the Python packages nvidia-cusolver and nvidia-cublas, " +
		"or name their folder in LUCID_CUDA_PATH"
	// cuSOLVER needs cuBLAS, which its own paths may not lead to: it is found first.
	blas, err := dl.Open("cuBLAS", blasNames[runtime.GOOS], nvrtc.Named(), nvrtc.Folders()...)
	if err != nil {
		return fault.Wrap(fault.Device, "cusolver", err, "large factorisations need it: "+remedy)
	}
	lib, err := dl.Open("cuSOLVER", names[runtime.GOOS], nvrtc.Named(), nvrtc.Folders()...)
	if err != nil {
		return fault.Wrap(fault.Device, "cusolver", err, "large factorisations need it: "+remedy)
	}
	Path = lib.Path
	symbols := map[string]*uintptr{}
	get := func(key, name string) { fn[key] = new(uintptr); symbols[name] = fn[key] }
	for t, letter := range letters {
		for r, complex := range routines {
			name := r
			if t.IsComplex() && complex != "" {
				name = complex
			}
			get(letter+r, "cusolverDn"+letter+name)
		}
	}
	for key, name := range map[string]string{"create": "Create", "stream": "SetStream", "gesvdjInfo": "CreateGesvdjInfo",
		"params": "CreateParams"} {
		get(key, "cusolverDn"+name)
	}
	if err := lib.Symbols(symbols); err != nil {
		return err
	}
	for _, key := range []string{"geev", "geev_bufferSize"} { // newer than the others
		fn[key] = new(uintptr)
		*fn[key], _ = lib.Symbol("cusolverDnX" + key)
	}
	symbols = map[string]*uintptr{}
	get("blasCreate", "cublasCreate_v2")
	get("blasStream", "cublasSetStream_v2")
	for _, letter := range letters {
		get(letter+"trsm", "cublas"+letter+"trsm_v2")
	}
	return blas.Symbols(symbols)
})

// Handle factors matrices on one device.
type Handle struct {
	mu           sync.Mutex // held while work is submitted: a handle has one stream
	handle, blas uintptr
	jacobi       uintptr // gesvdjInfo_t
	params       uintptr // cusolverDnParams_t
	one          [2]float64
	oneF         [2]float32
}

// New makes a handle.
func New(d *driver.Device) (*Handle, error) {
	begin := time.Now()
	if err := Init(); err != nil {
		return nil, err
	}
	h := &Handle{one: [2]float64{1, 0}, oneF: [2]float32{1, 0}}
	for _, c := range []struct {
		key string
		to  *uintptr
	}{{"create", &h.handle}, {"gesvdjInfo", &h.jacobi}, {"params", &h.params}, {"blasCreate", &h.blas}} {
		if s := d.With(func() uintptr { return dl.Call(*fn[c.key], uintptr(unsafe.Pointer(c.to))) }); s != 0 {
			return nil, failed(s, "starting cuSOLVER")
		}
	}
	profile.Once(begin, "opening cuSOLVER")
	return h, nil
}

// statusNames are the results of cuSOLVER.
var statusNames = map[uintptr]string{1: "not initialized", 2: "out of memory", 3: "invalid value", 4: "architecture mismatch",
	5: "mapping error", 6: "execution failed", 7: "internal error", 8: "matrix type not supported", 9: "not supported", 10: "zero pivot",
	31: "invalid workspace"}

func failed(status uintptr, doing string) error {
	return fault.New(fault.Device, "cusolver", "%s: %s (%d)", doing, statusNames[status], status)
}
