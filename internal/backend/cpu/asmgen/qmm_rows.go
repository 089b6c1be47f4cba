package asmgen

// Products with rows of bfloat16 and float16 as files have them: up to three rows of x with four rows of weights. A sum has eight lanes,
// element i in lane i%8, added in the end as a tree: neighbours first.

const (
	rowsSig   = "(steps int, x *float32, xs int, w *byte, ws int, y *float32, ys int)"
	rowsMost  = 3
	rowsCols  = 4
	rowsFetch = 512 // bytes ahead that weights are fetched
)

// rowsKernel writes the kernel of some rows; steps are of eight elements. AX is x, BX its row stride with multiples by rowRegs, R10 the
// weights, R8 their row stride, R9 three of them. Sums are Y0 to Y11, four a row, weights Y12, activations from Y13 on.
func rowsKernel(w *asm, id string, rows int) {
	w.text("\n// func rows%sR%d%s", id, rows, rowsSig)
	w.text("TEXT ·rows%sR%d(SB), NOSPLIT, $0-56", id, rows)
	w.op("MOVQ steps+0(FP), R12")
	w.op("MOVQ x+8(FP), AX")
	w.op("MOVQ xs+16(FP), BX")
	w.op("MOVQ w+24(FP), R10")
	w.op("MOVQ ws+32(FP), R8")
	w.op("LEAQ (R8)(R8*2), R9")
	weights := []string{"(R10)", "(R10)(R8*1)", "(R10)(R8*2)", "(R10)(R9*1)"}
	for i := range rowsCols * rows {
		avx2.clear(w, i)
	}
	step := func(i int) {
		for r := range rows {
			w.op("VMOVUPS %s, Y%d", at(32*i, rowAddr(r)), 13+r)
		}
		for c, from := range weights {
			if id == "BF16" {
				w.op("VPMOVZXWD %s, Y12", at(16*i, from))
				w.op("VPSLLD $16, Y12, Y12")
			} else {
				w.op("VCVTPH2PS %s, Y12", at(16*i, from))
			}
			for r := range rows {
				w.op("VFMADD231PS Y12, Y%d, Y%d", 13+r, rowsCols*r+c)
			}
		}
	}
	w.op("SUBQ $4, R12")
	w.op("JLT rest")
	w.op("PCALIGN $64")
	w.label("loop")
	for _, from := range weights {
		w.op("PREFETCHT0 %s", at(rowsFetch, from))
	}
	for i := range 4 {
		step(i)
	}
	w.op("ADDQ $128, AX")
	w.op("ADDQ $64, R10")
	w.op("SUBQ $4, R12")
	w.op("JGE loop")
	w.label("rest")
	w.op("ADDQ $4, R12")
	w.op("JEQ sums")
	w.label("one")
	step(0)
	w.op("ADDQ $32, AX")
	w.op("ADDQ $16, R10")
	w.op("SUBQ $1, R12")
	w.op("JNE one")
	w.label("sums")
	w.op("MOVQ y+40(FP), DI")
	w.op("MOVQ ys+48(FP), R8")
	for r := range rows {
		s := rowsCols * r
		w.op("VHADDPS Y%d, Y%d, Y%d", s+1, s, s)
		w.op("VHADDPS Y%d, Y%d, Y%d", s+3, s+2, s+2)
		w.op("VHADDPS Y%d, Y%d, Y%d", s+2, s, s)
		w.op("VEXTRACTF128 $1, Y%d, X%d", s, s+1)
		w.op("VADDPS X%d, X%d, X%d", s+1, s, s)
		w.op("VMOVUPS X%d, (DI)", s)
		if r < rows-1 {
			w.op("ADDQ R8, DI")
		}
	}
	w.op("VZEROUPPER")
	w.op("RET")
}

// rowsFiles adds the kernels.
func rowsFiles(add func(name string, f func(w *asm))) {
	for _, id := range []string{"BF16", "F16"} {
		add("rows_"+id+"_avx2", func(w *asm) {
			for rows := 1; rows <= rowsMost; rows++ {
				rowsKernel(w, id, rows)
			}
		})
	}
}

// rowsStubs declares the kernels.
func rowsStubs(w *asm) {
	for _, id := range []string{"BF16", "F16"} {
		for rows := 1; rows <= rowsMost; rows++ {
			w.text("//go:noescape\nfunc rows%sR%d%s\n", id, rows, rowsSig)
		}
		w.text("var rows%[1]s = [rowsMost]rowsKernel{rows%[1]sR1, rows%[1]sR2, rows%[1]sR3}\n", id)
	}
}
