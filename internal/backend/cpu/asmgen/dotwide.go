package asmgen

import "fmt"

// wideRows is the most rows of A that the wide dot kernels take: with more, a sum is not what the narrow kernels compute.
const wideRows = 2

// wideTile is how many vectors of columns a tile of so few rows has where there are enough: its sums wait for each other too.
const wideTile = 4

// fetchColumns is from how many bytes of a column on the next part of it is requested, not the columns behind: a second-level cache would
// be full of those.
const fetchColumns = 8 << 10

// wideVectors is how many vectors of columns they take at a time: what registers allow.
func (v isa) wideVectors(mr int) int {
	if !v.masks && mr == 1 {
		return 4
	}
	return 2
}

func dotWideName(v isa, e elem, mr int) string {
	return fmt.Sprintf("dotWide%s%sr%d", e.suffix, v.name, mr)
}

// dotWide writes a kernel like dot for several whole vectors of columns: while the sums of one wait for each other, which
// takes four times as long as multiplying, squares of the others are transposed. cols is not looked at.
func dotWide(w *asm, v isa, e elem, mr int) {
	n := v.lanes(e)
	name := dotWideName(v, e, mr)
	w.text("\n// func %s%s", name, fmt.Sprintf(dotSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-121", name)
	w.op("MOVQ a_base+8(FP), AX")
	w.op("MOVQ ars+32(FP), BX")
	w.op("SHLQ $%d, BX", e.shift)
	w.op("MOVQ acs+40(FP), R12")
	w.op("SHLQ $%d, R12", e.shift)
	w.op("MOVQ b_base+48(FP), R8")
	w.op("MOVQ bcs+72(FP), SI")
	w.op("SHLQ $%d, SI", e.shift)
	w.op("LEAQ (SI)(SI*2), DI // three columns")
	w.op("MOVQ kc+0(FP), R13")
	d := wideKernel{w, v, e, mr, v.wideVectors(mr)}
	if e.bf16 {
		w.op("IMUL3Q $%d, SI, CX // the columns behind these", d.nv*n)
		w.op("MOVQ R13, R9")
		w.op("SHLQ $%d, R9 // what is behind in the columns, if the columns are long", e.shift)
		w.op("CMPQ SI, $%d", fetchColumns)
		w.op("CMOVQGE R9, CX")
	}
	for i := range d.square() {
		v.clear(w, i)
	}
	w.op("SUBQ $%d, R13", n)
	w.op("JLT tail")
	w.op("PCALIGN $64")
	w.label("loop")
	w.op("MOVQ R8, R10")
	w.op("MOVQ AX, R11")
	if e.bf16 {
		w.op("LEAQ (R8)(CX*1), R9")
	}
	for t := range d.nv {
		rows := transposeLoad(w, v, e, d.square(), func(j int) { d.reach(t, j) }, d.address)
		if t > 0 {
			w.op("MOVQ R11, AX")
		}
		for j, r := range rows {
			if e.bf16 {
				d.fetch(t, j)
			}
			d.multiply(t, r)
		}
	}
	w.op("ADDQ $%d, R8", n<<e.shift)
	w.op("SUBQ $%d, R13", n)
	w.op("JGE loop")
	w.label("tail")
	w.op("ADDQ $%d, R13", n)
	w.op("JEQ store")
	d.tail()
	w.label("store")
	tile{w, v, e, mr, d.nv, false}.store()
	w.op("VZEROUPPER")
	w.op("RET")
}

// wideKernel is a wide dot kernel being written. Registers: sums from 0, then the square of B, one for transpose, one for a
// scalar of A, one for the mask of AVX2. AX is A, R8 the first column of B and R10 that of the four at hand, SI the
// distance of columns.
type wideKernel struct {
	w      *asm
	v      isa
	e      elem
	mr, nv int
}

func (d wideKernel) square() int { return d.mr * d.nv }

// reach moves R10 to the four columns with column j of vector t.
func (d wideKernel) reach(t, j int) {
	if j%4 == 0 && t+j > 0 {
		d.w.op("LEAQ (R10)(SI*4), R10")
	}
}

// fetch requests a line of column j of vector t of the columns behind these: rows of weights come from memory, and are too many streams for
// the processor to see.
func (d wideKernel) fetch(t, j int) {
	if j%4 == 0 && t+j > 0 {
		d.w.op("LEAQ (R9)(SI*4), R9")
	}
	d.w.op("PREFETCHT1 %s", [4]string{"(R9)", "(R9)(SI*1)", "(R9)(SI*2)", "(R9)(DI*1)"}[j%4])
}

// address is that of byte at of column j.
func (d wideKernel) address(j, at int) string {
	return fmt.Sprintf("%d%s", at, [4]string{"(R10)", "(R10)(SI*1)", "(R10)(SI*2)", "(R10)(DI*1)"}[j%4])
}

// multiply adds the products of the column of A at AX with the row of B in register r to the sums of vector t.
func (d wideKernel) multiply(t, r int) {
	w, v, e := d.w, d.v, d.e
	scalar := d.square() + v.lanes(e) + 1
	for i := range d.mr {
		if e.bf16 { // encoded by hand, without memory operands
			w.op("%s %s, %s", v.bcast(e), rowAddr(i), v.r(scalar))
			v.multiplyAdd(w, e, r, scalar, d.nv*i+t)
			continue
		}
		if v.masks {
			w.op("VFMADD231%s.BCST %s, %s, %s", e.ps, rowAddr(i), v.r(r), v.r(d.nv*i+t))
			continue
		}
		w.op("%s %s, %s", v.bcast(e), rowAddr(i), v.r(scalar))
		w.op("VFMADD231%s %s, %s, %s", e.ps, v.r(r), v.r(scalar), v.r(d.nv*i+t))
	}
	w.op("ADDQ R12, AX")
}

// tail multiplies the R13 steps of k that are left, less than a vector.
func (d wideKernel) tail() {
	w, v, e := d.w, d.v, d.e
	n := v.lanes(e)
	mask := v.r(d.square() + n + 2)
	if v.masks {
		w.op("MOVQ $-1, R10")
		w.op("BZHIQ R13, R10, R10")
		w.op("KMOVQ R10, K1 // the k that are left")
	} else {
		w.op("MOVQ R13, R11")
		w.op("SHLQ $%d, R11", e.shift)
		w.op("LEAQ ·maskTable+%d(SB), R10", maskOnes)
		w.op("SUBQ R11, R10")
		w.op("VMOVU%s (R10), %s // the k that are left", e.ps, mask)
	}
	w.op("MOVQ R8, R10")
	w.op("MOVQ AX, R11")
	for t := range d.nv {
		for j := range n {
			d.reach(t, j)
			to := v.r(d.square() + j)
			if v.masks {
				w.op("VMOVU%s.Z %s, K1, %s", e.ps, d.address(j, 0), to)
			} else {
				w.op("VMASKMOV%s %s, %s, %s", e.ps, d.address(j, 0), mask, to)
			}
		}
		w.op("MOVQ R11, AX")
		w.op("MOVQ R13, DX")
		end := fmt.Sprintf("next%d", t)
		if t == d.nv-1 {
			end = "store"
		}
		for _, r := range transpose(w, v, e, d.square())[:n-1] {
			d.multiply(t, r)
			w.op("SUBQ $1, DX")
			w.op("JEQ %s", end)
		}
		if t < d.nv-1 {
			w.label(end)
		}
	}
}

// dotWideStubs declares them, and the wide tiles.
func dotWideStubs(w *asm, v isa, e elem) {
	id := e.suffix + v.name
	w.text("// dotsWide%s holds the kernels for several vectors of columns of B, by rows.", id)
	w.text("var dotsWide%s = [wideRows + 1]wideTile[%s]{", id, e.goType)
	for mr := 1; mr <= wideRows; mr++ {
		w.text("%d: {%s, %d},", mr, dotWideName(v, e, mr), v.wideVectors(mr)*v.lanes(e))
	}
	w.text("}\n")
	w.text("// tilesWide%s holds the tiles of few rows and many columns, by rows.", id)
	w.text("var tilesWide%s = [wideRows + 1]wideTile[%s]{", id, e.goType)
	for mr := 1; mr <= wideRows; mr++ {
		w.text("%d: {%s, %d},", mr, kernelName(v, e, mr, wideTile, false), wideTile*v.lanes(e))
		defer w.text("//go:noescape\nfunc %s%s\n", kernelName(v, e, mr, wideTile, false), fmt.Sprintf(kernelSig, e.goType))
	}
	w.text("}\n")
	for mr := 1; mr <= wideRows; mr++ {
		w.text("//go:noescape\nfunc %s%s\n", dotWideName(v, e, mr), fmt.Sprintf(dotSig, e.goType))
	}
}
