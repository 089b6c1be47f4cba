package cuda

import (
	"time"

	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Opening cuBLASLt and letting it load its code takes 150 ms, cuDNN as much: half of a first training step. A device whose
// libraries were of use to a process before, by the same cache folder, begins with them in the background as soon as it is open; where
// there was none before, with cuBLASLt, since nearly every program multiplies.

const (
	usedBLAS = "library cublas"
	usedDNN  = "library cudnn"
)

// used notes that a library was of use.
func used(library string) {
	if _, known := nvrtc.Load(library); !known {
		nvrtc.Keep(library, []byte{1})
	}
}

// preload opens the libraries that were of use before, or may be. Whoever needs one meanwhile waits for it, and meets its errors.
func (d *Device) preload(cold bool) {
	_, blas := nvrtc.Load(usedBLAS)
	blas = blas || cold
	_, dnn := nvrtc.Load(usedDNN)
	d.dnnUsed = dnn
	if !blas && !dnn {
		return
	}
	go func() {
		if blas {
			d.warmBLAS()
		}
		if dnn {
			time.Sleep(100 * time.Millisecond) // a short program does without
			d.dnn()
		}
	}()
}

// warmBLAS makes a small product of halves, for which cuBLASLt loads its code, unless somebody makes one already.
func (d *Device) warmBLAS() {
	const side = 64
	d.openBLAS()
	h, err := d.blas, d.blasErr
	if err != nil || d.blasAsked.Load() {
		return
	}
	b, err := d.Alloc(3 * side * side * 2)
	if err != nil {
		return
	}
	defer func() { _ = d.Release(b) }()
	if d.Fill(b, 0, 3*side*side*2) != nil {
		return
	}
	m := cublas.Matrix{Row: side, Column: 1}
	at := func(k uintptr) uintptr { return b + k*side*side*2 }
	// What goes wrong here goes wrong again for who needs a product.
	_ = d.product(h, cublas.Product{DType: dtype.BFloat16, Batch: 1, M: side, N: side, K: side, X: m, Y: m}, at(0), at(1), at(2))
}
