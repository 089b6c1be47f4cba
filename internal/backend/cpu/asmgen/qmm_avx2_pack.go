package asmgen

import "fmt"

// Packing with AVX2: eight rows of a tile, then the other eight. Masks are in memory, as half of the registers have words of rows.

// Registers: Y0 to Y7 words, then those named here. SI is the block, R10 scales, R11 quants, R12 blocks left, DX and R8 8 and 16 for the
// second half.
const (
	ypOut  = 8 + iota // what is stored
	ypTemp            // shifted words
	ypMore
	ypA // words of scales
	ypB
	ypC
	ypAll  // lanes to gather
	ypRows // offsets of the rows
)

// hpacker is a kernel being written.
type hpacker struct {
	w     *asm
	f     quantized
	p     packed
	masks []uint32 // in the order of their first use
}

// mask is where a vector of a word is.
func (k *hpacker) mask(word uint32) string {
	for _, m := range k.masks {
		if m == word {
			return fmt.Sprintf("mask%08x<>(SB)", word)
		}
	}
	k.masks = append(k.masks, word)
	return k.mask(word)
}

// gather brings a word of each row. Words that would end behind the block are read two bytes before.
func (k *hpacker) gather(off, y int) {
	from := off
	if off+4 > k.p.bytes {
		from -= 2
	}
	k.w.op("VPCMPEQD Y%[1]d, Y%[1]d, Y%[1]d", ypAll)
	k.w.op("VPGATHERDD Y%d, %d(SI)(Y%d*1), Y%d", ypAll, from, ypRows, y)
	if from < off {
		k.w.op("VPSRLD $16, Y%[1]d, Y%[1]d", y)
	}
}

// masked brings the bits of a word that a mask has, after a shift to the left by some, to a register.
func (k *hpacker) masked(y, left int, word uint32, to int) {
	switch {
	case left > 0:
		k.w.op("VPSLLD $%d, Y%d, Y%d", left, y, to)
	case left < 0:
		k.w.op("VPSRLD $%d, Y%d, Y%d", -left, y, to)
	}
	if left != 0 {
		y = to
	}
	k.w.op("VPAND %s, Y%d, Y%d", k.mask(word), y, to)
}

// collect ors bits of words in ypOut, each after a shift; the mask of word i is one of the first shifted by each·i.
func (k *hpacker) collect(words []int, word uint32, each int, left func(i int) int) {
	for i, y := range words {
		to := ypTemp
		if i == 0 {
			to = ypOut
		}
		k.masked(y, left(i), word<<(each*i), to)
		if i > 0 {
			k.w.op("VPOR Y%d, Y%[2]d, Y%[2]d", ypTemp, ypOut)
		}
	}
}

// nibbles puts the low four bits of word a, and those of word b above them, to ypOut; those bits 4 and up if high.
func (k *hpacker) nibbles(a, b int, high bool) {
	left := [2]int{0, 4}
	if high {
		left = [2]int{-4, 0}
	}
	k.masked(a, left[0], 0x0f0f0f0f, ypOut)
	k.masked(b, left[1], 0xf0f0f0f0, ypTemp)
	k.w.op("VPOR Y%d, Y%[2]d, Y%[2]d", ypTemp, ypOut)
}

func (k *hpacker) store(v int) { k.w.op("VMOVDQU Y%d, %d(R11)", ypOut, 64*v) }

// storeBytes stores the four bytes of words, those of all rows together.
func (k *hpacker) storeBytes(y int, to func(b int) int) {
	w := k.w
	w.op("VPSHUFB transpose<>(SB), Y%d, Y%d", y, ypTemp)
	w.op("VEXTRACTI128 $1, Y%d, X%d", ypTemp, ypMore)
	for i := range 2 {
		op := []string{"VPUNPCKLDQ", "VPUNPCKHDQ"}[i]
		w.op("%s X%d, X%d, X7", op, ypMore, ypTemp)
		w.op("VMOVQ X7, %d(R10)(DX*1)", to(2*i))
		w.op("VPEXTRQ $1, X7, %d(R10)(DX*1)", to(2*i+1))
	}
}

// storeWords stores the low 16 bits of words.
func (k *hpacker) storeWords(y, off int) {
	k.w.op("VPAND %s, Y%d, Y%d", k.mask(0xffff), y, ypTemp)
	k.w.op("VPACKUSDW Y%[1]d, Y%[1]d, Y%[1]d", ypTemp)
	k.w.op("VPERMQ $0x08, Y%[1]d, Y%[1]d", ypTemp)
	k.w.op("VMOVDQU X%d, %d(R10)(R8*1)", ypTemp, off)
}

// storeHead stores the scale of a block and its minimum.
func (k *hpacker) storeHead() {
	k.gather(k.p.head, 0)
	k.storeWords(0, 0)
	if k.f.mins {
		k.w.op("VPSRLD $16, Y0, Y0")
		k.storeWords(0, 32)
	}
}

