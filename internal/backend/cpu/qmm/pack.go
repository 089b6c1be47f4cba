package qmm

import (
	"encoding/binary"

	"github.com/lucid-go/lucid/internal/ggml"
)

const (
	low4  = 0x0f0f0f0f
	low2  = 0x03030303
	ones4 = 0x01010101
)

// Pack makes a tile of up to 16 rows of blocks, each of k elements. Rows that are missing are zero.
func Pack(t ggml.Type, dst, src []byte, k int) {
	rowBytes := k / t.BlockSize() * t.BlockBytes()
	rows := min(len(src)/rowBytes, Rows)
	var at [Rows]int32
	for r := range rows {
		at[r] = int32(r * rowBytes)
	}
	PackRows(t, dst, src, at[:rows], k)
}

const packBlocks = 256 // in one call of the kernel: some microseconds

// PackRows is Pack for rows that begin at the bytes at of src.
func PackRows(t ggml.Type, dst, src []byte, at []int32, k int) {
	l, size, bytes := layouts[t], t.BlockSize(), t.BlockBytes()
	rowBytes := k / size * bytes
	for _, o := range at {
		_ = src[o:][:rowBytes] // the kernels do not check
	}
	dst = dst[:TileBytes(t, k)]
	clear(dst[k/block*l.blockScales()+l.heads(k) : l.scaleBytes(k)]) // what makes whole cache lines
	if kernel := l.packKernel(); kernel != nil && len(at) == Rows {
		for b := 0; b < k/block; b += packBlocks {
			n := min(packBlocks, k/block-b)
			from := &src[b*block/size*bytes]
			kernel(n, &dst[l.firstScale(b)], &dst[l.quantAt(k, b)], from, (*[Rows]int32)(at))
		}
		return
	}
	if len(at) < Rows {
		clear(dst)
	}
	var o rowBlock
	within, qb := size/block, l.quantBytes()
	for b := range k / block {
		scales, quants := dst[l.scaleAt(b):], dst[l.quantAt(k, b):][:qb]
		in, part := b/within*bytes, b%within
		for r, row := range at {
			l.read(src[int(row)+in:][:bytes], part, &o)
			l.put(scales, quants, r, &o)
			if l.scales == superScales && part == 0 {
				l.putScale(dst[l.headAt(b):], r, &o)
			}
		}
	}
}

// packKernel is the assembly that makes tiles here; nil: none.
func (l *layout) packKernel() packKernel {
	switch {
	case l.kernels == nil:
		return nil
	case wide():
		return l.kernels.pack
	case useAVX2:
		return l.kernels.packShort
	}
	return nil
}

// put writes a block of one row.
func (l *layout) put(scales, quants []byte, r int, o *rowBlock) {
	if l.scales == floatScales {
		putWord(scales, 4*r, o.scale)
		putWord(scales, vector+4*r, o.low)
	} else if l.scales == superScales {
		for g := range l.groups {
			scales[g*Rows+r] = o.factors[g]
			if l.mins {
				scales[(l.groups+g)*Rows+r] = o.lows[g]
			}
		}
	} else {
		l.putScale(scales, r, o)
	}
	l.putQuants(quants, 4*r, &o.words)
}

// putScale writes a scale and a minimum, 16 bits each.
func (l *layout) putScale(dst []byte, r int, o *rowBlock) {
	binary.LittleEndian.PutUint16(dst[2*r:], uint16(o.scale))
	if l.mins {
		binary.LittleEndian.PutUint16(dst[2*Rows+2*r:], uint16(o.low))
	}
}

func putWord(q []byte, at int, x uint32) { binary.LittleEndian.PutUint32(q[at:], x) }

// twos has two bits of each quant of four words.
func twos(w []uint32, shift uint) uint32 {
	_ = w[3]
	return w[0]>>shift&low2 | w[1]>>shift&low2<<2 | w[2]>>shift&low2<<4 | w[3]>>shift&low2<<6
}

