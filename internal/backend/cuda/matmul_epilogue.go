package cuda

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Matmul epilogues in half precision: adding a bias or a matrix, gelu, and gelu's gradient with the column sums for the
// bias gradient are done by cuBLASLt before the product is rounded, where it has an algorithm for it; anything else is a
// launch of its own.

// canTakeEpilogue reports which ops can begin a program: products whose epilogue may do the rest, and fused RNG.
func canTakeEpilogue(op string, a attr.Attr, out dtype.DType) bool {
	return op == "matmul" && (out.IsHalf() || a != nil) || op == "block_matmul" && a.(attr.Block).Fast || canGenerate(op, out)
}

// epilogue is a program that a matmul's epilogue may be able to run.
type epilogue struct {
	added    []int     // input registers added to the product, at most two
	gelu     bool      // then gelu
	aux      int       // the output that holds gelu's input, -1: none
	last     int       // the output that holds the result
	geluGrad *geluGrad // the product is multiplied by gelu's derivative; then added, gelu and aux are unset
}

// epilogueOf matches a program; nil: it is no epilogue.
func epilogueOf(p *backend.Fused) *epilogue {
	if p.Producer == nil || p.Producer.Stored || p.Producer.Op != "matmul" {
		return nil
	}
	if p.Producer.Attr != nil {
		return epilogueOfSums(p)
	}
	if s := geluGradOf(p); s != nil {
		return &epilogue{aux: -1, geluGrad: s}
	}
	if p.Reduction != nil || slices.ContainsFunc(p.DTypes, func(t dtype.DType) bool { return t != p.DTypes[p.Producer.Dst] }) {
		return nil
	}
	a, at := &epilogue{aux: -1}, p.Producer.Dst
	for _, ins := range p.Instrs {
		if at = a.absorb(p, at, ins, nil); at < 0 {
			return nil
		}
	}
	return a.ends(p, at)
}

// epilogueOfSums is epilogueOf for a half-precision product with float32 results that are rounded after an addition.
func epilogueOfSums(p *backend.Fused) *epilogue {
	if p.Reduction != nil {
		return nil
	}
	a, at, wide := &epilogue{aux: -1}, p.Producer.Dst, map[int]int{} // half-precision values cast to float32 to be added
	for _, ins := range p.Instrs {
		src, of := ins.Src[0], p.DTypes[ins.Dst]
		switch {
		case ins.Op != "cast":
			at = a.absorb(p, at, ins, wide)
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

// absorb matches an instruction over register at and returns the register it makes, -1 if no epilogue does it. An addend in
// wide stands for what it was cast from; others have the dtype of the sum.
func (a *epilogue) absorb(p *backend.Fused, at int, ins backend.Instr, wide map[int]int) int {
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

// ends finds the outputs; nil if the program stores other values.
func (a *epilogue) ends(p *backend.Fused, at int) *epilogue {
	if a.last = slices.Index(p.Out, at); a.last < 0 || len(p.Out) != 1+number(a.aux >= 0) {
		return nil
	}
	return a
}

// runProducer runs the op a program begins with, then the program.
func (d *Device) runProducer(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	if out[0].Numel() == 0 {
		return nil // and so are all outputs: what is reduced has elements
	}
	if q := p.Prep.(*program); p.Producer.Unwritten {
		if q.epilogue == nil {
			if done, err := d.runFusedRNG(c, p, out[1:], in); done {
				return err
			}
		} else if err := d.runEpilogue(c, q.epilogue, out, in, p.In); err != cublas.ErrUnsupported {
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
	if p.Producer.Op == "block_matmul" {
		if done, err := d.runBlockResidual(p, out, in); done {
			return err
		}
	}
	if err := d.run(table[p.Producer.Op], c, p.Producer.Attr, out[:1], in[p.In:]); err != nil || len(p.Out) == 0 {
		return err
	}
	return d.runFused(c, p, nil, out[1:], in[:p.In])
}

// runEpilogue lets the matmul's epilogue do it all; the product itself is not stored.
func (d *Device) runEpilogue(c *backend.Ctx, a *epilogue, out, in []backend.View, n int) error {
	e, o, ok := a.operands(out, in)
	if !ok || slices.ContainsFunc(in[n:], func(v backend.View) bool { return v.Buf.Dev == 0 }) {
		return cublas.ErrUnsupported
	}
	err := (&call{d, c}).matmulEpilogue(out[0], in[n:], e, o)
	if err == cublas.ErrUnsupported && e.BiasGrad {
		e.BiasGrad, e.BiasGradLater, o.Bias = false, true, 0
		if err = (&call{d, c}).matmulEpilogue(out[0], in[n:], e, o); err == nil {
			t := a.geluGrad.sums
			err = d.run(table[t.Op], c, t.Attr, out[2:], []backend.View{out[1+a.last]})
		}
	}
	return err
}

// operands are the epilogue and its addresses, if their layouts fit.
func (a *epilogue) operands(out, in []backend.View) (e cublas.Epilogue, o cublas.Operands, ok bool) {
	result, cols := out[1+a.last], out[0].Shape.Dim(out[0].Shape.Rank()-1)
	o = cublas.Operands{Z: address(result)}
	fits := func(v backend.View) bool { return v.Buf.Dev != 0 && address(v)%16 == 0 }
	if cols%piece != 0 || result.Shape.Rank() == 0 || result.Shape.Dim(result.Shape.Rank()-1) != cols || !fits(result) {
		return e, o, false
	}
	if a.geluGrad != nil {
		x := in[a.geluGrad.x]
		if !a.geluGrad.isGelu(in) || !fits(x) || !x.Contiguous() || a.geluGrad.sums != nil &&
			(!fits(out[2]) || out[2].DType != result.DType) {
			return e, o, false
		}
		if e.DGelu, o.Aux = true, address(x); a.geluGrad.sums != nil {
			e.BiasGrad, o.Bias = true, address(out[2])
		}
	}
	for _, k := range a.added {
		v := in[k]
		switch {
		case !fits(v):
			return e, o, false
		case !e.Bias && isVector(v):
			e.Bias, o.Bias = true, address(v)
		case !e.Residual && v.Contiguous():
			e.Residual, o.Residual = true, address(v)
		default:
			return e, o, false
		}
	}
	if e.Gelu = a.gelu; a.aux >= 0 {
		if e.Aux, o.Aux = true, address(out[1+a.aux]); !fits(out[1+a.aux]) {
			return e, o, false
		}
	}
	return e, o, true
}

// isVector reports whether a view broadcasts one contiguous vector along all dimensions but the last.
func isVector(v backend.View) bool {
	st, r := v.Strides(), v.Shape.Rank()
	for i, s := range st[:r-1] {
		if s != 0 && v.Shape.Dim(i) != 1 {
			return false
		}
	}
	return st[r-1] == 1 && v.Shape.Numel() > v.Shape.Dim(r-1)
}
