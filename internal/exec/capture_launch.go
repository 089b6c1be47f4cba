package exec

import (
	"bytes"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/mem"
)

// launch runs the recording; the inputs it writes over are taken.
func (c *capture) launch(b *binding) ([]*graph.Node, bool, error) {
	rec := c.rec
	var before, behind []backend.Copy
	for i, place := range rec.staged {
		switch m := b.in[i]; {
		case place == nil || m.Size == 0:
		case m.Mem != nil && !c.dev.Host:
			if !bytes.Equal(rec.sent[i], m.Mem) {
				before = append(before, backend.Copy{Dst: place, Src: m})
			}
		case where(place) != where(m):
			before = append(before, backend.Copy{Dst: place, Src: m})
		}
	}
	fresh := make([]*mem.Buffer, len(rec.outs))
	giveUp := func() {
		for i, m := range fresh {
			if m != nil && rec.outs[i].input < 0 && !rec.outs[i].fixed {
				m.Free()
			}
		}
		b.untakeAll()
	}
	for i, o := range rec.outs {
		switch {
		case o.input >= 0:
			fresh[i] = b.in[o.input]
		case o.fixed:
			fresh[i] = o.buf
		case i > 0 && sameOut(rec.outs[:i], o) >= 0:
			fresh[i] = fresh[sameOut(rec.outs[:i], o)]
		default:
			m, err := c.dev.Pool.Get("result", o.buf.Size)
			if err != nil {
				giveUp()
				return nil, false, nil
			}
			fresh[i] = m
			behind = append(behind, backend.Copy{Dst: m, Src: o.buf})
		}
	}
	outcome, err := rec.graph.Launch(before, behind)
	if err != nil {
		giveUp()
		if err == backend.ErrVoid {
			c.drop()
			return nil, false, nil
		}
		return nil, true, err
	}
	for i, place := range rec.staged {
		if m := b.in[i]; place != nil && m.Mem != nil && !c.dev.Host {
			rec.sent[i] = append(rec.sent[i][:0], m.Mem...)
		}
	}
	c.mark(b, fresh, outcome)
	outs := make([]*graph.Node, len(fresh))
	for i, o := range b.replay.outs {
		buf, lay := fresh[i], o.at.lay
		if k := rec.outs[i].input; k >= 0 && b.argOf[k] > 0 && !b.isTaken(k) {
			buf, lay = shown(b.args[b.argOf[k]-1], o)
		}
		outs[i] = graph.NewStoredView(buf, o.Spec, o.Dev, lay)
	}
	b.finish()
	return outs, true, nil
}

// sameOut finds an earlier output in the same memory.
func sameOut(outs []recordedOut, o recordedOut) int {
	for i, p := range outs {
		if p.input < 0 && !p.fixed && where(p.buf) == where(o.buf) {
			return i
		}
	}
	return -1
}
