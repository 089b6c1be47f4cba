package asmgen

import "fmt"

// dotRows is the most rows of A that the dot kernels take: what registers allow next to
// the square of B.
func (v isa) dotRows() int { return map[bool]int{true: 8, false: 4}[v.masks] }

func dotName(v isa, e elem, mr int) string {
	return fmt.Sprintf("dot%s%sr%d", e.suffix, v.name, mr)
}

const dotSig = "(kc int, a []%[1]s, ars, acs int, b []%[1]s, bcs int, c []%[1]s, crs, cols int, add bool)"

// dot writes a kernel for a few rows of A and one vector of columns of B that are
// contiguous in k: it transposes B in registers, so that the order of the sum is that
// of the tiles, and never writes it to memory.
//
//	for i < mr, j < cols: s = Σ_p a[i*ars+p*acs] * b[p+j*bcs] in order of p, by FMA
//	c[i*crs+j] = s, or += s
//
// out is what dotMacros returned for this file.
func dot(w *asm, v isa, e elem, mr int, out transposedRegs) {
	n := v.lanes(e)
	name := dotName(v, e, mr)
	sig, bshift := fmt.Sprintf(dotSig, e.goType), e.shift
	if e.narrow {
		sig, bshift = dotHalfSig, 1
	}
	w.text("\n// func %s%s", name, sig)
	w.text("TEXT ·%s(SB), NOSPLIT, $%d-121", name, n*8)
	mulMacro(w, v, e, mr)
	dotArguments(w, v, e, mr, bshift)
	w.op("SUBQ $%d, R13", n)
	w.op("JLT tail")
	w.op("PCALIGN $64")
	w.label("loop")
	d := dotKernel{w, v, e, mr, out}
	d.square(false)
	w.op("ADDQ $%d, R8", n<<bshift)
	w.op("SUBQ $%d, R13", n)
	w.op("JGE loop")
	w.label("tail")
	w.op("ADDQ $%d, R13", n)
	w.op("JEQ store")
	d.square(true)
	w.label("store")
	tile{w, v, e, mr, 1, true}.store()
	w.op("VZEROUPPER")
	w.op("RET")
	w.text("#undef MUL")
}

// transposedRegs says in which registers the columns of a square of B are once it is transposed: one that was read whole, and
// one of the tail.
type transposedRegs struct{ whole, tail []int }

// dotMacros defines what the kernels of one file share.
func dotMacros(w *asm, v isa, e elem) (out transposedRegs) {
	n := v.lanes(e)
	w.text("\n// COLUMNS puts the addresses of the columns of B on the stack.")
	w.macro("COLUMNS", func() { columnPointers(w, n) })
	reach := func(j int) { w.op("MOVQ %d(SP), R10", j*8) }
	w.text("// READ reads the square of B and transposes it, TRANSPOSE transposes one that was read.")
	w.macro("TRANSPOSE", func() { out.tail = transpose(w, v, e, v.dotRows()) })
	w.macro("READ", func() {
		if !e.narrow {
			out.whole = transposeLoad(w, v, e, v.dotRows(), reach, func(_, at int) string { return fmt.Sprintf("%d(R10)(R8*1)", at) })
			return
		}
		for j := range n {
			reach(j)
			widenTo(w, "F16", "", "(R10)(R8*1)", "", v.r(v.dotRows()+j))
		}
		w.op("TRANSPOSE")
		out.whole = out.tail
	})
	w.text("// LAST is MUL in the tail, where R13 steps are left.")
	w.macro("LAST(z)", func() {
		w.op("MUL(z)")
		w.op("SUBQ $1, R13")
		w.op("JEQ store")
	})
	return out
}

