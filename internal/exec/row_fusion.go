package exec

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Row fusion: launches that reduce rows, and those that continue with the results row by row, become one launch, which takes a few rows
// at a time through all of them: a norm or a softmax written with basic ops passes over memory once. Values that only the group uses
// have memory for those rows alone. The pass works on launches, before arenas are laid out.

const (
	fewRows        = 8       // fewer are split among workers in another way,
	fewRowsElems   = 1 << 14 // unless there is little to do
	rowGroupWindow = 64      // launches behind its last member that a group looks at
	maxRowGroup    = 32      // members, on devices that compile a group
)

// MinRowFusionElems is the least number of elements of a row-fusion group; a variable for tests.
var MinRowFusionElems = 1 << 10

// rowFusionGroup is launches over the same rows that become one.
type rowFusionGroup struct {
	dev           *backend.Device
	rows          int
	long          int           // elements of a row
	members       []int         // in order
	made          map[int32]int // what they write: elements of a row
	reads         map[int32]bool
	readElsewhere map[int32]bool // those of them that another group reads, which runs later than its members stood
}

// last is the launch that the group's launch replaces.
func (b *rowFusionGroup) last() int { return b.members[len(b.members)-1] }

// fuseRows finds row-fusion groups and replaces their members by one launch each.
func (p *planner) fuseRows() {
	steps := p.prog.steps
	owner := p.findRowGroups()
	if owner == nil {
		return
	}
	var out []step
	for k := range steps {
		switch b := owner[k]; {
		case b == nil:
			out = append(out, steps[k])
		case b.last() == k:
			out = append(out, p.mergeRowGroup(b))
			p.rowGroups = append(p.rowGroups, b.members)
		}
	}
	p.renumber(out)
}

// findRowGroups gives for every launch the group it is a member of; nil: there are no groups.
func (p *planner) findRowGroups() (owner []*rowFusionGroup) {
	steps := p.prog.steps
	for k := range steps {
		if owner != nil && owner[k] != nil {
			continue
		}
		rows, long, ok := rowReduction(&steps[k])
		if !ok {
			rows, long, ok = alongRows(&steps[k])
		}
		if !ok || steps[k].dev.Host && (rows*long < MinRowFusionElems || rows < fewRows && rows*long > fewRowsElems) {
			continue
		}
		b := &rowFusionGroup{dev: steps[k].dev, rows: rows, long: long, made: map[int32]int{}, reads: map[int32]bool{},
			readElsewhere: map[int32]bool{}}
		b.add(k, &steps[k], long)
		p.growRowGroup(b, owner)
		if len(b.members) < 2 {
			continue
		}
		if owner == nil {
			owner = make([]*rowFusionGroup, len(steps))
		}
		for _, j := range b.members {
			owner[j] = b
		}
	}
	return owner
}

// growRowGroup adds launches behind the first that continue with the group's results, or reduce the rows it reads. The group runs when
// its last member would, so it ends before the first other launch that reads from it.
func (p *planner) growRowGroup(b *rowFusionGroup, owner []*rowFusionGroup) {
	end := len(p.prog.steps)
	for k := b.last() + 1; k < min(end, b.last()+rowGroupWindow) && (b.dev.Host || len(b.members) < maxRowGroup); k++ {
		s := &p.prog.steps[k]
		reads, shares := false, false
		for _, o := range s.in {
			_, is := b.made[o.buf]
			reads, shares = reads || is, shares || b.reads[o.buf]
		}
		other := owner != nil && owner[k] != nil
		switch long, folds, ok := b.fits(s); {
		case other && reads:
			end = min(end, owner[k].last())
			for _, o := range s.in {
				b.readElsewhere[o.buf] = true
			}
		case other:
		case ok && (reads || shares && folds):
			b.add(k, s, long)
		case reads:
			return
		}
	}
}

// add makes a launch a member; it is over long elements of each row.
func (b *rowFusionGroup) add(k int, s *step, long int) {
	b.members = append(b.members, k)
	_, _, along := alongRows(s)
	for i, o := range s.out {
		b.made[o.buf] = long
		if s.fused == nil && !along || s.fused != nil && i >= len(s.fused.Out) {
			b.made[o.buf] = 1
		}
	}
	for _, o := range s.in {
		if o.shape.Numel() == b.rows*b.long && o.lay == nil {
			b.reads[o.buf] = true
		}
	}
}

// fits reports whether a launch works row by row on the group's results, on how many elements of a row, and whether it
// reduces them.
func (b *rowFusionGroup) fits(s *step) (long int, folds, ok bool) {
	if s.dev != b.dev {
		return 0, false, false
	}
	rows, long, folds := rowReduction(s)
	along := false
	if !folds {
		rows, long, along = alongRows(s)
	}
	switch {
	case folds, along:
		ok = rows == b.rows && long == b.long
	case s.fused != nil && s.fused.Producer == nil && s.fused.Reduction == nil:
		long = s.fused.Shape.Numel() / b.rows
		ok = long*b.rows == s.fused.Shape.Numel() && (long == 1 || long == b.long)
	}
	for _, o := range s.in {
		if m, is := b.made[o.buf]; is && !inRows(o, b.rows, m) {
			ok = false
		}
	}
	return long, folds, ok
}

