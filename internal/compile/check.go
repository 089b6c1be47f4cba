package compile

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/tree"
)

// check runs a call compiled and as it is, from the same state, and compares results and state bit for bit. Before that it
// traces the function anew and compares what it returns, reads and writes: whether it writes a tensor may depend on a Go value too, and
// then no value tells. Nothing is written by the time that is found out.
func (c *Function) check(e *entry, k *call, tr *trees) ([]*graph.Array, []reflect.Value, error) {
	c.running.Lock()
	defer c.running.Unlock()
	fresh, err := c.record(k, tr, e.sig, false)
	if err != nil {
		return nil, nil, err
	}
	if w := e.unlike(fresh); w != "" && fresh.stored() {
		c.frozen(w)
	}
	got, err := e.run(k, false)
	if err != nil {
		return nil, nil, err
	}
	outs, res, err := c.invoke(k.in, tr, nil)
	if err != nil {
		return nil, nil, err
	}
	if len(outs) != e.numOut {
		c.frozen(fmt.Sprintf("the number of tensors returned, %d and %d,", e.numOut, len(outs)))
	}
	want := make([]*graph.Node, len(outs))
	for i, h := range outs {
		want[i] = h.Peek()
	}
	for i := range e.written {
		want = append(want, e.written[i].handle(k).Raw())
	}
	names := func(i int) string {
		switch {
		case i < e.numOut:
			return fmt.Sprintf("result %d", i)
		case i < e.numOut+len(e.written):
			return fmt.Sprintf("assigned tensor %d", i-e.numOut)
		}
		return "a gradient"
	}
	for _, g := range e.grads {
		if g.out >= 0 {
			want = append(want, e.slot(k, g).Node())
		}
	}
	for i := range want {
		if want[i] == nil || !SameBits(got[i], want[i]) {
			c.frozen(names(i))
		}
	}
	return outs, res, nil
}

// SameBits compares two values bit for bit.
func SameBits(a, b *graph.Node) bool {
	return a.DType() == b.DType() && a.Shape().Equal(b.Shape()) && bits(a) == bits(b)
}

// bits evaluates a node and returns its elements in row-major order.
func bits(n *graph.Node) string {
	n.Ref()
	defer func() { n.Unref() }()
	v, err := exec.HostView(scope.Current().Context(), n)
	if err == nil && !v.Contiguous() {
		c := ops.Contiguous(n)
		c.Ref()
		n.Unref()
		n = c
		v, err = exec.HostView(scope.Current().Context(), n)
	}
	if err != nil {
		fault.Rethrow("check", err)
	}
	return string(v.Bytes())
}

func (c *Function) frozen(what string) {
	fault.Throw(fault.Trace, c.o.Name,
		"%s differs between the compiled and the plain run: the trace holds a Go value that changed; make it a tensor, or an argument",
		what)
}

// unlike says in what another trace for the same arguments differs, values aside; "" if in nothing.
func (e *entry) unlike(o *entry) string {
	switch {
	case e.numOut != o.numOut:
		return fmt.Sprintf("the number of tensors returned, %d and %d,", e.numOut, o.numOut)
	case tree.Shape(e.res) != tree.Shape(o.res):
		return "a result that is no tensor"
	case !maps.Equal(e.effects(), o.effects()):
		return "which tensors and gradients are written"
	}
	return ""
}

// leafName tells the tensors of modules among the arguments from each other.
type leafName int

// effects is the set of what the trace writes, in whatever order.
func (e *entry) effects() map[any]bool {
	type grad struct {
		slot    *graph.Slot // nil: of the assigned tensor
		of      any
		cleared bool
	}
	all := map[any]bool{}
	name := func(w written) any {
		switch {
		case w.leaf > 0:
			return leafName(w.leaf)
		case w.isArg:
			return w.arg
		}
		return w.h
	}
	for _, w := range e.written {
		all[name(w)] = w.local
	}
	for _, g := range e.grads {
		k := grad{slot: g.slot, cleared: g.out < 0}
		if g.leaf > 0 {
			k.slot, k.of = nil, leafName(g.leaf)
		}
		if g.of >= 0 {
			k.slot, k.of = nil, name(e.written[g.of])
		}
		all[k] = true
	}
	return all
}
