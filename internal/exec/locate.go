package exec

import (
	"errors"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// A kernel that refuses a value knows the op, not the line of the program that recorded it. After a failure the error is matched with the
// nodes of the evaluation that check values: by function, size and rule. Memory that ran out is matched with the nodes that are as large
// as what was asked for.

// checkedNode is a node that may fail when it is computed, and says where it was recorded.
type checkedNode struct {
	op    string
	attr  attr.Attr
	bytes int64 // of a result that is to be computed
	size  int64 // classes of a loss; 0: not known any more
	again bool  // a gradient of a loss: it checks what the loss does, and is named only where that was not to be computed
	site  *graph.Site
}

// checkedNodes appends those of some nodes.
func checkedNodes(list []checkedNode, nodes []*graph.Node) []checkedNode {
	for _, n := range nodes {
		if s := n.Site(); s != nil {
			c := checkedNode{op: n.Op().Name, attr: n.Attr(), site: s}
			if !n.Stored() {
				c.bytes = int64(n.Bytes())
			}
			if a, ok := c.attr.(attr.ClassLoss); ok {
				c.size, c.again = classes(n, a.Axis), !n.IsTuple()
			}
			list = append(list, c)
		}
	}
	return list
}

// classes is how many a loss, or its gradient, has along a dimension.
func classes(n *graph.Node, axis int) int64 {
	if !n.IsTuple() && axis < n.Shape().Rank() {
		return int64(n.Dim(axis))
	}
	if in := n.Ins(); len(in) > 0 && in[0] != nil && axis < in[0].Shape().Rank() {
		return int64(in[0].Dim(axis))
	}
	return 0
}

// genericIndex is the name kernels give that many indexing functions share.
const genericIndex = "index"

// raised reports whether the node's check can have failed with an error, and the name of its function.
func (c checkedNode) raised(e *fault.Error) (op string, ok bool) {
	switch a := c.attr.(type) {
	case attr.Bound:
		return a.Op, e.Kind == fault.Index && e.Size == int64(a.Size) && (e.Op == a.Op || e.Op == genericIndex)
	case attr.ClassLoss:
		return a.Op(), e.Kind == fault.Index && e.Op == a.Op() && (c.size == 0 || c.size == e.Size)
	case attr.Domain:
		return a.Op, e.Kind == fault.Value && e.Op == a.Op
	case attr.Factor:
		return a.Check, e.Kind == fault.Singular && e.Op == a.Check
	}
	return "", false
}

// mostLines bounds the lines an error names where several checks look alike.
const mostLines = 3

// locate returns the error of an evaluation with the user's line that recorded the op, if one of the nodes can have raised it.
func locate(err error, nodes []checkedNode) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.At != "" || error(e) != err {
		return err
	}
	raised := func(c checkedNode) (string, bool) { return c.raised(e) }
	if e.Kind == fault.OutOfMemory {
		raised = filling(e, nodes)
	}
	var lines []string
	var op, module, types string
	first := slices.ContainsFunc(nodes, func(c checkedNode) bool {
		_, ok := raised(c)
		return ok && !c.again
	})
	for _, c := range nodes {
		name, ok := raised(c)
		if !ok || c.again && first {
			continue
		}
		line := c.site.Line()
		if line == "" {
			continue
		}
		if len(lines) == 0 {
			op, module, types = name, c.site.Module(), c.site.Modules()
		} else {
			module, types = same(module, c.site.Module()), same(types, c.site.Modules())
		}
		if slices.Contains(lines, line) {
			continue
		}
		if lines = append(lines, line); len(lines) == mostLines {
			break
		}
	}
	if len(lines) == 0 {
		return err
	}
	return e.Located(op, lines, module, types)
}

// filling tells the nodes that an error of exhausted memory is about: those whose results have the size that was asked for, by the op of
// that name if there is one; for memory of many temporaries the largest that fit in it.
func filling(e *fault.Error, nodes []checkedNode) func(checkedNode) (string, bool) {
	var size int64
	named := false
	for _, c := range nodes {
		if c.bytes <= e.Requested {
			size = max(size, c.bytes)
		}
		named = named || c.op == e.Op && c.bytes == e.Requested
	}
	return func(c checkedNode) (string, bool) {
		return e.Op, size > 0 && c.bytes == size && (!named || c.op == e.Op)
	}
}

// same is what two texts are, if they are the same.
func same(a, b string) string {
	if a == b {
		return a
	}
	return ""
}

// locateAll locates the errors of a run's buffers; those that are one error stay one.
func (r *run) locateAll(nodes []checkedNode) {
	if len(nodes) == 0 || r.cause == nil {
		return
	}
	was, cause := r.cause, locate(r.cause, nodes)
	for i, err := range r.errs {
		switch {
		case err == nil || err == error(errGivenUp):
		case err == was:
			r.errs[i] = cause
		default:
			r.errs[i] = locate(err, nodes)
		}
	}
	r.cause = cause
}
