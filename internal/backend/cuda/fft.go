package cuda

import (
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cufft"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/mem"
)

func init() {
	register(map[string]kernel{"fft_c2c": fftComplex, "fft_r2c": fftToHalf, "fft_c2r": fftFromHalf})
}

// openFFT opens cuFFT, which is optional: nil where it is missing. A precompilation does not wait for it.
func (d *Device) openFFT() *cufft.Handle {
	d.fftOnce.Do(func() {
		if os.Getenv("LUCID_CUDA_CUFFT") == "0" {
			d.fftErr = fault.New(fault.Device, "cufft", "LUCID_CUDA_CUFFT=0 switches cuFFT off")
			return
		}
		d.fft, d.fftErr = cufft.New()
	})
	return d.fft
}

// FFT opens cuFFT and says why it is not used, nil if it is.
func (d *Device) FFT() error {
	d.openFFT()
	return d.fftErr
}

// transform is the state of one Fourier transform.
type transform struct {
	*call
	temporaries
	lib     *cufft.Handle // nil: our own passes
	complex dtype.DType
}

func (d *call) transform(op string, c dtype.DType) *transform {
	return &transform{call: d, temporaries: temporaries{d: d.Device, op: op}, lib: d.openFFT(), complex: c}
}

// fftParams is struct Args of fft.cu.
type fftParams struct {
	rows, n, bins     int
	in, out           uintptr
	scale, middle     float64
	inverse           bool
	radix, done, size int
	with              uintptr
}

func fftSource(t dtype.DType) string {
	return kernels.Source("prelude") + "#define F " + ctype[t.Real()] + "\n" + kernels.Source("fft")
}

// launchFFT launches a kernel of fft.cu over n elements.
func (x *transform) launchFFT(name string, n int, p fftParams) error {
	f, err := x.Device.kernel(fmt.Sprint(name, " ", x.complex), name, func() string { return fftSource(x.complex) })
	if err != nil {
		return err
	}
	var g args
	g.int(p.rows, p.n, p.bins)
	g.ptr(p.in, p.out)
	g.int(int(math.Float64bits(p.scale)), int(math.Float64bits(p.middle)), number(p.inverse), p.radix, p.done, p.size)
	g.ptr(p.with)
	return x.Device.launch(f, blocks(n, threads), 1, threads, g)
}

// library runs a plan of cuFFT.
func (x *transform) library(t cufft.Transform, inverse bool, in, out uintptr) error {
	if x.mode == precompiling {
		return nil
	}
	if x.complex == dtype.Complex128 {
		t.Kind += cufft.Z2Z
	}
	begin := time.Now()
	err := x.lib.Run(x.Device.Device, t, inverse, x.mode == capturing, in, out, x.get)
	if err == nil && x.slow && x.mode == running {
		defer func() { x.spent(fmt.Sprintf("cufft %+v", t), begin) }()
		return x.Sync()
	}
	return err
}

func fftComplex(d *call, a attr.Attr, out, in []backend.View) error {
	f := a.(attr.FFT)
	x := d.transform("fft", in[0].DType)
	defer x.free()
	src, err := x.dense(in[0])
	if err != nil {
		return err
	}
	dims, from, to := out[0].Shape.Dims(), address(src), address(out[0])
	axes := f.Axes.Slice()
	slices.Sort(axes)
	slices.Reverse(axes)
	// Up to three dimensions at the end are one plan.
	last := 0
	for x.lib != nil && last < min(3, len(axes)) && axes[last] == len(dims)-1-last {
		last++
	}
	if last > 1 {
		t := cufft.Transform{Rank: last, Batch: 1}
		copy(t.N[:], dims[len(dims)-last:])
		t.Batch = out[0].Numel() / product(dims[len(dims)-last:])
		if err := x.library(t, f.Inverse, from, to); err != nil {
			return err
		}
		from, axes = to, axes[last:]
	}
	for _, axis := range axes {
		if err := x.along(dims, axis, f.Inverse, from, to); err != nil {
			return err
		}
		from = to
	}
	if f.Scale == 1 && from == to {
		return nil
	}
	return x.launchFFT("fft_scale", out[0].Numel(), fftParams{rows: 1, n: out[0].Numel(), in: from, out: to, scale: f.Scale})
}

