package exec

import (
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
)

// Control flow in a recording: the launches of the subgraphs are recorded over fixed memory as parts that the device runs by a value it
// reads itself. The state of a loop has memory of its own: what a round does not write there is copied at its end.

// record shows the node's launches in a launch mode.
func (k *controlLaunch) record(ctx *backend.Ctx, out, in []backend.View) error {
	if k.dev.ControlRecorder == nil || !k.dev.RecordsControl() {
		return nil // nothing of it is compiled ahead
	}
	m := &recordedControl{controlLaunch: k}
	defer m.free()
	if k.control.Branches != nil {
		return m.branch(ctx, out, in)
	}
	return m.loop(ctx, out, in)
}

// recordedControl holds the memory of a node that is recorded.
type recordedControl struct {
	*controlLaunch
	held []*mem.Buffer
}

func (m *recordedControl) free() {
	for _, b := range m.held {
		b.Free()
	}
}

// room takes memory for a value until the node is recorded.
func (m *recordedControl) room(s graph.Spec) (backend.View, error) {
	b, err := m.dev.Scratch().Get("control", max(1, s.Shape.Numel()*s.DType.Size()))
	if err != nil {
		return backend.View{}, err
	}
	m.held = append(m.held, b)
	return backend.View{Buf: b, DType: s.DType, Shape: s.Shape}, nil
}

// copied shows a value in memory of its own.
func (m *recordedControl) copied(ctx *backend.Ctx, v backend.View) (backend.View, error) {
	to, err := m.room(graph.Spec{Shape: v.Shape, DType: v.DType})
	if err != nil || v.Numel() == 0 {
		return to, err
	}
	return to, m.copy(ctx, nil, []backend.View{to}, []backend.View{v})
}

// dense shows an operand in row-major order from the start of its buffer.
func (m *recordedControl) dense(ctx *backend.Ctx, v backend.View) (backend.View, error) {
	if v.Contiguous() {
		return backend.View{Buf: partOf(v), DType: v.DType, Shape: v.Shape}, nil
	}
	return m.copied(ctx, v)
}

// branch records all subgraphs of a conditional.
func (m *recordedControl) branch(ctx *backend.Ctx, out, in []backend.View) error {
	var parts []func(c *backend.Ctx) error
	for i, sub := range m.control.Branches {
		var args []backend.View
		for _, k := range m.control.Feeds[i] {
			v, err := m.dense(ctx, in[k])
			if err != nil {
				return err
			}
			args = append(args, v)
		}
		parts = append(parts, func(c *backend.Ctx) error {
			outs, done, err := m.launches(c, sub, i, args, 0)
			if err != nil {
				return err
			}
			defer done()
			return m.move(c, out, outs[:len(out)])
		})
	}
	return m.dev.RecordBranch(ctx, in[0], parts)
}

// loop records the rounds of a loop.
func (m *recordedControl) loop(ctx *backend.Ctx, out, in []backend.View) error {
	c := m.control
	var args []backend.View
	for i, s := range c.Init {
		v, err := m.first(ctx, s, c.Step.In[i], out, in)
		if err != nil {
			return err
		}
		args = append(args, v)
	}
	for _, i := range c.Fixed {
		v, err := m.dense(ctx, in[i])
		if err != nil {
			return err
		}
		args = append(args, v)
	}
	step := func(ctx *backend.Ctx) error { return m.round(ctx, args) }
	if c.Cond == nil {
		if err := m.dev.RecordRounds(ctx, c.Rounds, step); err != nil {
			return err
		}
	} else {
		again, err := m.room(c.Cond.Out[0])
		if err != nil {
			return err
		}
		decide := func(ctx *backend.Ctx) error {
			outs, done, err := m.launches(ctx, c.Cond, condSub, args, 0)
			if err != nil {
				return err
			}
			defer done()
			return m.move(ctx, []backend.View{again}, outs[:1])
		}
		if err := decide(ctx); err != nil {
			return err
		}
		err = m.dev.RecordLoop(ctx, again, func(ctx *backend.Ctx) error {
			if err := step(ctx); err != nil {
				return err
			}
			return decide(ctx)
		})
		if err != nil {
			return err
		}
	}
	results := make([]backend.View, len(out))
	for i, s := range c.Result {
		results[i] = args[s]
	}
	return m.move(ctx, out, results)
}