// mulMacro defines MUL(z), which multiplies the column of A at AX with the row of B in z,
// and goes to the next column.
func mulMacro(w *asm, v isa, e elem, mr int) {
	scalar := v.dotRows() + v.lanes(e) + 1
	w.macro("MUL(z)", func() {
		if e.bf16 { // encoded by hand: the register must be known
			w.op("VMOVAPS z, %s", v.r(scalar+1))
		}
		for i := range mr {
			if e.bf16 {
				w.op("%s %s, %s", v.bcast(e), rowAddr(i), v.r(scalar))
				v.multiplyAdd(w, e, scalar+1, scalar, i)
				continue
			}
			if v.masks {
				w.op("VFMADD231%s.BCST %s, z, %s", e.ps, rowAddr(i), v.r(i))
				continue
			}
			w.op("%s %s, %s", v.bcast(e), rowAddr(i), v.r(scalar))
			w.op("VFMADD231%s z, %s, %s", e.ps, v.r(scalar), v.r(i))
		}
		w.op("ADDQ R12, AX")
	})
}

// dotArguments loads the arguments of a dot kernel; elements of B have 1<<bshift bytes.
func dotArguments(w *asm, v isa, e elem, mr, bshift int) {
	w.op("MOVQ b_base+48(FP), AX")
	w.op("MOVQ bcs+72(FP), BX")
	w.op("SHLQ $%d, BX", bshift)
	w.op("MOVQ cols+112(FP), CX")
	w.op("COLUMNS")
	masks(w, v, e, 1, "cols+112(FP)")
	w.op("MOVQ a_base+8(FP), AX")
	w.op("MOVQ ars+32(FP), BX")
	w.op("SHLQ $%d, BX", e.shift)
	multiples(w, mr)
	w.op("MOVQ acs+40(FP), R12")
	w.op("SHLQ $%d, R12", e.shift)
	for i := range mr {
		v.clear(w, i)
	}
	w.op("XORQ R8, R8 // byte offset of p")
	w.op("MOVQ kc+0(FP), R13")
}

// columnPointers puts the addresses of n columns on the stack, from AX on, BX bytes
// apart; those past the CX-th repeat the last, so that every one can be read.
func columnPointers(w *asm, n int) {
	for j := range n {
		w.op("MOVQ AX, %d(SP) // column %d", j*8, j)
		if j < n-1 {
			w.op("LEAQ (AX)(BX*1), DX")
			w.op("CMPQ CX, $%d", j+1)
			w.op("CMOVQGT DX, AX // stay on the last column")
		}
	}
}

// dotKernel is a dot kernel being written. Registers: sums from 0, the square of B from
// dotRows() on, then one for transpose, one for a scalar of A, one for the mask of AVX2 or
// a copy of a row of B.
type dotKernel struct {
	w   *asm
	v   isa
	e   elem
	mr  int
	out transposedRegs
}

// square multiplies lanes steps of k; in the tail only R13 of them.
func (d dotKernel) square(tail bool) {
	w, v, e := d.w, d.v, d.e
	n := v.lanes(e)
	mask := v.r(v.dotRows() + n + 2)
	switch {
	case tail && v.masks:
		w.op("MOVQ $-1, R10")
		w.op("BZHIQ R13, R10, R10")
		w.op("KMOVQ R10, K2 // the k that are left")
	case tail:
		w.op("MOVQ R13, R11")
		w.op("SHLQ $%d, R11", e.shift)
		w.op("LEAQ ·maskTable+%d(SB), R10", maskOnes)
		w.op("SUBQ R11, R10")
		w.op("VMOVU%s (R10), %s // the k that are left", e.ps, mask)
	}
	if !tail {
		w.op("READ")
		for p, r := range d.out.whole {
			w.op("MUL(%s) // p+%d", v.r(r), p)
		}
		return
	}
	for j := range n {
		to := v.r(v.dotRows() + j)
		w.op("MOVQ %d(SP), R10", j*8)
		switch {
		case e.narrow:
			widenTo(w, "F16", ".Z", "(R10)(R8*1)", "K2, ", to)
		case v.masks:
			w.op("VMOVU%s.Z (R10)(R8*1), K2, %s", e.ps, to)
		default:
			w.op("VMASKMOV%s (R10)(R8*1), %s, %s", e.ps, mask, to)
		}
	}
	w.op("TRANSPOSE")
	for _, r := range d.out.tail[:n-1] { // a tail has at most n-1 steps
		w.op("LAST(%s)", v.r(r))
	}
}
