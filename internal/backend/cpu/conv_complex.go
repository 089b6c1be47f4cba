package cpu

import (
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/shape"
)

// A complex convolution is a real one of twice the channels and twice the kernels, as a complex product is a real one:
// the parts of a group's channels come one after the other, and so do those of its kernels. So the ways of convolutions
// are built for real numbers alone.
func complexConvolve[F floats](c *backend.Ctx, a attr.Conv, out backend.View, in []backend.View, then finished, mul product[F], float *floatConv[F]) error {
	xd, wd, od := in[0].Shape.Dims(), in[1].Shape.Dims(), out.Shape.Dims()
	channels, kernels := wd[1], wd[0]/a.Groups
	x, freeX := borrow[F](2 * in[0].Numel())
	defer freeX()
	w, freeW := borrow[F](4 * in[1].Numel())
	defer freeW()
	z, freeZ := borrow[F](2 * out.Numel())
	defer freeZ()
	s := paired(stridedOf(in[0]).strides)
	if err := movePairs(c, x, slices.Concat([]int{xd[0], a.Groups, 2, channels}, xd[2:]), strided{stridedOf(in[0]).base,
		slices.Concat([]int{s[0], channels * s[1], 1, s[1]}, s[2:])}); err != nil {
		return err
	}
	if err := complexKernels(c, w, in[1], a.Groups); err != nil {
		return err
	}
	views := []backend.View{{Shape: doubled(xd, 1)}, {Shape: doubled(wd, 0, 1)}, {Shape: doubled(od, 1)}}
	j := newConvJob[F](a, views[2], views[:2], views[0].Shape.Strides(), views[1].Shape.Strides())
	j.mul, j.float, j.x, j.w, j.z = mul, float, x, w, z
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
	err := move(c, from, int(unsafe.Sizeof(F(0))), strided{unsafe.Pointer(unsafe.SliceData(pairs)), to}, strided{unsafe.Pointer(unsafe.SliceData(z)), from.Strides()})
	if err != nil || then == nil {
		return err
	}
	return epilogueRows(c, then, od[0]*od[1], positions)
}

// complexKernels lays out kernels so that two rows, for the parts of a result, meet the parts of the input:
// re = (re, -im), im = (im, re).
func complexKernels[F floats](c *backend.Ctx, w []F, v backend.View, groups int) error {
	d, from := v.Shape.Dims(), stridedOf(v)
	s := paired(from.strides)
	kernels := d[0] / groups
	dims := slices.Concat([]int{groups, kernels}, d[1:])
	strides := slices.Concat([]int{kernels * s[0]}, s)
	inner := v.Numel() / max(1, d[0])
	to := slices.Concat([]int{4 * kernels * inner, 2 * inner}, v.Shape.Strides()[1:])
	size := int(unsafe.Sizeof(F(0)))
	pos := shape.Of("conv", dims...)
	for row := range 2 {
		for col := range 2 {
			at := strided{unsafe.Pointer(unsafe.SliceData(tail(w, 2*kernels*inner*row+inner*col))), to}
			part := strided{unsafe.Add(from.base, (row^col)*size), strides}
			if err := move(c, pos, size, at, part); err != nil {
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

// movePairs copies numbers of a complex view, seen with its parts as a dimension, to a slice in row-major order.
func movePairs[F floats](c *backend.Ctx, z []F, dims []int, from strided) error {
	s := shape.Of("conv", dims...)
	return move(c, s, int(unsafe.Sizeof(F(0))), strided{unsafe.Pointer(unsafe.SliceData(z)), s.Strides()}, from)
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
