package asmgen

import (
	"fmt"
	"strings"
)

// twistTranspose writes the kernel between the steps of a long row: count blocks of as many elements as there are lanes are multiplied
// by roots, which differ from lane to lane, and transposed, so that lanes become elements. SI are the elements, DX the roots, DI the
// results, whose blocks are R9 bytes apart.
func twistTranspose(v variant, t element) string {
	c := newCode(v, t)
	c.each = true
	lanes, width := v.bytes/t.size, 16/t.size // a half of a vector is 16 bytes
	if c.wide {
		c.twistWide(lanes)
	}
	for k := 0; k < lanes && !c.wide; k += width {
		parts := make([][]value, 2)
		for i := range width {
			at := func(part int, reg string) string { return fmt.Sprintf("%d(%s)", 2*v.bytes*(k+i)+v.bytes*part, reg) }
			x := c.times(complexValue{c.load(at(0, "SI"), ""), c.load(at(1, "SI"), "")}, at(0, "DX"), at(1, "DX"))
			parts[0], parts[1] = append(parts[0], x.re), append(parts[1], x.im)
		}
		for part, list := range parts {
			for i, x := range c.square(list) {
				at := func(element int) string { return fmt.Sprintf("%d(DI)", 2*v.bytes*element+v.bytes*part+t.size*k) }
				c.parts(x, at(i), at(i+width))
			}
		}
	}
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, tables: tables}
	b.begin("twistTranspose"+t.name+v.name, stack, field{argY, "DI"}, field{argX, "SI"}, field{argRoots, "DX"},
		field{argCount, "CX"}, field{argTo, "R9"})
	b.elements(strings.Join(lines, "\n")+"\n", field{2 * v.bytes * lanes, "SI"}, field{2 * v.bytes * lanes, "DX"})
	b.op("ADDQ R9, DI")
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}

// square transposes squares of numbers in both parts of 128 bits of vectors: four vectors, or two of float64.
func (c *code) square(x []value) []value {
	two := func(name string, a, b value) value { return c.emit(operation{name: name, a: a, b: b}) }
	if len(x) == 2 {
		return []value{two("low", x[0], x[1]), two("high", x[0], x[1])}
	}
	a, b := two("low", x[0], x[1]), two("high", x[0], x[1])
	d, e := two("low", x[2], x[3]), two("high", x[2], x[3])
	return []value{two("lowPairs", a, d), two("highPairs", a, d), two("lowPairs", b, e), two("highPairs", b, e)}
}

// rows writes fromRows, which brings rows of numbers to lanes, count blocks of as many numbers as there are lanes: two numbers of a row are
// the parts of an element. toRows is its opposite. Rows are at SI, R8 bytes apart, elements at DI, R9 bytes apart; the other way round for
// toRows.
func rows(v variant, t element, from bool) string {
	lanes, width := v.bytes/t.size, 16/t.size
	memory, step, lanesAt, next := "SI", "R8", "DI", "R9"
	if !from {
		memory, step, lanesAt, next = "DI", "R9", "SI", "R8"
	}
	// The rows of the first half of the lanes begin at memory, those of the second at BX; R10 is three steps.
	row := func(base string, i, at int) string {
		s := fmt.Sprintf("%d(%s)", at, base)
		switch i {
		case 1, 2:
			s += fmt.Sprintf("(%s*%d)", step, i)
		case 3:
			s += "(R10*1)"
		}
		return s
	}
	c := newCode(v, t)
	if c.wide {
		c.rowsWide(from, lanes)
	}
	for at := 0; at < lanes && !c.wide; at += width {
		list := make([]value, width)
		// Elements of two numbers: R11 walks.
		element := func(i int) (mem, pre string) {
			if (at+i)%2 == 1 {
				return fmt.Sprintf("%d(R11)", v.bytes), ""
			}
			if at+i == 0 {
				return "(R11)", "MOVQ " + lanesAt + ", R11"
			}
			return "(R11)", "ADDQ " + next + ", R11"
		}
		if from {
			for i := range list {
				list[i] = c.twoParts(row(memory, i, t.size*at), row("BX", i, t.size*at), "")
			}
			for i, x := range c.square(list) {
				mem, pre := element(i)
				c.store(x, mem, pre)
			}
			continue
		}
		for i := range list {
			list[i] = c.load(element(i))
		}
		for i, x := range c.square(list) {
			c.parts(x, row(memory, i, t.size*at), row("BX", i, t.size*at))
		}
	}
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, tables: tables}
	b.begin(map[bool]string{true: "fromRows", false: "toRows"}[from]+t.name+v.name, stack,
		field{argY, "DI"}, field{argX, "SI"}, field{argCount, "CX"}, field{argFrom, "R8"}, field{argTo, "R9"})
	if !c.wide {
		b.op("LEAQ (%s)(%s*%d), BX", memory, step, width)
		b.op("LEAQ (%s)(%s*2), R10", step, step)
	}
	b.elements(strings.Join(lines, "\n")+"\n", field{v.bytes, memory}, field{v.bytes, "BX"})
	b.op("LEAQ (R11)(%s*1), %s", next, lanesAt)
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}

// openRadix is the radix of a first pass along one row.
const openRadix = 8

