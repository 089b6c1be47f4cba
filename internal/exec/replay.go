package exec

import (
	"context"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/scope"
)

// Replay is a program made from a trace, to be run again and again with other inputs.
type Replay struct {
	prog *Program
	outs []Output
	args []int32       // buffer of each argument, -1 if it is not read
	held []*mem.Buffer // buffers of values captured as they were, by input number
	keep []*graph.Node // and their nodes
}

// NewReplay plans the outputs of a trace once. args are its stand-ins.
func NewReplay(outs, args []*graph.Node) (*Replay, error) {
	p := &planner{dev: DefaultDevice(), replay: true, roots: outs}
	if err := fault.Catch(p.build); err != nil {
		return nil, err
	}
	r := &Replay{prog: p.prog, args: make([]int32, len(args)), held: make([]*mem.Buffer, p.prog.numIn)}
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
	var taken []int
	run, err := r.prog.reserve(in,
		func(i int) bool {
			if argOf[i] == 0 || in[i].Shows() != 1 || !take(argOf[i]-1) {
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
			outs[i] = graph.NewStoredView(run.bufs[o.at.buf], o.Spec, o.Dev, o.at.lay)
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