// along transforms contiguous complex numbers along one dimension.
func (x *transform) along(dims []int, axis int, inverse bool, from, to uintptr) error {
	outer, n, inner := product(dims[:axis]), dims[axis], product(dims[axis+1:])
	if inner == 1 {
		return x.rows(outer, n, inverse, from, to)
	}
	if outer == 1 && x.lib != nil {
		return x.library(cufft.Transform{Rank: 1, N: [3]int{n}, Stride: inner, Dist: 1, Batch: inner}, inverse, from, to)
	}
	packed, err := x.view(x.complex, outer, inner, n)
	if err != nil {
		return err
	}
	swap := swapped(packed) // (outer, n, inner)
	at := func(p uintptr) backend.View {
		return backend.View{Buf: &mem.Buffer{Dev: p, Size: packed.Buf.Size}, DType: x.complex, Shape: swap.Shape}
	}
	if err := x.Device.move(packed, swapped(at(from))); err != nil {
		return err
	}
	if err := x.rows(outer*inner, n, inverse, address(packed), address(packed)); err != nil {
		return err
	}
	return x.Device.move(at(to), swap)
}

// rows transforms contiguous rows of n complex numbers.
func (x *transform) rows(rows, n int, inverse bool, from, to uintptr) error {
	if x.lib != nil {
		return x.library(cufft.Transform{Rank: 1, N: [3]int{n}, Batch: rows}, inverse, from, to)
	}
	return x.ownRows(rows, n, inverse, from, to)
}

func fftToHalf(d *call, a attr.Attr, out, in []backend.View) error {
	h := a.(attr.HalfFFT)
	x := d.transform("rfft", out[0].DType)
	defer x.free()
	src, err := x.dense(lastAxis(in[0], h.Axis))
	if err != nil {
		return err
	}
	bins, target := h.N/2+1, lastAxis(out[0], h.Axis)
	rows, made := src.Numel()/h.N, target
	if !target.Contiguous() {
		if made, err = x.view(x.complex, rows, bins); err != nil {
			return err
		}
	}
	if address(src)%uintptr(x.complex.Size()) != 0 { // cuFFT reads pairs
		if src, err = x.copied(src); err != nil {
			return err
		}
	}
	if x.lib != nil {
		err = x.library(cufft.Transform{Kind: cufft.R2C, Rank: 1, N: [3]int{h.N}, Batch: rows}, false, address(src), address(made))
	} else {
		err = x.ownToHalf(rows, h.N, address(src), address(made))
	}
	if err != nil {
		return err
	}
	if h.Inverse || h.Scale != 1 || h.Middle != 1 {
		if err := x.launchFFT("fft_bins", rows*bins, fftParams{rows: rows, n: h.N, bins: bins, in: address(made), out: address(made),
			scale: h.Scale, middle: h.Middle, inverse: h.Inverse}); err != nil {
			return err
		}
	}
	if !target.Contiguous() {
		made.Shape = target.Shape
		if err := x.Device.move(target, made); err != nil {
			return err
		}
	}
	for _, axis := range h.Others.Slice() {
		if err := x.along(out[0].Shape.Dims(), axis, h.Inverse, address(out[0]), address(out[0])); err != nil {
			return err
		}
	}
	return nil
}

func fftFromHalf(d *call, a attr.Attr, out, in []backend.View) error {
	h := a.(attr.HalfFFT)
	x := d.transform("irfft", in[0].DType)
	defer x.free()
	src, err := x.dense(lastAxis(in[0], h.Axis))
	if err != nil {
		return err
	}
	bins, target := h.N/2+1, lastAxis(out[0], h.Axis)
	rows, made := src.Numel()/bins, target
	if !target.Contiguous() {
		if made, err = x.view(out[0].DType, rows, h.N); err != nil {
			return err
		}
	}
	half, err := x.view(x.complex, rows, bins) // the transform overwrites its input
	if err != nil {
		return err
	}
	if err := x.launchFFT("fft_half", rows*bins, fftParams{rows: rows, n: h.N, bins: bins, in: address(src), out: address(half),
		scale: h.Scale, middle: h.Middle, inverse: h.Inverse}); err != nil {
		return err
	}
	if x.lib != nil {
		err = x.library(cufft.Transform{Kind: cufft.C2R, Rank: 1, N: [3]int{h.N}, Batch: rows}, true, address(half), address(made))
	} else {
		err = x.ownFromHalf(rows, h.N, address(half), address(made))
	}
	if err != nil || target.Contiguous() {
		return err
	}
	made.Shape = target.Shape
	return x.Device.move(target, made)
}

// refuseCapture is the error of work that a CUDA graph cannot hold: the function then runs launch by launch.
func refuseCapture(op, library string) error {
	return fault.New(fault.NotImplemented, op, "%s waits for the device while it works", library)
}
