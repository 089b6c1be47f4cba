package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	register(map[string]kernel{
		"channel_moments": func(d *call, _ attr.Attr, out, in []backend.View) error {
			return d.channels("moments", out, in[0], nil, 0)
		},
		"channel_dots": func(d *call, _ attr.Attr, out, in []backend.View) error {
			x, g := in[1], in[0]
			if !slices.Equal(x.Strides(), g.Strides()) {
				all, err := d.denseAll([]backend.View{x, g})
				if err != nil {
					return err
				}
				defer all.free()
				x, g = all.views[0], all.views[1]
			}
			m, b, err := d.dense(in[2])
			if err != nil {
				return err
			}
			if b != nil {
				defer b.Free()
			}
			return d.channels("dots", out, x, &g, address(m))
		},
	})
}

// channelForm is what a kernel of channel.cu is specialised for.
type channelForm struct {
	what, part string // moments or dots; cols, rows or finish
	t          dtype.DType
	fd, vector int
	across     int // adjacent threads over channels
}

func (f channelForm) source() string {
	return kernels.Source("prelude") + fmt.Sprintf("#define %s\n#define %s\n#define T %s\n#define FD %d\n#define V %d\n#define X %d\n",
		strings.ToUpper(f.what), strings.ToUpper(f.part), ctype[f.t], f.fd, f.vector, f.across) + kernels.Source("channel")
}

// channels reduces everything but dimension 1.
func (d *call) channels(what string, out []backend.View, x backend.View, g *backend.View, mean uintptr) error {
	dims, st := x.Shape.Dims(), x.Strides()
	n := dims[1]
	inner := x.Numel() / n
	if inner == 0 {
		b := byte(0)
		if what == "moments" {
			b = 0xff // a NaN
		}
		for _, o := range out {
			if err := d.Fill(address(o), b, o.Numel()*o.DType.Size()); err != nil {
				return err
			}
		}
		return nil
	}
	folded, fs := collapse(slices.Concat(dims[:1], dims[2:]), slices.Concat(st[:1], st[2:]))
	wide := 16 / x.DType.Size()
	whole := address(x)%16 == 0 && (g == nil || address(*g)%16 == 0)
	f := channelForm{what: what, part: "rows", t: x.DType, fd: len(folded), vector: 1, across: 1}
	byCols := abs(st[1]) < abs(fs[len(fs)-1]) && n >= 8
	for i, s := range fs {
		whole = whole && (s%wide == 0 || !byCols && i == len(fs)-1 && s == 1 && folded[i]%wide == 0)
	}
	blocksX := n
	if byCols {
		f.part = "cols"
		if whole && st[1] == 1 && n%wide == 0 {
			f.vector = wide
		}
		for f.across < 32 && f.across*f.vector < n {
			f.across *= 2
		}
		blocksX = blocks(n, f.across*f.vector)
	} else if whole && st[1]%wide == 0 && fs[len(fs)-1] == 1 {
		f.vector = wide
	}
	// As many chunks as fill the device, each with work for every thread. Their number depends on sizes alone, so bits do
	// not depend on the GPU.
	per := 256 * f.vector
	if byCols {
		per = 256 / f.across
	}
	chunks := max(1, min(blocks(1024, blocksX), inner/(8*per)))
	chunk := blocks(blocks(inner, chunks), per) * per
	chunks = blocks(inner, chunk)
	if chunks > maxGridY {
		return backend.ErrNoKernel
	}
	part, err := d.pool.Get("channels", chunks*2*n*out[0].DType.Size())
	if err != nil {
		return err
	}
	defer part.Free()
	var a args
	a.int(n, inner, chunk, chunks, st[1])
	a.int(folded...)
	a.int(fs...)
	a.ptr(address(x))
	if g != nil {
		a.ptr(address(*g))
	} else {
		a.ptr(0)
	}
	a.ptr(mean, part.Dev, address(out[0]), address(out[1]))
	launch := func(f channelForm, gx, gy int) error {
		k, err := d.kernel(fmt.Sprint("channel ", f), "channel_"+f.part, f.source)
		if err != nil {
			return err
		}
		return d.launch(k, gx, gy, threads, a)
	}
	if err := launch(f, blocksX, chunks); err != nil {
		return err
	}
	f.part = "finish"
	return launch(f, blocks(n, 8), 1)
}
