package asmgen

import "fmt"

// Packing of 16 rows of blocks into a tile: words of the rows are gathered into the lanes of a vector, and bits are moved to where
// tiles have them.

const packTileSig = "(blocks int, scales, quants, src *byte, rows *[16]int32)"

// packed says where a block of a format has its parts, in bytes.
type packed struct {
	bytes  int // of a block
	head   int // scale, and minimum behind it
	scales int // of groups
	quants int
	high   int // bits above the low four or two
}

var packedBlocks = map[string]packed{
	"Q80": {bytes: 34, quants: 2},
	"Q40": {bytes: 18, quants: 2}, "IQ4NL": {bytes: 18, quants: 2},
	"Q41": {bytes: 20, quants: 4},
	"Q50": {bytes: 22, high: 2, quants: 6}, "Q51": {bytes: 24, high: 4, quants: 8},
	"MXFP4": {bytes: 17, quants: 1},
	"Q4K":   {bytes: 144, scales: 4, quants: 16},
	"Q5K":   {bytes: 176, scales: 4, high: 16, quants: 48},
	"Q6K":   {bytes: 210, head: 208, scales: 192, high: 128},
	"Q2K":   {bytes: 84, head: 80, quants: 16},
	"Q3K":   {bytes: 110, head: 108, scales: 96, quants: 32},
	"IQ4XS": {bytes: 136, scales: 4, quants: 8},
}

// Vector registers of packing: Z0 to Z7 words of quants, Z8 to Z15 words of high bits, Z16 to Z23 masks of them, then those named
// here. SI is the block, R10 scales, R11 quants, R12 blocks left.
const (
	zpLow  = 24 + iota // mask of the low bits
	zpOut              // what is stored
	zpTemp             // shifted words
	zpA                // of scales
	zpB
	zpC
	zpSix  // the upper two of six bits
	zpRows // offsets of the rows
)

type pkernel struct {
	w *asm
	f quantized
	p packed
}

func (k *pkernel) set(z int, word uint32) {
	k.w.op("MOVL $0x%08x, R13", word)
	k.w.op("VPBROADCASTD R13, Z%d", z)
}

// gather brings a word of each row. Words that would end behind the block are read two bytes before.
func (k *pkernel) gather(off, z int) {
	k.w.op("KXNORW K1, K1, K1")
	k.w.op("VPXORD Z%[1]d, Z%[1]d, Z%[1]d", z)
	if off+4 > k.p.bytes {
		k.w.op("VPGATHERDD %d(SI)(Z%d*1), K1, Z%d", off-2, zpRows, z)
		k.w.op("VPSRLD $16, Z%[1]d, Z%[1]d", z)
		return
	}
	k.w.op("VPGATHERDD %d(SI)(Z%d*1), K1, Z%d", off, zpRows, z)
}

// shifted brings a word to zpTemp, after a shift to the left by some, and returns where it is.
func (k *pkernel) shifted(z, left int) int {
	switch {
	case left > 0:
		k.w.op("VPSLLD $%d, Z%d, Z%d", left, z, zpTemp)
	case left < 0:
		k.w.op("VPSRLD $%d, Z%d, Z%d", -left, z, zpTemp)
	default:
		return z
	}
	return zpTemp
}

// collect ors bits of words, each after a shift and under the mask in its register, in zpOut.
func (k *pkernel) collect(words []int, left func(i int) int) {
	for i, z := range words {
		from := k.shifted(z, left(i))
		if i == 0 {
			k.w.op("VPANDD Z16, Z%d, Z%d", from, zpOut)
			continue
		}
		k.w.op("VPTERNLOGD $0xf8, Z%d, Z%d, Z%d", 16+i, from, zpOut)
	}
}

// nibbles puts the low four bits of word a, and those of word b above them, to zpOut; those bits 4 and up if high.
func (k *pkernel) nibbles(a, b int, high bool) {
	if high {
		k.w.op("VPSRLD $4, Z%d, Z%d", a, zpOut)
		k.w.op("VPTERNLOGD $0xe4, Z%d, Z%d, Z%d", zpLow, b, zpOut)
		return
	}
	k.w.op("VPSLLD $4, Z%d, Z%d", b, zpOut)
	k.w.op("VPTERNLOGD $0xd8, Z%d, Z%d, Z%d", zpLow, a, zpOut)
}

func (k *pkernel) store(v int) { k.w.op("VMOVDQU64 Z%d, %d(R11)", zpOut, 64*v) }

// storeByte stores a byte of each word of scales.
func (k *pkernel) storeByte(z, i, off int) {
	if i > 0 {
		k.w.op("VPSRLD $%d, Z%d, Z%d", 8*i, z, zpTemp)
		z = zpTemp
	}
	k.w.op("VPMOVDB Z%d, %d(R10)", z, off)
}

// storeHead stores the scale of a block and its minimum.
func (k *pkernel) storeHead() {
	k.gather(k.p.head, 0)
	k.w.op("VPMOVDW Z0, (R10)")
	if k.f.mins {
		k.w.op("VPSRLD $16, Z0, Z0")
		k.w.op("VPMOVDW Z0, 32(R10)")
	}
}

