package asmgen

import "fmt"

// nhwcSig is the Go signature of every kernel of NHWC; offsets below follow it.
const nhwcSig = "(channels int, taps []NHWCTap, x []%[1]s, at *[4]int, step int, w, c []%[1]s, to *[4]int, ccs int, add bool)"

// nhwcKernel is a kernel being written: one, two or four rows of h positions.
type nhwcKernel struct {
	tile
	rows, h int
}

// nhwcRows are the registers of the rows.
var nhwcRows = []string{"AX", "BX", "R12", "R13"}

// nhwcCounts are the numbers of rows that leave registers for the sums of h positions each.
func nhwcCounts(v isa, h int) []int {
	if 4*h*maxVectors+maxVectors+1 <= v.regs {
		return []int{1, 2, 4}
	}
	return []int{1, 2}
}

// maxVectors is the most vectors of a row.
const maxVectors = 2

// nhwcName names the kernel of some rows of h positions by nv vectors.
func nhwcName(v isa, e elem, rows, h, nv int) string {
	return fmt.Sprintf("nhwc%s%sr%dh%dv%d", e.suffix, v.name, rows, h, nv)
}

// nhwcMult are the registers with odd multiples of the distance of positions.
var nhwcMult = map[int]string{1: "DX", 3: "SI", 5: "DI"}

// nhwcAt is the address of position i of a row.
func nhwcAt(row string, i int) string {
	if i == 0 {
		return "(" + row + ")"
	}
	scale := 1
	for i%2 == 0 {
		i, scale = i/2, scale*2
	}
	return fmt.Sprintf("(%s)(%s*%d)", row, nhwcMult[i], scale)
}

