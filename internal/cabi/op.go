package cabi

import (
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/schema"
)

// opTable numbers the ops: 1, 2, … in the order of their names. Numbers hold for one process.
var opTable = sync.OnceValue(func() (t struct {
	list   []*schema.Schema
	number map[string]int
}) {
	var names []string
	for n, s := range schema.All() {
		if n == s.Name {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	t.number = map[string]int{}
	for i, n := range names {
		s := schema.Lookup(n)
		t.list = append(t.list, s)
		t.number[n] = i + 1
		for _, a := range s.Aliases {
			t.number[a] = i + 1
		}
	}
	return t
})

// FindOp returns the number of an op.
func FindOp(name string) (op int, err error) {
	if op = opTable().number[name]; op == 0 {
		e := fault.New(fault.NotImplemented, "op_find", "there is no op %.80q", name)
		if near := schema.Similar(name); near != nil {
			e = fault.New(fault.NotImplemented, "op_find", "there is no op %.80q; names that begin alike: %v", name, near)
		}
		return 0, e
	}
	return op, nil
}

// Call records an op over tensors, 0 for one that is left out, and writes the handles of its results into outs. It returns how many
// there are; if they are more than outs has room for, it is an error.
func Call(op int, in []Handle, attrs []schema.Attr, outs []Handle) (n int, err error) {
	err = Guard(func() error {
		t := opTable()
		if op < 1 || op > len(t.list) {
			fault.Throw(fault.Value, "op_call", "%d is no op", op)
		}
		s := t.list[op-1]
		var few [4]*graph.Node
		nodes := few[:0]
		defer func() {
			for _, x := range nodes {
				if x != nil {
					x.Unref()
				}
			}
		}()
		for _, h := range in {
			var x *graph.Node
			if h != 0 {
				x = tensors.get(s.Name, h)
			}
			nodes = append(nodes, x)
		}
		c := schema.NewCallerList(s, nodes, attrs)
		results := slices.DeleteFunc(c.Call(), func(x *graph.Node) bool { return x == nil })
		c.Finish()
		if n = len(results); n > len(outs) {
			graph.Discard(results, nil)
			fault.Throw(fault.Value, s.Name, "it gives %d tensors; there is room for %d", n, len(outs))
		}
		for i, x := range results {
			x.Ref()
			door.Bound(x)
			outs[i] = tensors.put(x)
		}
		return nil
	})
	return n, err
}
