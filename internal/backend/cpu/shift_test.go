package cpu

import (
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dtype"
)

// Equal counts are shifted by words, others by a vector kernel; the result is that of single elements, for every count and length.
func TestShifts(t *testing.T) {
	testShifts[uint8](t, dtype.Uint8)
	testShifts[uint16](t, dtype.Uint16)
	testShifts[uint32](t, dtype.Uint32)
	testShifts[uint64](t, dtype.Uint64)
	testShifts[int8](t, dtype.Int8)
	testShifts[int16](t, dtype.Int16)
	testShifts[int32](t, dtype.Int32)
	testShifts[int64](t, dtype.Int64)
}

func testShifts[T integers](t *testing.T, d dtype.DType) {
	const most = 37
	var x, y, z [most]T
	for i := range x {
		x[i] = T(uint64(i*i+1) * 0x9e3779b97f4a7c15 >> 11)
	}
	in := []dtype.DType{d, d}
	left, right := blockFor("bitwise_left_shift", d, in), blockFor("bitwise_right_shift", d, in)
	bits := 8 * int(unsafe.Sizeof(x[0]))
	for n := 1; n <= most; n++ {
		for count := -1; count <= bits+1; count++ {
			for odd := range 3 { // the last count differs, or all do
				for i := range y {
					y[i] = T(count)
				}
				if odd > 0 {
					y[n-1]++
				}
				for i := 0; odd == 2 && i < n; i++ {
					y[i] += T(i)
				}
				left(n, unsafe.Pointer(&z), unsafe.Pointer(&x), unsafe.Pointer(&y), nil, nil)
				for i, v := range z[:n] {
					if want := x[i] << uint64(y[i]); v != want {
						t.Fatalf("%T: element %d of %d: %d << %d is %d, not %d", v, i, n, x[i], y[i], v, want)
					}
				}
				right(n, unsafe.Pointer(&z), unsafe.Pointer(&x), unsafe.Pointer(&y), nil, nil)
				for i, v := range z[:n] {
					if want := x[i] >> uint64(y[i]); v != want {
						t.Fatalf("%T: element %d of %d: %d >> %d is %d, not %d", v, i, n, x[i], y[i], v, want)
					}
				}
			}
		}
	}
}
