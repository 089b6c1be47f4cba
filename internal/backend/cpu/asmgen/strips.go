package asmgen

import "fmt"

// rowsAhead is how many rows ahead packing asks for memory.
const rowsAhead = 4

const stripsSig = "(dst []%[1]s, drs, dps int, src []%[1]s, srs, rows, panels, width int)"

// strips writes the copy of rows into panels:
//
//	for p < rows, q < panels, i < width: dst[p*drs+q*dps+i] = src[p*srs+q*width+i]
//
// width is at most two vectors, and just that for ISAs without masks.
func strips(w *asm, v isa, e elem) {
	name := "strips" + e.suffix + v.name
	w.text("\n// func %s%s", name, fmt.Sprintf(stripsSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-96", name)
	zero, mask := "", func(int) string { return "" }
	if v.masks {
		masks(w, v, e, 2, "width+88(FP)")
		zero, mask = ".Z", func(j int) string { return fmt.Sprintf("K%d, ", j+1) }
	}
	w.op("MOVQ dst_base+0(FP), DI")
	w.op("MOVQ src_base+40(FP), SI")
	for _, s := range []struct{ arg, reg string }{
		{"drs+24(FP)", "R8"}, {"dps+32(FP)", "R9"}, {"srs+64(FP)", "R10"}, {"width+88(FP)", "R11"},
	} {
		w.op("MOVQ %s, %s", s.arg, s.reg)
		w.op("SHLQ $%d, %s", e.shift, s.reg)
	}
	w.op("MOVQ rows+72(FP), R12")
	w.label("row")
	w.op("MOVQ DI, AX")
	w.op("MOVQ SI, BX")
	w.op("MOVQ panels+80(FP), R13")
	w.label("panel")
	for off := 0; off < 2*v.bytes; off += 64 { // the next rows may begin new pages
		w.op("PREFETCHT0 %d(BX)(R10*%d)", off, rowsAhead)
	}
	for j := range 2 {
		w.op("VMOVU%s%s %d(BX), %s%s", e.ps, zero, j*v.bytes, mask(j), v.r(j))
	}
	for j := range 2 {
		w.op("VMOVU%s %s, %s%d(AX)", e.ps, v.r(j), mask(j), j*v.bytes)
	}
	w.op("ADDQ R11, BX")
	w.op("ADDQ R9, AX")
	w.op("SUBQ $1, R13")
	w.op("JNE panel")
	w.op("ADDQ R8, DI")
	w.op("ADDQ R10, SI")
	w.op("SUBQ $1, R12")
	w.op("JNE row")
	w.op("VZEROUPPER")
	w.op("RET")
}