// write writes the kernel, and its tables behind it.
func (k *hpacker) write() {
	w := k.w
	w.text("\n// func packShort%s%s", k.f.id, packTileSig)
	w.text("TEXT ·packShort%s(SB), NOSPLIT, $0-40", k.f.id)
	w.op("XORL DX, DX")
	w.label("half")
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ scales+8(FP), R10")
	w.op("MOVQ quants+16(FP), R11")
	w.op("MOVQ src+24(FP), SI")
	w.op("MOVQ rows+32(FP), R13")
	w.op("LEAQ (DX)(DX*1), R8")
	w.op("LEAQ (R11)(DX*4), R11")
	w.op("VMOVDQU (R13)(DX*4), Y%d", ypRows)
	step, body := 1, k.plain
	if k.f.scales == superScales {
		step, body = 8, k.super
	}
	w.label("block")
	body()
	w.op("ADDQ $%d, SI", k.p.bytes)
	w.op("SUBQ $%d, R12", step)
	w.op("JGT block")
	w.op("ADDQ $8, DX")
	w.op("CMPQ DX, $16")
	w.op("JNE half")
	w.op("VZEROUPPER")
	w.op("RET")
	w.text("")
	if k.f.scales == superScales {
		for lane := range 2 {
			w.text("DATA transpose<>+%d(SB)/8, $0x0d0905010c080400", 16*lane)
			w.text("DATA transpose<>+%d(SB)/8, $0x0f0b07030e0a0602", 16*lane+8)
		}
		w.text("GLOBL transpose<>(SB), RODATA|NOPTR, $32")
	}
	for _, m := range k.masks {
		for i := range 4 {
			w.text("DATA mask%08[1]x<>+%[2]d(SB)/8, $0x%08[1]x%08[1]x", m, 8*i)
		}
		w.text("GLOBL mask%08x<>(SB), RODATA|NOPTR, $32", m)
	}
}

// plain packs a block of 32.
func (k *hpacker) plain() {
	w := k.w
	if k.f.scales == bfloatScales {
		k.exponents()
	} else {
		k.storeHead()
	}
	for v := range max(4, k.f.bits&8) {
		k.gather(k.p.quants+4*v, v)
		if k.f.bits == 8 {
			w.op("VPXOR %s, Y%[2]d, Y%[2]d // plus 128", k.mask(0x80808080), v)
		}
		w.op("VMOVDQU Y%d, %d(R11)", v, 64*v)
	}
	if k.f.bits == 5 {
		k.gather(k.p.high, 0)
		for _, s := range bitSwaps {
			w.op("VPSRLD $%d, Y0, Y1", s.shift())
			w.op("VPXOR Y0, Y1, Y1")
			w.op("VPAND %s, Y1, Y1", k.mask(s.mask()))
			w.op("VPSLLD $%d, Y1, Y2", s.shift())
			w.op("VPXOR Y1, Y0, Y0")
			w.op("VPXOR Y2, Y0, Y0")
		}
		w.op("VMOVDQU Y0, 256(R11)")
	}
	scales := 32
	if k.f.mins {
		scales = 64
	}
	w.op("ADDQ $%d, R10", scales)
	w.op("ADDQ $%d, R11", 64*k.f.bits)
}

// exponents stores bfloat16 scales that are half of a power of two; below the normal numbers they are a bit of the mantissa.
func (k *hpacker) exponents() {
	w := k.w
	k.gather(k.p.head, 0)
	w.op("VPAND %s, Y0, Y0", k.mask(255))
	w.op("VPSUBD %s, Y0, Y1", k.mask(1))
	w.op("VPSLLD $7, Y1, Y1")
	w.op("VMOVDQU %s, Y2", k.mask(0x20))
	w.op("VPSLLVD Y0, Y2, Y2")
	w.op("VPCMPGTD %s, Y0, Y0", k.mask(1))
	w.op("VPBLENDVB Y0, Y1, Y2, Y1 // above 1")
	k.storeWords(1, 0)
}

// super packs 256 elements.
func (k *hpacker) super() {
	k.storeHead()
	head, each := 32, 16*k.f.groups
	if k.f.mins {
		head, each = 64, 2*each
	}
	k.factors(head, each)
	k.w.op("ADDQ $%d, R10", head+8*each)
	switch k.f.bits {
	case 6:
		k.sixes()
	case 2, 3:
		k.few()
	default:
		k.lowNibbles()
	}
	k.w.op("ADDQ $%d, R11", 8*64*k.f.bits)
}

// six makes six-bit numbers in ypOut: four bits of word a after a shift, and two of word b, after one, above them.
func (k *hpacker) six(a, leftA, b, leftB int) {
	k.masked(a, leftA, 0x0f0f0f0f, ypOut)
	k.masked(b, leftB, 0x30303030, ypTemp)
	k.w.op("VPOR Y%d, Y%[2]d, Y%[2]d", ypTemp, ypOut)
}

