package asmgen

import "fmt"

const widenSig = "(dst []float32, drs int, src []uint16, srs, rows, cols int)"

// widen writes the exact conversion of rows of bfloat16, or of float16, to float32:
//
//	for i < rows, j < cols: dst[i*drs+j] = src[i*srs+j]
func widen(w *asm, v isa, half string) {
	n := v.lanes(f32)
	w.text("\n// func widen%s%s%s", half, v.name, widenSig)
	w.text("TEXT ·widen%s%s(SB), NOSPLIT, $0-80", half, v.name)
	if v.masks {
		w.op("MOVQ cols+72(FP), R13")
		w.op("ANDQ $%d, R13", n-1)
		masks(w, v, f32, 1, "R13")
	}
	w.op("MOVQ dst_base+0(FP), DI")
	w.op("MOVQ drs+24(FP), R8")
	w.op("SHLQ $2, R8")
	w.op("MOVQ src_base+32(FP), SI")
	w.op("MOVQ srs+56(FP), R9")
	w.op("SHLQ $1, R9")
	w.op("MOVQ rows+64(FP), R10")
	w.label("row")
	w.op("MOVQ DI, AX")
	w.op("MOVQ SI, BX")
	w.op("MOVQ cols+72(FP), R11")
	w.op("SUBQ $%d, R11", n)
	w.op("JLT tail")
	w.label("loop")
	widenVector(w, v, half, "", "")
	w.op("ADDQ $%d, AX", v.bytes)
	w.op("ADDQ $%d, BX", v.bytes/2)
	w.op("SUBQ $%d, R11", n)
	w.op("JGE loop")
	w.label("tail")
	w.op("ADDQ $%d, R11", n)
	w.op("JEQ next")
	if v.masks {
		widenVector(w, v, half, ".Z", "K1, ")
	} else {
		widenSingles(w, half)
	}
	w.label("next")
	w.op("ADDQ R8, DI")
	w.op("ADDQ R9, SI")
	w.op("SUBQ $1, R10")
	w.op("JNE row")
	w.op("VZEROUPPER")
	w.op("RET")
}

// widenVector converts one vector from BX to AX.
func widenVector(w *asm, v isa, half, z, mask string) {
	widenTo(w, half, z, "(BX)", mask, v.r(0))
	w.op("VMOVUPS %s, %s(AX)", v.r(0), mask)
}

// widenTo reads one vector of half types as float32.
func widenTo(w *asm, half, z, from, mask, to string) {
	if half == "F16" {
		w.op("VCVTPH2PS%s %s, %s%s", z, from, mask, to)
		return
	}
	w.op("VPMOVZXWD%s %s, %s%s", z, from, mask, to)
	w.op("VPSLLD $16, %s, %s", to, to)
}

// widenSingles converts the R11 elements that are left, one by one.
func widenSingles(w *asm, half string) {
	w.label("single")
	w.op("MOVWLZX (BX), CX")
	if half == "F16" {
		w.op("VMOVD CX, X0")
		w.op("VCVTPH2PS X0, X0")
		w.op("VMOVD X0, (AX)")
	} else {
		w.op("SHLL $16, CX")
		w.op("MOVL CX, (AX)")
	}
	w.op("ADDQ $4, AX")
	w.op("ADDQ $2, BX")
	w.op("SUBQ $1, R11")
	w.op("JNE single")
}

// dotHalf writes the dot kernel for B in bfloat16, for ISAs with masks. Two neighbours in
// k are one 32-bit element for the transpose; after it the lower one is shifted up, the
// upper one masked, and both are float32.
//
// out is what dotMacros returned for this file.
func dotHalf(w *asm, v isa, mr int, out transposedRegs) {
	n := v.lanes(f32)
	name := fmt.Sprintf("dotBF16%sr%d", v.name, mr)
	w.text("\n// func %s%s", name, dotHalfSig)
	w.text("TEXT ·%s(SB), NOSPLIT, $%d-121", name, n*8)
	mulMacro(w, v, f32, mr)
	dotArguments(w, v, f32, mr, 1)
	ones := v.dotRows() + n + 1
	w.op("MOVL $0xffff0000, R10")
	w.op("VPBROADCASTD R10, %s", v.r(ones))
	w.op("SUBQ $%d, R13", 2*n)
	w.op("JLT tail")
	w.op("PCALIGN $64")
	w.label("loop")
	dotHalfSquare(w, v, out, ones, false)
	w.op("ADDQ $%d, R8", v.bytes)
	w.op("SUBQ $%d, R13", 2*n)
	w.op("JGE loop")
	w.label("tail")
	w.op("ADDQ $%d, R13", 2*n)
	w.op("JEQ store")
	dotHalfSquare(w, v, out, ones, true)
	w.label("store")
	tile{w, v, f32, mr, 1, true}.store()
	w.op("VZEROUPPER")
	w.op("RET")
	w.text("#undef MUL")
}

const dotHalfSig = "(kc int, a []float32, ars, acs int, b []uint16, bcs int, c []float32, crs, cols int, add bool)"

// dotHalfSquare multiplies 2*lanes steps of k; in the tail only R13 of them.
func dotHalfSquare(w *asm, v isa, out transposedRegs, ones int, tail bool) {
	n := v.lanes(f32)
	if tail {
		w.op("MOVQ $-1, R10")
		w.op("BZHIQ R13, R10, R10")
		w.op("KMOVQ R10, K2 // the k that are left")
	}
	columns := out.whole
	if !tail {
		w.op("READ")
	}
	for j := 0; tail && j < n; j++ {
		w.op("MOVQ %d(SP), R10", j*8)
		w.op("VMOVDQU16.Z (R10)(R8*1), K2, %s", v.r(v.dotRows()+j))
	}
	mul := map[bool]string{false: "MUL", true: "LAST"}[tail]
	low := v.r(ones + 1)
	if tail {
		columns = out.tail
		w.op("TRANSPOSE")
	}
	for p, r := range columns {
		w.op("VPSLLD $16, %s, %s", v.r(r), low)
		w.op("%s(%s) // p+%d", mul, low, 2*p)
		if tail && p == n-1 { // a tail has at most 2n-1 steps
			break
		}
		w.op("VPANDD %s, %s, %s", v.r(ones), v.r(r), v.r(r))
		w.op("%s(%s) // p+%d", mul, v.r(r), 2*p+1)
	}
}

// halfStubs declares them.
func halfStubs(w *asm, v isa) {
	for _, half := range []string{"BF16", "F16"} {
		w.text("//go:noescape\nfunc widen%s%s%s\n", half, v.name, widenSig)
	}
	if !v.masks {
		return
	}
	for _, half := range []string{"BF16", "F16"} {
		w.text("// dots%s%s holds the kernels for B by columns, by rows.", half, v.name)
		w.text("var dots%s%s = []tileHalf[float32]{", half, v.name)
		for mr := 1; mr <= v.dotRows(); mr++ {
			w.text("%d: dot%s%sr%d,", mr, half, v.name, mr)
		}
		w.text("}\n")
		for mr := 1; mr <= v.dotRows(); mr++ {
			w.text("//go:noescape\nfunc dot%s%sr%d%s\n", half, v.name, mr, dotHalfSig)
		}
		for _, rows := range []int{8, 1} {
			w.text("//go:noescape\nfunc gaxpy%d%s%s%s\n", rows, half, v.name, fmt.Sprintf(gaxpyHalfSig, "float32"))
		}
	}
}
