package qmm

import (
	"encoding/binary"
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
)

// The Go versions of the kernels. They compute the same bits as the assembly.

// unpacked is a block of 32 elements of 16 rows.
type unpacked struct {
	quants [block][Rows]byte
	scales [2][Rows]float32
	mins   [2][Rows]float32
}

func half(b []byte, i int) float32 {
	return dtype.F16(binary.LittleEndian.Uint16(b[2*i:])).Float32()
}

// unpack reads block b of a tile of rows of k elements.
func (l *layout) unpack(u *unpacked, tile []byte, k, b int) {
	s, head := tile[l.scaleAt(b):], tile
	if l.scales == superScales {
		head = tile[l.headAt(b):]
	}
	for r := range Rows {
		switch l.scales {
		case halfScales:
			u.scales[0][r] = half(s, r)
			if l.mins {
				u.mins[0][r] = half(s[2*Rows:], r)
			}
		case floatScales:
			u.scales[0][r] = math.Float32frombits(binary.LittleEndian.Uint32(s[4*r:]))
			u.mins[0][r] = math.Float32frombits(binary.LittleEndian.Uint32(s[vector+4*r:]))
		case bfloatScales:
			u.scales[0][r] = dtype.BF16(binary.LittleEndian.Uint16(s[2*r:])).Float32()
		case superScales:
			for g := range l.groups {
				u.scales[g][r] = half(head, r) * float32(int8(s[g*Rows+r]))
				if l.mins {
					u.mins[g][r] = half(head[2*Rows:], r) * float32(s[(l.groups+g)*Rows+r])
				}
			}
		}
	}
	q := tile[l.quantAt(k, b):][:l.quantBytes()]
	for g := range block / 4 {
		for r := range Rows {
			x := l.word(q, 4*r, g)
			for i := range 4 {
				v := byte(x >> (8 * i))
				if l.table != nil {
					v = l.table[v]
				}
				u.quants[4*g+i][r] = v
			}
		}
	}
}

// word is the inverse of putQuants: the four quants of group g at byte r of each vector.
func (l *layout) word(q []byte, r, g int) uint32 {
	at := func(v int) uint32 { return binary.LittleEndian.Uint32(q[v*vector+r:]) }
	switch l.bits {
	case 8:
		return at(g)
	case 2:
		return at(g/4) >> (g % 4 * 2) & low2
	case 3:
		return at(g/4)>>(g%4*2)&low2 | at(2)>>g&ones4<<2
	}
	v, shift := g%4, g/4*4
	if l.groups == 2 {
		v, shift = g/2, g%2*4
	}
	x := at(v) >> shift & low4
	switch l.bits {
	case 5:
		x |= at(4) >> g & ones4 << 4
	case 6:
		x |= at(4+g/4) >> (g % 4 * 2) & low2 << 4
	}
	return x
}

// addBlock adds the products of a block with a record to the sums of 16 rows.
func (l *layout) addBlock(sums *[Rows]float32, u *unpacked, record []byte) {
	d := math.Float32frombits(binary.LittleEndian.Uint32(record[scaleOf:]))
	each := block / l.groups
	for g := range l.groups {
		word := binary.LittleEndian.Uint32(record[groupOf+4*g:])
		for r := range Rows {
			sum := int32(word)
			if l.mins {
				sum = 0
			}
			for i := g * each; i < (g+1)*each; i++ {
				sum += int32(u.quants[i][r]) * int32(int8(record[i]))
			}
			sums[r] = fma(float32(sum), u.scales[g][r]*d, sums[r])
			if l.mins {
				low := u.mins[g][r]
				if l.subtract {
					low = -low
				}
				sums[r] = fma(low, math.Float32frombits(word), sums[r])
			}
		}
	}
}

// fma is a·b + c rounded once. The product is exact in float64; rounding the sum to odd makes the second rounding right.
func fma(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	t := s - p
	lost := (p - (s - t)) + (q - t)
	if u := math.Float64bits(s); lost != 0 && lost == lost && u&1 == 0 {
		if (lost > 0) == (s > 0) {
			u++
		} else {
			u--
		}
		s = math.Float64frombits(u)
	}
	return float32(s)
}
