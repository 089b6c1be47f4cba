package exec

import (
	"context"
	"fmt"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/profile"
	"github.com/lucid-go/lucid/internal/shape"
)

// noteStep records a launch that began at a moment and ends now.
func noteStep(rec *profile.Recorder, from time.Time, s *step, out, in []backend.View) {
	e := profile.Event{Name: s.name(), Module: s.module, FLOPs: s.flops(out, in)}
	for _, v := range slices.Concat(out, in) {
		e.Bytes += int64(v.Shape.Numel() * v.DType.Size())
	}
	if len(out) > 0 {
		e.DType, e.Shape = out[0].DType.String(), fmt.Sprint(out[0].Shape)
	}
	note(rec, from, e, s.dev)
}

// note records an event that began at a moment and ends now. An asynchronous device is waited for if it can be, so that the time is that
// of the work.
func note(rec *profile.Recorder, from time.Time, e profile.Event, d *backend.Device) {
	if !d.Host {
		e.Host = time.Since(from)
		e.Later = d.Waiter == nil || d.Wait() != nil
	}
	e.Device, e.Allocated = d.String(), d.Pool.Stats().Allocated
	e.Delta = e.Allocated - rec.Allocated(e.Device, e.Allocated)
	rec.Add(from, e)
}

// flops counts the floating-point operations of a launch.
func (s *step) flops(out, in []backend.View) (n int64) {
	switch {
	case s.rows != nil:
		for _, p := range s.rows.Parts {
			n += int64(s.rows.Count) * int64(p.Len) * int64(perElement(p.Fused))
		}
		return n
	case s.group != nil:
		for _, m := range s.group.Members {
			one := step{op: m.Op, fused: m.Fused}
			n += one.flops(out[:m.Outs], in[:m.Ins])
			out, in = out[m.Outs:], in[m.Ins:]
		}
		return n
	case s.fused != nil:
		n = int64(max(1, s.sets)) * int64(s.fused.Shape.Numel()) * int64(perElement(s.fused))
		if p := s.fused.Producer; p != nil && len(in) > s.fused.In {
			n += flopsOf(p.Op, out[:1], in[s.fused.In:])
		}
		return n
	}
	return flopsOf(s.op, out, in)
}

// perElement counts the operations of a program on an element: those of its instructions and its reductions.
func perElement(p *backend.Fused) (n int) {
	n = len(p.Instrs)
	for t := p.Reduction; t != nil; t = t.Next {
		n++
	}
	return n
}

// flopsOf counts the operations of an op with a kernel of its own.
func flopsOf(name string, out, in []backend.View) int64 {
	op := graph.Lookup(name)
	switch {
	case op == nil || len(out) == 0:
		return 0
	case op.FLOPs != nil && len(in) >= op.Inputs.Least():
		return op.FLOPs(shapesOf(in), shapesOf(out))
	case op.Kind == graph.Elementwise:
		return int64(out[0].Shape.Numel())
	case (op.Kind == graph.Reduce || op.Kind == graph.RowWise) && len(in) > 0:
		return int64(in[0].Shape.Numel())
	}
	return 0
}

func shapesOf(views []backend.View) []*shape.Shape {
	list := make([]*shape.Shape, len(views))
	for i, v := range views {
		list[i] = v.Shape
	}
	return list
}

// labelSteps notes in which modules the launches were recorded, if nodes know it.
func (p *planner) labelSteps() {
	if !graph.Labelled() {
		return
	}
	for k := range p.prog.steps {
		s := &p.prog.steps[k]
		for _, o := range s.out {
			if int(o.node) < 0 || int(o.node) >= len(p.idx.Nodes) {
				continue
			}
			if site := p.idx.Nodes[o.node].Site(); site != nil && s.module == "" {
				s.module = site.Modules()
			}
		}
	}
}

// moduleOf names the modules that recorded a node, if nodes know it.
func moduleOf(n *graph.Node) string {
	if s := n.Site(); s != nil && graph.Labelled() {
		return s.Modules()
	}
	return ""
}

// labelled runs a launch with labels for runtime/pprof, if it knows its modules.
func labelled(s *step, run func() error) (err error) {
	pprof.Do(context.Background(), pprof.Labels("op", s.name(), "module", s.module), func(context.Context) { err = run() })
	return err
}
