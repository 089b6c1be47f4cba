package cuda

import (
	"fmt"
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(map[string]kernel{"attention": attention, "attention_grad": attentionGrad}) }

// tiled is the shape of attention's tensor-core kernels.
type tiled struct {
	half              dtype.DType
	hd                int // elements of a row in shared memory
	warps, each, tile int // a block has 16·each rows a warp, and loops over tiles of the other operand
	brief             bool
	masked            bool // by a mask of booleans; forward only
	hopper            bool // the kernel of attention_wgmma.cu; forward only
}

// onHopper is the variant of the forward kernel for Hopper's own instructions, if a device has them.
func (t tiled) onHopper(d *driver.Device, matrices, rows int) tiled {
	if d.Major == 9 && !t.brief && matrices*blocks(rows, t.rows()) < longest/2 {
		t.hopper, t.tile = true, 128
	}
	return t
}

// soon is the variant of a kernel that will run a few times only: half as much of it is unrolled, so it compiles faster.
func (t tiled) soon(brief bool) tiled {
	if t.brief = brief; brief {
		t.each = 1
	}
	return t
}

func (t tiled) rows() int { return 16 * t.warps * t.each }

// The kernels: forward; gradient of keys and values; gradient of queries.
const (
	forward = iota
	ofKeys
	ofQueries
)

// tilesFor reports whether the tensor-core kernels take the operands: half types, rows of whole 16-byte vectors,
// 128 elements at most.
func tilesFor(a attr.Attention, q, k, v backend.View, part int) (tiled, bool) {
	e, f := q.Shape.Dim(3), v.Shape.Dim(3)
	t := tiled{half: q.DType, hd: 64, warps: 4, each: 2, tile: 64}
	switch wide := max(e, f) > 64; {
	case wide && part == ofKeys: // two row accumulators fill the registers
		t.hd, t.each, t.tile = 128, 1, 32
	case wide && part == ofQueries:
		t.hd, t.tile = 128, 32
	case wide:
		t.hd = 128
	case part != forward:
		t.tile = 32
	}
	rows := max(q.Shape.Dim(2), k.Shape.Dim(2))
	ok := q.DType.IsHalf() && a.Scale > 0 && e > 0 && f > 0 && e%8 == 0 && f%8 == 0 && max(e, f) <= 128 && q.Shape.Dim(2) > 0 &&
		k.Shape.Dim(2) > 0 &&
		q.Shape.Dim(0)*q.Shape.Dim(1) <= 65535 && rows < 1<<30
	return t, ok
}

func (t tiled) source(file string, keys bool) string {
	if t.hopper {
		return kernels.Source("prelude") + fmt.Sprintf("#define HALF_IS_BF16 %d\n#define HD %d\n#define MASKED %d\n",
			number(t.half == dtype.BFloat16), t.hd, number(t.masked)) + kernels.Source(file)
	}
	return kernels.Source("prelude") +
		fmt.Sprintf("#define HALF_IS_BF16 %d\n#define HD %d\n#define WARPS %d\n#define MR %d\n#define BN %d\n",
			number(t.half == dtype.BFloat16), t.hd, t.warps, t.each, t.tile) +
		fmt.Sprintf("#define ROWS_ARE_KEYS %d\n#define MASKED %d\n", number(keys), number(t.masked)) +
		kernels.Source("attention_tile", file)
}