// rowReduction reports whether a launch reduces rows, which are the last dimensions of what it reads.
func rowReduction(s *step) (rows, long int, ok bool) {
	if s.dev.RowFuser == nil {
		return 0, 0, false
	}
	var sh *shape.Shape
	switch {
	case s.fused != nil:
		if s.fused.Reduction == nil || s.fused.Producer != nil {
			return 0, 0, false
		}
		sh = s.fused.Shape
		for t := s.fused.Reduction; t != nil; t = t.Next {
			if rows, long, ok = rowsOf(s.dev, t.Op, t.Attr, s.fused.DTypes[t.Src], sh); !ok {
				return 0, 0, false
			}
		}
		return rows, long, true
	case len(s.in) != 1 || len(s.out) != 1 || !s.in[0].lay.IsContiguous(s.in[0].shape) || s.out[0].lay != nil:
		return 0, 0, false
	}
	if op := graph.Lookup(s.op); op == nil || op.Kind != graph.Reduce {
		return 0, 0, false
	}
	return rowsOf(s.dev, s.op, s.attr, s.in[0].dtype, s.in[0].shape)
}

// rowsOf gives the rows that a reduction reduces.
func rowsOf(d *backend.Device, op string, a attr.Attr, in dtype.DType, s *shape.Shape) (rows, long int, ok bool) {
	var axes attr.Ints
	switch a := a.(type) {
	case attr.Axes:
		axes = a.Axes
	case attr.Var:
		axes = a.Axes
	case attr.Norm:
		axes = a.Axes
	default:
		return 0, 0, false
	}
	rows, long = 1, 1
	for i := s.Rank() - 1; i >= 0; i-- {
		switch n := s.Dim(i); {
		case n == 1:
		case !axes.Contains(i):
			rows *= n
		case rows > 1: // reduced, and before one that is not
			return 0, 0, false
		default:
			long *= n
		}
	}
	return rows, long, long > 1 && rows*long > 0 && d.CanReduceRows(op, a, in, long)
}

// inRows reports whether an operand shows a value of made elements a row, every row at its own position: the whole value in row-major
// order, or one element a row broadcast along the row.
func inRows(o operand, rows, made int) bool {
	if o.lay == nil {
		return o.shape.Numel() == rows*made
	}
	if o.lay.Offset != 0 {
		return false
	}
	if o.lay.IsContiguous(o.shape) {
		return o.shape.Numel() == rows*made
	}
	if made != 1 {
		return false
	}
	along, step := true, 1 // still in the row
	for i := o.shape.Rank() - 1; i >= 0; i-- {
		n, t := o.shape.Dim(i), o.lay.Strides[i]
		switch {
		case n == 1:
		case along && t == 0:
		case t != step:
			return false
		default:
			along = false
			step *= n
		}
	}
	return step == rows
}

// mergeRowGroup makes one launch of a group.
func (p *planner) mergeRowGroup(b *rowFusionGroup) step {
	r := &backend.RowFusion{Count: b.rows}
	locals := map[int32]int{}
	local := func(buf int32) int {
		if l, ok := locals[buf]; ok {
			return l
		}
		return -1
	}
	var s step
	for _, k := range b.members {
		m := &p.prog.steps[k]
		part := backend.RowFusionPart{Fused: m.fused, Len: b.long}
		switch _, _, along := alongRows(m); {
		case m.fused != nil:
			part.Len = m.fused.Shape.Numel() / b.rows
		case along:
			part.Fused = alongProgram(m)
			prepare(b.dev, part.Fused)
		default:
			part.Fused = &backend.Fused{Shape: m.in[0].shape, DTypes: []dtype.DType{m.in[0].dtype}, In: 1,
				Reduction: &backend.Reduction{Op: m.op, Attr: m.attr}}
			prepare(b.dev, part.Fused)
		}
		for _, o := range m.out {
			f := &p.prog.bufs[o.buf]
			if b.made[o.buf] == b.long && !f.keep && !b.readElsewhere[o.buf] && int(f.last) <= b.last() {
				locals[o.buf] = len(r.Locals)
				r.Locals = append(r.Locals, b.long*o.dtype.Size())
				f.size = 1 // there is no memory behind it
			}
			part.Out = append(part.Out, local(o.buf))
		}
		for _, o := range m.in {
			part.In = append(part.In, local(o.buf))
		}
		r.Parts = append(r.Parts, part)
		s.out, s.in, s.from = append(s.out, m.out...), append(s.in, m.in...), append(s.from, int32(k))
	}
	s.op, s.dev, s.rows = "rows", b.dev, r
	s.kernel = func(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
		return b.dev.RunRowFusion(c, r, out, in)
	}
	return s
}
