package ggml

import (
	_ "embed"
	"encoding/binary"
	"math/bits"
	"slices"
)

// The IQ formats of one to three bits store indices into fixed tables of points; signs and scales are stored apart.
// grids.bin holds the tables, packed to two or four bits a coordinate (scripts/golden_ggml/make.py).
//
//go:embed grids.bin
var packedGrids []byte

var (
	grid2XXS, grid2XS, grid2S, grid1 [][8]int8
	grid3XXS, grid3S                 [][4]int8
)

func init() {
	rest := packedGrids
	two := func(points int, values [4]int8) (g [][8]int8) {
		g = make([][8]int8, points)
		for i := range g {
			for j := range 8 {
				g[i][j] = values[rest[j/4]>>(j%4*2)&3]
			}
			rest = rest[2:]
		}
		return g
	}
	four := func(points int, values [8]int8) (g [][4]int8) {
		g = make([][4]int8, points)
		for i := range g {
			for j := range 4 {
				g[i][j] = values[rest[j/2]>>(j%2*4)&7]
			}
			rest = rest[2:]
		}
		return g
	}
	levels := [4]int8{0x08, 0x19, 0x2b}
	grid2XXS, grid2XS, grid2S = two(256, levels), two(512, levels), two(1024, levels)
	grid1 = two(2048, [4]int8{-1, 0, 1})
	grid3XXS = four(256, [8]int8{0x04, 0x0c, 0x14, 0x1c, 0x24, 0x2c, 0x34, 0x3e})
	grid3S = four(512, [8]int8{1, 3, 5, 7, 9, 11, 13, 15})
}

// evenSigns completes seven stored sign bits: the eighth makes their number even.
func evenSigns(seven uint32) byte {
	s := byte(seven & 127)
	return s | byte(bits.OnesCount8(s)&1)<<7
}

// signed writes db times the points, negated where a bit is set.
func signed(dst []float32, db float32, points []int8, signs byte) {
	for i, p := range points {
		v := float32(db * float32(p))
		if signs>>i&1 != 0 {
			v = v * -1
		}
		dst[i] = v
	}
}

func deqIQ2XXS(dst []float32, src []byte) {
	d := half(src)
	for g := range 8 {
		indices, word := src[2+g*8:6+g*8], binary.LittleEndian.Uint32(src[6+g*8:])
		db := float32(d*(0.5+float32(word>>28))) * 0.25
		for k, index := range indices {
			signed(dst[g*32+k*8:], db, grid2XXS[index][:], evenSigns(word>>(7*k)))
		}
	}
}

func deqIQ2XS(dst []float32, src []byte) {
	d, scales := half(src), src[66:74]
	for k := range 32 { // runs of 8; two share a scale
		word := binary.LittleEndian.Uint16(src[2+2*k:])
		db := float32(d*(0.5+float32(scales[k/4]>>(k/2%2*4)&15))) * 0.25
		signed(dst[k*8:], db, grid2XS[word&511][:], evenSigns(uint32(word>>9)))
	}
}

func deqIQ2S(dst []float32, src []byte) {
	d, qs, signs, high, scales := half(src), src[2:34], src[34:66], src[66:74], src[74:82]
	for k := range 32 {
		db := float32(d*(0.5+float32(scales[k/4]>>(k/2%2*4)&15))) * 0.25
		index := int(qs[k]) | int(high[k/4]>>(k%4*2)&3)<<8
		signed(dst[k*8:], db, grid2S[index][:], signs[k])
	}
}

func deqIQ3XXS(dst []float32, src []byte) {
	d, qs, words := half(src), src[2:66], src[66:98]
	for k := range 32 {
		word := binary.LittleEndian.Uint32(words[k/4*4:])
		db := float32(d*(0.5+float32(word>>28))) * 0.5
		signs := evenSigns(word >> (7 * (k % 4)))
		signed(dst[k*8:], db, grid3XXS[qs[2*k]][:], signs)
		signed(dst[k*8+4:], db, grid3XXS[qs[2*k+1]][:], signs>>4)
	}
}

func deqIQ3S(dst []float32, src []byte) {
	d, qs, high, signs, scales := half(src), src[2:66], src[66:74], src[74:106], src[106:110]
	for k := range 64 { // runs of 4
		db := d * float32(1+2*int(scales[k/16]>>(k/8%2*4)&15))
		index := int(qs[k]) | int(high[k/8]>>(k%8)&1)<<8
		signed(dst[k*4:], db, grid3S[index][:], signs[k/2]>>(k%2*4))
	}
}

// shifted writes dl times the points moved by an eighth.
func shifted(dst []float32, dl float32, points *[8]int8, negative bool) {
	delta := float32(0.125)
	if negative {
		delta = -delta
	}
	for i, p := range points {
		dst[i] = dl * (float32(p) + delta)
	}
}

func deqIQ1S(dst []float32, src []byte) {
	d, qs := half(src), src[2:34]
	for g := range 8 {
		high := binary.LittleEndian.Uint16(src[34+2*g:])
		dl := d * float32(2*(high>>12&7)+1)
		for k := range 4 {
			index := int(qs[g*4+k]) | int(high>>(3*k)&7)<<8
			shifted(dst[g*32+k*8:], dl, &grid1[index], high&0x8000 != 0)
		}
	}
}

func deqIQ1M(dst []float32, src []byte) {
	qs, high := src[:32], src[32:48]
	var scales [4]uint16
	bitsOfScale := uint16(0) // the block's float16 is spread over the high bits of the four words
	for i := range scales {
		scales[i] = binary.LittleEndian.Uint16(src[48+2*i:])
		bitsOfScale |= scales[i] >> 12 << (4 * i)
	}
	d := half([]byte{byte(bitsOfScale), byte(bitsOfScale >> 8)})
	for k := range 32 { // runs of 8; two share a scale
		dl := d * float32(2*(scales[k/8]>>(k/2%4*3)&7)+1)
		h := high[k/2] >> (k % 2 * 4)
		shifted(dst[k*8:], dl, &grid1[int(qs[k])|int(h&7)<<8], h&8 != 0)
	}
}

// PackedGrid is the table of points of a format as the file holds it, a point in 16 bits: two bits for each of 8 coordinates, or four
// for each of 4. It is nil for formats without one.
func PackedGrid(t Type) []uint16 {
	from, points := 0, 0
	for _, g := range []struct {
		points int
		types  []Type
	}{{256, []Type{IQ2XXS}}, {512, []Type{IQ2XS}}, {1024, []Type{IQ2S}}, {2048, []Type{IQ1S, IQ1M}}, {256, []Type{IQ3XXS}},
		{512, []Type{IQ3S}}} {
		if slices.Contains(g.types, t) {
			points = g.points
			break
		}
		from += g.points
	}
	if points == 0 {
		return nil
	}
	grid := make([]uint16, points)
	for i := range grid {
		grid[i] = binary.LittleEndian.Uint16(packedGrids[2*(from+i):])
	}
	return grid
}
