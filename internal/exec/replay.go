package exec

import (
	"context"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// Replay is a program made from a trace, to be run again and again with other inputs.
type Replay struct {
	prog *Program
	outs []Output
	args []int32         // buffer of each argument, -1 if it is not read
	held []*mem.Buffer   // buffers of values captured as they were, by input number
	keep []*graph.Node   // and their nodes
	lays []*shape.Layout // strides of the arguments, nil for row-major order; nil if all are
}

// NewReplay plans the outputs of a trace once. args are its stand-ins; lays their strides, nil for row-major order. Where
// an argument begins in its buffer may differ from run to run.
func NewReplay(outs, args []*graph.Node, lays []*shape.Layout) (*Replay, error) {
	p := &planner{dev: DefaultDevice(), replay: true, roots: outs}
	for i, l := range lays {
		if l != nil {
			if p.argLays == nil {
				p.argLays = map[*graph.Node]*shape.Layout{}
			}
			p.argLays[args[i]] = &shape.Layout{Strides: l.Strides}
		}
	}
	if err := fault.Catch(p.build); err != nil {
		return nil, err
	}
	r := &Replay{prog: p.prog, lays: lays, args: make([]int32, len(args)), held: make([]*mem.Buffer, p.prog.numIn)}
	for i, n := range p.idx.Nodes {
		if p.info[i].class != given || n.IsStandIn() {
			continue
		}
		n.Ref() // a constant of the program
		r.keep = append(r.keep, n)
		if n.IsBundle() {
			for k, b := range n.Bundle() {
				r.held[p.info[i].bundle[k].buf] = b
			}
			continue
		}
		b, _ := n.Buffer()
		r.held[p.info[i].at.buf] = b
	}
	for i, a := range args {
		r.args[i] = -1
		if k := p.idx.Get(a); k >= 0 {
			r.args[i] = p.info[k].at.buf
		}
	}
	for _, o := range outs {
		r.outs = append(r.outs, Output{Spec: graph.Spec{Shape: o.Shape(), DType: o.DType()}, Dev: p.device(o), at: p.info[p.idx.Get(o)].at})
	}
	return r, nil
}

// Reads reports whether the program reads an argument.
func (r *Replay) Reads(arg int) bool { return r.args[arg] >= 0 }

// Fits reports whether a stored argument lies in memory as the program assumes, wherever it begins.
func (r *Replay) Fits(arg int, n *graph.Node) bool {
	_, lay := n.Buffer()
	var want *shape.Layout
	if r.lays != nil {
		want = r.lays[arg]
	}
	if want == nil {
		return lay == nil || lay.IsContiguous(n.Shape())
	}
	return lay.SameStrides(want)
}

// Steps returns the number of launches of one run.
func (r *Replay) Steps() int { return len(r.prog.steps) }

// Run binds the arguments, which have their values, and runs the program. take says whether an argument's buffer may be
// written over: then the argument is gone. It returns the outputs, also with an error if inputs were written over.
func (r *Replay) Run(ctx context.Context, args []*graph.Node, take func(arg int) bool, untake func(arg int)) ([]*graph.Node, error) {
	in := append([]*mem.Buffer(nil), r.held...)
	argOf := make([]int, len(in))
	for i, b := range r.args {
		if b >= 0 {
			in[b], _ = args[i].Buffer()
			argOf[b] = i + 1
		}
	}
	for _, b := range in {
		if err := b.Wait(); err != nil {
			return nil, err
		}
	}
	r.window(in, args)
	var taken []int
	run, err := r.prog.reserve(in,
		func(i int) bool {
			if argOf[i] == 0 || in[i].ReadOnly || in[i].Shows() != 1 || !take(argOf[i]-1) {
				return false
			}
			taken = append(taken, i)
			return true
		},
		func(i int) { untake(argOf[i] - 1) })
	if err != nil {
		return nil, err
	}
	Count.Plans.Add(1)
	err = run.execute(ctx, scope.Current().Deterministic)
	if err != nil {
		// Given up before the first step that writes over an input: the inputs are as they were.
		for _, i := range taken {
			untake(argOf[i] - 1)
		}
		taken = nil
	}
	outs := make([]*graph.Node, len(r.outs))
	if err == nil {
		for i, o := range r.outs {
			if run.errs != nil && run.errs[o.at.buf] != nil {
				// State that was written over has no good value any more: it says so to whoever reads it.
				err = run.errs[o.at.buf]
				e := mem.NewEvent()
				e.Signal(err)
				run.bufs[o.at.buf].SetEvent(e)
			}
			buf, lay := run.bufs[o.at.buf], o.at.lay
			if int(o.at.buf) < len(argOf) && argOf[o.at.buf] > 0 { // it shows an argument, from where that begins
				buf, lay = shown(args[argOf[o.at.buf]-1], o)
			}
			outs[i] = graph.NewStoredView(buf, o.Spec, o.Dev, lay)
		}
	}
	for _, i := range taken {
		args[argOf[i]-1].DropBuffer()
		in[i].Hide() // the new node shows it
	}
	for _, b := range run.owned {
		b.Free()
	}
	if err != nil && len(taken) == 0 {
		return nil, err
	}
	return outs, err
}

// window lets each argument's buffer begin where the argument does.
func (r *Replay) window(in []*mem.Buffer, args []*graph.Node) {
	for i, b := range r.args {
		if b < 0 {
			continue
		}
		if _, lay := args[i].Buffer(); lay != nil && lay.Offset != 0 {
			in[b] = in[b].Window(lay.Offset * args[i].DType().Size())
		}
	}
}

// shown returns where an output lies that shows an argument's own memory.
func shown(arg *graph.Node, o Output) (*mem.Buffer, *shape.Layout) {
	buf, lay := arg.Buffer()
	if lay == nil || lay.Offset == 0 {
		return buf, o.at.lay
	}
	to := o.at.lay
	if to == nil {
		to = shape.Contiguous(o.Spec.Shape)
	}
	return buf, &shape.Layout{Strides: to.Strides, Offset: to.Offset + lay.Offset}
}
