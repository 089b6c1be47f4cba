package asmgen

import "fmt"

const packSig = "(dst []%[1]s, drs int, src []%[1]s, scs, kc, cols int)"

// packT writes the transposing copy of one vector of columns into a panel of B:
//
//	for p < kc, j < lanes: dst[p*drs+j] = src[min(j, cols-1)*scs+p]
//
// Columns past the last repeat it: what they give is never stored, and a repeated
// column cannot raise a fault or read a slow subnormal that the real one does not.
func packT(w *asm, v isa, e elem) {
	n := v.lanes(e)
	name := "packT" + e.suffix + v.name
	w.text("\n// func %s%s", name, fmt.Sprintf(packSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $%d-80", name, n*8)
	w.op("MOVQ src_base+32(FP), AX")
	w.op("MOVQ scs+56(FP), BX")
	w.op("SHLQ $%d, BX", e.shift)
	w.op("MOVQ cols+72(FP), CX")
	columnPointers(w, n)
	w.op("MOVQ dst_base+0(FP), DI")
	w.op("MOVQ drs+24(FP), R8")
	w.op("SHLQ $%d, R8", e.shift)
	w.op("MOVQ kc+64(FP), R13")
	w.op("XORQ SI, SI // byte offset of p")
	w.op("SUBQ $%d, R13", n)
	w.op("JLT tail")
	w.label("loop")
	for j := range n {
		w.op("MOVQ %d(SP), AX", j*8)
		w.op("VMOVU%s (AX)(SI*1), %s", e.ps, v.r(j))
	}
	for p, r := range transpose(w, v, e, 0) {
		w.op("VMOVU%s %s, (DI) // p+%d", e.ps, v.r(r), p)
		w.op("ADDQ R8, DI")
	}
	w.op("ADDQ $%d, SI", v.bytes)
	w.op("SUBQ $%d, R13", n)
	w.op("JGE loop")
	w.label("tail")
	w.op("ADDQ $%d, R13", n)
	w.op("JEQ done")
	w.label("single")
	mov := map[int]string{4: "MOVL", 8: "MOVQ"}[e.size]
	for j := range n {
		w.op("MOVQ %d(SP), AX", j*8)
		w.op("%s (AX)(SI*1), BX", mov)
		w.op("%s BX, %d(DI)", mov, j*e.size)
	}
	w.op("ADDQ R8, DI")
	w.op("ADDQ $%d, SI", e.size)
	w.op("SUBQ $1, R13")
	w.op("JNE single")
	w.label("done")
	w.op("VZEROUPPER")
	w.op("RET")
}
