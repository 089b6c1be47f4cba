package asmgen

import "fmt"

// Panels of AVX2 are those of AVX-512, and kernels take one of their tiles: two vectors of eight columns, six rows. All registers have
// integer sums; those in float32 are in y, which is near, and touched once for each group.

// shortPanel is a form of panels.
type shortPanel struct {
	groups                     int
	mins, signed, lifted, long bool
}

var shortPanels = []shortPanel{
	{groups: 1}, {groups: 1, signed: true, long: true}, {groups: 1, mins: true}, {groups: 1, mins: true, lifted: true},
	{groups: 1, mins: true, long: true}, {groups: 1, mins: true, signed: true, long: true},
	{groups: 2}, {groups: 2, mins: true},
}

func shortPanelOf(f quantized) shortPanel {
	return shortPanel{f.groups, f.mins, f.signed(), f.lifted(), f.long()}
}

func (p shortPanel) name() string {
	name := fmt.Sprintf("shortG%d", p.groups)
	switch {
	case p.lifted:
		return name + "Lifted"
	case p.mins:
		name += "Mins"
	}
	switch {
	case p.signed:
		name += "Signed"
	case p.long:
		name += "Long"
	}
	return name
}

func (p shortPanel) parts() int {
	if p.mins {
		return 2
	}
	return 1
}

// declare writes the Go declarations of the kernels, and their table.
func (p shortPanel) declare(w *asm) {
	for rows := 1; rows <= panelRows; rows++ {
		w.text("//go:noescape\nfunc %sR%d%s\n", p.name(), rows, manySig)
	}
	w.text("var %s = [panelRows + 1]manyKernel{", p.name())
	for rows := 1; rows <= panelRows; rows++ {
		w.text("%d: %sR%d,", rows, p.name(), rows)
	}
	w.text("}\n")
}

// wordOnes writes a vector of ones of 16 bits.
func wordOnes(w *asm) {
	for i := range 4 {
		w.text("DATA ones<>+%d(SB)/8, $0x0001000100010001", 8*i)
	}
	w.text("GLOBL ones<>(SB), RODATA|NOPTR, $32")
}

// Registers: integer sums Y0-Y11, two a row; quants Y12 and Y13, or quants and their magnitudes; activations Y14; products Y15, or
// ones. AX is x, BX its row stride with multiples by rowRegs, R10 the panel, R12 blocks left; DI is y, R8 its row stride, R9 and R11
// three and five of them.
const (
	ysQuant = 12
	ysMore  = 13
	ysX     = 14
	ysTemp  = 15
)

// outAddr is the address of vector j of row r of y.
func outAddr(r, j int) string {
	return at(32*j, []string{"(DI)", "(DI)(R8*1)", "(DI)(R8*2)", "(DI)(R9*1)", "(DI)(R8*4)", "(DI)(R11*1)"}[r])
}

// many writes the kernel of some rows.
func (p shortPanel) many(w *asm, rows int) {
	w.text("\n// func %sR%d%s", p.name(), rows, manySig)
	w.text("TEXT ·%sR%d(SB), NOSPLIT, $0-49", p.name(), rows)
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ panel+8(FP), R10")
	w.op("MOVQ x+16(FP), AX")
	w.op("MOVQ xs+24(FP), BX")
	multiples(w, rows)
	w.op("MOVQ y+32(FP), DI")
	w.op("MOVQ ys+40(FP), R8")
	if rows > 3 {
		w.op("LEAQ (R8)(R8*2), R9")
	}
	if rows > 5 {
		w.op("LEAQ (R8)(R8*4), R11")
	}
	if p.long {
		w.op("VMOVDQU ones<>(SB), Y%d", ysTemp)
	}
	w.op("MOVBLZX add+48(FP), R13")
	w.op("TESTL R13, R13")
	w.op("JNE loop")
	avx2.clear(w, 0)
	for r := range rows {
		for j := range 2 {
			w.op("VMOVUPS Y0, %s", outAddr(r, j))
		}
	}
	w.op("PCALIGN $64")
	w.label("loop")
	each := 8 / p.groups
	for g := range p.groups {
		for q := g * each; q < (g+1)*each; q++ {
			if p.long {
				p.multiplyLong(w, rows, q)
			} else {
				p.multiply(w, rows, g, q, q == g*each)
			}
		}
		p.finish(w, rows, g)
	}
	w.op("ADDQ $%d, AX", recordSize)
	w.op("ADDQ $%d, R10", 128*(8+p.groups*p.parts()))
	w.op("SUBQ $1, R12")
	w.op("JNE loop")
	w.op("VZEROUPPER")
	w.op("RET")
}

