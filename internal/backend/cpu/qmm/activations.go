package qmm

import (
	"encoding/binary"
	"math"

	"github.com/lucid-go/lucid/internal/ggml"
)

// A record is 32 elements of a row of activations: 32 int8, the scale, two numbers for the groups of the weights, padding.
const (
	recordBytes = 48
	scaleOf     = 32
	groupOf     = 36
)

// lift is what AVX2 takes off from five bits that have a minimum instead of an offset.
const lift = 16

const (
	infinite = 0x7f800000
	tiniest  = 0x03800000 // 2^-120: below it the elements count as zero, as 127 over the largest of them would be infinite
)

// RecordBytes is the size of a row of k activations.
func RecordBytes(k int) int { return k / block * recordBytes }

// QuantizeRows converts rows of k elements, for products with weights of a format. An element that is infinite or not a number
// makes the products of its row NaN.
func QuantizeRows(t ggml.Type, dst []byte, x []float32, k int) {
	l := layouts[t]
	blocks := len(x) / block
	dst, x = dst[:blocks*recordBytes], x[:blocks*block]
	if blocks == 0 {
		return
	}
	switch {
	case l.wide():
		quantizeAVX512(blocks, &dst[0], &x[0], l.offset, l.groups)
		return
	case useAVX2:
		quantizeAVX2(blocks, &dst[0], &x[0], l.taken(), l.groups, l.mins)
		return
	}
	for b := range blocks {
		l.quantize(dst[b*recordBytes:][:recordBytes], x[b*block:][:block])
	}
}

// taken is what the sums of AVX2 in 16 bits have taken off from quants: see asmgen.
func (l *layout) taken() int {
	switch {
	case l.bits == 5 && l.mins:
		return lift
	case l.bits == 8 && l.mins:
		return 1 // times 128: these sums have 32 bits
	case l.offset == 128:
		return 0 // and these
	}
	return l.offset
}

// quantize makes one record.
func (l *layout) quantize(dst []byte, x []float32) {
	largest := uint32(0)
	for _, v := range x {
		largest = max(largest, math.Float32bits(v)&^(1<<31))
	}
	amax := math.Float32frombits(largest)
	scale, inverse := amax/127, 127/amax
	switch {
	case largest >= infinite:
		inverse = 0
	case largest < tiniest:
		scale, inverse = 0, 0
	}
	var sums [2]int32
	for i, v := range x {
		q := int32(0)
		if inverse != 0 {
			q = int32(math.RoundToEven(float64(v * inverse)))
		}
		dst[i] = byte(q)
		sums[i/16] += q
	}
	binary.LittleEndian.PutUint32(dst[scaleOf:], math.Float32bits(scale))
	if l.groups == 1 {
		sums[0], sums[1] = sums[0]+sums[1], 0
	}
	for g, s := range sums {
		word := uint32(-s * int32(l.offset))
		if l.mins {
			word = math.Float32bits(scale * float32(s))
		}
		binary.LittleEndian.PutUint32(dst[groupOf+4*g:], word)
	}
	clear(dst[groupOf+8:])
}
