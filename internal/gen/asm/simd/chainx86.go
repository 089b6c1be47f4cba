package main

import (
	"fmt"
	"strings"
)

// x86Chain writes chain code for AVX2 and AVX-512. BX is the instruction, R8 the first one, DX the place in bytes, R9 its
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
	if src == 0 {
		return c.mem(i)
	}
	return c.bank(src, i)
}

func (c x86Chain) in(src, i int) string {
	if src > 0 {
		return c.bank(src, i)
	}
	t := c.temp(i % (c.n / 2))
	c.p("VMOVUPS %s, %s", c.mem(i), t)
	return t
}

// chainConsts are what routines need: the sign, its complement, one.
var chainConsts = []uint32{0x80000000, 0x7fffffff, 0x3f800000, 0x01010101}

// all broadcasts 32 bits into the last temporary.
func (c x86Chain) all(bits uint32) string {
	t := c.temp(c.n - 1)
	for i, b := range chainConsts {
		if b == bits {
			c.p("VBROADCASTSS chain%sConst<>+%d(SB), %s", c.isa(), 4*i, t)
			return t
		}
	}
	panic("no such constant")
}

func (c x86Chain) logic(op string) string {
	if c.tgt == avx512 {
		return "VP" + op + "D"
	}
	return "VP" + op
}

func (c x86Chain) arith(op string, x, y, d string) { c.p("V%sPS %s, %s, %s", op, y, x, d) }

// blend is K1 (or mask m) ? x : y.
func (c x86Chain) blend(m, x, y, d string) {
	if c.tgt == avx512 {
		c.p("VBLENDMPS %s, %s, K1, %s", x, y, d)
	} else {
		c.p("VBLENDVPS %s, %s, %s, %s", m, x, y, d)
	}
}

// test puts the mask of a comparison into K1, or into register m.
func (c x86Chain) test(pred int, y, x, m string) {
	if c.tgt == avx512 {
		m = "K1"
	}
	c.p("VCMPPS $%d, %s, %s, %s", pred, y, x, m)
}

// extremum is Max or Min as the block kernels have them: NaN wins.
func (c x86Chain) extremum(op string, x, y, d string) {
	t, m := c.spare(0), c.spare(1)
	c.p("V%sPS %s, %s, %s", op, y, x, t)
	c.test(3, x, x, m)
	c.blend(m, x, t, d)
}

// gradMul is x == 0 ? 0 : x*y.
func (c x86Chain) gradMul(x, y, d string) {
	m, zero := c.spare(0), c.spare(1)
	c.p("%s %s, %s, %s", c.logic("XOR"), zero, zero, zero)
	c.test(4, zero, x, m)
	if c.tgt == avx512 {
		c.p("VMULPS.Z %s, %s, K1, %s", y, x, d)
		return
	}
	c.p("VMULPS %s, %s, %s", y, x, d)
	c.p("VANDPS %s, %s, %s", m, d, d)
}

func (c x86Chain) compare(pred int, x, y, d string) {
	c.test(pred, y, x, d)
	if c.tgt == avx512 {
		c.p("VPMOVM2D K1, %s", d)
	}
}

func (c x86Chain) choose(m, x, y, d string) {
	if c.tgt == avx512 {
		c.p("VPMOVD2M %s, K1", m)
	}
	c.blend(m, x, y, d)
}

func (c x86Chain) sqrt(x, d string) { c.p("VSQRTPS %s, %s", x, d) }

func (c x86Chain) begin(op string) string {
	switch op {
	case "Neg":
		return c.all(0x80000000)
	case "Abs":
		return c.all(0x7fffffff)
	case "Recip", "Rsqrt":
		return c.all(0x3f800000)
	case "Relu":
		t := c.temp(0)
		c.p("%s %s, %s, %s", c.logic("XOR"), t, t, t)
		return t
	}
	return ""
}

func (c x86Chain) sign(op string, i int, t string) {
	c.p("%s %s, %s, %s", c.logic(map[string]string{"Neg": "XOR", "Abs": "AND"}[op]), t, c.a(i), c.a(i))
}

