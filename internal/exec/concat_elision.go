package exec

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Concat elision: where a device's kernel writes outputs of any strides, outputs that are only concatenated are written straight into
// the result of the concat. The gradients of an attention's queries, keys and values, for example, are parts of the gradient of one
// product. In the same way an output that is only read through a permutation and a reshape is written in the permuted order, which
// spares the reshape's copy.

// elision is such a kernel: the concat of its outputs, -1 if there is none, and the layout of each output.
type elision struct {
	cat  int
	lays []*shape.Layout
}

// elideConcats looks for such kernels. In plans of traces alone: elsewhere a handle may ask for the parts.
func (p *planner) elideConcats() {
	if !p.replay || p.noElision {
		return
	}
	for i, n := range p.idx.Nodes {
		if f := &p.info[i]; f.class != classKernel || n.Op().Role != graph.RoleConcat || f.root || f.outputCast != 0 ||
			f.foldedInputs != 0 {
			continue
		}
		if j, in := p.concatParts(n); in != nil {
			in.cat = i
			p.setElision(j, in)
			p.info[i].class = classAlias // of all its inputs: it is computed when they are
		}
	}
	for i, n := range p.idx.Nodes {
		if p.info[i].class == classAlias && n.Op() != nil && n.Op().Role == graph.RoleReshape {
			p.writeReshaped(n)
		}
	}
}

func (p *planner) setElision(kernelAt int, in *elision) {
	if p.elisions == nil {
		p.elisions = map[int]*elision{}
	}
	p.elisions[kernelAt] = in
}

// writeReshaped lets a kernel write its output in the order in which reshape n reads it, if that spares a copy.
func (p *planner) writeReshaped(n *graph.Node) {
	item, views, m := -1, []*graph.Node(nil), n.In(0)
	for item < 0 {
		f := &p.info[p.idx.Get(m)]
		if f.class != classAlias || f.root || m.Op() == nil {
			return
		}
		if x, ok := m.IsTupleItem(); ok {
			item = x
		} else if m.Op().Layout == nil || m.NumIn() != 1 {
			return
		} else {
			views, m = append(views, m), m.In(0)
		}
	}
	source := m.In(0)
	j, d := p.idx.Get(source), p.device(source)
	if f := &p.info[j]; f.class != classKernel || f.root || p.elisions[j] != nil || d.StridedWriter == nil ||
		!d.WritesStrided(source.Op().Name) {
		return
	}
	shown := shape.Contiguous(m.Shape())
	for _, v := range slices.Backward(views) {
		if shown = v.Op().Layout(v.Attr(), v.In(0).Shape(), shown, v.Shape()); shown == nil {
			return
		}
	}
	if n.Op().Layout(n.Attr(), n.In(0).Shape(), shown, n.Shape()) != nil {
		return // nothing is copied
	}
	if lay := invertViews(views, shape.Contiguous(n.In(0).Shape())); lay != nil {
		in := &elision{cat: -1, lays: make([]*shape.Layout, source.NumOut())}
		in.lays[item] = lay
		p.setElision(j, in)
	}
}

// concatParts finds the kernel all of whose outputs are parts of a concat, each once and only there.
func (p *planner) concatParts(cat *graph.Node) (kernelAt int, in *elision) {
	axis, at := cat.Attr().(attr.Axis).Axis, 0
	strides := cat.Shape().Strides()
	for k := range cat.NumIn() {
		part := cat.In(k)
		var views []*graph.Node // from the part back to the kernel's result
		m, item := part, -1
		for item < 0 {
			f := &p.info[p.idx.Get(m)]
			if f.class != classAlias || f.root || f.users != 1 || m.Op() == nil {
				return 0, nil
			}
			if x, ok := m.IsTupleItem(); ok {
				item = x
			} else if m.Op().Layout == nil || m.NumIn() != 1 {
				return 0, nil
			} else {
				views = append(views, m)
			}
			if item < 0 {
				m = m.In(0)
			}
		}
		source := m.In(0)
		j := p.idx.Get(source)
		f, d := &p.info[j], p.device(source)
		if in == nil {
			if f.class != classKernel || source.NumOut() != cat.NumIn() || int(f.users) != cat.NumIn() || f.root || d != p.device(cat) ||
				d.StridedWriter == nil || !d.WritesStrided(source.Op().Name) {
				return 0, nil
			}
			kernelAt, in = j, &elision{lays: make([]*shape.Layout, cat.NumIn())}
		}
		if j != kernelAt || in.lays[item] != nil || m.DType() != cat.DType() {
			return 0, nil
		}
		want := &shape.Layout{Strides: strides, Offset: at * strides[axis]}
		if in.lays[item] = invertViews(views, want); in.lays[item] == nil {
			return 0, nil
		}
		at += part.Dim(axis)
	}
	return kernelAt, in
}

// invertViews returns the layout that becomes the wanted one behind views, which are listed the last one first; nil: there is none.
func invertViews(views []*graph.Node, want *shape.Layout) *shape.Layout {
	lay := want
	for _, v := range views {
		of := v.In(0).Shape()
		switch a := v.Attr().(type) {
		case attr.Perm:
			to := &shape.Layout{Strides: make([]int, of.Rank()), Offset: lay.Offset}
			for i, d := range a.Order.Slice() {
				to.Strides[d] = lay.Strides[i]
			}
			lay = to
		default:
			if v.Op().Role != graph.RoleReshape {
				return nil
			}
			if lay = lay.Reshape(v.Shape(), of); lay == nil {
				return nil
			}
		}
	}
	// Check it forwards: lowering applies the views to this layout.
	shown := lay
	for _, v := range slices.Backward(views) {
		if shown = v.Op().Layout(v.Attr(), v.In(0).Shape(), shown, v.Shape()); shown == nil {
			return nil
		}
	}
	if len(views) > 0 && !sameElements(views[0].Shape(), shown, want) {
		return nil
	}
	return lay
}

// sameElements reports whether two layouts show the same elements.
func sameElements(s *shape.Shape, a, b *shape.Layout) bool {
	for i, n := range s.Dims() {
		if n > 1 && a.Strides[i] != b.Strides[i] {
			return false
		}
	}
	return a.Offset == b.Offset
}
