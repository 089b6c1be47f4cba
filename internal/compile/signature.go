package compile

import (
	"fmt"
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
	"github.com/lucid-go/lucid/internal/tree"
)

// tensorSpec is what a trace assumes of a tensor.
type tensorSpec struct {
	spec graph.Spec
	dev  *backend.Device // where it is or will be computed
	leaf bool
	lay  *shape.Layout // strides; nil for row-major order, whatever its offset
	at   *backend.Device
}

func specOf(n *graph.Node) tensorSpec {
	return tensorSpec{graph.Spec{Shape: n.Shape(), DType: n.DType()}, deviceOf(n), n.Leaf(), stridesOf(n), n.Device()}
}

// deviceOf is where a node is or will be computed.
func deviceOf(n *graph.Node) *backend.Device {
	if d := n.Device(); d != nil {
		return d
	}
	return exec.DefaultDevice()
}

// plainly reports whether a node is as assumed at a first look: most are, call after call.
func (a *tensorSpec) plainly(n *graph.Node) bool {
	_, lay := n.Buffer()
	return n.Shape() == a.spec.Shape && n.DType() == a.spec.DType && n.Leaf() == a.leaf && n.Device() == a.at &&
		(a.at != nil || deviceOf(n) == a.dev) && lay == nil && a.lay == nil
}

// argSpecs appends those of arguments.
func argSpecs(s []tensorSpec, in []*graph.Array) []tensorSpec {
	s = slices.Grow(s, len(in))
	for _, t := range in {
		s = append(s, specOf(t.Peek()))
	}
	return s
}

// stridesOf returns the layout of a stored node that is not in row-major order.
func stridesOf(n *graph.Node) *shape.Layout {
	_, lay := n.Buffer()
	if lay == nil || lay.IsContiguous(n.Shape()) {
		return nil
	}
	return lay
}

// same reports whether differs has nothing to say.
func (a tensorSpec) same(b tensorSpec) bool {
	return (a.spec.Shape == b.spec.Shape || a.spec.Shape.Equal(b.spec.Shape)) && a.spec.DType == b.spec.DType &&
		a.dev == b.dev && a.leaf == b.leaf && (a.lay == b.lay || a.lay.SameStrides(b.lay))
}

func (a tensorSpec) differs(b tensorSpec) string {
	switch {
	case a.spec.Shape != b.spec.Shape && !a.spec.Shape.Equal(b.spec.Shape):
		return fmt.Sprintf("shape went from %v to %v", a.spec.Shape, b.spec.Shape)
	case a.spec.DType != b.spec.DType:
		return fmt.Sprintf("dtype went from %v to %v", a.spec.DType, b.spec.DType)
	case a.dev != b.dev:
		return fmt.Sprintf("device went from %v to %v", a.dev, b.dev)
	case a.leaf != b.leaf:
		return "whether it requires a gradient changed"
	case a.lay != b.lay && !a.lay.SameStrides(b.lay):
		return fmt.Sprintf("strides went from %v to %v", stridesText(a.lay), stridesText(b.lay))
	}
	return ""
}

func stridesText(l *shape.Layout) string {
	if l == nil {
		return "row-major"
	}
	return fmt.Sprint(l.Strides)
}

// signature is the key of a trace in addition to the argument tensors: everything else outside of tensors' values that it
// depends on.
type signature struct {
	tree   string // structure and constants of the arguments
	noGrad bool
	det    bool
	wino   bool
	cast   dtype.DType
	dev    any // where tensors are created
	float  dtype.DType
}

// signatureOf is the key of a call. It lists the tensors of the modules among the arguments too.
func (c *Function) signatureOf(k *call, tr *trees, st *scope.State) signature {
	s := signature{noGrad: st.NoGrad, det: st.IsDeterministic(), wino: st.Winograd, cast: st.Autocast, dev: st.Device,
		float: ops.DefaultFloat()}
	if s.dev == nil {
		s.dev = exec.DefaultDevice()
	}
	if tr != nil {
		if why := c.byAddress.Load(); why != nil && tr.why == "" {
			tr.why = *why
		}
		tr.byStructure = tr.why == ""
		tr.s = tree.StructureOf(tr.args, tr.byStructure)
		if tr.s.Opaque != "" {
			tr.byStructure, tr.why = false, tr.s.Opaque
			tr.s = tree.StructureOf(tr.args, false)
		}
		s.tree, k.leaves = tr.s.Key, tr.s.Tensors
	}
	return s
}

// where says in what part of the arguments a key differs from that of a trace.
func (tr *trees) where(key string) string {
	if tr == nil || tr.s.Key == key {
		return ""
	}
	if at := tree.Difference(tr.args, tr.byStructure, key); at != "" {
		return ": argument " + at
	}
	return ""
}