// first records the first value of a part of the state.
func (m *recordedControl) first(ctx *backend.Ctx, s graph.StateInit, spec graph.Spec, out, in []backend.View) (backend.View, error) {
	switch {
	case s.Input >= 0:
		return m.copied(ctx, in[s.Input])
	case s.Output >= 0:
		return m.room(graph.Spec{Shape: out[s.Output].Shape, DType: out[s.Output].DType})
	}
	zero := mem.FromGo(make([]byte, spec.DType.Size()))
	return m.copied(ctx, backend.View{Buf: zero, DType: spec.DType, Shape: spec.Shape})
}

// round records a step, and the copies of what it did not write over the state.
func (m *recordedControl) round(ctx *backend.Ctx, args []backend.View) error {
	n := len(m.control.Init)
	outs, done, err := m.launches(ctx, m.control.Step, stepSub, args, n)
	if err != nil {
		return err
	}
	defer done()
	// A result may be another part of the state: it is read before that one is written.
	for i, v := range outs[:n] {
		if !inMemoryOf(v, args[i]) && slices.ContainsFunc(args[:n], func(a backend.View) bool { return sameMemory(a, v) }) {
			if outs[i], err = m.copied(ctx, v); err != nil {
				return err
			}
		}
	}
	return m.move(ctx, args[:n], outs[:n])
}

// sameMemory reports whether two values share memory.
func sameMemory(a, b backend.View) bool {
	return a.Buf == b.Buf || a.Buf.Dev != 0 && a.Buf.Dev < b.Buf.Dev+uintptr(b.Buf.Size) && b.Buf.Dev < a.Buf.Dev+uintptr(a.Buf.Size)
}

// move records copies, of what is not where it belongs.
func (m *recordedControl) move(ctx *backend.Ctx, to, from []backend.View) error {
	for i, v := range from {
		if v.Numel() == 0 || inMemoryOf(v, to[i]) {
			continue
		}
		if err := m.copy(ctx, nil, to[i:i+1], []backend.View{v}); err != nil {
			return err
		}
	}
	return nil
}

// launches records those of a subgraph; it may write over the first so many arguments. done gives its memory back once the results
// were read.
func (m *recordedControl) launches(ctx *backend.Ctx, sub *graph.Subgraph, number int, args []backend.View, state int) (outs []backend.View,
	done func(), err error) {
	r, err := m.replayOf(sub, number)
	if err != nil {
		return nil, nil, err
	}
	in := slices.Clone(r.capturedBufs)
	for _, b := range in {
		if b == nil {
			continue
		}
		if e := b.Event(); e != nil {
			if <-e.Done(); e.Err() != nil {
				return nil, nil, e.Err()
			}
		}
	}
	for i, k := range r.args {
		if k >= 0 {
			in[k] = args[i].Buf
		}
	}
	take := func(i int) bool { return r.argOf[i] > 0 && r.argOf[i] <= state }
	run, err := r.prog.reserve(m.dev.Scratch(), in, take, func(int) {})
	if err != nil {
		return nil, nil, err
	}
	for k := range r.prog.steps {
		s := &r.prog.steps[k]
		if s.dev != m.dev {
			run.free(true)
			return nil, nil, fault.New(fault.Device, "control", "%s runs on %v", s.name(), s.dev)
		}
		v := make([]backend.View, len(s.out)+len(s.in))
		was := run.ready
		run.ready = false
		run.views(s, v)
		run.ready = was
		if err := launch(ctx, s, v[:len(s.out)], v[len(s.out):]); err != nil {
			run.free(true)
			return nil, nil, err
		}
	}
	for _, o := range r.outs {
		outs = append(outs, backend.View{Buf: run.bufs[o.at.buf], DType: o.Spec.DType, Shape: o.Spec.Shape, Lay: o.at.lay})
	}
	return outs, func() { run.free(true) }, nil
}
