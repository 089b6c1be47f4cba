package exec

import (
	"errors"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// A kernel that refuses a value knows the op, not the line of the program that recorded it. After a failure the error is matched with the
// nodes of the evaluation that check values: by function, size and rule.

// checkedNode is a node that checks values.
type checkedNode struct {
	attr attr.Attr
	site *graph.Site
}

// checkedNodes appends those of some nodes.
func checkedNodes(list []checkedNode, nodes []*graph.Node) []checkedNode {
	for _, n := range nodes {
		if s := n.Site(); s != nil {
			list = append(list, checkedNode{n.Attr(), s})
		}
	}
	return list
}

// genericIndex is the name kernels give that many indexing functions share.
const genericIndex = "index"

// raised reports whether the node's check can have failed with an error, and the name of its function.
func (c checkedNode) raised(e *fault.Error) (op string, ok bool) {
	switch a := c.attr.(type) {
	case attr.Bound:
		return a.Op, e.Kind == fault.Index && e.Size == int64(a.Size) && (e.Op == a.Op || e.Op == genericIndex)
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
	var lines []string
	var op, module, types string
	for _, c := range nodes {
		name, ok := c.raised(e)
		if !ok {
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
