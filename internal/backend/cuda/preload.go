package cuda

import (
	"time"

	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Opening cuBLASLt and loading its code takes 150 ms, cuDNN as much: half of a first training step. Libraries that an
// earlier process with the same cache folder used are opened in the background as soon as the device is open; without such
// a record, cuBLASLt, since nearly every program multiplies.

const (
	usedBLAS = "library cublas"
	usedDNN  = "library cudnn"
)

// used records that a library was used.
func used(library string) {
	if _, known := nvrtc.Load(library); !known {
		nvrtc.Store(library, []byte{1})
	}
}

// preload opens the libraries that were used before, or may be. A caller that needs one meanwhile waits for it, and gets
// its errors.
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

// warmBLAS runs a small half-precision matmul, for which cuBLASLt loads its code, unless a caller already did.
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
	// An error here comes again for the caller that needs a matmul.
	_ = d.product(h, cublas.Product{DType: dtype.BFloat16, Batch: 1, M: side, N: side, K: side, X: m, Y: m}, at(0), at(1), at(2))
}
