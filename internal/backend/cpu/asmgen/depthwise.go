package asmgen

import "fmt"

// depthwiseSig is the Go signature of every depthwise kernel; offsets below follow it.
const depthwiseSig = "(wide int, x []%[1]s, pitch int, w, c []%[1]s, crs, cols int)"

var (
	depthwiseTaps = []int{3, 5, 7} // rows of a window
	depthwiseRows = []int{1, 2, 4} // rows of outputs
)

// depthwiseVectors is the number of vectors of a tile: four rows of them and a column of taps fit.
func depthwiseVectors(v isa) []int {
	if v.regs < 32 {
		return []int{1}
	}
	return vectors
}

func depthwiseName(v isa, e elem, taps, rows, nv int) string {
	return fmt.Sprintf("depthwise%s%sk%dr%dv%d", e.suffix, v.name, taps, rows, nv)
}

// window writes the kernel of some rows of outputs of a plane, nv vectors of them, by a window of so many rows of taps:
//
//	for r < rows, j < cols: c[r*crs+j] = Σ_u Σ_t x[(r+t)*pitch+u+j] * w[u*taps+t], u < wide, t < taps, in this order, by FMA
//
// It reads whole vectors. A row of x is loaded once for all rows of outputs that see it. Registers: AX X, BX and so on odd
// multiples of the pitch, R10 W, R13 columns of taps left.
func window(w *asm, v isa, e elem, taps, rows, nv int) {
	name := depthwiseName(v, e, taps, rows, nv)
	w.text("\n// func %s%s", name, fmt.Sprintf(depthwiseSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-104", name)
	w.op("MOVQ x_base+8(FP), AX")
	w.op("MOVQ pitch+32(FP), BX")
	w.op("SHLQ $%d, BX", e.shift)
	multiples(w, rows+taps-1)
	w.op("MOVQ w_base+40(FP), R10")
	w.op("MOVQ wide+0(FP), R13")
	acc := func(r, j int) string { return v.r(r*nv + j) }
	tap := func(t int) string { return v.r(rows*nv + t) }
	for i := range rows * nv {
		v.clear(w, i)
	}
	w.op("PCALIGN $32")
	w.label("column")
	for t := range taps {
		w.op("%s %d(R10), %s", v.bcast(e), t*e.size, tap(t))
	}
	for i := range rows + taps - 1 {
		first := rows*nv + taps
		for j := range nv {
			x := v.r(first + (i*nv+j)%(v.regs-first))
			at := rowAddr(i)
			if j > 0 {
				at = fmt.Sprint(j*v.bytes) + at
			}
			w.op("VMOVU%s %s, %s", e.ps, at, x)
			for r := max(0, i-taps+1); r <= min(i, rows-1); r++ {
				w.op("VFMADD231%s %s, %s, %s", e.ps, tap(i-r), x, acc(r, j))
			}
		}
	}
	w.op("ADDQ $%d, AX", e.size)
	w.op("ADDQ $%d, R10", taps*e.size)
	w.op("SUBQ $1, R13")
	w.op("JNE column")
	masks(w, v, e, nv, "cols+96(FP)")
	w.op("MOVQ c_base+64(FP), AX")
	w.op("MOVQ crs+88(FP), BX")
	w.op("SHLQ $%d, BX", e.shift)
	for r := range rows {
		for j := range nv {
			if v.masks {
				w.op("VMOVU%s %s, K%d, %d(AX)", e.ps, acc(r, j), j+1, j*v.bytes)
				continue
			}
			w.op("VMOVU%s %d(R9), %s // mask", e.ps, j*v.bytes, tap(0))
			w.op("VMASKMOV%s %s, %s, %d(AX)", e.ps, acc(r, j), tap(0), j*v.bytes)
		}
		if r < rows-1 {
			w.op("ADDQ BX, AX")
		}
	}
	w.op("VZEROUPPER")
	w.op("RET")
}

// depthwiseFile writes the kernels of an instruction set.
func depthwiseFile(w *asm, v isa, e elem) {
	for _, taps := range depthwiseTaps {
		for _, rows := range depthwiseRows {
			for _, nv := range depthwiseVectors(v) {
				window(w, v, e, taps, rows, nv)
			}
		}
	}
}

// depthwiseStubs is the Go file of the depthwise kernels.
func depthwiseStubs() string {
	w := newGoFile("amd64", "kernel")
	for _, c := range combos {
		v, e := c.v, c.e
		w.text("// depthwise%s%s holds the depthwise kernels, by rows of taps, rows of outputs and vectors.", e.suffix, v.name)
		w.text("var depthwise%s%s = [8][5][maxVectors + 1]depthwiseTile[%s]{", e.suffix, v.name, e.goType)
		for _, taps := range depthwiseTaps {
			w.text("%d: {", taps)
			for _, rows := range depthwiseRows {
				text := fmt.Sprintf("%d: {", rows)
				for _, nv := range depthwiseVectors(v) {
					text += fmt.Sprintf("%d: %s,", nv, depthwiseName(v, e, taps, rows, nv))
				}
				w.text("%s},", text)
			}
			w.text("},")
		}
		w.text("}\n")
		for _, taps := range depthwiseTaps {
			for _, rows := range depthwiseRows {
				for _, nv := range depthwiseVectors(v) {
					w.text("//go:noescape\nfunc %s%s\n", depthwiseName(v, e, taps, rows, nv), fmt.Sprintf(depthwiseSig, e.goType))
				}
			}
		}
	}
	return w.formatted()
}
