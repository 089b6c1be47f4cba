package conv

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/gemm"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/shape"
)

// A complex convolution is a real one of twice the channels and twice the kernels, as a complex product is a real one:
// the parts of a group's channels come one after the other, and so do those of its kernels. So the ways of convolutions
// are built for real numbers alone.
func complexConvolve[F gemm.Float](d *Device, c *backend.Ctx, a attr.Conv, out backend.View, in []backend.View, then Epilogue,
	float *routines[F]) error {
	xd, wd, od := in[0].Shape.Dims(), in[1].Shape.Dims(), out.Shape.Dims()
	channels, kernels := wd[1], wd[0]/a.Groups
	x, freeX := bufpool.Borrow[F](2 * in[0].Numel())
	defer freeX()
	w, freeW := bufpool.Borrow[F](4 * in[1].Numel())
	defer freeW()
	z, freeZ := bufpool.Borrow[F](2 * out.Numel())
	defer freeZ()
	s := paired(stridedOf(in[0]).Strides)
	if err := movePairs(d, c, x, slices.Concat([]int{xd[0], a.Groups, 2, channels}, xd[2:]), Strided{stridedOf(in[0]).Base,
		slices.Concat([]int{s[0], channels * s[1], 1, s[1]}, s[2:])}); err != nil {
		return err
	}
	if err := complexKernels(d, c, w, in[1], a.Groups); err != nil {
		return err
	}
	views := []backend.View{{Shape: doubled(xd, 1)}, {Shape: doubled(wd, 0, 1)}, {Shape: doubled(od, 1)}}
	j := newJob[F](a, views[2], views[:2], views[0].Shape.Strides(), views[1].Shape.Strides())
	j.float, j.x, j.w, j.z = float, x, w, z
	run := j.run
	if j.isPointwise() {
		run = j.pointwise
	}
	if err := run(c); err != nil {
		return err
	}
	positions := out.Numel() / (od[0] * od[1])
	pairs := backend.Slice[F](out)
	from := shape.Of("conv", od[0], a.Groups, 2, kernels, positions)
	to := []int{2 * od[1] * positions, 2 * kernels * positions, 1, 2 * positions, 2}
	err := d.Copy(c, from, int(unsafe.Sizeof(F(0))), Strided{unsafe.Pointer(unsafe.SliceData(pairs)), to},
		Strided{unsafe.Pointer(unsafe.SliceData(z)), from.Strides()})
	if err != nil || then == nil {
		return err
	}
	return epilogueRows(c, then, od[0]*od[1], positions)
}

// complexKernels lays out kernels so that two rows, for the parts of a result, multiply the parts of the input:
// re = (re, -im), im = (im, re).
func complexKernels[F gemm.Float](dev *Device, c *backend.Ctx, w []F, v backend.View, groups int) error {
	d, from := v.Shape.Dims(), stridedOf(v)
	s := paired(from.Strides)
	kernels := d[0] / groups
	dims := slices.Concat([]int{groups, kernels}, d[1:])
	strides := slices.Concat([]int{kernels * s[0]}, s)
	inner := v.Numel() / max(1, d[0])
	to := slices.Concat([]int{4 * kernels * inner, 2 * inner}, v.Shape.Strides()[1:])
	size := int(unsafe.Sizeof(F(0)))
	pos := shape.Of("conv", dims...)
	for row := range 2 {
		for col := range 2 {
			at := Strided{unsafe.Pointer(unsafe.SliceData(w[min(len(w), 2*kernels*inner*row+inner*col):])), to}
			part := Strided{unsafe.Add(from.Base, (row^col)*size), strides}
			if err := dev.Copy(c, pos, size, at, part); err != nil {
				return err
			}
		}
	}
	for r := range d[0] {
		g, k := r/kernels, r%kernels
		row := w[g*4*kernels*inner+k*2*inner+inner:][:inner]
		for i, x := range row {
			row[i] = -x
		}
	}
	return nil
}

// movePairs copies the elements of a complex view, seen with its parts as a dimension, to a slice in row-major order.
func movePairs[F gemm.Float](d *Device, c *backend.Ctx, z []F, dims []int, from Strided) error {
	s := shape.Of("conv", dims...)
	return d.Copy(c, s, int(unsafe.Sizeof(F(0))), Strided{unsafe.Pointer(unsafe.SliceData(z)), s.Strides()}, from)
}

// paired counts strides in parts of complex numbers.
func paired(strides []int) []int {
	s := slices.Clone(strides)
	for i := range s {
		s[i] *= 2
	}
	return s
}

// doubled is a shape with these dimensions twice as large.
func doubled(dims []int, at ...int) *shape.Shape {
	d := slices.Clone(dims)
	for _, i := range at {
		d[i] *= 2
	}
	return shape.Of("conv", d...)
}