// ones has one bit of each quant of eight words.
func ones(w *[8]uint32, shift uint) uint32 {
	const m = ones4
	return w[0]>>shift&m | w[1]>>shift&m<<1 | w[2]>>shift&m<<2 | w[3]>>shift&m<<3 |
		w[4]>>shift&m<<4 | w[5]>>shift&m<<5 | w[6]>>shift&m<<6 | w[7]>>shift&m<<7
}

// putQuants writes the words of a row, at byte r of each vector. The low four bits of two groups of four share a vector, the fifth
// bits of all groups another; of six bits, the high two of four groups. Two bits are as those.
func (l *layout) putQuants(q []byte, r int, w *[8]uint32) {
	switch l.bits {
	case 8:
		for g, x := range w {
			putWord(q, r+g*vector, x)
		}
		return
	case 3:
		putWord(q, r+2*vector, ones(w, 2))
		fallthrough
	case 2:
		putWord(q, r, twos(w[:4], 0))
		putWord(q, r+vector, twos(w[4:], 0))
		return
	case 5:
		putWord(q, r+4*vector, ones(w, 4))
	case 6:
		putWord(q, r+4*vector, twos(w[:4], 4))
		putWord(q, r+5*vector, twos(w[4:], 4))
	}
	if l.groups == 2 { // the first vectors have what belongs to the first scale
		for v := range 4 {
			putWord(q, r+v*vector, w[2*v]&low4|w[2*v+1]&low4<<4)
		}
		return
	}
	for v := range 4 {
		putWord(q, r+v*vector, w[v]&low4|w[v+4]&low4<<4)
	}
}

func word32(b []byte, i int) uint32   { return binary.LittleEndian.Uint32(b[4*i:]) }
func halfBits(b []byte, i int) uint32 { return uint32(binary.LittleEndian.Uint16(b[i:])) }

func readQ8_0(src []byte, _ int, o *rowBlock) {
	o.scale = halfBits(src, 0)
	for g := range o.words {
		o.words[g] = word32(src[2:], g) ^ 0x80808080 // plus 128
	}
}

// nibbles reads 16 bytes that hold elements i and i+16.
func (o *rowBlock) nibbles(q []byte) {
	for v := range 4 {
		x := word32(q, v)
		o.words[v], o.words[v+4] = x&low4, x>>4&low4
	}
}

// fifth adds the bits of a word as fifth bits of the elements.
func (o *rowBlock) fifth(high uint32) {
	for g := range o.words {
		x := high >> (4 * g)
		o.words[g] |= x&1<<4 | x&2<<11 | x&4<<18 | x&8<<25
	}
}

func readQ4_0(src []byte, _ int, o *rowBlock) {
	o.scale = halfBits(src, 0)
	o.nibbles(src[2:18])
}

func readQ4_1(src []byte, _ int, o *rowBlock) {
	o.scale, o.low = halfBits(src, 0), halfBits(src, 2)
	o.nibbles(src[4:20])
}

func readQ5_0(src []byte, _ int, o *rowBlock) {
	o.scale = halfBits(src, 0)
	o.nibbles(src[6:22])
	o.fifth(word32(src[2:], 0))
}

func readQ5_1(src []byte, _ int, o *rowBlock) {
	o.scale, o.low = halfBits(src, 0), halfBits(src, 2)
	o.nibbles(src[8:24])
	o.fifth(word32(src[4:], 0))
}

// readMXFP4: the scale is a power of two, exact in bfloat16, half of what the exponent says as the levels are twice the values.
func readMXFP4(src []byte, _ int, o *rowBlock) {
	o.exponent(src[0])
	o.nibbles(src[1:17])
}

// exponent sets the scale of MXFP4.
func (o *rowBlock) exponent(e byte) {
	o.scale = (uint32(e) - 1) << 7
	if e < 2 {
		o.scale = 0x20 << e // below the normal numbers
	}
}
