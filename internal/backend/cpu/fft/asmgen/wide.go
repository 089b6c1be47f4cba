package asmgen

import (
	"fmt"
	"slices"
	"strings"
)

// table is the i-th index of a table of permutations of vectors with so many lanes: below lanes it is of the first operand.
func table(name string, lanes, i int) int {
	second := i % 2 * lanes // numbers of the second operand are imaginary parts
	switch name {
	case "even":
		return 2 * i
	case "odd":
		return 2*i + 1
	case "low":
		return i/2 + second
	case "high":
		return lanes/2 + i/2 + second
	case "evenBack":
		return 2 * (lanes - 1 - i)
	case "oddBack":
		return 2*(lanes-1-i) + 1
	case "lowBack":
		return lanes - 1 - i/2 + second
	case "highBack":
		return lanes/2 - 1 - i/2 + second
	case "openLow", "openHigh": // see openWide: i is 8·half + j
		j := i % 8
		at := j/4*16 + j%4/2*8 + j%2*2 + i/8
		if name == "openHigh" {
			at += 4
		}
		return at
	case "rowLow", "rowHigh": // see wholeWide: the first or the second of two rows in blocks
		at := i/8*8 + i%8/2 + second
		if name == "rowHigh" {
			at += 4
		}
		return at
	case "shift": // see tight: nothing is before
		return lanes + i
	case "two":
		return 2
	case "quadLow":
		return i/4*4 + i%2 + i%4/2*lanes
	case "quadHigh":
		return i/4*4 + i%2 + i%4/2*lanes + 2
	}
	panic("no table " + name)
}

