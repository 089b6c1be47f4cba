package main

import (
	"fmt"
	"strings"
)

// x86Chain writes chain code for AVX2 and AVX-512. BX is the instruction, R8 the first one, DX the offset in bytes, R9 its
// end, AX the operand in memory.
type x86Chain struct{ *chain }

// mem is vector i of the operand in memory.
func (c x86Chain) mem(i int) string {
	if i == 0 {
		return "(AX)"
	}
	return fmt.Sprintf("%d(AX)", i*c.vl())
}

func (c x86Chain) from(src, i int) string {
	switch src {
	case 0:
		return c.mem(i)
	case sourceBroadcast:
		t := c.temp(0)
		if i == 0 {
			c.p("VBROADCASTS%s (AX), %s", c.of("S", "D"), t)
		}
		return t
	}
	return c.bank(src, i)
}

func (c x86Chain) in(src, i int) string {
	if src > 0 {
		return c.from(src, i)
	}
	t := c.temp(i % (c.n / 2))
	c.p("VMOVUPS %s, %s", c.mem(i), t)
	return t
}

// chainConsts are what routines need: the sign, its complement, one, bytes of one, all bits, and half a unit of bfloat16 less one.
var chainConsts = map[int][]uint64{
	4: {0x80000000, 0x7fffffff, 0x3f800000, 0x01010101, 0xffffffff, 0x7fff},
	8: {1 << 63, 1<<63 - 1, 0x3ff0000000000000, 0x0101010101010101, 1<<64 - 1},
}

const (
	signBit = iota
	magnitudeBits
	numberOne
	byteOnes
	allBits
	halfUnit
)

// all broadcasts a constant into the last temporary.
func (c x86Chain) all(which int) string {
	t := c.temp(c.n - 1)
	c.p("VBROADCASTS%s %s%sConst<>+%d(SB), %s", c.of("S", "D"), c.kind(), c.isa(), c.lane*which, t)
	return t
}

// of chooses by the size of a lane.
func (c x86Chain) of(narrow, wide string) string {
	if c.lane == 8 {
		return wide
	}
	return narrow
}

// ps completes the name of an instruction on floats.
func (c x86Chain) ps(name string) string { return name + c.of("PS", "PD") }

func (c x86Chain) bits(op string) string {
	if c.tgt == avx512 {
		return "VP" + op + "D"
	}
	return "VP" + op
}

func (c x86Chain) arith(op string, x, y, d string) { c.p("%s %s, %s, %s", c.ps("V"+op), y, x, d) }

// blend is K1 (or mask m) ? x : y.
func (c x86Chain) blend(m, x, y, d string) {
	if c.tgt == avx512 {
		c.p("%s %s, %s, K1, %s", c.ps("VBLENDM"), x, y, d)
	} else {
		c.p("%s %s, %s, %s, %s", c.ps("VBLENDV"), m, x, y, d)
	}
}

// test puts the mask of a comparison into K1, or into register m.
func (c x86Chain) test(pred int, y, x, m string) {
	if c.tgt == avx512 {
		m = "K1"
	}
	c.p("%s $%d, %s, %s, %s", c.ps("VCMP"), pred, y, x, m)
}

// extremum is Max or Min as the block kernels have them: NaN wins.
func (c x86Chain) extremum(op string, x, y, d string) {
	t, m := c.spare(0), c.spare(1)
	c.p("%s %s, %s, %s", c.ps("V"+op), y, x, t)
	c.test(3, x, x, m)
	c.blend(m, x, t, d)
}

// gradMul is x == 0 ? 0 : x*y.
func (c x86Chain) gradMul(x, y, d string) {
	m, zero := c.spare(0), c.spare(1)
	c.p("%s %s, %s, %s", c.bits("XOR"), zero, zero, zero)
	c.test(4, zero, x, m)
	if c.tgt == avx512 {
		c.p("%s.Z %s, %s, K1, %s", c.ps("VMUL"), y, x, d)
		return
	}
	c.p("%s %s, %s, %s", c.ps("VMUL"), y, x, d)
	c.p("VANDPS %s, %s, %s", m, d, d)
}

func (c x86Chain) compare(pred int, x, y, d string) {
	c.test(pred, y, x, d)
	if c.tgt == avx512 {
		c.p("VPMOVM2%s K1, %s", c.of("D", "Q"), d)
	}
}

