package cudnn

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/profile"
)

var fn struct {
	version, errorString, lastError  uintptr
	create, destroy, setStream       uintptr
	descCreate, descDestroy, descSet uintptr
	descGet, descFinalize, execute   uintptr
}

// Path is where the library was found, Version its version (91400 for 9.14.0); set by Init.
var (
	Path    string
	Version int
)

var names = map[string][]string{
	"linux":   {"libcudnn.so.9"},
	"windows": {"cudnn64_9.dll"},
}

// ErrOff is the error of Init where LUCID_CUDA_CUDNN=0 switches the library off.
var ErrOff = errors.New("LUCID_CUDA_CUDNN=0 switches it off")

// ErrRefused is wrapped by errors that say the library does not support some work; callers then use their own kernels.
var ErrRefused = errors.New("cuDNN has no engine for it")

// least is the oldest version whose descriptors are used here.
const least = 90200

// Init opens the library, once. Its error names each path tried.
var Init = sync.OnceValue(func() error {
	if os.Getenv("LUCID_CUDA_CUDNN") == "0" {
		return fault.Wrap(fault.Device, "cudnn", ErrOff, "")
	}
	// Some engines use cuBLASLt, without which cuDNN ends the process; others compile their kernels. We find both libraries
	// where cuDNN would not. A missing compiler disables those engines only.
	if err := cublas.Init(); err != nil {
		return fault.Wrap(fault.Device, "cudnn", err, "it cannot do without cuBLASLt")
	}
	_ = nvrtc.Init()
	begin := time.Now()
	lib, err := dl.Open("cuDNN", names[runtime.GOOS], nvrtc.Named(), nvrtc.Folders()...)
	if err != nil {
		return fault.Wrap(fault.Device, "cudnn", err,
			"convolutions and attention use kernels of our own, which are slower: install the Python package nvidia-cudnn, or name its "+
				"folder in LUCID_CUDA_PATH")
	}
	Path = lib.Path
	if err := lib.Symbols(map[string]*uintptr{"cudnnGetVersion": &fn.version, "cudnnGetErrorString": &fn.errorString,
		"cudnnGetLastErrorString": &fn.lastError,
		"cudnnCreate":             &fn.create, "cudnnDestroy": &fn.destroy, "cudnnSetStream": &fn.setStream,
		"cudnnBackendCreateDescriptor": &fn.descCreate, "cudnnBackendDestroyDescriptor": &fn.descDestroy,
		"cudnnBackendSetAttribute": &fn.descSet,
		"cudnnBackendGetAttribute": &fn.descGet, "cudnnBackendFinalize": &fn.descFinalize,
		"cudnnBackendExecute": &fn.execute}); err != nil {
		return err
	}
	if Version = int(dl.Call(fn.version)); Version < least {
		return fault.New(fault.Device, "cudnn", "%s is version %d; want %d or newer", Path, Version, least)
	}
	profile.Once(begin, "opening cuDNN")
	return nil
})

// Statuses are numbered by thousands; these are refusals, not errors of ours.
func refusal(status uintptr) bool { return status/1000 == 3 }

// failed makes a status an error: its name, cuDNN's message, and what was being done.
func failed(status uintptr, doing string) error {
	status = uintptr(uint32(status))
	text := make([]byte, 1<<14)
	dl.Call(fn.lastError, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
	says, _, _ := strings.Cut(string(text), "\x00")
	if says = strings.Join(strings.Fields(says), " "); len(says) > 600 { // every engine adds its message
		says = says[:600] + "…"
	}
	msg := fmt.Sprintf("%s: %s (%d)", doing, dl.GoString(dl.Call(fn.errorString, status)), status)
	if says != "" {
		msg += ": " + says
	}
	if refusal(status) {
		return fault.Wrap(fault.Device, "cudnn", ErrRefused, "%s", msg)
	}
	return fault.New(fault.Device, "cudnn", "%s", msg)
}