// withTables adds the tables that a file reads.
func withTables(text string) string {
	var names []string
	for _, line := range strings.Split(text, "\n") {
		if _, rest, ok := strings.Cut(line, "VMOVUPS "); ok {
			if name, _, ok := strings.Cut(rest, "<>(SB)"); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	const include = "#include \"textflag.h\"\n"
	var b strings.Builder
	for _, name := range names {
		size := 4
		if strings.HasSuffix(name, "F64") {
			size = 8
		}
		b.WriteString("\n")
		for i := range 64 / size {
			fmt.Fprintf(&b, "DATA %s<>+%d(SB)/%d, $%d\n", name, size*i, size, table(name[:len(name)-3], 64/size, i))
		}
		fmt.Fprintf(&b, "GLOBL %s<>(SB), RODATA|NOPTR, $64\n", name)
	}
	return strings.Replace(text, include, include+b.String(), 1)
}

// fourBlocks transposes the 4 by 4 parts of 128 bits of four vectors.
func (c *code) fourBlocks(x [4]value) [4]value {
	a, b := c.blocks(x[0], x[1], "$0x44"), c.blocks(x[2], x[3], "$0x44")
	d, e := c.blocks(x[0], x[1], "$0xee"), c.blocks(x[2], x[3], "$0xee")
	return [4]value{c.blocks(a, b, "$0x88"), c.blocks(a, b, "$0xdd"), c.blocks(d, e, "$0x88"), c.blocks(d, e, "$0xdd")}
}

// transposeWide transposes as many vectors of 64 bytes as each has lanes.
func (c *code) transposeWide(x []value) []value {
	width := len(x) / 4
	squares := make([][]value, 4)
	for g := range squares {
		squares[g] = c.square(x[width*g:][:width])
	}
	y := make([]value, len(x))
	for i := range width {
		for block, z := range c.fourBlocks([4]value{squares[0][i], squares[1][i], squares[2][i], squares[3][i]}) {
			y[width*block+i] = z
		}
	}
	return y
}

// twistWide is a block of twistTranspose: its real parts, then its imaginary ones, since not all fit in the registers.
func (c *code) twistWide(lanes int) {
	for part := range 2 {
		list := make([]value, lanes)
		for k := range list {
			at := func(part int, reg string) string { return fmt.Sprintf("%d(%s)", 64*(2*k+part), reg) }
			re, im := c.load(at(0, "SI"), ""), c.load(at(1, "SI"), "")
			if part == 0 {
				list[k] = c.fnma(c.mul(re, at(0, "DX")), im, at(1, "DX"))
			} else {
				list[k] = c.fma(c.mul(re, at(1, "DX")), im, at(0, "DX"))
			}
		}
		for i, z := range c.transposeWide(list) {
			c.store(z, fmt.Sprintf("%d(DI)", 64*(2*i+part)), "")
		}
	}
}

// rowsWide is a block of fromRows or toRows: BX walks over rows, R11 over elements.
func (c *code) rowsWide(from bool, lanes int) {
	memory, step, lanesAt, next := "SI", "R8", "DI", "R9"
	if !from {
		memory, step, lanesAt, next = "DI", "R9", "SI", "R8"
	}
	row := func(i int) (mem, pre string) {
		if i == 0 {
			return "(BX)", "MOVQ " + memory + ", BX"
		}
		return "(BX)", "ADDQ " + step + ", BX"
	}
	element := func(i int) (mem, pre string) {
		switch {
		case i%2 == 1:
			return "64(R11)", ""
		case i == 0:
			return "(R11)", "MOVQ " + lanesAt + ", R11"
		}
		return "(R11)", "ADDQ " + next + ", R11"
	}
	in, out := row, element
	if !from {
		in, out = element, row
	}
	list := make([]value, lanes)
	for i := range list {
		list[i] = c.load(in(i))
	}
	for i, z := range c.transposeWide(list) {
		mem, pre := out(i)
		c.store(z, mem, pre)
	}
}

// openWide multiplies the results of a first pass by roots and stores them transposed. Of float32 two neighbouring values of p are a
// unit: units of eight results are transposed, and the last step puts the first numbers of them before the second ones.
func (c *code) openWide(y []complexValue) {
	parts := make([][]value, 2)
	for j, z := range y {
		if j > 0 {
			z = c.times(z, fmt.Sprintf("%d(DX)", 128*(j-1)), fmt.Sprintf("%d(DX)", 128*(j-1)+64))
		}
		parts[0], parts[1] = append(parts[0], z.re), append(parts[1], z.im)
	}
	for part, x := range parts {
		save := func(i int, z value) { c.store(z, fmt.Sprintf("%d(DI)", 128*i+64*part), "") }
		if c.t.size == 8 {
			for i, z := range c.transposeWide(x) {
				save(i, z)
			}
			continue
		}
		for i, name := range []string{"lowPairs", "highPairs"} {
			var s [4]value
			for g := range s {
				s[g] = c.emit(operation{name: name, a: x[2*g], b: x[2*g+1]})
			}
			for half, which := range []string{"$0x44", "$0xee"} {
				a, b := c.blocks(s[0], s[1], which), c.blocks(s[2], s[3], which)
				save(4*half+i, c.permute(a, b, "openLow"))
				save(4*half+2+i, c.permute(a, b, "openHigh"))
			}
		}
	}
}

// seconds are the radices of a second pass of rows whose first one leaves half a vector of neighbours.
var seconds = []int{4, 8}

// second writes the second pass of such a row: a vector has two values of p, whose results are not next to each other. SI are the blocks of
// the row, R8 the distance of the inputs of a butterfly, DX the roots in lanes, DI the results in blocks.
func second(v variant, t element, name string, r int) string {
	c := newCode(v, t)
	c.each = true
	x := make([]complexValue, r)
	for k := range x {
		pre := "MOVQ SI, BX"
		if k > 0 {
			pre = "ADDQ R8, BX"
		}
		x[k] = complexValue{c.load("(BX)", pre), c.load("64(BX)", "")}
	}
	c.bothParts(c.butterfly(x))
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, repeats: true, tables: tables}
	b.begin(name, stack, field{argY, "DI"}, field{argX, "SI"}, field{argRoots, "DX"}, field{argConst, "R13"}, field{argFrom, "R8"},
		field{argCount, "CX"})
	b.elements(strings.Join(lines, "\n")+"\n", field{128, "SI"}, field{128 * (r - 1), "DX"}, field{128 * r, "DI"})
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}

// wholeWide is whole for as many rows as four elements of each fill a vector: of both passes these are values of p, then of q. DX has the
// roots in lanes.
func wholeWide(v variant, t element, name string, swap, stream bool) string {
	c := newCode(v, t)
	c.stream = stream
	c.each = true
	row := 2 * t.size * wholeLength
	count := 16 / t.size // rows
	at := func(reg string, r, h int) string { return fmt.Sprintf("%d(%s)", row*r+64*h, reg) }
	for line := 0; line < row*count && !stream; line += 64 {
		c.emit(operation{name: "ahead", a: -1, b: -1, mem: fmt.Sprintf("%d(DI)", 2*row*count+line)})
	}
	swapped := func(x complexValue) complexValue {
		if swap {
			return complexValue{x.im, x.re}
		}
		return x
	}
	var x []complexValue
	for h := range row / 64 {
		raw := make([]value, count)
		for r := range raw {
			raw[r] = c.load(at("SI", r, h), "")
		}
		a := complexValue{c.permute(raw[0], raw[1], "even"), c.permute(raw[0], raw[1], "odd")}
		if count == 2 {
			x = append(x, swapped(a))
			continue
		}
		b := complexValue{c.permute(raw[2], raw[3], "even"), c.permute(raw[2], raw[3], "odd")}
		for _, which := range []string{"$0x88", "$0xdd"} {
			x = append(x, swapped(complexValue{c.blocks(a.re, b.re, which), c.blocks(a.im, b.im, which)}))
		}
	}
	y := c.four(x)
	var parts [2][]value
	for j, z := range y {
		if j > 0 {
			z = c.times(z, fmt.Sprintf("%d(DX)", 128*(j-1)), fmt.Sprintf("%d(DX)", 128*(j-1)+64))
		}
		parts[0], parts[1] = append(parts[0], z.re), append(parts[1], z.im)
	}
	for i, list := range parts {
		parts[i] = c.quads(list)
	}
	for i := range y {
		y[i] = complexValue{parts[0][i], parts[1][i]}
	}
	y = c.four(y)
	scale := fmt.Sprintf("%d(AX)", argScale)
	for i, z := range y {
		y[i] = swapped(complexValue{c.mul(z.re, scale), c.mul(z.im, scale)})
	}
	for h := range row / 64 {
		if count == 2 {
			c.storeOut(c.permute(y[h].re, y[h].im, "low"), at("DI", 0, h), "")
			c.storeOut(c.permute(y[h].re, y[h].im, "high"), at("DI", 1, h), "")
			continue
		}
		for pair, which := range []string{"$0x44", "$0xee"} {
			re, im := c.blocks(y[2*h].re, y[2*h+1].re, which), c.blocks(y[2*h].im, y[2*h+1].im, which)
			c.storeOut(c.permute(re, im, "rowLow"), at("DI", 2*pair, h), "")
			c.storeOut(c.permute(re, im, "rowHigh"), at("DI", 2*pair+1, h), "")
		}
	}
	lines, stack, tables := assemble(v, c)
	b := &text{v: v, tables: tables, stream: stream}
	b.begin(name+t.name+v.name, stack, field{argY, "DI"}, field{argX, "SI"},
		field{argRoots, "DX"}, field{argCount, "CX"})
	b.elements(strings.Join(lines, "\n")+"\n", field{row * count, "SI"}, field{row * count, "DI"})
	b.op("DECQ CX")
	b.op("JNZ next")
	return b.end()
}

// quads transposes 4 by 4 numbers, in each part of four lanes.
func (c *code) quads(x []value) []value {
	if c.t.size == 4 {
		return c.square(x)
	}
	a, b := c.square(x[:2]), c.square(x[2:])
	var y []value
	for _, name := range []string{"quadLow", "quadHigh"} {
		for i := range a {
			y = append(y, c.permute(a[i], b[i], name))
		}
	}
	return y
}
