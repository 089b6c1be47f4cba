package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

// allowsAtomics reports whether a scatter may add by atomics, in any order. Sums of integers are exact in any order. Sums
// of floats differ in their last bits, so Deterministic forbids it.
func (d *call) allowsAtomics(to, from dtype.DType, r attr.Reduction) bool {
	floats := to == dtype.Float32 || to == dtype.Float64
	return r == attr.ReduceAdd && to == from && (to.IsInteger() && to.Size() >= 4 || floats && !d.ctx.Deterministic)
}

// atomicType is the type atomics work on.
func atomicType(t dtype.DType) string {
	if t.IsInteger() {
		return map[int]string{4: "u32", 8: "u64"}[t.Size()]
	}
	return ctype[t]
}

// scatterAtomic adds values to out by atomics, at contiguous indices along an axis.
func (d *call) scatterAtomic(at, out, src backend.View, axis int) error {
	if at.Shape.Rank() == 1 && at.Numel() >= worthShared && out.Numel()*out.DType.Size() <= sharedBytes {
		return d.scatterShared(at, out, src)
	}
	n := at.Numel()
	f, err := d.kernel(fmt.Sprint("scatter_add ", out.DType, indexFor(n)), "scatter_add",
		func() string { return scatterAtomicSource(out.DType, n) })
	if err != nil {
		return err
	}
	return d.checked(d.ctx, "index", func(record uintptr) error {
		return d.launch(f, blocks(n, threads), 1, threads, along(at, out, src, axis, n, 0, 0, address(out), address(src),
			address(at), record))
	})
}

func scatterAtomicSource(t dtype.DType, n int) string {
	return "#define WORD " + atomicType(t) + "\n#define INDEX " + indexFor(n) + "\n" + indexSource("SCATTER_ADD", t, t, attr.ReduceAdd)
}

const (
	worthShared = 1 << 16  // values from which on
	sharedBytes = 32 << 10 // so many bytes of output are accumulated per block in shared memory
)

func scatterSharedSource(t dtype.DType, uniform bool) string {
	form := "#define SCATTER_SHARED\n"
	if uniform {
		form += "#define UNIFORM\n"
	}
	return kernels.Source("prelude") + form + "#define WORD " + atomicType(t) + "\n" + kernels.Source("index")
}

// scatterShared is scatterAtomic into a short vector. Each block accumulates in shared memory first: few addresses would
// serialise the atomics.
func (d *call) scatterShared(at, out, src backend.View) error {
	uniform, size := src.Strides()[0] == 0 && out.DType.IsInteger(), out.DType.Size()
	if uniform {
		size = 4
	}
	f, err := d.kernel(fmt.Sprint("scatter_shared ", out.DType, uniform), "scatter_shared",
		func() string { return scatterSharedSource(out.DType, uniform) })
	if err != nil {
		return err
	}
	n := at.Numel()
	chunk := max(4*threads, blocks(n, 4*d.SMs))
	return d.checked(d.ctx, "index", func(record uintptr) error {
		var g args
		g.int(n, out.Numel(), chunk)
		g.ptr(address(out), address(src), address(at), record)
		g.int(src.Strides()[0])
		return d.launchShared(f, blocks(n, chunk), 1, threads, out.Numel()*size, g)
	})
}

// scatterScalar adds one value at many indices of a vector.
func (d *call) scatterScalar(out backend.View, in []backend.View) error {
	at, b, err := d.dense(in[1])
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	if err := d.base(out, in[0]); err != nil {
		return err
	}
	return d.scatterAtomic(flat(at), flat(out), in[2], 0)
}
