package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
)

// mostSteps bounds what a few bytes of a file can ask for: a list of the steps.
const mostSteps = 1 << 20

// runs checks the steps, and returns their elements and sequences.
func (c check) runs(a attr.Recurrent) (n, b int) {
	c.must(a.Cell <= attr.CellGRU && (!a.Project || a.Cell == attr.CellLSTM) && (!a.Biased || a.Cell == attr.CellGRU), "%+v", a)
	c.within(a.Runs, 0)
	steps := 0
	for i := 0; i+1 < a.Runs.Len(); i += 2 {
		size, count := a.Runs.At(i), a.Runs.At(i+1)
		c.must(count > 0 && (i == 0 || size > 0 && size < a.Runs.At(i-2)), "runs of %v", a.Runs)
		steps += count
		n += size * count
		c.must(steps <= mostSteps && n <= most, "%d steps with %d elements", steps, n)
	}
	c.must(a.Runs.Len() > 0 && a.Runs.Len()%2 == 0, "runs of %v", a.Runs)
	return n, a.Runs.At(0)
}

func (c check) matrix(x *Node, rows, cols int) {
	c.must(x.Rank() == 2 && x.Dim(0) == rows && x.Dim(1) == cols, "an operand of shape %v, not [%d %d]", x.Shape(), rows, cols)
}

func validateRecurrent(c check) {
	a := attrOf[attr.Recurrent](c)
	n, b := c.runs(a)
	want, g := 3, a.Cell.Gates()
	for _, more := range []bool{a.Cell == attr.CellLSTM, a.Biased, a.Project} {
		if more {
			want++
		}
	}
	if a.Input {
		want += 2
	}
	c.inputs(want)
	c.must(!a.Memory, "memories with a cotangent")
	c.floating(c.in[0])
	c.sameDType(c.in)
	r := readLayer(a, c.in)
	c.must(r.w.Rank() == 2 && r.w.Dim(0)%g == 0, "a weight of shape %v", r.w.Shape())
	hidden, state := r.hidden(), r.w.Dim(1)
	c.must(a.Project || hidden == state, "a weight of shape %v", r.w.Shape())
	if a.Input {
		c.must(r.x.Rank() == 2, "inputs of shape %v", r.x.Shape())
		c.matrix(r.x, n, r.x.Dim(1))
		c.matrix(r.wi, g*hidden, r.x.Dim(1))
		c.must(slices.Equal(r.bi.Shape().Dims(), []int{g * hidden}), "a bias of shape %v", r.bi.Shape())
	} else {
		c.matrix(r.gx, n, g*hidden)
	}
	c.matrix(r.h0, b, state)
	if r.c0 != nil {
		c.matrix(r.c0, b, hidden)
	}
	if r.bias != nil {
		c.must(slices.Equal(r.bias.Shape().Dims(), []int{g * hidden}), "a bias of shape %v", r.bias.Shape())
	}
	if r.proj != nil {
		c.matrix(r.proj, state, hidden)
	}
}

func validateRecurrentGrad(c check) {
	a := attrOf[attr.Recurrent](c)
	n, b := c.runs(a)
	want, g := 3, a.Cell.Gates()
	switch a.Cell {
	case attr.CellGRU:
		want = 6
	case attr.CellLSTM:
		want = 5
		for _, more := range []bool{a.Project, a.Memory} {
			if more {
				want++
			}
		}
	}
	c.inputs(want)
	c.must(!a.Biased && !a.Input && !a.Keep && (!a.Memory || a.Cell == attr.CellLSTM), "%+v", a)
	c.floating(c.in[0])
	c.sameDType(c.in)
	r := readGrad(a, c.in)
	c.must(r.w.Rank() == 2 && r.w.Dim(0)%g == 0, "a weight of shape %v", r.w.Shape())
	hidden, state := r.w.Dim(0)/g, r.w.Dim(1)
	c.must(a.Project || hidden == state, "a weight of shape %v", r.w.Shape())
	c.matrix(r.gates, n, g*hidden)
	c.matrix(r.dy, n, state)
	if r.c != nil {
		c.matrix(r.c, n, hidden)
		c.matrix(r.c0, b, hidden)
	}
	if r.y != nil {
		c.matrix(r.y, n, state)
	}
	if r.proj != nil {
		c.matrix(r.proj, state, hidden)
	}
	if r.dc != nil {
		c.matrix(r.dc, n, hidden)
	}
}
