package cuda

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Eigenvalues of symmetric matrices that fit into the registers of a cluster of blocks, in float64: a reduction to tridiagonal form, then
// two parts that are joined, level by level. No step depends on values on the host, so that graphs can hold it.

// The sizes of factor_tridiagonal.cu and factor_conquer.cu.
const (
	clusterMatrix = 512 // rows of a matrix that a cluster has
	clusterBlocks = 16
	leafRows      = 16
)

// symmetricKernels are the kernels of matrices that a cluster reduces, by the file that they are in: threads of a block.
var symmetricKernels = map[string]map[string]int{
	"factor_tridiagonal": {"tridiagonal": 256, "reflect_back": 128, "bisect": 128},
	"factor_conquer":     {"leaves": 64, "deflate": 256, "roots": 128, "nearby": 512, "inner": 128, "join": 256},
}

func symmetricSource(file, name string, t dtype.DType) string {
	s := kernels.Source("prelude") + typed(t) + "#define KERNEL_" + name + "\n" + kernels.Source("factor", "factor_tridiagonal")
	if file != "factor_tridiagonal" {
		s += kernels.Source(file)
	}
	return s
}

func (d *Device) symmetricKernel(file, name string, t dtype.DType) (*driver.Function, error) {
	return d.find(fmt.Sprint(name, " ", t), text{name: name, source: func() string { return symmetricSource(file, name, t) },
		options: factorOptions, ours: true, long: file == "factor_tridiagonal"})
}

// clustered is the kernel that reduces matrices by clusters, if these have it; nil with ok while kernels are only compiled.
func (x *factoring) clustered() (f *driver.Function, ok bool, err error) {
	if x.t.IsComplex() || x.n <= smallMatrix || x.n > clusterMatrix || x.count >= manyMatrices && x.n <= mediumMatrix ||
		x.count == 0 || x.Major < 9 {
		return nil, false, nil
	}
	f, err = x.symmetricKernel("factor_tridiagonal", "tridiagonal", x.t)
	if err != nil || f == nil {
		return nil, err == nil, err
	}
	ok, err = x.Clusters(f, clusterBlocks, symmetricKernels["factor_tridiagonal"]["tridiagonal"])
	return f, ok, err
}

// symmetric writes eigenvalues, eigenvectors if x.f.Vectors, and info words; src is dense.
func (x *factoring) symmetric(reduce *driver.Function, src, s, v backend.View, info uintptr) error {
	n, levels := x.n, bits.Len(uint((x.n-1)/leafRows))
	rows := leafRows << levels
	memory, err := x.get(x.count * (4*rows + 10) * rows * int(unsafe.Sizeof(float64(0))))
	if err != nil {
		return err
	}
	p := factorParams{n: n, cols: rows, scratch: memory, a: address(src), s: address(s), info: info}
	if x.f.Vectors {
		p.z = address(v)
	}
	threads := symmetricKernels["factor_tridiagonal"]["tridiagonal"]
	if err := x.Device.launch(reduce, clusterBlocks*x.count, 1, threads, x.args(p)); err != nil {
		return err
	}
	launch := func(file, name string, t dtype.DType, blocks int) error {
		f, err := x.symmetricKernel(file, name, t)
		if err != nil {
			return err
		}
		return x.Device.launch(f, x.count*blocks, 1, symmetricKernels[file][name], x.args(p))
	}
	if !x.f.Vectors {
		return launch("factor_tridiagonal", "bisect", x.t, (n+3)/4)
	}
	inner := func(name string, blocks int) error { return launch("factor_conquer", name, dtype.Float64, blocks) }
	if err := inner("leaves", rows/leafRows/2); err != nil {
		return err
	}
	for p.m = 2 * leafRows; p.m <= rows; p.m *= 2 {
		for _, k := range []struct {
			name   string
			blocks int
		}{{"deflate", rows / p.m}, {"roots", rows / 4}, {"nearby", rows / 32}, {"inner", rows / 4},
			{"join", rows / 32 * ((min(rows, 2*p.m) + 63) / 64)}} {
			if err := inner(k.name, k.blocks); err != nil {
				return err
			}
		}
		p.flags = 1 - p.flags
	}
	p.m = p.flags
	return launch("factor_tridiagonal", "reflect_back", x.t, rows/4)
}