// factors stores the scales of groups, and their minima.
func (k *hpacker) factors(head, each int) {
	less := func() { k.w.op("VPSUBB %s, Y%[2]d, Y%[2]d", k.mask(0x20202020), ypOut) }
	switch k.f.id {
	case "Q4K", "Q5K":
		k.sixBitPairs(head, each)
	case "Q6K":
		for i := range 4 {
			k.gather(k.p.scales+4*i, ypOut)
			k.storeBytes(ypOut, func(b int) int { return head + 16*(4*i+b) })
		}
	case "Q2K":
		for i := range 4 {
			k.gather(k.p.scales+4*i, ypA)
			for part := range 2 {
				k.masked(ypA, -4*part, 0x0f0f0f0f, ypOut)
				k.storeBytes(ypOut, func(b int) int { return head + (4*i+b)/2*each + 16*(2*part+b%2) })
			}
		}
	case "Q3K":
		for i := range 3 {
			k.gather(k.p.scales+4*i, ypA+i)
		}
		for i := range 4 {
			k.six(ypA+i%2, -i/2*4, ypC, 4-2*i)
			less()
			k.storeBytes(ypOut, func(b int) int { return head + 16*(4*i+b) })
		}
	case "IQ4XS":
		k.levelFactors(head, each, less)
	}
}

// levelFactors stores the scales of IQ4_XS: nibbles, and two bits of each above the scale of the block. Four of them are a word.
func (k *hpacker) levelFactors(head, each int, less func()) {
	k.gather(0, ypA)
	k.gather(k.p.scales, ypB)
	for half := range 2 {
		for b := range 4 {
			j := 4*half + b
			k.masked(ypB, 8*b-4*j, 0x0f<<(8*b), ypMore)
			k.masked(ypA, 8*b+4-16-2*j, 0x30<<(8*b), ypTemp)
			k.w.op("VPOR Y%d, Y%[2]d, Y%[2]d", ypTemp, ypMore)
			if b == 0 {
				k.w.op("VMOVDQA Y%d, Y%d", ypMore, ypOut)
			} else {
				k.w.op("VPOR Y%d, Y%[2]d, Y%[2]d", ypMore, ypOut)
			}
		}
		less()
		k.storeBytes(ypOut, func(b int) int { return head + each*(4*half+b) })
	}
}

// sixBitPairs stores the scales and minima of Q4_K and Q5_K.
func (k *hpacker) sixBitPairs(head, each int) {
	for i := range 3 {
		k.gather(k.p.scales+4*i, ypA+i)
	}
	for part := range 2 {
		from := ypA + part
		k.masked(from, 0, 0x3f3f3f3f, ypOut)
		k.storeBytes(ypOut, func(b int) int { return head + each*b + 16*part })
		k.six(ypC, -4*part, from, -2)
		k.storeBytes(ypOut, func(b int) int { return head + each*(4+b) + 16*part })
	}
}

// gatherEight brings eight words.
func (k *hpacker) gatherEight(off int) {
	for g := range 8 {
		k.gather(off+4*g, g)
	}
}

// bits stores a bit of each quant of eight blocks: bit j of the bytes for block j.
func (k *hpacker) bits(at func(j int) int) {
	k.gatherEight(k.p.high)
	for j := range 8 {
		k.collect(registers(0, 8), 0x01010101, 1, func(g int) int { return g - j })
		k.store(at(j))
	}
}

// pairs stores two bits of each quant of four blocks, whose words are in registers.
func (k *hpacker) pairs(at func(j, v int) int) {
	for j := range 4 {
		for v := range 2 {
			k.collect(registers(4*v, 4), 0x03030303, 2, func(i int) int { return 2*i - 2*j })
			k.store(at(j, v))
		}
	}
}

// lowNibbles packs four low bits, of Q5_K also the fifth, and those of IQ4_XS as they are.
func (k *hpacker) lowNibbles() {
	at := func(j, v int) int { return j*k.f.bits + v }
	if k.f.id == "IQ4XS" {
		for j := range 8 {
			for v := range 4 {
				k.gather(k.p.quants+16*j+4*v, ypOut)
				k.store(at(j, v))
			}
		}
		return
	}
	if k.f.bits == 5 {
		k.bits(func(j int) int { return at(j, 4) })
	}
	for i := range 4 {
		k.gatherEight(k.p.quants + 32*i)
		for half := range 2 {
			for v := range 4 {
				k.nibbles(v, v+4, half == 1)
				k.store(at(2*i+half, v))
			}
		}
	}
}

// sixes packs Q6_K.
func (k *hpacker) sixes() {
	for h := range 2 {
		k.gatherEight(k.p.high + 32*h)
		k.pairs(func(j, v int) int { return 6*(4*h+j) + 4 + v })
		for part := range 2 {
			k.gatherEight(64*h + 32*part)
			for half := range 2 {
				for v := range 4 {
					k.nibbles(2*v, 2*v+1, half == 1)
					k.store(6*(4*h+2*half+part) + v)
				}
			}
		}
	}
}

// few packs two bits, and the third of Q3_K.
func (k *hpacker) few() {
	if k.f.bits == 3 {
		k.bits(func(j int) int { return 3*j + 2 })
	}
	for h := range 2 {
		k.gatherEight(k.p.quants + 32*h)
		k.pairs(func(j, v int) int { return k.f.bits*(4*h+j) + v })
	}
}
