package exec

import (
	"fmt"
	"sync"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
)

// Control flow is one launch of a plan, whose kernel replays the plans of the subgraphs that its node owns. The state of a
// loop is written in place from the second round on: nothing else holds it. The value that decides (a branch, another round) is
// read on the host, once a round; in a recording the device reads it (control_record.go).

// Simplify rewrites the results of a subgraph before it is planned; the compiler provides it. nil: they are planned as they are.
var Simplify func(roots []*graph.Node) ([]*graph.Node, Rewritten)

// planSubgraph is NewSharedPlan, bindSubgraph is SharedPlan.Bind: the list of passes would refer to itself otherwise.
var (
	planSubgraph func(t *Traced, simple []*graph.Node, w Rewritten) (r *Replay, plan *SharedPlan, why string, err error)
	bindSubgraph func(s *SharedPlan, t *Traced, once bool) (r *Replay, why string, compared int)
)

func init() { planSubgraph, bindSubgraph = NewSharedPlan, (*SharedPlan).Bind }

// newControlLaunch makes the launch of a node that owns subgraphs.
func (p *planner) newControlLaunch(c *graph.Control, d *backend.Device) *controlLaunch {
	return &controlLaunch{control: c, dev: d, copy: p.kernelFor(d, "copy"), plans: new(controlPlans)}
}

// forSizes is the launch of a node of the same structure in a trace of other sizes: it shares the plans of the subgraphs.
func (k *controlLaunch) forSizes(c *graph.Control) *controlLaunch {
	return &controlLaunch{control: c, dev: k.dev, copy: k.copy, plans: k.plans}
}

type controlLaunch struct {
	control *graph.Control
	dev     *backend.Device
	copy    backend.Kernel
	plans   *controlPlans
}

// kernel runs the node.
func (k *controlLaunch) kernel() backend.Kernel {
	run := k.loop
	if k.control.Branches != nil {
		run = k.branch
	}
	return func(ctx *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		if ctx.LaunchMode != nil {
			return k.record(ctx, out, in)
		}
		return run(ctx, a, out, in)
	}
}

// maxControlPlans is how many plans of one subgraph are stored.
const maxControlPlans = 8

// controlPlans are the plans of a node's subgraphs, by their numbers, for the sizes of all traces.
type controlPlans struct {
	mu   sync.Mutex
	list map[int][]*SharedPlan
}

// replay binds a subgraph to a plan, or plans it.
func (p *controlPlans) replay(number int, t *Traced) (*Replay, error) {
	defer t.Release()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.list[number] {
		if r, _, _ := bindSubgraph(s, t, false); r != nil {
			return r, nil
		}
	}
	simple, w := t.Outs, Rewritten{}
	if Simplify != nil {
		simple, w = Simplify(t.Outs)
	}
	r, s, _, err := planSubgraph(t, simple, w)
	if s != nil && len(p.list[number]) < maxControlPlans {
		if p.list == nil {
			p.list = map[int][]*SharedPlan{}
		}
		p.list[number] = append(p.list[number], s)
	}
	return r, err
}

// planKey tells the plans of a node's subgraphs apart.
type planKey struct {
	dev *backend.Device
	sub int
}

// The subgraphs of a loop, by number.
const (
	condSub = -1
	stepSub = -2
)

// replayOf plans a subgraph once for a device. Output i of a loop's step is the next value of input i.
func (k *controlLaunch) replayOf(sub *graph.Subgraph, number int) (*Replay, error) {
	r, err := k.control.Plan(planKey{k.dev, number}, func() (any, error) {
		t := graph.NewTrace(graph.TraceCompile, "control flow", nil)
		defer t.Close()
		args := make([]*graph.Node, len(sub.In))
		for i, s := range sub.In {
			args[i] = graph.NewPlaceholder(t, i, s, k.dev)
			args[i].Ref()
		}
		outs := sub.Over(args)
		becomes := make([]int, len(outs))
		for i := range becomes {
			if becomes[i] = i; number != stepSub || i >= len(k.control.Init) {
				becomes[i] = -1
			}
		}
		r, err := k.plans.replay(number, &Traced{Outs: outs, Args: args, Becomes: becomes})
		if err != nil {
			return nil, err
		}
		if number == stepSub {
			r.State = make([]bool, len(args))
			for i := range k.control.Init {
				r.State[i] = true
			}
		}
		return r, nil
	})
	if err != nil {
		return nil, err
	}
	return r.(*Replay), nil
}