// choose takes bits: of the result, of the other one and of the mask, in the table of AVX-512.
func (c x86Chain) choose(m, x, y, d string) {
	switch {
	case c.tgt != avx512:
		c.blend(m, x, y, d)
	case d == x:
		c.p("VPTERNLOGD $0xe4, %s, %s, %s", m, y, d)
	case d == y:
		c.p("VPTERNLOGD $0xd8, %s, %s, %s", m, x, d)
	}
}

func (c x86Chain) sqrt(x, d string) { c.p("%s %s, %s", c.ps("VSQRT"), x, d) }

func (c x86Chain) begin(op string) string {
	switch op {
	case "Neg":
		return c.all(signBit)
	case "Abs":
		return c.all(magnitudeBits)
	case "Recip", "Rsqrt":
		return c.all(numberOne)
	case "Not":
		return c.all(allBits)
	case "RoundBF16":
		return c.all(halfUnit)
	case "Relu":
		t := c.temp(0)
		c.p("%s %s, %s, %s", c.bits("XOR"), t, t, t)
		return t
	}
	return ""
}

func (c x86Chain) sign(op string, i int, t string) {
	c.p("%s %s, %s, %s", c.bits(map[string]string{"Neg": "XOR", "Abs": "AND"}[op]), t, c.a(i), c.a(i))
}

func (c x86Chain) relu(i int, t string) { c.p("%s %s, %s, %s", c.ps("VMAX"), c.a(i), t, c.a(i)) }

func (c x86Chain) load(src, i int)  { c.p("VMOVUPS %s, %s", c.from(src, i), c.a(i)) }
func (c x86Chain) store(src, i int) { c.p("VMOVUPS %s, %s", c.a(i), c.from(src, i)) }
func (c x86Chain) stream(i int)     { c.p("VMOVNTPS %s, %s", c.a(i), c.mem(i)) }

func (c x86Chain) logic(op string, x, y, d string) { c.p("%s %s, %s, %s", c.bits(op), y, x, d) }

func (c x86Chain) not(i int, t string) { c.logic("XOR", c.a(i), t, c.a(i)) }

func (c x86Chain) round(mode int, x, d string) {
	name := "VRNDSCALE"
	if c.tgt == avx2 {
		name = "VROUND"
	}
	c.p("%s $%d, %s, %s", c.ps(name), 8+mode, x, d)
}

func (c x86Chain) loadAs(mem string, d string, i int) {
	at := i * c.vl() / c.lane
	switch mem {
	case "f16":
		c.p("VCVTPH2PS %d(AX), %s", 2*at, d)
	case "bf16":
		c.p("VPMOVZXWD %d(AX), %s", 2*at, d)
		c.p("VPSLLD $16, %s, %s", d, d)
	case "bool":
		letter := c.of("D", "Q")
		c.p("VPMOVZXB%s %d(AX), %s", letter, at, d)
		if c.tgt == avx512 {
			c.p("VPTESTM%s %s, %s, K1", letter, d, d)
			c.p("VPMOVM2%s K1, %s", letter, d)
		} else {
			c.p("VPXOR Y12, Y12, Y12")
			c.p("VPCMPGT%s Y12, %s, %s", letter, d, d)
		}
	}
}

// roundBF16 rounds to nearest even in the bits; a NaN is made quiet, and keeps its upper bits.
func (c x86Chain) roundBF16(i int, half string) {
	a, t, m := c.a(i), c.temp(0), c.temp(1)
	c.p("VPSLLD $15, %s, %s", a, t)
	c.p("VPSRLD $31, %s, %s", t, t)
	c.p("VPADDD %s, %s, %s", half, t, t)
	c.p("VPADDD %s, %s, %s", a, t, t)
	c.test(3, a, a, m)
	if c.tgt == avx512 {
		c.p("VADDPS %s, %s, K1, %s", a, a, t)
	} else {
		q := c.temp(2)
		c.p("VADDPS %s, %s, %s", a, a, q)
		c.p("VBLENDVPS %s, %s, %s, %s", m, q, t, t)
	}
	c.p("VPSRLD $16, %s, %s", t, t)
	c.p("VPSLLD $16, %s, %s", t, a)
}

func (c x86Chain) roundF16(i int) {
	y := lower(c.temp(i%(c.n-1)), c.vl()/2)
	c.p("VCVTPS2PH $0, %s, %s", c.a(i), y)
	c.p("VCVTPH2PS %s, %s", y, c.a(i))
}