// write writes the kernel.
func (k *pkernel) write() {
	w := k.w
	w.text("\n// func pack%s%s", k.f.id, packTileSig)
	w.text("TEXT ·pack%s(SB), NOSPLIT, $0-40", k.f.id)
	w.op("MOVQ blocks+0(FP), R12")
	w.op("MOVQ scales+8(FP), R10")
	w.op("MOVQ quants+16(FP), R11")
	w.op("MOVQ src+24(FP), SI")
	w.op("MOVQ rows+32(FP), R13")
	w.op("VMOVDQU64 (R13), Z%d", zpRows)
	k.set(zpLow, 0x0f0f0f0f)
	k.set(zpSix, 0x30303030)
	step, body := 1, k.plain
	if k.f.scales == superScales {
		step, body = 8, k.super
		for i := range 8 {
			if k.f.bits == 5 || k.f.bits == 3 {
				k.set(16+i, 0x01010101<<i)
			} else if i < 4 {
				k.set(16+i, 0x03030303<<(2*i))
			}
		}
	} else if k.f.bits == 5 {
		for i, s := range bitSwaps {
			k.set(16+i, s.mask())
		}
	} else if k.f.bits == 8 {
		k.set(16, 0x80808080)
	}
	w.label("block")
	body()
	w.op("ADDQ $%d, SI", k.p.bytes)
	w.op("SUBQ $%d, R12", step)
	w.op("JGT block")
	w.op("VZEROUPPER")
	w.op("RET")
}

// bitSwap exchanges the bits of a word whose numbers differ in two digits: a delta swap.
type bitSwap struct{ i, j int }

// bitSwaps take bit 4g+c, the fifth bit of element 4g+c, to bit 8c+g.
var bitSwaps = []bitSwap{{1, 4}, {0, 3}, {1, 2}, {0, 1}}

func (s bitSwap) shift() int { return 1<<s.j - 1<<s.i }

func (s bitSwap) mask() (m uint32) {
	for p := range 32 {
		if p>>s.i&1 == 1 && p>>s.j&1 == 0 {
			m |= 1 << p
		}
	}
	return m
}

// plain packs a block of 32.
func (k *pkernel) plain() {
	w := k.w
	if k.f.scales == bfloatScales {
		k.exponents()
	} else {
		k.storeHead()
	}
	n := 4
	if k.f.bits == 8 {
		n = 8
	}
	for v := range n {
		k.gather(k.p.quants+4*v, v)
		if k.f.bits == 8 {
			w.op("VPXORD Z16, Z%[1]d, Z%[1]d // plus 128", v)
		}
		w.op("VMOVDQU64 Z%d, %d(R11)", v, 64*v)
	}
	if k.f.bits == 5 {
		k.gather(k.p.high, 8)
		for i, s := range bitSwaps {
			w.op("VPSRLD $%d, Z8, Z9", s.shift())
			w.op("VPTERNLOGD $0x28, Z%d, Z8, Z9", 16+i)
			w.op("VPSLLD $%d, Z9, Z10", s.shift())
			w.op("VPTERNLOGD $0x96, Z10, Z9, Z8")
		}
		w.op("VMOVDQU64 Z8, 256(R11)")
	}
	scales := 32
	if k.f.mins {
		scales = 64
	}
	w.op("ADDQ $%d, R10", scales)
	w.op("ADDQ $%d, R11", 64*k.f.bits)
}

// exponents stores bfloat16 scales that are half of a power of two; below the normal numbers they are a bit of the mantissa.
func (k *pkernel) exponents() {
	w := k.w
	k.set(8, 255)
	k.set(9, 1)
	k.set(10, 0x20)
	k.gather(k.p.head, 0)
	w.op("VPANDD Z8, Z0, Z0")
	w.op("VPSUBD Z9, Z0, Z1")
	w.op("VPSLLD $7, Z1, Z1")
	w.op("VPCMPUD $2, Z9, Z0, K2 // at most 1")
	w.op("VPSLLVD Z0, Z10, K2, Z1")
	w.op("VPMOVDW Z1, (R10)")
}

