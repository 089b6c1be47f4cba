package asmgen

import (
	"fmt"
	"strings"
)

// turn writes the kernel between the steps of a long row: count blocks of as many elements as there are lanes are multiplied by roots, which
// differ from lane to lane, and transposed, so that lanes become elements. SI are the elements, DX the roots, DI the results, whose blocks
// are R9 bytes apart.
func turn(v variant, t element) string {
	c := &code{each: true}
	lanes, width := v.bytes/t.size, 16/t.size // a half of a vector is 16 bytes
	for k := 0; k < lanes; k += width {
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
	lines, stack := assemble(v, c, t.suffix)
	b := &text{v: v}
	b.begin("turn"+t.name+v.name, stack, field{argY, "DI"}, field{argX, "SI"}, field{argRoots, "DX"}, field{argCount, "CX"}, field{argTo, "R9"})
	b.elements(strings.Join(lines, "\n")+"\n", field{2 * v.bytes * lanes, "SI"}, field{2 * v.bytes * lanes, "DX"})
	b.op("ADDQ R9, DI")
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}

// square transposes squares of numbers in both halves of vectors: four vectors, or two of float64.
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
	c := &code{}
	for at := 0; at < lanes; at += width {
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
				list[i] = c.halves(row(memory, i, t.size*at), row("BX", i, t.size*at), "")
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
	lines, stack := assemble(v, c, t.suffix)
	b := &text{v: v}
	b.begin(map[bool]string{true: "fromRows", false: "toRows"}[from]+t.name+v.name, stack,
		field{argY, "DI"}, field{argX, "SI"}, field{argCount, "CX"}, field{argFrom, "R8"}, field{argTo, "R9"})
	b.op("LEAQ (%s)(%s*%d), BX", memory, step, width)
	b.op("LEAQ (%s)(%s*2), R10", step, step)
	b.elements(strings.Join(lines, "\n")+"\n", field{v.bytes, memory}, field{v.bytes, "BX"})
	b.op("LEAQ (R11)(%s*1), %s", next, lanesAt)
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}
