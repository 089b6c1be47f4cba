package conv

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// KernelNHWC is a convolution whose result has its channels last. The output-position algorithm and products write it so; of the others
// the channels are put there behind them.
func (d *Device) KernelNHWC(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	if out[0].Numel() == 0 {
		return nil
	}
	s, size := out[0].Shape.Dims(), out[0].DType.Size()
	last := len(s) - 1
	first := shape.Of("conv", slices.Concat([]int{s[0], s[last]}, s[1:last])...)
	z := backend.View{Buf: out[0].Buf, DType: out[0].DType, Shape: first}
	var done bool
	var err error
	switch in[0].DType {
	case dtype.Float32:
		done, err = positionsNHWC(d, c, a.(attr.Conv), z, out[0], in, d.routines32())
	case dtype.Float64:
		done, err = positionsNHWC(d, c, a.(attr.Conv), z, out[0], in, d.routines64())
	}
	if done || err != nil {
		return err
	}
	words, free := bufpool.Borrow[uint64]((out[0].Numel()*size + 7) / 8)
	defer free()
	base := unsafe.Pointer(unsafe.SliceData(words))
	z.Buf = &mem.Buffer{Mem: unsafe.Slice((*byte)(base), out[0].Numel()*size), Size: out[0].Numel() * size}
	if err := d.Kernel(c, a, []backend.View{z}, in); err != nil {
		return err
	}
	st := first.Strides()
	return d.Copy(c, out[0].Shape, size, stridedOf(out[0]), Strided{base, slices.Concat(st[:1:1], st[2:], st[1:2])})
}

// positionsNHWC computes a convolution whose result is written with its channels last. It reports whether it did. first is the
// result as seen with its channels first, out where it goes.
func positionsNHWC[T number](d *Device, c *backend.Ctx, a attr.Conv, first, out backend.View, in []backend.View,
	float *routines[T]) (bool, error) {
	x, err := flatOf[T](d, c, in[0])
	if err != nil {
		return false, err
	}
	defer x.done()
	w, err := flatOf[T](d, c, in[1])
	if err != nil {
		return false, err
	}
	defer w.done()
	j := newJob[T](a, first, in, x.strides, w.strides)
	j.float, j.x, j.w, j.z, j.last = float, x.x, w.x, backend.Slice[T](out), true
	if j.isPointwise() && j.groups == 1 {
		return true, j.pointwiseNHWC(c)
	}
	if !j.writesNHWC() {
		return false, nil
	}
	return true, j.run(c)
}

// pointwiseNHWC multiplies the images, a row for each position, by the kernels.
func (j *job[T]) pointwiseNHWC(c *backend.Ctx) error {
	m, k, n := j.outPositions, j.channels, j.kernels
	x := Batch[T]{X: j.x, Rows: m, Cols: k, RS: j.step[2], CS: j.channelStep, Lead: []int{j.images}, Step: []int{j.imageStep}}
	w := Batch[T]{X: j.w, Rows: k, Cols: n, RS: j.kernelInStep, CS: j.kernelStep, Lead: []int{j.images}, Step: []int{0}}
	return j.float.batched(c, j.z, &x, &w, nil)
}

// writesNHWC reports whether every phase is computed by output positions, or with NHWC.
func (j *job[T]) writesNHWC() bool {
	if j.isTransposedPatches() || j.isLanes() {
		return false
	}
	for _, p0 := range j.phases[0] {
		for _, p1 := range j.phases[1] {
			for _, p2 := range j.phases[2] {
				j.phase = phases3{p0, p1, p2}
				if algo := j.algorithm(); algo != algoPositions && algo != algoNHWC {
					return false
				}
			}
		}
	}
	return true
}

// putNHWC writes the finished sums of a panel of output channels of one image, cols apart, with the channels last.
func (d *positionsConv[T]) putNHWC(u *positionsBlock[T], sums []T, cols, image, o, channels int) {
	j, p := d.j, &d.j.phase
	all := j.groups * j.kernels
	to := j.z[image*j.outPositions*all+u.group*j.kernels+o:]
	if p[2].outStep == 1 && p[1].outStep == 1 && u.cols == j.outSize[2] { // rows follow each other
		layout.CopyRows(to[d.offset(&u.strip, 0)*all:], all, sums, 0, cols, 1, u.rows*u.cols, channels)
		return
	}
	for r := range u.rows {
		layout.CopyRows(to[d.offset(&u.strip, r)*all:], p[2].outStep*all, sums, r*u.cols*cols, cols, 1, u.cols, channels)
	}
}