// nhwc writes the kernel of some rows of h positions by nv vectors of output channels. Position i of row r begins at
// at[r] + i*step, and for j < nv·lanes
//
//	s = Σ_t Σ_ch x[position+t.X+ch] * w[(t.W*channels+ch)*nv*lanes+j], in this order, by FMA, over the taps with t.First <= i < h-t.Last
//	c[to[r]+i*ccs+j] = s, or += s
//
// No tap leaves out positions at both ends. Positions are computed in order, or in reverse order for taps that leave out the last
// ones: so those left out always come first, and are jumped over. Registers: AX, BX, R12 and R13 the rows of X, CX channels left,
// DX, SI and DI the distance of positions and multiples of it, R8 and R9 the next tap and how many are left, R10 W,
// R11 how many positions are left out.
func nhwc(w *asm, v isa, e elem, rows, h, nv int) {
	k := nhwcKernel{tile{w, v, e, rows * h, nv, false}, rows, h}
	name := nhwcName(v, e, rows, h, nv)
	w.text("\n// func %s%s", name, fmt.Sprintf(nhwcSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-137", name)
	w.op("MOVQ taps_base+8(FP), R8")
	w.op("MOVQ taps_len+16(FP), R9")
	w.op("MOVQ step+64(FP), DX")
	w.op("SHLQ $%d, DX", e.shift)
	k.multiples()
	for i := range rows * h * nv {
		v.clear(w, i)
	}
	w.op("TESTQ R9, R9")
	w.op("JEQ sums")
	w.label("tap")
	w.op("MOVQ channels+0(FP), CX")
	w.op("MOVQ x_base+32(FP), R11")
	w.op("MOVQ (R8), R10")
	w.op("LEAQ (R11)(R10*%d), R11", e.size)
	w.op("MOVQ at+56(FP), R10")
	for r, row := range nhwcRows[:rows] {
		w.op("MOVQ %d(R10), %s", 8*r, row)
		w.op("LEAQ (R11)(%[1]s*%[2]d), %[1]s", row, e.size)
	}
	w.op("MOVQ w_base+72(FP), R10")
	w.op("MOVQ 8(R8), R11")
	w.op("IMULQ CX, R11")
	w.op("IMUL3Q $%d, R11, R11", nv*v.bytes)
	w.op("ADDQ R11, R10")
	if h > 1 {
		w.op("MOVQ 24(R8), R11")
		w.op("TESTQ R11, R11")
		w.op("JNE backward")
	}
	w.op("MOVQ 16(R8), R11")
	k.loop("forward", func(i int) int { return i })
	w.label("next")
	w.op("ADDQ $32, R8")
	w.op("SUBQ $1, R9")
	w.op("JNE tap")
	w.op("JMP sums")
	if h > 1 {
		k.loop("backward", func(i int) int { return h - 1 - i })
		w.op("JMP next")
		k.jumps("forward")
		k.jumps("backward")
	}
	w.label("sums")
	w.op("MOVQ c_base+96(FP), R11")
	w.op("MOVQ to+120(FP), R10")
	for r, row := range nhwcRows[:rows] {
		w.op("MOVQ %d(R10), %s", 8*r, row)
		w.op("LEAQ (R11)(%[1]s*%[2]d), %[1]s", row, e.size)
	}
	w.op("MOVQ ccs+128(FP), DX")
	w.op("SHLQ $%d, DX", e.shift)
	k.multiples()
	w.op("CMPB add+136(FP), $0")
	w.op("JEQ write")
	k.sums(func(acc, at string) { w.op("VADD%s %s, %s, %s", e.ps, at, acc, acc) })
	w.label("write")
	k.sums(func(acc, at string) { w.op("VMOVU%s %s, %s", e.ps, acc, at) })
	w.op("VZEROUPPER")
	w.op("RET")
}

// multiples fills the registers with multiples of DX.
func (k nhwcKernel) multiples() {
	if k.h > 3 {
		k.w.op("LEAQ (DX)(DX*2), SI")
	}
	if k.h > 5 {
		k.w.op("LEAQ (DX)(DX*4), DI")
	}
}

// sums gives f each vector of sums and where it goes.
func (k nhwcKernel) sums(f func(acc, at string)) {
	for i := range k.rows * k.h {
		for j := range k.nv {
			at := nhwcAt(nhwcRows[i/k.h], i%k.h)
			if j > 0 {
				at = fmt.Sprint(j*k.v.bytes) + at
			}
			f(k.acc(i, j), at)
		}
	}
}

// loop writes the loop over the channels of a tap, with the positions in an order.
func (k nhwcKernel) loop(name string, order func(i int) int) {
	w, v, h := k.w, k.v, k.h
	w.op("PCALIGN $32")
	w.label(name)
	for j := range k.nv {
		w.op("VMOVU%s %d(R10), %s", k.e.ps, j*v.bytes, v.r(k.breg(j)))
	}
	if h > 1 {
		w.op("TESTQ R11, R11")
		w.op("JNE %sJumps", name)
	}
	for at := range h {
		if at > 0 {
			w.label(fmt.Sprintf("%s%d", name, at))
		}
		i := order(at)
		for r, row := range nhwcRows[:k.rows] {
			a := v.r(k.areg(at*k.rows + r))
			w.op("%s %s, %s", v.bcast(k.e), nhwcAt(row, i), a)
			for j := range k.nv {
				w.op("VFMADD231%s %s, %s, %s", k.e.ps, v.r(k.breg(j)), a, k.acc(r*h+i, j))
			}
		}
	}
	for _, row := range nhwcRows[:k.rows] {
		w.op("ADDQ $%d, %s", k.e.size, row)
	}
	w.op("ADDQ $%d, R10", k.nv*v.bytes)
	w.op("SUBQ $1, CX")
	w.op("JNE %s", name)
}

// jumps writes the jumps over positions that are left out.
func (k nhwcKernel) jumps(name string) {
	k.w.label(name + "Jumps")
	for at := 1; at < k.h-1; at++ {
		k.w.op("CMPQ R11, $%d", at)
		k.w.op("JEQ %s%d", name, at)
	}
	k.w.op("JMP %s%d", name, k.h-1)
}

// nhwcFile writes the kernels of an instruction set.
func nhwcFile(w *asm, v isa, e elem) {
	for h := 1; h <= positionMost(v); h++ {
		for _, rows := range nhwcCounts(v, h) {
			for _, nv := range vectors {
				nhwc(w, v, e, rows, h, nv)
			}
		}
	}
}

// nhwcStubs is the Go file of the kernels of NHWC.
func nhwcStubs() string {
	w := newGoFile("amd64", "kernel")
	for _, c := range combos {
		v, e := c.v, c.e
		w.text("// nhwc%s%s holds the NHWC convolution kernels, by the number and the length of rows and by vectors.", e.suffix, v.name)
		w.text("var nhwc%s%s = [][5][maxVectors + 1]nhwcTile[%s]{", e.suffix, v.name, e.goType)
		for h := 1; h <= positionMost(v); h++ {
			w.text("%d: {", h)
			for _, rows := range nhwcCounts(v, h) {
				w.text("%d: {1: %s, 2: %s},", rows, nhwcName(v, e, rows, h, 1), nhwcName(v, e, rows, h, 2))
			}
			w.text("},")
		}
		w.text("}\n")
		for h := 1; h <= positionMost(v); h++ {
			for _, rows := range nhwcCounts(v, h) {
				for _, nv := range vectors {
					w.text("//go:noescape\nfunc %s%s\n", nhwcName(v, e, rows, h, nv), fmt.Sprintf(nhwcSig, e.goType))
				}
			}
		}
	}
	return w.formatted()
}
