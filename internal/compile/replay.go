package compile

import (
	"errors"
	"reflect"
	"sync"

	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/scope"
)

// replay runs the trace's program with the values the handles show now.
func (c *Function) replay(e *entry, k *call) ([]*graph.Array, []reflect.Value, error) {
	if e.writes {
		c.running.Lock()
		defer c.running.Unlock()
	} else {
		c.running.RLock()
		defer c.running.RUnlock()
	}
	outs, err := e.run(k, true)
	if err != nil {
		if outs != nil {
			e.write(k, outs)
		}
		return nil, nil, err
	}
	for _, l := range e.leaves {
		outs[l.out] = ops.NewStored(outs[l.out], graph.NewSlot(), l.frozen)
	}
	for _, n := range outs[:e.numOut] {
		k.res = append(k.res, door.Wrap(n))
	}
	e.write(k, outs)
	res := e.res
	if e.prog.Once() {
		e.prog.Recycle()
		c.recycle(e)
	}
	return k.res, res, nil
}

// call is one call of a compiled function, and the space it uses.
type call struct {
	e      *entry
	in     []*graph.Array
	leaves []*graph.Array // tensors of the modules among the arguments that are known by their structure
	args   []*graph.Node  // the arguments, behind them the captured tensors
	state  []*graph.Array // the captured tensors that showed them
	gone   []bool         // its buffer went on to a result
	donate bool           // state that is written may be written over in place
	outs   []*graph.Node
	res    []*graph.Array
}

var calls = sync.Pool{New: func() any { return new(call) }}

func newCall(in ...*graph.Array) *call {
	k := calls.Get().(*call)
	k.in = append(k.in, in...)
	return k
}

// release lets other calls have the space.
func (c *call) release() {
	c.in, c.state, c.outs, c.res = exec.Wipe(c.in), exec.Wipe(c.state), exec.Wipe(c.outs), exec.Wipe(c.res)
	c.e, c.leaves = nil, nil
	calls.Put(c)
}

// stateClaims are those on state that no one else reads: the handle's and ours.
const stateClaims = 2

// Take lets the program write over an argument. If its tensor was assigned meanwhile, the other reference is not the tensor's but that of
// what was made of the value.
func (c *call) Take(i int) bool {
	if !c.donate || !c.e.donate[i] || !c.args[i].Take(stateClaims) {
		return false
	}
	if c.handle(i).Raw() != c.args[i] {
		c.args[i].Untake(stateClaims)
		return false
	}
	c.gone[i] = true
	return true
}

// handle is the tensor that showed an argument.
func (c *call) handle(i int) *graph.Array {
	if i < len(c.in) {
		return c.in[i]
	}
	return c.state[i-len(c.in)]
}

// Untake takes that back.
func (c *call) Untake(i int) {
	c.args[i].Untake(stateClaims)
	c.gone[i] = false
}

// letGo drops the references to the arguments.
func (c *call) letGo() {
	for i, n := range c.args {
		if !c.gone[i] {
			n.Unref()
		}
	}
	c.args, c.gone = exec.Wipe(c.args), c.gone[:0]
}

// run gives the nodes of all outputs. With donate, state that is written may be written over in place.
func (e *entry) run(c *call, donate bool) ([]*graph.Node, error) {
	defer c.letGo()
	c.e, c.donate, c.state = e, donate, c.state[:0]
	for _, t := range c.in {
		c.args = append(c.args, t.Acquire())
		c.gone = append(c.gone, false)
	}
	for i := range e.captured {
		h := e.captured[i].now(c.leaves)
		if h == nil {
			return nil, errMoved
		}
		c.state = append(c.state, h)
		c.args = append(c.args, h.Acquire())
		c.gone = append(c.gone, false)
	}
	for i, n := range c.args {
		if e.prog.Reads(i) && (!n.Stored() || !e.prog.Fits(i, n)) {
			if err := e.settle(c.args); err != nil {
				return nil, err
			}
			break
		}
	}
	for {
		var err error
		if c.outs, err = e.prog.Run(scope.Current().Context(), c.args, c, c.outs); err == exec.ErrPending {
			if err = e.settle(c.args); err == nil {
				continue
			}
		}
		if len(c.outs) == 0 {
			return nil, err
		}
		return c.outs, err
	}
}

// errMoved says that a captured tensor was pending when the trace was chosen, and is laid out otherwise than the trace
// assumes.
var errMoved = errors.New("a captured tensor has other strides than the trace assumes")

// settle computes what is pending, and waits for what is on its way.
func (e *entry) settle(args []*graph.Node) error {
	var roots []*graph.Node
	for i, n := range args {
		if e.prog.Reads(i) {
			roots = append(roots, n)
		}
	}
	if err := exec.Eval(scope.Current().Context(), roots...); err != nil {
		return err
	}
	for i, n := range args {
		if e.prog.Reads(i) && !e.prog.Fits(i, n) {
			return errMoved
		}
	}
	return nil
}

// write makes the handles and gradient slots show the new state, where there is one: after a failure some may have none, and
// keep what they show.
func (e *entry) write(k *call, outs []*graph.Node) {
	for i := range e.written {
		w := &e.written[i]
		h, n, s := w.handle(k), outs[e.numOut+i], w.slot
		if n == nil {
			continue
		}
		retained := w.retained
		switch {
		case w.local:
			s = graph.NewSlot()
		case w.leaf > 0 && s != nil:
			s = h.Raw().OwnSlot()
		case w.isArg && h.Raw().OwnSlot() != nil: // inside NoGrad: it stays a leaf
			s, retained = h.Raw().Slot(), !h.Raw().Leaf()
		}
		if s != nil {
			n = ops.NewStored(n, s, retained)
		}
		h.Set(n)
	}
	for _, g := range e.grads {
		var n *graph.Node // none: it is cleared
		if g.out >= 0 {
			if n = outs[g.out]; n == nil {
				continue
			}
		}
		if s := e.slot(k, g); s != nil {
			s.Write(n)
		}
	}
}

// slot is where a gradient goes now.
func (e *entry) slot(k *call, g gradOut) *graph.Slot {
	if g.of < 0 {
		return slotNow(g.slot, g.leaf, k.leaves)
	}
	return e.written[g.of].handle(k).Raw().Slot()
}