// tiled finds a kernel of attention. One that cuDNN will soon replace is compiled in half the time, and runs slower.
func (d *Device) tiled(t tiled, name string, keys bool) (*driver.Function, error) {
	k := text{name: name, source: func() string { return t.source(name, keys) }, options: options, ours: true, long: true}
	if t.brief {
		k.options = briefly
	}
	if t.hopper {
		k.arch = d.arch + "a"
	}
	return d.find(fmt.Sprint(name, t, keys), k)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fitsRows reports whether rows are contiguous and 16-byte aligned.
func fitsRows(v backend.View) bool {
	st := v.Strides()
	return st[3] == 1 && address(v)%16 == 0 && st[0]%8 == 0 && st[1]%8 == 0 && st[2]%8 == 0
}

// inRows copies the operands whose rows are not contiguous or not 16-byte aligned.
func (d *Device) inRows(in []backend.View) (*denseViews, error) {
	all := &denseViews{}
	for _, v := range in {
		if !fitsRows(v) {
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
	done, later, err := d.attentionByLibrary(p, out, in)
	if done {
		return err
	}
	t, ok := tilesFor(p, in[0], in[1], in[2], forward)
	t = t.soon(later)
	if c, few := decodingFor(in[0], in[1], in[2], in[3:]); few && out[0].Strides()[3] == 1 && out[1].Contiguous() {
		return d.attentionDecode(p, c, out, in, nil)
	}
	t.masked = len(in) > 3
	t = t.onHopper(d.Device.Device, in[0].Shape.Dim(0)*in[0].Shape.Dim(1), in[0].Shape.Dim(2))
	if !ok || t.masked && in[3].DType != dtype.Bool || !fitsRows(out[0]) {
		if out[0].Contiguous() {
			return d.attentionRows(p, out, in)
		}
		return d.writtenApart(out, func(out []backend.View) error { return d.attentionRows(p, out, in) })
	}
	x, err := d.inRows(in[:3])
	if err != nil {
		return err
	}
	defer x.free()
	name := "attention"
	if t.hopper {
		name = "attention_wgmma"
	}
	f, err := d.tiled(t, name, false)
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
	g.int(out[0].Strides()[:3]...)
	g.int(int(math.Float64bits(p.Scale)), number(p.Causal))
	maskOf(&g, in[3:])
	if t.masked {
		tmp := temporaries{d: d.Device, op: "attention"}
		defer tmp.free()
		if err := d.kindsOfTiles(t, &tmp, &g, q[2], in[1].Shape.Dim(2), in[3]); err != nil {
			return err
		}
	} else {
		g.int(0, 0, 0, 0)
	}
	if t.hopper { // four warps more, which copy; tiles begin at multiples of 1,024
		g.int(q[0] * q[1])
		return d.launchShared(f, min(blocks(q[2], t.rows())*q[0]*q[1], d.SMs), 1, 3*128, (2*t.rows()+4*t.tile)*t.hd*2+1024, g)
	}
	return d.launchShared(f, blocks(q[2], t.rows()), q[0]*q[1], 32*t.warps, (t.rows()+4*t.tile)*t.hd*2, g)
}

func (t tiled) kindsSource() string {
	return kernels.Source("prelude") + fmt.Sprintf("#define BM %d\n#define BN %d\n", t.rows(), t.tile) + kernels.Source("attention_kinds")
}

// kindsOfTiles finds the tiles in which scores count, once for all examples and heads that share a mask.
func (d *call) kindsOfTiles(t tiled, tmp *temporaries, g *args, length, keys int, mask backend.View) error {
	f, err := d.kernel(fmt.Sprint("attention_kinds ", t.rows(), t.tile), "attention_kinds", t.kindsSource)
	if err != nil {
		return err
	}
	examples, heads, rows, tiles := mask.Shape.Dim(0), mask.Shape.Dim(1), blocks(length, t.rows()), blocks(keys, t.tile)
	for i, n := range []*int{&examples, &heads} {
		if mask.Strides()[i] == 0 {
			*n = 1
		}
	}
	kinds, err := tmp.get(examples * heads * rows * tiles)
	if err != nil {
		return err
	}
	var h args
	h.int(heads, length, keys, tiles)
	maskOf(&h, []backend.View{mask})
	h.ptr(kinds)
	planes := []int{heads * rows, rows}
	if examples == 1 {
		planes[0] = 0
	}
	if heads == 1 {
		planes[1] = 0
	}
	g.ptr(kinds)
	g.int(planes[0], planes[1], tiles)
	return d.launch(f, rows*tiles, examples*heads, threads, h)
}

// gradOperands are the inputs of attention's gradient.
type gradOperands struct {
	g, q, k, v, lse, y backend.View
	shift, mask        []backend.View // one or none
}

func gradOperandsOf(p attr.Attention, in []backend.View) gradOperands {
	n := number(p.Shifted)
	return gradOperands{in[0], in[1], in[2], in[3], in[4], in[5], in[6 : 6+n], in[6+n:]}
}

func attentionGrad(d *call, a attr.Attr, out, in []backend.View) error {
	p := a.(attr.Attention)
	o := gradOperandsOf(p, in)
	done, later, err := d.attentionGradByLibrary(p, out, o)
	if done {
		return err
	}
	if slices.ContainsFunc(out, func(v backend.View) bool { return !v.Contiguous() }) {
		return d.writtenApart(out, func(out []backend.View) error { return d.attentionGradByKernels(p, out, o, later) })
	}
	return d.attentionGradByKernels(p, out, o, later)
}

// writtenApart lets run write contiguous temporaries, and copies them to the strided outputs.
func (d *call) writtenApart(out []backend.View, run func(out []backend.View) error) error {
	apart := slices.Clone(out)
	for i, v := range out {
		b, err := d.pool.Get("attention", max(1, v.Numel()*v.DType.Size()))
		if err != nil {
			return err
		}
		defer b.Free()
		apart[i].Buf, apart[i].Lay = b, nil
	}
	if err := run(apart); err != nil {
		return err
	}
	for i, v := range out {
		if err := d.move(v, apart[i]); err != nil {
			return err
		}
	}
	return nil
}

// attentionGradByKernels computes the gradient with our own kernels, in row-major order; with fast-compiling ones if cuDNN
// will replace them soon.
func (d *call) attentionGradByKernels(p attr.Attention, out []backend.View, o gradOperands, brief bool) error {
	if _, ok := tilesFor(p, o.q, o.k, o.v, ofKeys); !ok || len(o.mask) > 0 {
		return d.attentionRowsGrad(p, out, o)
	}
	x, err := d.inRows([]backend.View{o.q, o.k, o.v, o.g, o.y})
	if err != nil {
		return err
	}
	defer x.free()
	stat, err := d.denseAll([]backend.View{o.lse})
	if err != nil {
		return err
	}
	defer stat.free()
	o.q, o.k, o.v, o.g, o.y = x.views[0], x.views[1], x.views[2], x.views[3], x.views[4]
	sums, err := d.attentionSums(o)
	if err != nil {
		return err
	}
	defer sums.Buf.Free()
	x.views = x.views[:4]
	q, k := o.q.Shape.Dims(), o.k.Shape.Dims()
	for _, part := range []int{ofQueries, ofKeys} {
		t, _ := tilesFor(p, o.q, o.k, o.v, part)
		keys := part == ofKeys
		t = t.soon(brief)
		f, err := d.tiled(t, "attention_grad", keys)
		if err != nil {
			return err
		}
		var g args
		sizes(&g, o.q, o.k, o.v)
		for _, v := range x.views {
			g.int(v.Strides()[:3]...)
		}
		for _, v := range x.views {
			g.ptr(address(v))
		}
		g.ptr(address(stat.views[0]), address(sums))
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

func sumsSource(t dtype.DType, vector int) string {
	return kernels.Source("prelude") + fmt.Sprintf("#define T %s\n#define V %d\n", ctype[t], vector) + kernels.Source("attention_sums")
}

// attentionSums computes the row sums of result times cotangent that the gradient needs, in the accumulator dtype.
func (d *call) attentionSums(o gradOperands) (sums backend.View, err error) {
	vector := 8
	for _, v := range []backend.View{o.g, o.y} {
		st := v.Strides()
		if !v.DType.IsHalf() || st[3] != 1 || st[0]%8 != 0 || st[1]%8 != 0 || st[2]%8 != 0 || v.Shape.Dim(3)%8 != 0 || address(v)%16 != 0 {
			vector = 1
		}
	}
	shift, err := d.denseAll(o.shift)
	if err != nil {
		return sums, err
	}
	defer shift.free()
	f, err := d.kernel(fmt.Sprint("attention_sums", o.g.DType, vector), "attention_sums",
		func() string { return sumsSource(o.g.DType, vector) })
	if err != nil {
		return sums, err
	}
	b, err := d.pool.Get("attention", max(1, o.lse.Numel())*o.lse.DType.Size())
	if err != nil {
		return sums, err
	}
	s := o.g.Shape.Dims()
	rows := s[0] * s[1] * s[2]
	var g args
	g.int(s[1], s[2], rows, s[3])
	g.int(o.g.Strides()...)
	g.int(o.y.Strides()...)
	g.ptr(address(o.g), address(o.y))
	if len(shift.views) > 0 {
		g.ptr(address(shift.views[0]))
	} else {
		g.ptr(0)
	}
	g.ptr(b.Dev)
	if err := d.launch(f, blocks(rows, threads/32), 1, threads, g); err != nil {
		b.Free()
		return sums, err
	}
	return backend.View{Buf: b, DType: o.lse.DType, Shape: o.lse.Shape}, nil
}