// branch runs the subgraph that the first input selects.
func (k *controlLaunch) branch(ctx *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	which, err := k.readInt(in[0])
	if err != nil {
		return err
	}
	which = max(0, min(which, len(k.control.Branches)-1))
	r, err := k.replayOf(k.control.Branches[which], which)
	if err != nil {
		return err
	}
	var hold loopState
	defer hold.release()
	for _, i := range k.control.Feeds[which] {
		n, err := k.operand(ctx, in[i])
		if err != nil {
			return err
		}
		hold.add(n, false)
	}
	outs, err := r.Run(ctx.Context, hold.args, &hold, nil)
	if err != nil {
		return err
	}
	return k.deliver(ctx, out, outs[:len(out)], outs)
}

// loop runs the step as often as it is to run.
func (k *controlLaunch) loop(ctx *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	c := k.control
	step, err := k.replayOf(c.Step, stepSub)
	if err != nil {
		return err
	}
	var cond *Replay
	if c.Cond != nil {
		if cond, err = k.replayOf(c.Cond, condSub); err != nil {
			return err
		}
	}
	hold := loopState{state: len(c.Init)}
	defer hold.release()
	for _, s := range c.Init {
		n, own, err := k.start(ctx, s, out, in)
		if err != nil {
			return err
		}
		hold.add(n, own)
	}
	for _, i := range c.Fixed {
		n, err := k.operand(ctx, in[i])
		if err != nil {
			return err
		}
		hold.add(n, false)
	}
	var outs []*graph.Node
	for round := 0; cond != nil || round < c.Rounds; round++ {
		if err := ctx.Context.Err(); err != nil {
			return &fault.Error{Kind: fault.Canceled, Op: "eval", Msg: fmt.Sprintf("stopped in round %d of a loop", round), Err: err}
		}
		if cond != nil {
			more, err := k.decide(ctx, cond, &hold)
			if err != nil || !more {
				if err != nil {
					return err
				}
				break
			}
		}
		if outs, err = step.Run(ctx.Context, hold.args, &hold, outs[:0]); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if err := k.straighten(ctx, outs); err != nil {
			return err
		}
		hold.advance(outs)
	}
	results := make([]*graph.Node, len(out))
	for i, s := range c.Result {
		results[i] = hold.args[s]
	}
	return k.deliver(ctx, out, results, nil)
}

// decide asks the condition of a loop.
func (k *controlLaunch) decide(ctx *backend.Ctx, cond *Replay, hold *loopState) (bool, error) {
	outs, err := cond.Run(ctx.Context, hold.args, nothingTaken{}, nil)
	if err != nil {
		return false, err
	}
	for _, o := range outs {
		o.Ref()
		defer o.Unref()
	}
	v, err := k.readInt(outs[0].View())
	return v != 0, err
}

// start makes the first value of a part of the state; own says that the loop may write over it.
func (k *controlLaunch) start(ctx *backend.Ctx, s graph.StateInit, out, in []backend.View) (n *graph.Node, own bool, err error) {
	switch {
	case s.Input >= 0:
		n, err = k.operand(ctx, in[s.Input])
		return n, false, err
	case s.Output >= 0:
		v := out[s.Output]
		return graph.NewStored(partOf(v), graph.Spec{Shape: v.Shape, DType: v.DType}, k.dev), true, nil
	}
	spec := k.control.Step.In[k.counter()]
	b, err := k.dev.Pool.Get("counter", spec.DType.Size())
	if err != nil {
		return nil, false, err
	}
	zero := make([]byte, spec.DType.Size())
	if b.Mem != nil {
		copy(b.Mem, zero)
	} else if err := k.dev.Upload(b, zero); err != nil {
		return nil, false, err
	}
	return graph.NewStored(b, spec, k.dev), true, nil
}

// counter is the number of the counter among the state.
func (k *controlLaunch) counter() int {
	for i, s := range k.control.Init {
		if s.Input < 0 && s.Output < 0 {
			return i
		}
	}
	return -1
}

// operand shows an operand of the launch as a stored node in row-major order.
func (k *controlLaunch) operand(ctx *backend.Ctx, v backend.View) (*graph.Node, error) {
	spec := graph.Spec{Shape: v.Shape, DType: v.DType}
	if v.Contiguous() {
		part := partOf(v)
		part.ReadOnly = true
		return graph.NewStored(part, spec, k.dev), nil
	}
	b, err := k.dev.Pool.Get("copy", v.Numel()*v.DType.Size())
	if err != nil {
		return nil, err
	}
	to := backend.View{Buf: b, DType: v.DType, Shape: v.Shape}
	if err := k.copy(ctx, nil, []backend.View{to}, []backend.View{v}); err != nil {
		b.Free()
		return nil, err
	}
	return graph.NewStored(b, spec, k.dev), nil
}

