package format

import "github.com/lucid-go/lucid/internal/dtype"

// layout sets cells in nested brackets. It eats vals from the front, in the order gather made them.
type layout struct {
	cells cells
	width int // of a line
	vals  []dtype.Scalar
	out   []byte
}

// block writes the dimensions as; indent is the column of the opening bracket.
func (l *layout) block(as []axis, indent int) {
	switch len(as) {
	case 0:
		l.cell()
		return
	case 1:
		l.row(as[0], indent)
		return
	}
	l.out = append(l.out, '[')
	first := true
	next := func() {
		if !first {
			l.out = append(l.out, ',')
			// One blank line more for each further dimension, so that planes stand apart from rows.
			for range len(as) - 1 {
				l.out = append(l.out, '\n')
			}
			l.out = appendSpaces(l.out, indent+1)
		}
		first = false
	}
	a := as[0]
	for i := range a.shown {
		if a.skip > 0 && i == a.gap {
			next()
			l.out = append(l.out, "..."...)
		}
		next()
		l.block(as[1:], indent+1)
	}
	if a.skip > 0 && a.shown == 0 {
		l.out = append(l.out, "..."...)
	}
	l.out = append(l.out, ']')
}

// row writes a vector, breaking it into lines of as many cells as fit between indent and the line's end.
func (l *layout) row(a axis, indent int) {
	if a.skip > 0 && a.shown == 0 {
		l.out = append(l.out, "[...]"...)
		return
	}
	perLine := max(1, (l.width-indent)/(l.cells.width()+len(", ")))
	l.out = append(l.out, '[')
	n := 0
	next := func() {
		switch {
		case n == 0:
		case n%perLine == 0:
			l.out = append(l.out, ",\n"...)
			l.out = appendSpaces(l.out, indent+1)
		default:
			l.out = append(l.out, ", "...)
		}
		n++
	}
	for i := range a.shown {
		if a.skip > 0 && i == a.gap {
			next() // the dots replace a cell
			l.out = append(l.out, " ..."...)
		}
		next()
		l.cell()
	}
	l.out = append(l.out, ']')
}

func (l *layout) cell() {
	l.out = l.cells.append(l.out, l.vals[0])
	l.vals = l.vals[1:]
}
