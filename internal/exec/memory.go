package exec

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// Memory is what a run of a program takes on one device, in bytes.
type Memory struct {
	Device *backend.Device
	// Inputs are the buffers the run is given, Results what it gets for values that outlive it: one written over an input
	// takes nothing.
	Inputs, Results int
	// Block is what is reserved for temporaries; Peak is the most of them alive at once, while launch Step runs.
	Block, Peak int
	Step        int
	Live        []LiveTemporary // at that moment, the largest first
}

// LiveTemporary is memory in use for some launches: that of a value, or of several written over each other.
type LiveTemporary struct {
	Op          string // what made the first of them; a fused program by its ops
	Shape       *shape.Shape
	DType       dtype.DType
	Bytes       int
	First, Last int // launches between which it must stay
}

// Memory tells what a run takes, by device, in the order in which their launches come.
func (r *Replay) Memory() (list []Memory) {
	p := r.prog
	at := func(d *backend.Device) *Memory {
		for i := range list {
			if list[i].Device == d {
				return &list[i]
			}
		}
		list = append(list, Memory{Device: d})
		return &list[len(list)-1]
	}
	for k := range p.steps {
		at(p.steps[k].dev)
	}
	for i := range p.bufs {
		switch b := &p.bufs[i]; {
		case i < p.numIn:
			at(b.dev).Inputs += b.size
		case b.data == nil && b.root == int32(i) && b.stays && b.donor < 0:
			at(b.dev).Results += b.size
		}
	}
	for _, a := range p.arenas {
		at(a.dev).Block += a.size
	}
	for i := range list {
		p.peak(&list[i])
	}
	return list
}

// peak finds the launch at which most temporaries of a device are alive, and which they are.
func (p *Program) peak(m *Memory) {
	change := make([]int, len(p.steps)+1)
	for i := p.numIn; i < len(p.bufs); i++ {
		if b := &p.bufs[i]; b.arena >= 0 && b.data == nil && b.root == int32(i) && b.dev == m.Device {
			change[b.first] += b.size
			change[b.end+1] -= b.size
		}
	}
	for k, live := 0, 0; k < len(p.steps); k++ {
		if live += change[k]; live > m.Peak {
			m.Peak, m.Step = live, k
		}
	}
	for i := p.numIn; i < len(p.bufs); i++ {
		b := &p.bufs[i]
		if b.arena < 0 || b.data != nil || b.root != int32(i) || b.dev != m.Device || int(b.first) > m.Step || int(b.end) < m.Step {
			continue
		}
		a := LiveTemporary{Bytes: b.size, First: int(b.first), Last: int(b.end)}
		s := &p.steps[b.first]
		a.Op = s.name()
		for _, o := range s.out {
			if o.buf == int32(i) {
				a.Shape, a.DType = o.shape, o.dtype
			}
		}
		m.Live = append(m.Live, a)
	}
	slices.SortStableFunc(m.Live, func(a, b LiveTemporary) int { return cmp.Compare(b.Bytes, a.Bytes) })
}

// name says what a launch does.
func (s *step) name() string {
	var ops []string
	program := func(p *backend.Fused) {
		if p.Producer != nil {
			ops = append(ops, p.Producer.Op)
		}
		for _, i := range p.Instrs {
			ops = append(ops, i.Op)
		}
		for t := p.Reduction; t != nil; t = t.Next {
			ops = append(ops, t.Op)
		}
	}
	switch {
	case s.fused != nil:
		program(s.fused)
	case s.rows != nil:
		for _, p := range s.rows.Parts {
			program(p.Fused)
		}
	case s.group != nil:
		for _, m := range s.group.Members {
			if m.Fused == nil {
				ops = append(ops, m.Op)
			} else {
				program(m.Fused)
			}
		}
	default:
		return s.op
	}
	const most = 6
	if len(ops) > most {
		ops = append(append(ops[:most-2:most-2], "…"), ops[len(ops)-1])
	}
	return strings.Join(ops, "+")
}
