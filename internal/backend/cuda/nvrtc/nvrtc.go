package nvrtc

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/profile"
)

var fn struct{ version, errorString, create, compile, destroy, logSize, log, cubinSize, cubin uintptr }

// Path is where the library was found, Version its version; set by Init.
var Path, Version string

var names = map[string][]string{
	"linux":   {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
	"windows": {"nvrtc64_130_0.dll", "nvrtc64_120_0.dll"},
}

// Named lists the folders in which CUDA's libraries are looked for first: the user's choice, so that a newer library than
// the system's can be used.
func Named() []string { return dl.Folders("LUCID_CUDA_PATH") }

// Folders lists where CUDA's libraries are looked for after the system's own paths: the toolkit, and the wheels of Python
// environments.
func Folders() (list []string) {
	for _, env := range []string{"CUDA_HOME", "CUDA_PATH"} {
		for _, f := range dl.Folders(env) {
			list = append(list, filepath.Join(f, "lib64"), filepath.Join(f, "bin"))
		}
	}
	list = append(list, "/usr/local/cuda/lib64", "/usr/local/cuda/targets/*/lib", "/usr/local/cuda-*/lib64", "/usr/local/nvidia/lib64")
	var prefixes []string
	for _, env := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		prefixes = append(prefixes, dl.Folders(env)...)
	}
	prefixes = append(prefixes, "/opt/*/.venv", "/opt/conda", "/usr/local", "/usr")
	for _, p := range prefixes {
		list = append(list, filepath.Join(p, "lib/python3*/site-packages/nvidia/*/lib"),
			filepath.Join(p, "lib/python3*/dist-packages/nvidia/*/lib"))
	}
	return list
}

// Init opens the library, once. Its error names each path tried.
var Init = sync.OnceValue(func() error {
	begin := time.Now()
	lib, err := dl.Open("NVRTC, the CUDA compiler library", names[runtime.GOOS], Named(), Folders()...)
	if err != nil {
		return fault.Wrap(fault.Device, "nvrtc", err,
			"kernels cannot be compiled: install the CUDA toolkit or the Python package nvidia-cuda-nvrtc, or name its folder in "+
				"LUCID_CUDA_PATH")
	}
	Path = lib.Path
	if err := lib.Symbols(map[string]*uintptr{"nvrtcVersion": &fn.version, "nvrtcGetErrorString": &fn.errorString,
		"nvrtcCreateProgram":  &fn.create,
		"nvrtcCompileProgram": &fn.compile, "nvrtcDestroyProgram": &fn.destroy, "nvrtcGetProgramLogSize": &fn.logSize,
		"nvrtcGetProgramLog": &fn.log,
		"nvrtcGetCUBINSize":  &fn.cubinSize, "nvrtcGetCUBIN": &fn.cubin}); err != nil {
		return err
	}
	v := new([2]int32)
	if s := dl.Call(fn.version, uintptr(unsafe.Pointer(&v[0])), uintptr(unsafe.Pointer(&v[1]))); s != 0 {
		return failed(s, "asking for the version")
	}
	Version = fmt.Sprintf("%d.%d", v[0], v[1])
	profile.Once(begin, "opening NVRTC")
	return nil
})

func failed(status uintptr, doing string) *fault.Error {
	return fault.New(fault.Device, "nvrtc", "%s: %s (%d)", doing, dl.GoString(dl.Call(fn.errorString, status)), uint32(status))
}

// Compile compiles source to a cubin for an architecture such as "sm_90". The error of a program that does not compile
// holds the compiler's log.
func Compile(name, source, arch string, options ...string) ([]byte, error) {
	if err := Init(); err != nil {
		return nil, err
	}
	prog, src, cname := new(uintptr), dl.CString(source), dl.CString(name+".cu")
	if s := dl.Call(fn.create, uintptr(unsafe.Pointer(prog)), uintptr(unsafe.Pointer(src)), uintptr(unsafe.Pointer(cname)), 0,
		0, 0); s != 0 {
		return nil, failed(s, "making the program "+name)
	}
	runtime.KeepAlive(src)
	runtime.KeepAlive(cname)
	defer func() { dl.Call(fn.destroy, uintptr(unsafe.Pointer(prog))) }()
	opts := append([]string{"--gpu-architecture=" + arch, "--std=c++17"}, options...)
	s := compile(*prog, append(opts[:len(opts):len(opts)], "--minimal")) // no textures, no runtime: faster
	if s == invalidOption {                                              // an older library, which compiles more slowly
		s = compile(*prog, slices.DeleteFunc(opts, func(o string) bool { return o == Fast }))
	}
	if s != 0 {
		e := failed(s, "compiling "+name+" for "+arch)
		e.Msg += "\n" + compileLog(*prog)
		if os.Getenv("LUCID_DEBUG") == "cuda" {
			e.Msg += "\n" + numbered(source)
		}
		return nil, e
	}
	n := new(uint64)
	if s := dl.Call(fn.cubinSize, *prog, uintptr(unsafe.Pointer(n))); s != 0 || *n == 0 {
		return nil, failed(s, "asking for the code of "+name)
	}
	cubin := make([]byte, *n)
	if s := dl.Call(fn.cubin, *prog, uintptr(unsafe.Pointer(&cubin[0]))); s != 0 {
		return nil, failed(s, "taking the code of "+name)
	}
	return cubin, nil
}

// Fast is an option that trades the speed of a kernel for that of its compilation; libraries before 12.8 do without.
const Fast = "--Ofast-compile=min"

// invalidOption is the status of a library that does not know an option.
const invalidOption = 5

func compile(prog uintptr, opts []string) uintptr {
	list := make([]*byte, len(opts))
	for i, o := range opts {
		list[i] = dl.CString(o)
	}
	s := dl.Call(fn.compile, prog, uintptr(len(list)), uintptr(unsafe.Pointer(unsafe.SliceData(list))))
	runtime.KeepAlive(list)
	return uintptr(uint32(s))
}

func compileLog(prog uintptr) string {
	n := new(uint64)
	if dl.Call(fn.logSize, prog, uintptr(unsafe.Pointer(n))) != 0 || *n == 0 {
		return ""
	}
	b := make([]byte, *n)
	dl.Call(fn.log, prog, uintptr(unsafe.Pointer(&b[0])))
	return strings.TrimRight(string(b), "\x00\n")
}

func numbered(source string) string {
	var b strings.Builder
	for i, line := range strings.Split(source, "\n") {
		fmt.Fprintf(&b, "%4d  %s\n", i+1, line)
	}
	return b.String()
}
