package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() { register(map[string]kernel{"paged_attention": pagedAttention}) }

// paging is the table of the blocks that keys and values are in, of so many, and the record for one that is not there.
type paging struct {
	table  backend.View
	blocks int
	record uintptr
}

// pagedAttention reads keys and values where their table says if there are few queries; for many, which read them often, they are brought
// together first. A table that names a block outside the pool is a device error.
func pagedAttention(d *call, a attr.Attr, out, in []backend.View) error {
	p := a.(attr.Paged)
	t := temporaries{d: d.Device, op: "attention"}
	defer t.free()
	table := in[3]
	if !table.Contiguous() {
		to, b, err := d.forceDense(table)
		if err != nil {
			return err
		}
		t.bufs = append(t.bufs, b)
		table = to
	}
	examples, keys := in[0].Shape.Dim(0), in[4].Shape.Dim(3)
	of := func(v backend.View) *shape.Shape {
		return shape.Of("paged_attention", examples, v.Shape.Dim(1), keys, v.Shape.Dim(3))
	}
	all := []backend.View{in[0], in[1], in[2], in[4]}
	for i := 1; i < 3; i++ { // as if rows followed each other
		st := all[i].Strides()
		all[i].Lay = &shape.Layout{Strides: []int{0, st[1], st[2], st[3]}, Offset: all[i].Offset()}
		all[i].Shape = of(in[i])
	}
	if c, few := decodingFor(all[0], all[1], all[2], all[3:]); few && out[0].Strides()[3] == 1 && out[1].Contiguous() &&
		spans32(in[1]) && spans32(in[2]) {
		c.page = p.Block
		return d.checked(d.ctx, "index", func(record uintptr) error {
			return d.attentionDecode(attr.Attention{Scale: p.Scale}, c, out, all, &paging{table, in[1].Shape.Dim(2) / p.Block, record})
		})
	}
	for i := 1; i < 3; i++ {
		v, err := d.together(&t, in[i], table, of(in[i]), p.Block)
		if err != nil {
			return err
		}
		all[i] = v
	}
	return attention(d, attr.Attention{Scale: p.Scale}, out, all)
}

// pagesSource is the kernel for elements of some bytes.
func pagesSource(size int) string {
	types := map[int]string{2: "u16", 4: "u32", 8: "u64"}
	return kernels.Source("prelude") + fmt.Sprintf("#define T %s\n", types[size]) + kernels.Source("attention_pages")
}

// together brings rows of a pool together.
func (d *call) together(t *temporaries, pool, table backend.View, s *shape.Shape, block int) (backend.View, error) {
	size := pool.DType.Size()
	f, err := d.kernel(fmt.Sprint("attention_pages", size), "attention_pages", func() string { return pagesSource(size) })
	if err != nil {
		return pool, err
	}
	b, err := d.pool.Get("attention", max(1, s.Numel()*size))
	if err != nil {
		return pool, err
	}
	t.bufs = append(t.bufs, b)
	to := backend.View{Buf: b, DType: pool.DType, Shape: s}
	if s.Numel() == 0 {
		return to, nil
	}
	st := pool.Strides()
	var g args
	g.int(s.Numel(), s.Dim(1), s.Dim(2), s.Dim(3), block, table.Shape.Dim(1))
	g.int(st[1], st[2], st[3])
	g.ptr(address(pool), address(table), address(to))
	return to, d.checked(d.ctx, "index", func(record uintptr) error {
		g.int(pool.Shape.Dim(2) / block)
		g.ptr(record)
		return d.launch(f, min(blocks(s.Numel(), 256), 1<<16), 1, 256, g)
	})
}
