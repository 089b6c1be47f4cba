package cuda

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Attention of few queries over many keys: a next token over a cache. Chunks of keys are computed by blocks of their own
// (flash-decoding) and combined by the last of them. Keys behind the last one that a mask shows are not read, so a large cache costs what
// is in it.

const (
	decodeSplits = 32  // chunks: a warp weighs them
	nearChunks   = 8   // chunks that a cluster combines: NEAR in attention_decode.cu
	nearMatrices = 16  // up to so many; with more of them blocks wait for each other
	mostNear     = 64  // vectors of results that it has room for
	mostNearMMA  = 32  // with tensor cores: with more of them the launches behind lose what attention gains (8B: 0.5 %)
	decodeBlocks = 128 // chunks of all heads of an example: enough for a device; bits must not depend on which it is
)

// decoding is the shape of its kernels.
type decoding struct {
	t, mask     dtype.DType
	rows, lanes int  // room for queries that share keys; threads that read a row of keys
	one         bool // there is one query of each head
	page        int  // rows of a block of keys that a table names; 0: keys follow each other
	mma         bool // with tensor cores
	cluster     int  // blocks that combine what they have without a way through memory; 0: none
}

// block gives the threads of a block and the keys of a chunk, if there are so many: THREADS and FEWEST in attention_decode.cu.
func (c decoding) block() (threads, fewest int) {
	switch {
	case !c.mma:
		return 512, 32
	case c.rows*c.lanes > 256:
		return 64, 64
	case c.rows*c.lanes > 128:
		return 128, 64
	}
	return 256, 128
}

// decodingFor reports whether the kernels take the operands: few queries, rows of whole vectors, at most 256 elements.
func decodingFor(q, k, v backend.View, mask []backend.View) (c decoding, ok bool) {
	kv := k.Shape.Dim(1)
	if !(q.DType.IsHalf() || q.DType == dtype.Float32) || kv == 0 || q.Shape.Dim(1)%kv != 0 || k.Shape.Dim(2) == 0 {
		return c, false
	}
	rows, wide := q.Shape.Dim(1)/kv*q.Shape.Dim(2), max(q.Shape.Dim(3), v.Shape.Dim(3))
	c = decoding{t: q.DType, mask: q.DType, rows: 1, lanes: 4, one: q.Shape.Dim(2) == 1}
	for c.rows < rows {
		c.rows *= 2
	}
	for 8*c.lanes < wide {
		c.lanes *= 2
	}
	if len(mask) > 0 {
		c.mask = mask[0].DType
	}
	ok = rows > 0 && c.rows <= 16 && c.lanes <= 32 && q.Shape.Dim(3) > 0 && q.Shape.Dim(3)%8 == 0 && v.Shape.Dim(3) > 0 &&
		v.Shape.Dim(3)%8 == 0 && k.Shape.Dim(0)*kv <= maxGridY && rowsOfVectors(q) && rowsOfVectors(k) && rowsOfVectors(v) &&
		spans32(k) && spans32(v) && (len(mask) == 0 || spans32(mask[0]))
	return c, ok
}

// rowsOfVectors reports whether 8 elements of a row can be read at once.
func rowsOfVectors(v backend.View) bool {
	st, n := v.Strides(), 16/v.DType.Size()
	return st[3] == 1 && address(v)%16 == 0 && st[0]%n == 0 && st[1]%n == 0 && st[2]%n == 0
}

// spans32 reports whether the positions of a matrix are less than 2³¹ elements apart.
func spans32(v backend.View) bool {
	st, n := v.Strides(), v.Shape.Rank()
	return v.Shape.Dim(n-2)*st[n-2] < math.MaxInt32 && v.Shape.Dim(n-1)*st[n-1] < math.MaxInt32
}

func (c decoding) source() string {
	types := fmt.Sprintf("#define T %s\n#define MASK %s\n#define MASK_IS_BOOL %d\n", ctype[c.t], ctype[c.mask],
		number(c.mask == dtype.Bool))
	if c.one {
		types += "#define QUERIES 1\n"
	} else {
		types += "#define QUERIES (int)a.queries\n"
	}
	if c.mma {
		types += fmt.Sprintf("#define MMA \"%s\"\n", ctype[c.t])
	}
	sizes := fmt.Sprintf("#define ROWS %d\n#define LANES %d\n#define PAGE %d\n#define CLUSTER %d\n", c.rows, c.lanes, c.page,
		c.cluster)
	return kernels.Source("prelude") + types + sizes + kernels.Source("attention_decode")
}

// maskOf passes a mask and its strides, 0 for those over which it is the same; nulls without one.
func maskOf(g *args, mask []backend.View) {
	if len(mask) == 0 {
		g.int(0, 0, 0, 0, 0)
		return
	}
	g.ptr(address(mask[0]))
	for i, s := range mask[0].Strides() {
		if mask[0].Shape.Dim(i) == 1 {
			s = 0
		}
		g.int(s)
	}
}

// attentionDecode runs it. out[0] may be strided. paged is nil unless keys are in blocks.
func (d *call) attentionDecode(p attr.Attention, c decoding, out, in []backend.View, paged *paging) error {
	q, k, v := in[0], in[1], in[2]
	c.mma = c.t.IsHalf() && d.Major >= 8
	threads, fewest := c.block()
	matrices, keys, width := k.Shape.Dim(0)*k.Shape.Dim(1), k.Shape.Dim(2), v.Shape.Dim(3)
	rows := q.Shape.Dim(1) / k.Shape.Dim(1) * q.Shape.Dim(2)
	splits := min(blocks(keys, fewest), max(1, decodeBlocks/k.Shape.Dim(1)), decodeSplits)
	chunks := min(splits, max(1, 4*d.SMs/matrices))
	room := mostNear
	if c.mma {
		room = mostNearMMA
	}
	if d.Major >= 9 && c.rows*c.lanes <= room && chunks > 1 && matrices <= nearMatrices && d.alone() {
		for c.cluster = nearChunks; c.cluster > chunks; {
			c.cluster /= 2
		}
		chunks -= chunks % c.cluster
	}
	f, err := d.kernel(fmt.Sprint("attention_decode", c), "attention_decode", c.source)
	if err != nil {
		return err
	}
	var g args
	sizes(&g, q, k, v)
	g.int(splits, q.Shape.Dim(1)/k.Shape.Dim(1))
	for _, x := range []backend.View{q, k, v, out[0]} {
		g.int(x.Strides()[:3]...)
	}
	g.ptr(address(q), address(k), address(v), address(out[0]), address(out[1]))
	maskOf(&g, in[3:])
	g.int(int(math.Float64bits(p.Scale)), number(p.Causal))
	if paged != nil {
		g.ptr(address(paged.table))
		g.int(paged.table.Shape.Dim(1), paged.blocks)
		g.ptr(paged.record)
	} else {
		g.int(0, 0, 0, 0)
	}
	if splits == 1 {
		g.ptr(0, 0, 0, 0)
		return d.launch(f, 1, matrices, threads, g)
	}
	n := matrices * splits * rows
	t := temporaries{d: d.Device, op: "attention"}
	defer t.free()
	b, err := t.get(4 * n * (2 + width))
	if err != nil {
		return err
	}
	ended, err := t.zeroed(4 * matrices)
	if err != nil {
		return err
	}
	g.ptr(b, b+uintptr(4*n), b+uintptr(8*n), ended)
	return d.launch(f, chunks, matrices, threads, g)
}
