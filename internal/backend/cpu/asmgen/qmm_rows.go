package asmgen

import (
	"fmt"
	"strings"
)

// Products with rows of bfloat16 and float16 as files have them: up to three rows of x with four rows of weights. A sum has eight lanes,
// element i in lane i%8, added in the end as a tree: neighbours first. AVX-512 takes up to eight rows of x, and the sums of two rows of
// weights share a register, so that they have the same bits.

const (
	rowsSig   = "(steps int, x *float32, xs int, w *byte, ws int, y *float32, ys int)"
	rowsMost  = 3
	rowsWide  = 8 // of AVX-512
	rowsCols  = 4
	rowsFetch = 1024 // bytes ahead that weights are fetched
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
	rowsLoop(w, weights, func(i int) {
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
	})
	w.op("MOVQ y+40(FP), DI")
	w.op("MOVQ ys+48(FP), R8")
	for r := range rows {
		rowsSum(w, rowsCols*r)
		if r < rows-1 {
			w.op("ADDQ R8, DI")
		}
	}
	w.op("VZEROUPPER")
	w.op("RET")
}

// rowsWideKernel is rowsKernel for AVX-512. Weights are Y0 and Y1, activations Z2, sums from Z8 on, two a row.
func rowsWideKernel(w *asm, id string, rows int) {
	w.text("\n// func rows%sAVX512R%d%s", id, rows, rowsSig)
	w.text("TEXT ·rows%sAVX512R%d(SB), NOSPLIT, $0-56", id, rows)
	w.op("MOVQ steps+0(FP), R12")
	w.op("MOVQ x+8(FP), AX")
	w.op("MOVQ xs+16(FP), BX")
	multiples(w, rows)
	w.op("MOVQ w+24(FP), R10")
	w.op("MOVQ ws+32(FP), R8")
	w.op("LEAQ (R8)(R8*2), R9")
	weights := []string{"(R10)", "(R10)(R8*1)", "(R10)(R8*2)", "(R10)(R9*1)"}
	for i := range 2 * rows {
		avx512.clear(w, 8+i)
	}
	rowsLoop(w, weights, func(i int) {
		for c := range 2 {
			w.op("VMOVDQU %s, X%d", at(16*i, weights[2*c]), c)
			w.op("VINSERTI128 $1, %s, Y%d, Y%d", at(16*i, weights[2*c+1]), c, c)
			if id == "BF16" {
				w.op("VPMOVZXWD Y%d, Z%d", c, c)
				w.op("VPSLLD $16, Z%d, Z%d", c, c)
			} else {
				w.op("VCVTPH2PS Y%d, Z%d", c, c)
			}
		}
		for r := range rows {
			w.op("VBROADCASTF64X4 %s, Z%d", at(32*i, rowAddr(r)), 2+r%2)
			for c := range 2 {
				w.op("VFMADD231PS Z%d, Z%d, Z%d", c, 2+r%2, 8+2*r+c)
			}
		}
	})
	w.op("MOVQ y+40(FP), DI")
	w.op("MOVQ ys+48(FP), R8")
	for r := range rows {
		for c := range rowsCols {
			w.op("VEXTRACTF64X4 $%d, Z%d, Y%d", c%2, 8+2*r+c/2, c)
		}
		rowsSum(w, 0)
		if r < rows-1 {
			w.op("ADDQ R8, DI")
		}
	}
	w.op("VZEROUPPER")
	w.op("RET")
}

// rowsLoop writes the steps of a kernel, each of eight elements: four at a time, then one by one.
func rowsLoop(w *asm, weights []string, step func(i int)) {
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
}

// rowsSum adds the lanes of four sums, from register s on, and stores them.
func rowsSum(w *asm, s int) {
	w.op("VHADDPS Y%d, Y%d, Y%d", s+1, s, s)
	w.op("VHADDPS Y%d, Y%d, Y%d", s+3, s+2, s+2)
	w.op("VHADDPS Y%d, Y%d, Y%d", s+2, s, s)
	w.op("VEXTRACTF128 $1, Y%d, X%d", s, s+1)
	w.op("VADDPS X%d, X%d, X%d", s+1, s, s)
	w.op("VMOVUPS X%d, (DI)", s)
}

// rowsFiles adds the kernels.
func rowsFiles(add func(name string, f func(w *asm))) {
	for _, id := range []string{"BF16", "F16"} {
		add("rows_"+id+"_avx2", func(w *asm) {
			for rows := 1; rows <= rowsMost; rows++ {
				rowsKernel(w, id, rows)
			}
		})
		add("rows_"+id+"_avx512", func(w *asm) {
			for rows := rowsMost + 1; rows <= rowsWide; rows++ {
				rowsWideKernel(w, id, rows)
			}
		})
	}
}

// rowsStubs declares the kernels.
func rowsStubs(w *asm) {
	for _, id := range []string{"BF16", "F16"} {
		names := ""
		for rows := 1; rows <= rowsWide; rows++ {
			name := fmt.Sprintf("rows%sR%d", id, rows)
			if rows > rowsMost {
				name = fmt.Sprintf("rows%sAVX512R%d", id, rows)
			}
			w.text("//go:noescape\nfunc %s%s\n", name, rowsSig)
			names += name + ", "
		}
		w.text("var rows%s = [rowsWide]rowsKernel{%s}\n", id, strings.TrimSuffix(names, ", "))
	}
}
