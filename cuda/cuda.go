package cuda

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/cudnn"
	"github.com/lucid-go/lucid/internal/backend/cuda/cufft"
	"github.com/lucid-go/lucid/internal/backend/cuda/cusolver"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/fault"
)

var devices struct {
	sync.Mutex
	open map[int]*cuda.Device
}

func init() {
	backend.Register("cuda", func(index int) (*backend.Device, error) {
		b, d, err := cuda.Open(index)
		if err != nil {
			return nil, err
		}
		devices.Lock()
		defer devices.Unlock()
		if devices.open == nil {
			devices.open = map[int]*cuda.Device{}
		}
		devices.open[index] = d
		return b, nil
	})
}

// Count returns the number of GPUs, or says why there can be none.
func Count() (int, error) { return driver.Count() }

// Available reports whether a GPU can be used.
func Available() bool {
	n, err := driver.Count()
	return err == nil && n > 0
}

func device(index int) (*cuda.Device, error) {
	if _, err := backend.Open("cuda", index); err != nil {
		return nil, err
	}
	devices.Lock()
	defer devices.Unlock()
	return devices.open[index], nil
}

// Fallbacks returns how often each op ran on the host because the GPU has no kernel for it.
func Fallbacks(index int) (map[string]int64, error) {
	d, err := device(index)
	if err != nil {
		return nil, err
	}
	return d.FallbackOps(), nil
}

// AllowTF32 allows float32 matmuls and convolutions to round their operands to ten bits of mantissa, for speed; it is off
// at the start. It returns the previous setting. Compiled functions are retraced when it changes, and Explain says so.
func AllowTF32(on bool) bool { return cublas.TF32.Swap(on) }

// KernelTimes returns how often each kernel was launched and the time that took, where LUCID_CUDA_SYNC=1 makes the program
// synchronise after every launch; else it is empty.
func KernelTimes(index int) (map[string]Spent, error) {
	d, err := device(index)
	if err != nil {
		return nil, err
	}
	times := map[string]Spent{}
	for kernel, s := range d.Times() {
		times[kernel] = Spent(s)
	}
	return times, nil
}

// Spent is the time of the launches of one kernel.
type Spent struct {
	Launches int           // how often it ran
	Time     time.Duration // the total
	Least    time.Duration // the shortest: the first launches load code and choose algorithms
}

// Doctor describes the setup: driver, devices, libraries, and for what is missing each path tried. It ends with a small
// computation on every device. The error is nil if everything works.
func Doctor() (string, error) {
	var b strings.Builder
	var first error
	note := func(err error, ok string, args ...any) bool {
		if err != nil {
			fmt.Fprintf(&b, "FAIL  %v\n", err)
			if first == nil {
				first = err
			}
			return false
		}
		fmt.Fprintf(&b, "ok    "+ok+"\n", args...)
		return true
	}
	n, err := driver.Count()
	if err == nil && n == 0 {
		err = fault.New(fault.Device, "cuda", "the driver %s sees no device; CUDA_VISIBLE_DEVICES may hide them", driver.Path)
	}
	if note(err, "driver %s for CUDA %d.%d, %d device(s)", driver.Path, driver.Version/1000, driver.Version%1000/10, n) {
		for i := range n {
			d, err := driver.Open(i)
			if err != nil {
				note(err, "")
				continue
			}
			free, total, err := d.Free()
			note(err, "cuda:%d %s, compute capability %d.%d, %d multiprocessors, %.1f of %.1f GiB free", i, d.Name, d.Major, d.Minor, d.SMs,
				gib(free), gib(total))
		}
	}
	err = nvrtc.Init()
	note(err, "NVRTC %s at %s, kernels cached in %s", nvrtc.Version, nvrtc.Path, nvrtc.Folder())
	err = cublas.Init()
	note(err, "cuBLASLt at %s, version %d", cublas.Path, cublas.Version)
	switch err := cudnn.Init(); { // it is optional
	case err == nil:
		note(nil, "cuDNN at %s, version %d.%d.%d", cudnn.Path, cudnn.Version/10000, cudnn.Version/100%100, cudnn.Version%100)
	default:
		fmt.Fprintf(&b, "none  %v\n", err)
	}
	for _, l := range []struct {
		name string
		err  error
		path *string
	}{{"cuSOLVER", cusolver.Init(), &cusolver.Path}, {"cuFFT", cufft.Init(), &cufft.Path}} { // optional too
		if l.err == nil {
			note(nil, "%s at %s", l.name, *l.path)
		} else {
			fmt.Fprintf(&b, "none  %v\n", l.err)
		}
	}
	if first == nil {
		for i := range n {
			note(selfTest(i), "cuda:%d passes its self-test", i)
		}
	}
	return b.String(), first
}

func gib(n int64) float64 { return float64(n) / (1 << 30) }
