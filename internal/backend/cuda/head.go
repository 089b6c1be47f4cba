package cuda

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/dtype"
)

// A product of halves and what follows it: sums with a vector or with a matrix, gelu, and the gradient of gelu with the sums down
// its columns are made by the product's own kernel before it rounds, where the library has one that does; anything else is a launch of its own.

// canLead reports what begins a program: products whose kernel may do the rest, and random numbers.
func canLead(op string, a attr.Attr, out dtype.DType) bool {
	return op == "matmul" && (out.IsHalf() || a != nil) || canDraw(op, out)
}

// after is a program that a product's kernel may be able to run.
type after struct {
	added []int  // input registers added to the product, at most two
	gelu  bool   // then this
	aux   int    // the output that holds what gelu reads, -1: none
	last  int    // the output that holds the result
	slope *slope // the product is multiplied by the slope of gelu; added, gelu and aux are not there then
}

// afterProduct sees a program so; nil: it is not such a one.
func afterProduct(p *backend.Fused) *after {
	if p.Producer == nil || p.Producer.Stored || p.Producer.Op != "matmul" {
		return nil
	}
	if p.Producer.Attr != nil {
		return afterSums(p)
	}
	if s := slopeAfter(p); s != nil {
		return &after{aux: -1, slope: s}
	}
	if p.Reduction != nil || slices.ContainsFunc(p.DTypes, func(t dtype.DType) bool { return t != p.DTypes[p.Producer.Dst] }) {
		return nil
	}
	a, at := &after{aux: -1}, p.Producer.Dst
	for _, ins := range p.Instrs {
		if at = a.follow(p, at, ins, nil); at < 0 {
			return nil
		}
	}
	return a.ends(p, at)
}

// afterSums is afterProduct for the sums of a product of halves, float32, that are rounded after something was added.
func afterSums(p *backend.Fused) *after {
	if p.Reduction != nil {
		return nil
	}
	a, at, wide := &after{aux: -1}, p.Producer.Dst, map[int]int{} // halves that are widened to be added
	for _, ins := range p.Instrs {
		src, of := ins.Src[0], p.DTypes[ins.Dst]
		switch {
		case ins.Op != "cast":
			at = a.follow(p, at, ins, wide)
		case src == at && of.IsHalf() && p.DTypes[src] == dtype.Float32:
			at = ins.Dst
		case of == dtype.Float32 && src < p.In && src != p.Producer.Dst && p.DTypes[src].IsHalf():
			wide[ins.Dst] = src
		default:
			return nil
		}
		if at < 0 {
			return nil
		}
	}
	if !p.DTypes[at].IsHalf() {
		return nil
	}
	return a.ends(p, at)
}

// follow takes an instruction over register at and returns the register it makes, -1 if no kernel of a product does it. An
// addend of wide stands for what it was widened from; others have the dtype of the sum.
func (a *after) follow(p *backend.Fused, at int, ins backend.Instr, wide map[int]int) int {
	x, y := ins.Src[0], ins.Src[1]
	if y == at {
		x, y = y, x
	}
	from, widened := wide[y]
	if widened {
		y = from
	}
	switch {
	case x != at || a.gelu || p.DTypes[ins.Dst] != p.DTypes[at]:
		return -1
	case ins.Op == "gelu_tanh" && p.DTypes[at].IsHalf():
		a.gelu = true
		if k := slices.Index(p.Out, at); k >= 0 {
			a.aux = k
		}
	case ins.Op == "add" && y >= 0 && y < p.In && y != p.Producer.Dst && p.DTypes[y].IsHalf() && len(a.added) < 2:
		a.added = append(a.added, y)
	default:
		return -1
	}
	return ins.Dst
}

// ends says which outputs hold what; nil if others are wanted.
func (a *after) ends(p *backend.Fused, at int) *after {
	if a.last = slices.Index(p.Out, at); a.last < 0 || len(p.Out) != 1+number(a.aux >= 0) {
		return nil
	}
	return a
}

// runHead runs a program behind a product.
func (d *Device) runHead(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	if out[0].Numel() == 0 {
		return nil // and so is all that follows: what is folded has elements
	}
	if q := p.Prep.(*program); p.Producer.Unwritten {
		if q.after == nil {
			if done, err := d.runDrawn(c, p, out[1:], in); done {
				return err
			}
		} else if err := d.runAfter(c, q.after, out, in, p.In); err != cublas.ErrUnsupported {
			return err
		}
		b, err := d.pool.Get(p.Producer.Op, out[0].Numel()*out[0].DType.Size())
		if err != nil {
			return err
		}
		defer b.Free()
		out, in = slices.Clone(out), slices.Clone(in)
		out[0].Buf, in[p.Producer.Dst].Buf = b, b
	}
	if err := d.run(table[p.Producer.Op], c, p.Producer.Attr, out[:1], in[p.In:]); err != nil || len(p.Out) == 0 {
		return err
	}
	return d.runFused(c, p, nil, out[1:], in[:p.In])
}

// runAfter lets the product's kernel do it all; the product itself is written nowhere.
func (d *Device) runAfter(c *backend.Ctx, a *after, out, in []backend.View, n int) error {
	var e cublas.Epilogue
	result, cols := out[1+a.last], out[0].Shape.Dim(out[0].Shape.Rank()-1)
	o := cublas.Operands{Z: address(result)}
	fits := func(v backend.View) bool { return v.Buf.Dev != 0 && address(v)%16 == 0 }
	if cols%piece != 0 || result.Shape.Rank() == 0 || result.Shape.Dim(result.Shape.Rank()-1) != cols || !fits(result) {
		return cublas.ErrUnsupported
	}
	if a.slope != nil {
		x := in[a.slope.x]
		if !a.slope.isGelu(in) || !fits(x) || !x.Contiguous() || a.slope.sums != nil && (!fits(out[2]) || out[2].DType != result.DType) {
			return cublas.ErrUnsupported
		}
		if e.Slope, o.Aux = true, address(x); a.slope.sums != nil {
			e.Sums, o.Bias = true, address(out[2])
		}
	}
	for _, k := range a.added {
		v := in[k]
		switch {
		case !fits(v):
			return cublas.ErrUnsupported
		case !e.Bias && isVector(v):
			e.Bias, o.Bias = true, address(v)
		case !e.Residual && v.Contiguous():
			e.Residual, o.Residual = true, address(v)
		default:
			return cublas.ErrUnsupported
		}
	}
	if e.Gelu = a.gelu; a.aux >= 0 {
		if e.Aux, o.Aux = true, address(out[1+a.aux]); !fits(out[1+a.aux]) {
			return cublas.ErrUnsupported
		}
	}
	for _, v := range in[n:] {
		if v.Buf.Dev == 0 {
			return cublas.ErrUnsupported
		}
	}
	err := (&call{d, c}).matmulThen(out[0], in[n:], e, o)
	if err == cublas.ErrUnsupported && e.Sums {
		e.Sums, e.Later, o.Bias = false, true, 0
		if err = (&call{d, c}).matmulThen(out[0], in[n:], e, o); err == nil {
			t := a.slope.sums
			err = d.run(table[t.Op], c, t.Attr, out[2:], []backend.View{result})
		}
	}
	return err
}

// isVector reports whether a view repeats one contiguous vector along all dimensions but the last.
func isVector(v backend.View) bool {
	st, r := v.Strides(), v.Shape.Rank()
	for i, s := range st[:r-1] {
		if s != 0 && v.Shape.Dim(i) != 1 {
			return false
		}
	}
	return st[r-1] == 1 && v.Shape.Numel() > v.Shape.Dim(r-1)
}
