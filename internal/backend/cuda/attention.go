package cuda

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(map[string]kernel{"attention": attention, "attention_grad": attentionGrad}) }

// tiled is the form of attention's kernels on the tensor cores.
type tiled struct {
	half              dtype.DType
	hd                int // halves of a row in shared memory
	warps, each, tile int // a block has 16·each rows a warp, and goes over the others in tiles
}

func (t tiled) rows() int { return 16 * t.warps * t.each }

// The kernels: the result, the cotangents of keys and values, that of the queries.
const (
	forward = iota
	ofKeys
	ofQueries
)

// tilesFor says whether the operands fit the tensor cores' kernels: halves, no mask, rows of whole 16 bytes, 128 at most.
func tilesFor(a attr.Attention, q, k, v backend.View, part int) (tiled, bool) {
	e, f := q.Shape.Dim(3), v.Shape.Dim(3)
	t := tiled{q.DType, 64, 4, 2, 64}
	switch wide := max(e, f) > 64; {
	case wide && part == ofKeys: // two sums of rows fill the registers
		t.hd, t.each, t.tile = 128, 1, 32
	case wide && part == ofQueries:
		t.hd, t.tile = 128, 32
	case wide:
		t.hd = 128
	case part != forward:
		t.tile = 32
	}
	rows := max(q.Shape.Dim(2), k.Shape.Dim(2))
	ok := q.DType.IsHalf() && a.Scale > 0 && e > 0 && f > 0 && e%8 == 0 && f%8 == 0 && max(e, f) <= 128 && k.Shape.Dim(2) > 0 &&
		q.Shape.Dim(0)*q.Shape.Dim(1) <= 65535 && rows < 1<<30
	return t, ok
}

func (t tiled) source(file string, keys bool) string {
	return kernels.Source("prelude") + fmt.Sprintf("#define HALF_IS_BF16 %d\n#define HD %d\n#define WARPS %d\n#define MR %d\n#define BN %d\n#define ROWS_ARE_KEYS %d\n",
		number(t.half == dtype.BFloat16), t.hd, t.warps, t.each, t.tile, number(keys)) + kernels.Source("attention_tile", file)
}

func (t tiled) key(name string) string { return fmt.Sprint(name, t) }

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// inRows brings operands to where their rows are contiguous and begin at multiples of 16 bytes.
func (d *Device) inRows(in []backend.View) (*denseViews, error) {
	all := &denseViews{}
	for _, v := range in {
		st := v.Strides()
		fits := st[3] == 1 && address(v)%16 == 0
		for _, s := range st[:3] {
			fits = fits && s%8 == 0
		}
		if !fits {
			to, b, err := d.forceDense(v)
			if err != nil {
				all.free()
				return nil, err
			}
			all.bufs = append(all.bufs, b)
			v = to
		}
		all.views = append(all.views, v)
	}
	return all, nil
}

func sizes(g *args, q, k, v backend.View) {
	g.int(q.Shape.Dim(1), k.Shape.Dim(1), q.Shape.Dim(2), k.Shape.Dim(2), q.Shape.Dim(3), v.Shape.Dim(3))
}

func attention(d *call, a attr.Attr, out, in []backend.View) error {
	p := a.(attr.Attention)
	if done, err := d.attentionByLibrary(p, out, in); done {
		return err
	}
	t, ok := tilesFor(p, in[0], in[1], in[2], forward)
	if !ok || len(in) > 3 {
		return d.attentionRows(p, out, in)
	}
	x, err := d.inRows(in)
	if err != nil {
		return err
	}
	defer x.free()
	f, err := d.kernel(t.key("attention"), "attention", func() string { return t.source("attention", false) })
	if err != nil {
		return err
	}
	q := in[0].Shape.Dims()
	var g args
	sizes(&g, in[0], in[1], in[2])
	for _, v := range x.views {
		g.int(v.Strides()[:3]...)
	}
	for _, v := range x.views {
		g.ptr(address(v))
	}
	g.ptr(address(out[0]), address(out[1]))
	g.int(int(math.Float64bits(p.Scale)), number(p.Causal))
	return d.launchShared(f, blocks(q[2], t.rows()), q[0]*q[1], 32*t.warps, (t.rows()+4*t.tile)*t.hd*2, g)
}

func attentionGrad(d *call, a attr.Attr, out, in []backend.View) error {
	p := a.(attr.Attention)
	if done, err := d.attentionGradByLibrary(p, out, in); done {
		return err
	}
	if _, ok := tilesFor(p, in[1], in[2], in[3], ofKeys); !ok || len(in) > 6 {
		return d.attentionRowsGrad(p, out, in)
	}
	x, err := d.inRows([]backend.View{in[1], in[2], in[3], in[0]})
	if err != nil {
		return err
	}
	defer x.free()
	stat, err := d.denseAll(in[4:6])
	if err != nil {
		return err
	}
	defer stat.free()
	q, k := in[1].Shape.Dims(), in[2].Shape.Dims()
	for _, part := range []int{ofQueries, ofKeys} {
		t, _ := tilesFor(p, in[1], in[2], in[3], part)
		keys := part == ofKeys
		f, err := d.kernel(fmt.Sprint(t.key("attention_grad"), keys), "attention_grad", func() string { return t.source("attention_grad", keys) })
		if err != nil {
			return err
		}
		var g args
		sizes(&g, in[1], in[2], in[3])
		for _, v := range x.views {
			g.int(v.Strides()[:3]...)
		}
		for _, v := range x.views {
			g.ptr(address(v))
		}
		g.ptr(address(stat.views[0]), address(stat.views[1]))
		rows, matrices := q[2], q[0]*q[1]
		if keys {
			rows, matrices = k[2], k[0]*k[1]
			g.ptr(address(out[1]), address(out[2]))
		} else {
			g.ptr(address(out[0]), 0)
		}
		g.int(int(math.Float64bits(p.Scale)), number(p.Causal))
		if err := d.launchShared(f, blocks(rows, t.rows()), matrices, 32*t.warps, (2*t.rows()+4*t.tile)*t.hd*2+8*t.tile, g); err != nil {
			return err
		}
	}
	return nil
}