// lower is the part of so many bytes of a register.
func lower(r string, bytes int) string {
	return map[int]string{16: "X", 32: "Y", 64: "Z"}[bytes] + r[1:]
}

func (c x86Chain) storeBF16(i int) {
	t := c.temp(i % (c.n - 1))
	c.p("VPSRLD $16, %s, %s", c.a(i), t)
	if c.tgt == avx512 {
		c.p("VPMOVDW %s, %d(AX)", t, i*c.vl()/2)
		return
	}
	c.p("VPACKUSDW %s, %s, %s", t, t, t)
	c.p("VPERMQ $0x08, %s, %s", t, t)
	c.p("VMOVDQU %s, %d(AX)", lower(t, 16), i*c.vl()/2)
}

func (c x86Chain) storeF16(i int) { c.p("VCVTPS2PH $0, %s, %d(AX)", c.a(i), i*c.vl()/2) }

func (c x86Chain) storeBool() {
	ones, t := lower(c.all(byteOnes), 16), lower(c.temp(0), 16)
	c.each(func(i int) {
		at := i * c.vl() / c.lane
		if c.tgt == avx512 {
			c.p("VPMOV%s2M %s, K1", c.of("D", "Q"), c.a(i))
			c.p("VMOVDQU8.Z %s, K1, %s", ones, t)
			c.p("%s %s, %d(AX)", c.of("VMOVDQU8", "VMOVQ"), t, at)
			return
		}
		c.p("VEXTRACTI128 $1, %s, %s", c.a(i), t)
		c.p("VPACKSSDW %s, %s, %s", t, lower(c.a(i), 16), t)
		c.p("VPACKSSWB %s, %s, %s", t, t, t)
		if c.lane == 8 {
			c.p("VPACKSSWB %s, %s, %s", t, t, t)
		}
		c.p("VPAND %s, %s, %s", ones, t, t)
		c.p("%s %s, %d(AX)", c.of("VMOVQ", "VMOVD"), t, at)
	})
}

func (c x86Chain) next() {
	c.p("ADDQ $%d, DX", c.n*c.vl())
	c.p("CMPQ DX, R9")
	c.p("JGE done")
	c.p("MOVQ R8, BX")
	c.p("JMP (BX)")
	c.label("done")
	c.p("VZEROUPPER")
	c.p("RET")
}

func (c x86Chain) operand(mem string) {
	c.p("MOVQ 16(BX), CX")
	c.p("MOVQ 8(BX), AX")
	c.p("ANDQ DX, CX")
	switch mem {
	case "bool":
		c.p("SHRQ $%s, CX", c.of("2", "3"))
	case "bf16", "f16":
		c.p("SHRQ $1, CX")
	}
	c.p("ADDQ CX, AX")
}

func (c x86Chain) leave() {
	c.p("ADDQ $24, BX")
	c.p("JMP (BX)")
}

func (c x86Chain) constants() string {
	var b strings.Builder
	for i, v := range chainConsts[c.lane] {
		fmt.Fprintf(&b, "DATA %s%sConst<>+%d(SB)/%d, $0x%x\n", c.kind(), c.isa(), c.lane*i, c.lane, v)
	}
	fmt.Fprintf(&b, "GLOBL %s%sConst<>(SB), RODATA|NOPTR, $%d\n\n", c.kind(), c.isa(), c.lane*len(chainConsts[c.lane]))
	return b.String()
}

func (c x86Chain) entry() string {
	isa, kind := c.isa(), c.kind()
	var b strings.Builder
	fmt.Fprintf(&b,
		"// func %sTable%s() *[chainRoutines]uintptr\nTEXT ·%sTable%s(SB), NOSPLIT, $0-8\n\tLEAQ %s%sTable<>(SB), AX\n\tMOVQ AX, "+
			"ret+0(FP)\n\tRET\n\n", kind, isa, kind, isa, kind, isa)
	if c.lane == 8 {
		return b.String() // it is entered as the other is
	}
	fmt.Fprintf(&b,
		"// func chainRun%s(code *Step, from, to int)\n// BX is the instruction, R8 the first one, DX the offset in bytes, R9 its "+
			"end.\nTEXT ·chainRun%s(SB), NOSPLIT, $0-24\n", isa, isa)
	b.WriteString("\tMOVQ code+0(FP), R8\n\tMOVQ from+8(FP), DX\n\tMOVQ to+16(FP), R9\n\tMOVQ R8, BX\n\tJMP (BX)\n")
	return b.String()
}
