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
	l, size, bytes := layouts[t], t.BlockSize(), t.BlockBytes()
	rowBytes := k / size * bytes
	rows := min(len(src)/rowBytes, Rows)
	if rows < Rows {
		clear(dst[:TileBytes(t, k)])
	}
	var o rowBlock
	for r := range rows {
		row := src[r*rowBytes : (r+1)*rowBytes]
		for b := range k / block {
			at := b * block / size
			l.read(row[at*bytes:(at+1)*bytes], b%(size/block), &o)
			l.put(dst, k, b, r, &o)
		}
	}
}

// put writes a block of one row.
func (l *layout) put(dst []byte, k, b, r int, o *rowBlock) {
	s := dst[l.scaleAt(b):]
	if l.scales == superScales {
		if b%(superBlock/block) == 0 {
			head := dst[l.headAt(b):]
			binary.LittleEndian.PutUint16(head[2*r:], o.scale)
			if l.mins {
				binary.LittleEndian.PutUint16(head[2*Rows+2*r:], o.low)
			}
		}
		for g := range l.groups {
			s[g*Rows+r] = o.factors[g]
			if l.mins {
				s[(l.groups+g)*Rows+r] = o.lows[g]
			}
		}
	} else {
		binary.LittleEndian.PutUint16(s[2*r:], o.scale)
		if l.mins {
			binary.LittleEndian.PutUint16(s[2*Rows+2*r:], o.low)
		}
	}
	l.putQuants(dst[l.quantAt(k, b):][:l.quantBytes()], 4*r, &o.words)
}

// putQuants writes the words of a row, at byte r of each vector. The low four bits of two groups of four share a vector, the fifth
// bits of all groups another; of six bits, the high two of four groups. Two bits are as those.
func (l *layout) putQuants(q []byte, r int, w *[8]uint32) {
	word := func(v int, x uint32) { binary.LittleEndian.PutUint32(q[v*vector+r:], x) }
	twos := func(at int, shift uint) {
		word(at, w[0]>>shift&low2|w[1]>>shift&low2<<2|w[2]>>shift&low2<<4|w[3]>>shift&low2<<6)
		word(at+1, w[4]>>shift&low2|w[5]>>shift&low2<<2|w[6]>>shift&low2<<4|w[7]>>shift&low2<<6)
	}
	bit := func(at int, shift uint) {
		h := uint32(0)
		for g, x := range w {
			h |= x >> shift & ones4 << g
		}
		word(at, h)
	}
	switch l.bits {
	case 8:
		for g, x := range w {
			word(g, x)
		}
		return
	case 2:
		twos(0, 0)
		return
	case 3:
		twos(0, 0)
		bit(2, 2)
		return
	}
	for v := range 4 {
		a, b := l.pair(v)
		word(v, w[a]&low4|w[b]&low4<<4)
	}
	switch l.bits {
	case 5:
		bit(4, 4)
	case 6:
		twos(4, 4)
	}
}

// pair is which groups of four have the low and the high nibbles of a vector. Where the block has two scales, the first
// vectors have what belongs to the first.
func (l *layout) pair(v int) (low, high int) {
	if l.groups == 2 {
		return 2 * v, 2*v + 1
	}
	return v, v + 4
}

func word32(b []byte, i int) uint32   { return binary.LittleEndian.Uint32(b[4*i:]) }
func halfBits(b []byte, i int) uint16 { return binary.LittleEndian.Uint16(b[i:]) }

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
	e := uint16(src[0])
	o.scale = (e - 1) << 7
	if e < 2 {
		o.scale = 0x20 << e // below the normal numbers
	}
	o.nibbles(src[1:17])
}
