package asmgen

import "fmt"

// isa is an x86 vector instruction set.
type isa struct {
	name  string // as in file and function names
	reg   string // register letter
	bytes int    // of one vector
	regs  int    // number of vector registers
	rows  int    // most rows of a tile
	masks bool   // opmask registers exist
}

var (
	avx512 = isa{"AVX512", "Z", 64, 32, 14, true}
	avx2   = isa{"AVX2", "Y", 32, 16, 6, false}
)

// elem is an element type.
type elem struct {
	suffix string // in function names
	goType string
	size   int
	ps     string // PS or PD
	ss     string // SS or SD
	shift  int    // log2 of size
	bf16   bool   // an element is two bfloat16, neighbours in k; sums are float32
	narrow bool   // B is float16, widened as it is read
	vnni   bool   // an element is four bytes, neighbours in k; sums are int32
	times  string // instruction that multiplies whole numbers, of which the low half is stored; "" for floats
}

var (
	f32      = elem{suffix: "F32", goType: "float32", size: 4, ps: "PS", ss: "SS", shift: 2}
	f64      = elem{suffix: "F64", goType: "float64", size: 8, ps: "PD", ss: "SD", shift: 3}
	bf16Pair = elem{suffix: "BF16Pair", goType: "float32", size: 4, ps: "PS", ss: "SS", shift: 2, bf16: true}
	f16      = elem{suffix: "F16", goType: "float32", size: 4, ps: "PS", ss: "SS", shift: 2, narrow: true}
	vnni     = elem{suffix: "VNNI", goType: "float32", size: 4, ps: "PS", ss: "SS", shift: 2, vnni: true}
	i32      = elem{suffix: "I32", goType: "float32", size: 4, ps: "PS", ss: "SS", shift: 2, times: "VPMULLD"}
	i64      = elem{suffix: "I64", goType: "float64", size: 8, ps: "PD", ss: "SD", shift: 3, times: "VPMULLQ"}
)

func (v isa) r(i int) string      { return fmt.Sprintf("%s%d", v.reg, i) }
func (v isa) lanes(e elem) int    { return v.bytes / e.size }
func (v isa) bcast(e elem) string { return "VBROADCAST" + e.ss }

// clear sets a whole register to zero.
func (v isa) clear(w *asm, r int) {
	if v.masks {
		w.op("VPXORD %s, %s, %s", v.r(r), v.r(r), v.r(r))
		return
	}
	w.op("VXORPS %s, %s, %s", v.r(r), v.r(r), v.r(r))
}

// multiplyAdd adds the product of registers a and b to acc.
func (v isa) multiplyAdd(w *asm, e elem, b, a, acc int) {
	if e.bf16 {
		vdpbf16ps(w, b, a, acc)
		return
	}
	if e.vnni { // the factors of one of them are signed: all the same for the low bytes of sums
		w.op("VPDPBUSD %s, %s, %s", v.r(b), v.r(a), v.r(acc))
		return
	}
	if e.times != "" { // in one of the last two registers, which tiles of whole numbers leave free
		t := v.r(v.regs - 2 + acc%2)
		w.op("%s %s, %s, %s", e.times, v.r(b), v.r(a), t)
		w.op("%s %s, %s, %s", e.sum(), t, v.r(acc), v.r(acc))
		return
	}
	w.op("VFMADD231%s %s, %s, %s", e.ps, v.r(b), v.r(a), v.r(acc))
}

// sum is the instruction that adds vectors of sums.
func (e elem) sum() string {
	switch {
	case e.vnni || e.times != "" && e.size == 4:
		return "VPADDD"
	case e.times != "":
		return "VPADDQ"
	}
	return "VADD" + e.ps
}

// rowRegs hold odd multiples of the row stride of A. With the scales 1, 2, 4 and 8
// of an x86 address they reach 14 rows from one pointer, so one ADD per step of k
// moves all rows.
var rowRegs = []struct {
	mult int
	reg  string
}{{1, "BX"}, {3, "CX"}, {5, "DX"}, {7, "SI"}, {9, "DI"}, {11, "R8"}, {13, "R9"}}

// rowAddr is the address of row r of the A tile.
func rowAddr(r int) string { return rowAddrFrom("AX", r) }

// rowAddrFrom is the address r strides after that in a register.
func rowAddrFrom(base string, r int) string {
	if r == 0 {
		return "(" + base + ")"
	}
	scale := 1
	for r%2 == 0 {
		r, scale = r/2, scale*2
	}
	for _, x := range rowRegs {
		if x.mult == r {
			return fmt.Sprintf("(%s)(%s*%d)", base, x.reg, scale)
		}
	}
	panic("row out of reach")
}

// multiples fills the row registers that rows 0 to mr-1 need.
func multiples(w *asm, mr int) {
	for _, x := range rowRegs[1:] {
		if x.mult >= mr {
			break
		}
		switch x.mult {
		case 3:
			w.op("LEAQ (BX)(BX*2), CX // 3*ars")
		case 5:
			w.op("LEAQ (BX)(BX*4), DX // 5*ars")
		case 7:
			w.op("LEAQ (CX)(BX*4), SI // 7*ars")
		case 9:
			w.op("LEAQ (BX)(BX*8), DI // 9*ars")
		case 11:
			w.op("LEAQ (CX)(BX*8), R8 // 11*ars")
		case 13:
			w.op("LEAQ (DX)(BX*8), R9 // 13*ars")
		}
	}
}

// masks makes the masks of the first arg columns out of nv vectors: K1, K2, … on
// AVX-512; on AVX2 R9 points into a table of ones followed by zeros. It uses AX and BX.
func masks(w *asm, v isa, e elem, nv int, arg string) {
	w.op("MOVQ %s, AX", arg)
	if !v.masks {
		w.op("LEAQ ·maskTable+%d(SB), R9", maskOnes)
		w.op("SHLQ $%d, AX", e.shift)
		w.op("SUBQ AX, R9 // a one for each column, then zeros")
		return
	}
	w.op("MOVQ $-1, BX")
	w.op("BZHIQ AX, BX, BX // one bit per column")
	for j := range nv {
		w.op("KMOVQ BX, K%d", j+1)
		if j < nv-1 {
			w.op("SHRQ $%d, BX", v.lanes(e))
		}
	}
}

// maskOnes is the length in bytes of the ones in maskTable; as many zeros follow.
const maskOnes = 64

// maskTable writes the table for AVX2.
func maskTable(w *asm) {
	w.text("\n// Ones, then zeros: a load at an offset is a mask for VMASKMOV.")
	for off := 0; off < maskOnes; off += 8 {
		w.text("DATA ·maskTable+%d(SB)/8, $-1", off)
	}
	w.text("GLOBL ·maskTable(SB), RODATA|NOPTR, $%d", 2*maskOnes)
}