func (c x86Chain) relu(i int, t string) { c.p("VMAXPS %s, %s, %s", c.a(i), t, c.a(i)) }

func (c x86Chain) load(src, i int)  { c.p("VMOVUPS %s, %s", c.from(src, i), c.a(i)) }
func (c x86Chain) store(src, i int) { c.p("VMOVUPS %s, %s", c.a(i), c.from(src, i)) }
func (c x86Chain) stream(i int)     { c.p("VMOVNTPS %s, %s", c.a(i), c.mem(i)) }

func (c x86Chain) loadBool(i int) {
	c.p("VPMOVZXBD %d(AX), %s", i*c.vl()/4, c.a(i))
	if c.tgt == avx512 {
		c.p("VPTESTMD %s, %s, K1", c.a(i), c.a(i))
		c.p("VPMOVM2D K1, %s", c.a(i))
	} else {
		c.p("VPXOR Y12, Y12, Y12")
		c.p("VPCMPGTD Y12, %s, %s", c.a(i), c.a(i))
	}
}

func (c x86Chain) storeBool() {
	ones := strings.NewReplacer("Z", "X", "Y", "X").Replace(c.all(0x01010101))
	t := strings.NewReplacer("Z", "X", "Y", "X").Replace(c.temp(0))
	c.each(func(i int) {
		if c.tgt == avx512 {
			c.p("VPMOVD2M %s, K1", c.a(i))
			c.p("VMOVDQU8.Z %s, K1, %s", ones, t)
			c.p("VMOVDQU8 %s, %d(AX)", t, i*c.vl()/4)
			return
		}
		x := strings.Replace(c.a(i), "Y", "X", 1)
		c.p("VEXTRACTI128 $1, %s, %s", c.a(i), t)
		c.p("VPACKSSDW %s, %s, %s", t, x, t)
		c.p("VPACKSSWB %s, %s, %s", t, t, t)
		c.p("VPAND %s, %s, %s", ones, t, t)
		c.p("VMOVQ %s, %d(AX)", t, i*c.vl()/4)
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

func (c x86Chain) operand(bytes bool) {
	c.p("MOVQ 16(BX), CX")
	c.p("MOVQ 8(BX), AX")
	c.p("ANDQ DX, CX")
	if bytes {
		c.p("SHRQ $2, CX")
	}
	c.p("ADDQ CX, AX")
}

func (c x86Chain) leave() {
	c.p("ADDQ $24, BX")
	c.p("JMP (BX)")
}

func (c x86Chain) constants() string {
	var b strings.Builder
	for i, v := range chainConsts {
		fmt.Fprintf(&b, "DATA chain%sConst<>+%d(SB)/4, $0x%x\n", c.isa(), 4*i, v)
	}
	fmt.Fprintf(&b, "GLOBL chain%sConst<>(SB), RODATA|NOPTR, $%d\n\n", c.isa(), 4*len(chainConsts))
	return b.String()
}

func (c x86Chain) entry() string {
	isa := c.isa()
	var b strings.Builder
	fmt.Fprintf(&b, "// func chainTable%s() *[chainRoutines]uintptr\nTEXT ·chainTable%s(SB), NOSPLIT, $0-8\n\tLEAQ chain%sTable<>(SB), AX\n\tMOVQ AX, ret+0(FP)\n\tRET\n\n", isa, isa, isa)
	fmt.Fprintf(&b, "// func chainRun%s(code *Step, from, to int)\n// BX is the instruction, R8 the first one, DX the place in bytes, R9 its end.\nTEXT ·chainRun%s(SB), NOSPLIT, $0-24\n", isa, isa)
	b.WriteString("\tMOVQ code+0(FP), R8\n\tMOVQ from+8(FP), DX\n\tMOVQ to+16(FP), R9\n\tMOVQ R8, BX\n\tJMP (BX)\n")
	return b.String()
}
