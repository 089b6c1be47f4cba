package cpu

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Counts of what is not zero are bytes 0 and 1, added in bytes as long as they cannot overflow.

const countLanes = 512

// counting counts what a test of a slice finds.
func counting[T, R any](test func(z []uint8, x []T), done func(int64, int) R) folder[T, int64, R] {
	var one T
	size := int(unsafe.Sizeof(one))
	return folder[T, int64, R]{join: add[int64], done: done,
		run: func(a int64, x []T) int64 {
			buf := floatTiles.Get().(*floatTile)
			defer floatTiles.Put(buf)
			t := elems[uint8](unsafe.Pointer(buf), 2*countLanes)
			found, sum := t[:countLanes], t[countLanes:]
			for len(x) > 0 {
				clear(sum)
				for k := 0; k < math.MaxUint8 && len(x) > 0; k++ {
					n := min(countLanes, len(x))
					test(found[:n], x[:n])
					simd.AddU8(sum[:n], sum[:n], found[:n])
					x = x[n:]
				}
				a += sumBytes(sum)
			}
			return a
		},
		cols: func(acc []int64, p unsafe.Pointer, stride, rows int) {
			buf := floatTiles.Get().(*floatTile)
			defer floatTiles.Put(buf)
			w := len(acc)
			t := elems[uint8](unsafe.Pointer(buf), 2*w)
			found, sum := t[:w], t[w:]
			for r := 0; r < rows; {
				clear(sum)
				for end := min(rows, r+math.MaxUint8); r < end; r++ {
					test(found, unsafe.Slice((*T)(unsafe.Add(p, r*stride*size)), w))
					simd.AddU8(sum, sum, found)
				}
				for j, v := range sum {
					acc[j] += int64(v)
				}
			}
		}}
}

// sumBytes adds bytes, of which there are a multiple of eight.
func sumBytes(x []uint8) int64 {
	const even = 0x00ff00ff00ff00ff
	s := uint64(0) // four sums of 16 bits
	for ; len(x) >= 8; x = x[8:] {
		w := binary.LittleEndian.Uint64(x)
		s += w&even + w>>8&even // of countLanes bytes each gets an eighth, twice: less than 2^15
	}
	return int64(s&0xffff + s>>16&0xffff + s>>32&0xffff + s>>48)
}

func countComplex[T complex64 | complex128, R any](done func(int64, int) R) folder[T, int64, R] {
	return folder[T, int64, R]{join: add[int64], done: done,
		run: func(a int64, x []T) int64 {
			for _, v := range x {
				if v != 0 {
					a++
				}
			}
			return a
		},
		cols: colsOf(func(acc []int64, x []T) {
			for j, v := range x {
				if v != 0 {
					acc[j]++
				}
			}
		})}
}

// nonzeroHalf finds half-type elements other than zeros of either sign.
func nonzeroHalf(z []uint8, x []uint16) {
	var t [countLanes]uint16
	for len(x) > 0 {
		n := min(len(x), countLanes)
		simd.AbsHalfU16(t[:n], x[:n])
		simd.NonzeroU16(z[:n], t[:n])
		z, x = z[n:], x[n:]
	}
}

func countTable[R any](done func(int64, int) R) *byType {
	t := new(byType)
	for d := dtype.Bool; d < dtype.N; d++ {
		switch d.Size() {
		case 1:
			t[d] = counting(simd.NonzeroU8, done).reducer()
		case 2:
			t[d] = counting(simd.NonzeroU16, done).reducer()
		case 4:
			t[d] = counting(simd.NonzeroI32, done).reducer()
		case 8:
			t[d] = counting(simd.NonzeroI64, done).reducer()
		}
	}
	t[dtype.BFloat16] = counting(nonzeroHalf, done).reducer()
	t[dtype.Float16] = t[dtype.BFloat16]
	t[dtype.Float32], t[dtype.Float64] = counting(simd.NonzeroF32, done).reducer(), counting(simd.NonzeroF64, done).reducer()
	t[dtype.Complex64] = countComplex[complex64](done).reducer()
	t[dtype.Complex128] = countComplex[complex128](done).reducer()
	return t
}
