package gemm

import "fmt"

// dotRows is the most rows of A that the dot kernels take.
const dotRows = 4

func dotName(v isa, e elem, mr int) string {
	return fmt.Sprintf("dot%s%sr%d", e.suffix, v.name, mr)
}

const dotSig = "(kc int, a []%[1]s, ars, acs int, b []%[1]s, bcs int, c []%[1]s, crs, cols int, add bool)"

// dot writes a kernel for a few rows of A and one vector of columns of B that are
// contiguous in k: it turns B around in registers, so that the order of the sum is that
// of the tiles, and never writes it to memory.
//
//	for i < mr, j < cols: s = Σ_p a[i*ars+p*acs] * b[p+j*bcs] in order of p, by FMA
//	c[i*crs+j] = s, or += s
func dot(w *asm, v isa, e elem, mr int) {
	n := v.lanes(e)
	name := dotName(v, e, mr)
	w.text("\n// func %s%s", name, fmt.Sprintf(dotSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $%d-121", name, n*8)
	w.op("MOVQ b_base+48(FP), AX")
	w.op("MOVQ bcs+72(FP), BX")
	w.op("MOVQ cols+112(FP), CX")
	columnPointers(w, e, n)
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
	w.op("XORQ SI, SI // byte offset of p")
	w.op("MOVQ kc+0(FP), R13")
	w.op("SUBQ $%d, R13", n)
	w.op("JLT tail")
	w.op("PCALIGN $64")
	w.label("loop")
	d := dotKernel{w, v, e, mr}
	d.square(false)
	w.op("ADDQ $%d, SI", v.bytes)
	w.op("SUBQ $%d, R13", n)
	w.op("JGE loop")
	w.label("tail")
	w.op("ADDQ $%d, R13", n)
	w.op("JEQ store")
	d.square(true)
	w.label("store")
	d.store()
	w.op("VZEROUPPER")
	w.op("RET")
}

// columnPointers puts the addresses of n columns on the stack, from AX on, BX elements
// apart; those past the CX-th repeat the last, so that every one can be read.
func columnPointers(w *asm, e elem, n int) {
	w.op("SHLQ $%d, BX", e.shift)
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
// dotRows on, then one for transpose, one for a scalar of A, one for the mask of AVX2.
type dotKernel struct {
	w  *asm
	v  isa
	e  elem
	mr int
}

// square multiplies lanes steps of k; in the tail only R13 of them.
func (d dotKernel) square(tail bool) {
	w, v, e := d.w, d.v, d.e
	n := v.lanes(e)
	mask := v.r(dotRows + n + 2)
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
	for j := range n {
		to := v.r(dotRows + j)
		w.op("MOVQ %d(SP), R10", j*8)
		switch {
		case !tail:
			w.op("VMOVU%s (R10)(SI*1), %s", e.ps, to)
		case v.masks:
			w.op("VMOVU%s.Z (R10)(SI*1), K2, %s", e.ps, to)
		default:
			w.op("VMASKMOV%s (R10)(SI*1), %s, %s", e.ps, mask, to)
		}
	}
	scalar := v.r(dotRows + n + 1)
	for p, r := range transpose(w, v, e, dotRows) {
		for i := range d.mr {
			if v.masks {
				w.op("VFMADD231%s.BCST %s, %s, %s // a[%d] of p+%d", e.ps, rowAddr(i), v.r(r), v.r(i), i, p)
				continue
			}
			w.op("%s %s, %s // a[%d] of p+%d", v.bcast(e), rowAddr(i), scalar, i, p)
			w.op("VFMADD231%s %s, %s, %s", e.ps, v.r(r), scalar, v.r(i))
		}
		if tail && p == n-2 { // a tail has at most n-1 steps
			break
		}
		if tail {
			w.op("SUBQ $1, R13")
			w.op("JEQ store")
		}
		w.op("ADDQ R12, AX")
	}
}

// store writes the sums under the mask of the columns.
func (d dotKernel) store() {
	k := tile{d.w, d.v, d.e, d.mr, 1, true}
	k.store()
}
