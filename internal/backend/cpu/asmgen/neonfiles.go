package asmgen

import (
	"fmt"
	"strings"
)

// neonGaxpy writes the row-vector kernel; n must be a multiple of four registers.
// Registers: R0-R7 rows of B, R8 y, R9 columns left; V0-V3 y, V4-V11 x, V24-V27 B.
func neonGaxpy(w *asm, e elem, rows int) {
	name := fmt.Sprintf("gaxpy%d%sNEON", rows, e.suffix)
	w.text("\n// func %s%s", name, fmt.Sprintf(gaxpySig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-97", name)
	w.op("MOVD x_base+32(FP), R10")
	w.op("MOVD xs+56(FP), R11")
	w.op("LSL $%d, R11, R11", e.shift)
	for t := range rows {
		w.op("VLD1R.P (R10)(R11), [V%d.%s] // x[%d]", 4+t, e.arr(), t)
	}
	w.op("MOVD b_base+64(FP), R0")
	w.op("MOVD brs+88(FP), R10")
	for t := 1; t < rows; t++ {
		w.op("ADD R10<<%d, R%d, R%d // row %d", e.shift, t-1, t, t)
	}
	w.op("MOVD y_base+8(FP), R8")
	w.op("MOVD n+0(FP), R9")
	w.op("MOVBU zero+96(FP), R12")
	w.label("loop")
	w.op("VLD1 (R8), %s", vlist(e, 0, 4))
	w.op("CBZ R12, add")
	w.zero(0, 4)
	w.label("add")
	for t := range rows {
		b := 16 + t%4*4 // in turn, so that rows are read ahead
		w.op("VLD1.P 64(R%d), %s", t, vlist(e, b, 4))
		for j := range 4 {
			w.op("VFMLA V%d.%[4]s, V%[2]d.%[4]s, V%[3]d.%[4]s", b+j, 4+t, j, e.arr())
		}
	}
	w.op("VST1.P %s, 64(R8)", vlist(e, 0, 4))
	w.op("SUBS $%d, R9", 64/e.size)
	w.op("BNE loop")
	w.op("RET")
}

// neonProbe writes the loop that measures the peak.
func neonProbe(w *asm, e elem) {
	w.text("\n// func probe%sNEON(iterations int)", e.suffix)
	w.text("TEXT ·probe%sNEON(SB), NOSPLIT, $0-8", e.suffix)
	w.op("MOVD iterations+0(FP), R0")
	w.zero(0, 32)
	w.label("loop")
	for i := range 28 {
		w.op("VFMLA V31.%[1]s, V30.%[1]s, V%[2]d.%[1]s", e.arr(), i)
	}
	w.op("SUBS $1, R0")
	w.op("BNE loop")
	w.op("RET")
}

// neonWidths are the registers that tiles are wide: two and four are the vectors of the tables, one and three their edges.
var neonWidths = []int{1, 2, 3, 4}

// neonWide is how many registers wide a tile of few rows is where there are enough columns.
const neonWide = 8

// neonAdder returns a function that adds an assembly file of arm64 for an element type, written by f.
func neonAdder(files map[string]string, e elem) func(name string, f func(w *asm)) {
	return func(name string, f func(w *asm)) {
		w := newAssembly("arm64")
		f(w)
		files[fmt.Sprintf("%s_%s_neon_gen_arm64.s", name, strings.ToLower(e.suffix))] = w.b.String()
	}
}

// neonFiles adds the files of matrix products on arm64.
func neonFiles(files map[string]string) {
	for _, e := range []elem{f32, f64} {
		add := neonAdder(files, e)
		for _, regs := range neonWidths {
			add(fmt.Sprintf("tile%d", regs), func(w *asm) {
				for mr := 1; mr <= neonRows; mr++ {
					neonTile(w, e, mr, regs)
				}
			})
		}
		add("edge", func(w *asm) {
			for mr := 1; mr <= neonRows; mr++ {
				neonPart(w, e, mr)
			}
			for mr := 1; mr <= wideRows; mr++ {
				neonTile(w, e, mr, neonWide)
			}
		})
		add("dot", func(w *asm) {
			for mr := 1; mr <= neonDotRows; mr++ {
				neonDot(w, e, mr, 1)
			}
			for mr := 1; mr <= wideRows; mr++ {
				neonDot(w, e, mr, 2)
			}
		})
		add("rows", func(w *asm) {
			neonPackT(w, e)
			neonStrips(w, e)
			neonGaxpy(w, e, 8)
			neonGaxpy(w, e, 1)
			neonProbe(w, e)
			if e.size == 4 {
				neonWiden(w, "BF16")
				neonWiden(w, "F16")
			}
		})
	}
	files["stubs_gen_arm64.go"] = neonStubs()
}

func neonStubs() string {
	w := newGoFile("arm64", "gemm")
	for _, e := range []elem{f32, f64} {
		neonTileStubs(w, e)
		neonDotStubs(w, e)
		t, id := e.goType, e.suffix+"NEON"
		w.text("//go:noescape\nfunc packT%s%s\n", id, fmt.Sprintf(packSig, t))
		w.text("//go:noescape\nfunc strips%s%s\n", id, fmt.Sprintf(stripsSig, t))
		w.text("//go:noescape\nfunc gaxpy8%s%s\n", id, fmt.Sprintf(gaxpySig, t))
		w.text("//go:noescape\nfunc gaxpy1%s%s\n", id, fmt.Sprintf(gaxpySig, t))
		w.text("func probe%s(iterations int)\n", id)
	}
	for _, half := range []string{"BF16", "F16"} {
		w.text("//go:noescape\nfunc widen%sNEON(dst *float32, src *uint16, n int)\n", half)
	}
	return w.formatted()
}

func neonTileStubs(w *asm, e elem) {
	t, id := e.goType, e.suffix+"NEON"
	table := func(name, doc, typ string, names func(mr int) string, rows int) {
		w.text("\n// %s%s %s.", name, id, doc)
		w.text("var %s%s = %s{", name, id, typ)
		for mr := 1; mr <= rows; mr++ {
			w.text("%d: %s,", mr, names(mr))
		}
		w.text("}\n")
	}
	stub := func(name string) { w.text("//go:noescape\nfunc %s%s\n", name, fmt.Sprintf(kernelSig, t)) }
	w.text("\n// tiles%s holds the kernels by registers and rows.", id)
	w.text("var tiles%s = [2*maxVectors + 1][maxRows + 1]tile[%s]{", id, t)
	for _, regs := range neonWidths {
		w.text("%d: {", regs)
		for mr := 1; mr <= neonRows; mr++ {
			w.text("%d: %s,", mr, neonTileName(e, mr, regs))
		}
		w.text("},")
	}
	w.text("}\n")
	table("parts", "holds the kernels of fewer columns than a register has, by rows", fmt.Sprintf("[maxRows + 1]tile[%s]", t),
		func(mr int) string { return neonPartName(e, mr) }, neonRows)
	table("tilesWide", "holds the tiles of few rows and many columns, by rows", fmt.Sprintf("[wideRows + 1]wideTile[%s]", t),
		func(mr int) string { return fmt.Sprintf("{%s, %d}", neonTileName(e, mr, neonWide), neonWide*e.per()) }, wideRows)
	for mr := 1; mr <= neonRows; mr++ {
		for _, regs := range neonWidths {
			stub(neonTileName(e, mr, regs))
		}
		stub(neonPartName(e, mr))
		if mr <= wideRows {
			stub(neonTileName(e, mr, neonWide))
		}
	}
}

func neonDotStubs(w *asm, e elem) {
	t, id := e.goType, e.suffix+"NEON"
	w.text("// dots%s holds the kernels for B by columns, by rows.", id)
	w.text("var dots%s = []tile[%s]{", id, t)
	for mr := 1; mr <= neonDotRows; mr++ {
		w.text("%d: %s,", mr, neonDotName(e, mr, 1))
	}
	w.text("}\n")
	w.text("// dotsWide%s holds those for several vectors of columns, by rows.", id)
	w.text("var dotsWide%s = [wideRows + 1]wideTile[%s]{", id, t)
	for mr := 1; mr <= wideRows; mr++ {
		w.text("%d: {%s, %d},", mr, neonDotName(e, mr, 2), 2*e.neonColumns())
	}
	w.text("}\n")
	for mr := 1; mr <= neonDotRows; mr++ {
		w.text("//go:noescape\nfunc %s%s\n", neonDotName(e, mr, 1), fmt.Sprintf(dotSig, t))
		if mr <= wideRows {
			w.text("//go:noescape\nfunc %s%s\n", neonDotName(e, mr, 2), fmt.Sprintf(dotSig, t))
		}
	}
}