// open writes the first pass of a row whose neighbouring elements are the lanes: a vector has values of p, and results are transposed, so
// that neighbours are lanes again. SI is the row as a tensor has it, R8 the distance of the inputs of a butterfly, DX the roots, which
// differ from lane to lane, DI the results in blocks of lanes.
func open(v variant, t element, name string, form openForm) string {
	c := newCode(v, t)
	c.each = true
	lanes, width := v.bytes/t.size, 16/t.size
	x := make([]complexValue, openRadix)
	for k := range x {
		pre := "MOVQ SI, BX"
		if k > 0 {
			pre = "ADDQ R8, BX"
		}
		if form == openFront || form == openTimes {
			x[k] = c.openBlock(v, k, pre, form)
			continue
		}
		x[k] = c.loadPairs("(BX)", pre)
		c.ahead("(BX)(R14*1)")
		if form == openSwapped {
			x[k] = complexValue{x[k].im, x[k].re}
		}
	}
	y := c.butterfly(x)
	if c.wide {
		c.openWide(y)
	}
	for j := 0; j < openRadix && !c.wide; j += width {
		parts := make([][]value, 2)
		for i := range width {
			z := y[j+i]
			if j+i > 0 {
				at := 2 * v.bytes * (j + i - 1)
				z = c.times(z, fmt.Sprintf("%d(DX)", at), fmt.Sprintf("%d(DX)", at+v.bytes))
			}
			parts[0], parts[1] = append(parts[0], z.re), append(parts[1], z.im)
		}
		for part, list := range parts {
			for p, x := range c.square(list) {
				at := func(p int) string {
					e := openRadix*p + j
					return fmt.Sprintf("%d(DI)", e/lanes*2*v.bytes+v.bytes*part+e%lanes*t.size)
				}
				c.parts(x, at(p), at(p+width))
			}
		}
	}
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, repeats: true, tables: tables}
	b.begin(name+t.name+v.name, stack, field{argY, "DI"}, field{argX, "SI"},
		field{argRoots, "DX"}, field{argConst, "R13"}, field{argFrom, "R8"}, field{argCount, "CX"}, field{argAhead, "R14"})
	if form == openTimes {
		b.op("MOVQ %d(AX), R10", argTable)
		b.op("SUBQ SI, R10")
	}
	b.elements(strings.Join(lines, "\n")+"\n", field{2 * v.bytes, "SI"}, field{2 * v.bytes * (openRadix - 1), "DX"},
		field{2 * v.bytes * openRadix, "DI"})
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}

// wholeLength is the length of rows that a kernel transforms as a whole: two passes of radix 4.
const wholeLength = 16

// whole writes the transform of count groups of as many rows as there are lanes, one behind the other: SI the rows, DI the results, DX the
// roots of the first pass.
func whole(v variant, t element, name string, swap bool) string {
	c := newCode(v, t)
	if c.wide {
		return wholeWide(v, t, name, swap, false)
	}
	lanes, width := v.bytes/t.size, 16/t.size
	row := 2 * t.size * wholeLength
	half := lanes / 2 // rows of the first half of the lanes
	x := make([]complexValue, wholeLength)
	part := func(n int) *value { // the n-th number of rows
		if (n%2 == 1) != swap {
			return &x[n/2].im
		}
		return &x[n/2].re
	}
	load := func(n int) {
		list := make([]value, width)
		for i := range list {
			list[i] = c.twoParts(fmt.Sprintf("%d(SI)", row*i+t.size*n), fmt.Sprintf("%d(SI)", row*(i+half)+t.size*n), "")
		}
		for i, z := range c.square(list) {
			*part(n + i) = z
		}
	}
	// Where results go soon is asked for: a store that waits for its line holds up those behind it.
	for line := 0; line < row*lanes; line += 64 {
		c.ahead(fmt.Sprintf("%d(DI)", 2*row*lanes+line))
	}
	y := make([]complexValue, wholeLength)
	for n := 0; n < wholeLength/2; n += width { // the numbers of four butterflies' first inputs, and so on
		for k := range 4 {
			load(n + wholeLength/2*k)
		}
		for p := n / 2; p < (n+width)/2; p++ {
			z := c.four([]complexValue{x[p], x[p+4], x[p+8], x[p+12]})
			for j := range z {
				if j > 0 {
					at := 2 * t.size * (3*p + j - 1)
					z[j] = c.times(z[j], fmt.Sprintf("%d(DX)", at), fmt.Sprintf("%d(DX)", at+t.size))
				}
				y[4*p+j] = z[j]
			}
		}
	}
	scale := fmt.Sprintf("%d(AX)", argScale)
	for q := 0; q < 4; q += width / 2 {
		for i := q; i < q+width/2; i++ {
			for j, z := range c.four([]complexValue{y[i], y[i+4], y[i+8], y[i+12]}) {
				x[i+4*j] = complexValue{c.mul(z.re, scale), c.mul(z.im, scale)}
			}
		}
		for j := range 4 {
			n := 2 * (q + 4*j)
			list := make([]value, width)
			for i := range list {
				list[i] = *part(n + i)
			}
			for i, z := range c.square(list) {
				c.parts(z, fmt.Sprintf("%d(DI)", row*i+t.size*n), fmt.Sprintf("%d(DI)", row*(i+half)+t.size*n))
			}
		}
	}
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, tables: tables}
	b.begin(name+t.name+v.name, stack, field{argY, "DI"}, field{argX, "SI"},
		field{argRoots, "DX"}, field{argCount, "CX"})
	b.elements(strings.Join(lines, "\n")+"\n", field{row * lanes, "SI"}, field{row * lanes, "DI"})
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}