// quants is where four quants of the columns of vector j are.
func (p shortPanel) quants(q, j int) int { return 128*(p.groups*p.parts()+q) + 32*j }

// multiply adds the products of four quants with all rows; first: sums of the group begin.
func (p shortPanel) multiply(w *asm, rows, g, q int, first bool) {
	begin := begins(g, p.mins, p.signed, p.lifted)
	for j := range 2 {
		w.op("VMOVDQU %d(R10), Y%d", p.quants(q, j), ysQuant+j)
	}
	for r := range rows {
		w.op("VPBROADCASTD %s, Y%d", at(4*q, rowAddr(r)), ysX)
		if first && begin > 0 {
			w.op("VPBROADCASTD %s, Y%d", at(begin, rowAddr(r)), 2*r+1)
		}
		for j := range 2 {
			if first && begin == 0 {
				w.op("VPMADDUBSW Y%d, Y%d, Y%d", ysX, ysQuant+j, 2*r+j)
				continue
			}
			from := 2*r + j
			if first {
				from = 2*r + 1
			}
			w.op("VPMADDUBSW Y%d, Y%d, Y%d", ysX, ysQuant+j, ysTemp)
			w.op("VPADDW Y%d, Y%d, Y%d", ysTemp, from, 2*r+j)
		}
	}
}

// multiplyLong is multiply for sums of 32 bits.
func (p shortPanel) multiplyLong(w *asm, rows, q int) {
	for j := range 2 {
		w.op("VMOVDQU %d(R10), Y%d", p.quants(q, j), ysQuant)
		quants := ysQuant
		if p.signed {
			quants = ysMore
			w.op("VPABSB Y%d, Y%d", ysQuant, ysMore)
		}
		for r := range rows {
			w.op("VPBROADCASTD %s, Y%d", at(4*q, rowAddr(r)), ysX)
			if p.signed {
				w.op("VPSIGNB Y%[1]d, Y%[2]d, Y%[2]d", ysQuant, ysX)
			}
			w.op("VPMADDUBSW Y%[1]d, Y%[2]d, Y%[1]d", ysX, quants)
			if q == 0 {
				w.op("VPMADDWD Y%d, Y%d, Y%d", ysTemp, ysX, 2*r+j)
				continue
			}
			w.op("VPMADDWD Y%[1]d, Y%[2]d, Y%[2]d", ysTemp, ysX)
			w.op("VPADDD Y%[1]d, Y%[2]d, Y%[2]d", ysX, 2*r+j)
		}
	}
}

// finish adds the integer sums of a group to y. Loads are what it waits for: scales and minima of later rows stay in the registers of
// the sums of the first two.
func (p shortPanel) finish(w *asm, rows, g int) {
	factor := func(j int) string { return fmt.Sprintf("%d(R10)", 128*g+32*j) }
	low := func(j int) string { return fmt.Sprintf("%d(R10)", 128*(p.groups+g)+32*j) }
	if !p.long {
		w.op("VMOVDQU ones<>(SB), Y%d", ysMore)
	}
	for r := range rows {
		if !p.long {
			for j := range 2 {
				w.op("VPMADDWD Y%[1]d, Y%[2]d, Y%[2]d", ysMore, 2*r+j)
			}
		}
		raise(w, p.lifted, p.signed && p.mins, r, ysX, 2*r, 2*r+1)
		w.op("VBROADCASTSS %s, Y%d", at(recordD, rowAddr(r)), ysX)
		for j := range 2 {
			w.op("VCVTDQ2PS Y%[1]d, Y%[1]d", 2*r+j)
			w.op("VMULPS %s, Y%d, Y%d", factor(j), ysX, ysQuant)
			w.op("VFMADD213PS %s, Y%d, Y%d", outAddr(r, j), ysQuant, 2*r+j)
		}
		if p.mins {
			w.op("VBROADCASTSS %s, Y%d", at(recordSums+4*g, rowAddr(r)), ysX)
		}
		for j := range 2 {
			if p.mins {
				w.op("VFMADD231PS %s, Y%d, Y%d", low(j), ysX, 2*r+j)
			}
			w.op("VMOVUPS Y%d, %s", 2*r+j, outAddr(r, j))
		}
		for j := range 2 {
			if r == 0 && rows > 2 {
				w.op("VMOVUPS %s, Y%d", factor(j), j)
				was := factor
				factor = func(i int) string {
					if i <= j {
						return fmt.Sprintf("Y%d", i)
					}
					return was(i)
				}
			}
			if r == 1 && rows > 3 && p.mins {
				w.op("VMOVUPS %s, Y%d", low(j), 2+j)
				was := low
				low = func(i int) string {
					if i <= j {
						return fmt.Sprintf("Y%d", 2+i)
					}
					return was(i)
				}
			}
		}
	}
}