// super packs 256 elements.
func (k *pkernel) super() {
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

// six makes six-bit numbers in zpOut: four bits of word a after a shift, and two of word b, after one, above them.
func (k *pkernel) six(a, leftA, b, leftB int) {
	from := k.shifted(a, leftA)
	k.w.op("VPANDD Z%d, Z%d, Z%d", zpLow, from, zpOut)
	from = k.shifted(b, leftB)
	k.w.op("VPTERNLOGD $0xf8, Z%d, Z%d, Z%d", zpSix, from, zpOut)
}

// factors stores the scales of groups, and their minima.
func (k *pkernel) factors(head, each int) {
	switch k.f.id {
	case "Q4K", "Q5K":
		k.sixBitPairs(head, each)
	case "Q6K":
		for i := range 4 {
			k.gather(k.p.scales+4*i, i)
			for b := range 4 {
				k.storeByte(i, b, head+16*(4*i+b))
			}
		}
	case "Q2K":
		for i := range 4 {
			k.gather(k.p.scales+4*i, i)
			for part := range 2 {
				from := k.shifted(i, -4*part)
				k.w.op("VPANDD Z%d, Z%d, Z%d", zpLow, from, zpOut)
				for b := range 4 {
					g := 4*i + b
					k.storeByte(zpOut, b, head+g/2*each+16*(2*part+g%2))
				}
			}
		}
	case "Q3K":
		for i := range 3 {
			k.gather(k.p.scales+4*i, zpA+i)
		}
		k.set(8, 0x20202020)
		for i := range 4 {
			k.six(zpA+i%2, -i/2*4, zpC, 4-2*i)
			k.w.op("VPSUBB Z8, Z%[1]d, Z%[1]d", zpOut)
			for b := range 4 {
				k.storeByte(zpOut, b, head+16*(4*i+b))
			}
		}
	case "IQ4XS":
		k.gather(0, zpA) // two bits of each above the scale
		k.gather(k.p.scales, zpB)
		k.set(8, 0x20202020)
		for j := range 8 {
			k.six(zpB, -4*j, zpA, 4-16-2*j)
			k.w.op("VPSUBB Z8, Z%[1]d, Z%[1]d", zpOut)
			k.storeByte(zpOut, 0, head+each*j)
		}
	}
}

// sixBitPairs stores the scales and minima of Q4_K and Q5_K.
func (k *pkernel) sixBitPairs(head, each int) {
	w := k.w
	for i := range 3 {
		k.gather(k.p.scales+4*i, zpA+i)
	}
	for part := range 2 {
		from := zpA + part
		k.set(8, 0x3f3f3f3f)
		w.op("VPANDD Z8, Z%d, Z%d", from, zpOut)
		for b := range 4 {
			k.storeByte(zpOut, b, head+each*b+16*part)
		}
		k.six(zpC, -4*part, from, -2)
		for b := range 4 {
			k.storeByte(zpOut, b, head+each*(4+b)+16*part)
		}
	}
}

func registers(from, n int) (list []int) {
	for i := range n {
		list = append(list, from+i)
	}
	return list
}

// lowNibbles packs four low bits, of Q5_K also the fifth, and those of IQ4_XS as they are.
func (k *pkernel) lowNibbles() {
	at := func(j, v int) int { return j*k.f.bits + v }
	if k.f.id == "IQ4XS" {
		for j := range 8 {
			for v := range 4 {
				k.gather(k.p.quants+16*j+4*v, zpOut)
				k.store(at(j, v))
			}
		}
		return
	}
	if k.f.bits == 5 {
		for g := range 8 {
			k.gather(k.p.high+4*g, 8+g)
		}
		for j := range 8 {
			k.collect(registers(8, 8), func(g int) int { return g - j })
			k.store(at(j, 4))
		}
	}
	for i := range 4 {
		for g := range 8 {
			k.gather(k.p.quants+32*i+4*g, g)
		}
		for half := range 2 {
			for v := range 4 {
				k.nibbles(v, v+4, half == 1)
				k.store(at(2*i+half, v))
			}
		}
	}
}

// sixes packs Q6_K.
func (k *pkernel) sixes() {
	for h := range 2 {
		for g := range 8 {
			k.gather(k.p.high+32*h+4*g, 8+g)
		}
		for part := range 2 {
			for g := range 8 {
				k.gather(64*h+32*part+4*g, g)
			}
			for half := range 2 {
				j := 4*h + 2*half + part
				for v := range 4 {
					k.nibbles(2*v, 2*v+1, half == 1)
					k.store(6*j + v)
				}
			}
		}
		for j := range 4 {
			for v := range 2 {
				k.collect(registers(8+4*v, 4), func(i int) int { return 2*i - 2*j })
				k.store(6*(4*h+j) + 4 + v)
			}
		}
	}
}

// few packs two bits, and the third of Q3_K.
func (k *pkernel) few() {
	if k.f.bits == 3 {
		for g := range 8 {
			k.gather(k.p.high+4*g, 8+g)
		}
		for j := range 8 {
			k.collect(registers(8, 8), func(g int) int { return g - j })
			k.store(3*j + 2)
		}
		for i := range 4 {
			k.set(16+i, 0x03030303<<(2*i))
		}
	}
	for h := range 2 {
		for g := range 8 {
			k.gather(k.p.quants+32*h+4*g, g)
		}
		for j := range 4 {
			for v := range 2 {
				k.collect(registers(4*v, 4), func(i int) int { return 2*i - 2*j })
				k.store(k.f.bits*(4*h+j) + v)
			}
		}
	}
	if k.f.bits == 3 {
		for i := range 4 {
			k.set(16+i, 0x01010101<<i)
		}
	}
}

// packKernel writes the packing of a format.
func packKernel(w *asm, f quantized) {
	p, ok := packedBlocks[f.id]
	if !ok {
		panic(fmt.Sprintf("asmgen: no blocks of %s", f.id))
	}
	k := pkernel{w, f, p}
	k.write()
}
