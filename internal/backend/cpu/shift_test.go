package cpu

import (
	"testing"
	"unsafe"
)

// Equal counts are shifted by words; the result is that of single elements, for every count and length.
func TestShifts(t *testing.T) {
	testShifts[uint8](t)
	testShifts[uint16](t)
	testShifts[uint32](t)
	testShifts[uint64](t)
	testShifts[int8](t)
	testShifts[int16](t)
	testShifts[int32](t)
	testShifts[int64](t)
}

func testShifts[T integers](t *testing.T) {
	const most = 37
	var x, y, z [most]T
	for i := range x {
		x[i] = T(uint64(i*i+1) * 0x9e3779b97f4a7c15 >> 11)
	}
	bits := 8 * int(unsafe.Sizeof(x[0]))
	for n := 1; n <= most; n++ {
		for count := -1; count <= bits+1; count++ {
			for odd := range 2 { // the last count differs
				for i := range y {
					y[i] = T(count)
				}
				y[n-1] += T(odd)
				shlB[T](n, unsafe.Pointer(&z), unsafe.Pointer(&x), unsafe.Pointer(&y), nil, nil)
				for i, v := range z[:n] {
					if want := x[i] << uint64(y[i]); v != want {
						t.Fatalf("%T: element %d of %d: %d << %d is %d, not %d", v, i, n, x[i], y[i], v, want)
					}
				}
				shrB[T](n, unsafe.Pointer(&z), unsafe.Pointer(&x), unsafe.Pointer(&y), nil, nil)
				for i, v := range z[:n] {
					if want := x[i] >> uint64(y[i]); v != want {
						t.Fatalf("%T: element %d of %d: %d >> %d is %d, not %d", v, i, n, x[i], y[i], v, want)
					}
				}
			}
		}
	}
}
