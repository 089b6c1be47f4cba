package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() {
	register(map[string]kernel{"conv": convSums(func(d *call, a attr.Attr, out, in []backend.View) error {
		return d.conv(a.(attr.Conv), out[0], in)
	}),
		"conv_last": convSums(func(d *call, a attr.Attr, out, in []backend.View) error {
			s, st := out[0].Shape.Dims(), out[0].Strides()
			last := len(s) - 1
			first := func(v []int) []int { return slices.Concat([]int{v[0], v[last]}, v[1:last]) }
			return d.conv(a.(attr.Conv), part(out[0], shape.Of("conv", first(s)...), first(st), 0), in)
		})})
}

// convSums is run for convolutions that leave their sums as they are, too, as functions that were traced for the CPU have them: a result
// of the half type is widened.
func convSums(run kernel) kernel {
	return func(d *call, a attr.Attr, out, in []backend.View) error {
		c := a.(attr.Conv)
		if !c.Sums {
			return run(d, a, out, in)
		}
		t := in[0].DType
		b, err := d.pool.Get("conv", out[0].Numel()*t.Size())
		if err != nil {
			return err
		}
		defer b.Free()
		c.Sums = false
		half := backend.View{Buf: b, DType: t, Shape: out[0].Shape}
		if err := run(d, c, []backend.View{half}, in); err != nil {
			return err
		}
		return d.cast(out[0], half)
	}
}

// convSource is the source of a kernel of conv.cu over sd spatial dimensions; index is the type that counts the terms of a
// sum.
func convSource(name string, t dtype.DType, sd int, index string) string {
	return kernels.Source("prelude") + typed(t) + kernels.Source("tile") + "#define " + strings.ToUpper(name) +
		fmt.Sprintf("\n#define SD %d\n#define INDEX %s\n", sd, index) + kernels.Source("conv")
}

// conv is a convolution of any kind, by cuDNN where it supports it; else our kernels read strided operands.
func (d *call) conv(c attr.Conv, out backend.View, in []backend.View) error {
	if product(in[1].Shape.Dims()[1:]) == 0 || in[0].Numel() == 0 {
		return d.Fill(address(out), 0, out.Numel()*out.DType.Size())
	}
	if done, err := d.convByLibrary(c, out, in[0], in[1]); done {
		return err
	}
	if out.Contiguous() {
		return d.ownConv(c, out, in)
	}
	b, err := d.pool.Get("conv", out.Numel()*out.DType.Size())
	if err != nil {
		return err
	}
	defer b.Free()
	tmp := backend.View{Buf: b, DType: out.DType, Shape: out.Shape}
	if err := d.ownConv(c, tmp, in); err != nil {
		return err
	}
	return d.move(out, tmp)
}

// ownConv is a convolution by our kernels, into a contiguous result.
func (d *call) ownConv(c attr.Conv, out backend.View, in []backend.View) error {
	t := out.DType
	x, w := in[0].Shape.Dims(), in[1].Shape.Dims()
	size := out.Shape.Dims()[2:]
	sd, area := len(size), product(size)
	outs, terms := w[0]/c.Groups, product(w[1:])
	positions := x[0] * area
	name, grid, chunks := "conv_tiled", blocks(positions, 64)*blocks(outs, 64)*c.Groups, 1
	if outs < 8 {
		name, grid = "conv_direct", blocks(out.Numel(), threads)
	}
	// Few blocks: long sums are split. The number of parts depends on sizes alone.
	chunks = max(1, min(512/grid, terms/256))
	chunk := blocks(blocks(terms, chunks), 16) * 16
	chunks = blocks(terms, chunk)
	index, xs, ws := "u32", in[0].Strides(), in[1].Strides()
	if terms >= 1<<31 {
		index = "u64"
	}
	part := uintptr(0)
	if chunks > 1 {
		b, err := d.pool.Get("conv", chunks*out.Numel()*max(4, t.Size()))
		if err != nil {
			return err
		}
		defer b.Free()
		part = b.Dev
	}
	flip := 0
	if c.Flip {
		flip = 1
	}
	var g args
	g.int(positions, outs, c.Groups, terms, chunk, chunks)
	g.ptr(address(out), address(in[0]), address(in[1]), part)
	for _, list := range [][]int{size, x[2:], w[2:], c.Stride.Slice(), c.Low.Slice(), c.KernelDilation.Slice(), c.InputDilation.Slice()} {
		g.int(list...)
	}
	g.int(flip, xs[0], xs[1])
	g.int(xs[2:]...)
	g.int(ws...)
	g.int(area, w[1])
	launch := func(name string, gx, gy int) error {
		f, err := d.kernel(fmt.Sprint(name, t, sd, index), name, func() string { return convSource(name, t, sd, index) })
		if err != nil {
			return err
		}
		return d.launch(f, gx, gy, threads, g)
	}
	if err := launch(name, grid, chunks); err != nil || chunks == 1 {
		return err
	}
	return launch("conv_finish", blocks(out.Numel(), threads), 1)
}
