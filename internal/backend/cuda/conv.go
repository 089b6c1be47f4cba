package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(map[string]kernel{"conv": conv}) }

// convSource writes a kernel of conv.cu over sd dimensions; index is the type terms of a sum are counted with.
func convSource(name string, t dtype.DType, sd int, index string) string {
	return kernels.Source("prelude") + typed(t) + kernels.Source("tile") + "#define " + strings.ToUpper(name) + fmt.Sprintf("\n#define SD %d\n#define INDEX %s\n", sd, index) + kernels.Source("conv")
}

// conv is a convolution of any kind, by cuDNN where it can; else operands are read where they lie.
func conv(d *call, a attr.Attr, out, in []backend.View) error {
	c, t := a.(attr.Conv), out[0].DType
	x, w := in[0].Shape.Dims(), in[1].Shape.Dims()
	size := out[0].Shape.Dims()[2:]
	sd, area := len(size), product(size)
	outs, terms := w[0]/c.Groups, product(w[1:])
	if terms == 0 || in[0].Numel() == 0 {
		return d.Fill(address(out[0]), 0, out[0].Numel()*t.Size())
	}
	if done, err := d.convByLibrary(c, out[0], in[0], in[1]); done {
		return err
	}
	places := x[0] * area
	name, grid, chunks := "conv_tiled", blocks(places, 64)*blocks(outs, 64)*c.Groups, 1
	if outs < 8 {
		name, grid = "conv_direct", blocks(out[0].Numel(), threads)
	}
	// Few blocks share long sums; into how many parts depends on sizes alone.
	chunks = max(1, min(512/grid, terms/256))
	chunk := blocks(blocks(terms, chunks), 16) * 16
	chunks = blocks(terms, chunk)
	index, xs, ws := "u32", in[0].Strides(), in[1].Strides()
	if terms >= 1<<31 {
		index = "u64"
	}
	part := uintptr(0)
	if chunks > 1 {
		b, err := d.pool.Get("conv", chunks*out[0].Numel()*max(4, t.Size()))
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
	g.int(places, outs, c.Groups, terms, chunk, chunks)
	g.ptr(address(out[0]), address(in[0]), address(in[1]), part)
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
	return launch("conv_finish", blocks(out[0].Numel(), threads), 1)
}