// panelShort writes the kernel that fills one tile's part of a panel: one half of its columns after the other. DI is the panel.
func (k *hkernel) panelShort() {
	w, f := k.w, k.f
	w.text("\n// func unpackShort%s%s", f.id, unpackSig)
	w.text("TEXT ·unpackShort%s(SB), NOSPLIT, $0-32", f.id)
	k.constants()
	if f.subtract { // the sign, where a kernel on half of a tile has ones
		w.op("MOVL $0x80000000, R13")
		w.op("VMOVD R13, X%d", yOnes)
		w.op("VPBROADCASTD X%[1]d, Y%[1]d", yOnes)
	}
	w.op("XORL DX, DX")
	w.label("half")
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ scales+8(FP), R10")
	w.op("MOVQ quants+16(FP), R11")
	w.op("MOVQ dst+24(FP), DI")
	w.op("LEAQ (DX)(DX*1), SI")
	w.op("LEAQ (R11)(DX*4), R11")
	w.op("LEAQ (DI)(DX*4), DI")
	k.raw = -1
	if f.scales == superScales {
		w.label("super")
		w.op("MOVQ R10, R9")
		w.op("ADDQ $%d, R10", 32*k.parts())
		w.op("MOVQ $8, R13")
	}
	w.label("block")
	for g := range f.groups {
		k.scale(g)
		w.op("VMOVUPS Y%d, %d(DI)", yQuant, 128*g)
		if f.mins {
			if f.subtract {
				w.op("VXORPS Y%[1]d, Y%[2]d, Y%[2]d", yOnes, yRaw)
			}
			w.op("VMOVUPS Y%d, %d(DI)", yRaw, 128*(f.groups+g))
		}
	}
	for _, g := range k.order() {
		k.unpack(g)
		w.op("VMOVDQU Y%d, %d(DI)", yQuant, 128*(f.groups*k.parts()+g))
	}
	k.advance()
	w.op("ADDQ $%d, DI", 128*(8+f.groups*k.parts()))
	if f.scales == superScales {
		w.op("SUBQ $1, R13")
		w.op("JNE block")
		w.op("SUBQ $8, R12")
		w.op("JGT super")
	} else {
		w.op("SUBQ $1, R12")
		w.op("JNE block")
	}
	w.op("ADDQ $8, DX")
	w.op("CMPQ DX, $16")
	w.op("JNE half")
	w.op("VZEROUPPER")
	w.op("RET")
}

const fetchSig = "(from *byte, lines int)"

// fetchLines writes the kernel that asks for lines of memory, for the second-level cache: the panel fills the first.
func fetchLines(w *asm) {
	w.text("\n// func fetchLines%s", fetchSig)
	w.text("TEXT ·fetchLines(SB), NOSPLIT, $0-16")
	w.op("MOVQ from+0(FP), AX")
	w.op("MOVQ lines+8(FP), CX")
	w.label("line")
	w.op("PREFETCHT1 (AX)")
	w.op("ADDQ $64, AX")
	w.op("SUBQ $1, CX")
	w.op("JNE line")
	w.op("RET")
}