// straighten copies parts of the state that are views with strides of their own: the next round takes its arguments for row-major.
func (k *controlLaunch) straighten(ctx *backend.Ctx, outs []*graph.Node) error {
	for i, o := range outs[:len(k.control.Init)] {
		v := o.View()
		if v.Contiguous() {
			continue
		}
		n, err := k.operand(ctx, v)
		if err != nil {
			for _, o := range outs {
				o.Ref()
				o.Unref()
			}
			return err
		}
		o.Ref()
		o.Unref()
		outs[i] = n
	}
	return nil
}

// partOf shows the memory of an operand. It has nothing to wait for: the buffer may have the event of the very plan that runs.
func partOf(v backend.View) *mem.Buffer {
	part, size := new(mem.Buffer), v.DType.Size()
	v.Buf.SliceInto(part, v.Offset()*size, v.Numel()*size)
	part.LastWrite.Store(v.Buf.LastWrite.Load())
	return part
}

// deliver copies results to the operands of the launch, unless they were written there, and lets go of made.
func (k *controlLaunch) deliver(ctx *backend.Ctx, out []backend.View, results, made []*graph.Node) error {
	for _, n := range made {
		n.Ref()
		defer n.Unref()
	}
	for i, n := range results {
		v := n.View()
		if v.Numel() == 0 || inMemoryOf(v, out[i]) {
			continue
		}
		if err := k.copy(ctx, nil, out[i:i+1], []backend.View{v}); err != nil {
			return err
		}
	}
	return nil
}

// inMemoryOf reports whether a result was written where it is wanted.
func inMemoryOf(v, want backend.View) bool {
	from := want.Offset() * want.DType.Size()
	switch a, b := v.Buf, want.Buf; {
	case !v.Contiguous() || v.Offset() != 0 || !want.Contiguous():
		return false
	case a.Mem != nil && b.Mem != nil:
		return &a.Mem[0] == &b.Mem[from]
	default:
		return a.Dev != 0 && a.Dev == b.Dev+uintptr(from)
	}
}

// readInt reads a number of 0 dimensions, of dtype bool or int32.
func (k *controlLaunch) readInt(v backend.View) (int, error) {
	b := make([]byte, v.DType.Size())
	if v.Buf.Mem != nil {
		copy(b, v.Buf.Mem[v.Offset()*len(b):])
	} else if err := k.dev.Download(b, partOf(v)); err != nil {
		return 0, err
	}
	return int(v.DType.Get(b, 0).I), nil
}

// loopState is the arguments of a subgraph. The loop holds two references to each, as compiled functions do on their state.
type loopState struct {
	args  []*graph.Node
	own   []bool // made by the loop: it may be written over
	gone  []bool // and was
	state int    // how many of the arguments change
}

const loopClaims = 2

func (s *loopState) add(n *graph.Node, own bool) {
	for range loopClaims {
		n.Ref()
	}
	s.args, s.own, s.gone = append(s.args, n), append(s.own, own), append(s.gone, false)
}

// Take lets a step write over a part of the state.
func (s *loopState) Take(i int) bool {
	if !s.own[i] || !s.args[i].Take(loopClaims) {
		return false
	}
	s.gone[i] = true
	return true
}

// Untake takes that back.
func (s *loopState) Untake(i int) {
	s.args[i].Untake(loopClaims)
	s.gone[i] = false
}

// advance makes the results of a step the state; results behind the state are effects, which nothing reads.
func (s *loopState) advance(outs []*graph.Node) {
	for _, o := range outs {
		for range loopClaims {
			o.Ref()
		}
	}
	for i, o := range outs {
		if i >= s.state {
			s.drop(o)
			continue
		}
		if !s.gone[i] {
			s.drop(s.args[i])
		}
		// A result that is another part of the state, or one that the step only passed on, has more than one owner.
		s.args[i], s.own[i], s.gone[i] = o, true, false
	}
}

func (s *loopState) drop(n *graph.Node) {
	for range loopClaims {
		n.Unref()
	}
}

func (s *loopState) release() {
	for i, n := range s.args {
		if !s.gone[i] {
			s.drop(n)
		}
	}
}

// nothingTaken are arguments that are not written over.
type nothingTaken struct{}

func (nothingTaken) Take(int) bool { return false }
func (nothingTaken) Untake(int)    {}
