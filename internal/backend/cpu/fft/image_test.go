package fft

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/testutil/fence"
)

func checkImage[T floats](t *testing.T, slices func(number, n int) []T, rows, n int, inverse bool) {
	x, y, m := slices(0, rows*n), slices(1, rows*(n+2)), n/2+1
	copy(x, random[T](len(x)))
	h := Half{n, inverse, 0.5, 2}
	want := make([]T, len(y))
	err := errors.Join(ToHalf(serial, want, x, Rows{Outer: rows, Inner: 1}, h),
		Complex(serial, want, want, Rows{Outer: 1, Inner: m}, rows, inverse, 1))
	if err != nil {
		t.Fatal(err)
	}
	for i := range y {
		y[i] = 7
	}
	if !HalfImage(y, x, rows, h, x) {
		if vectorBytes() == 64 && hasTensors[T]() {
			t.Errorf("%T: no kernel for %d rows of %d", T(0), rows, n)
		}
		return
	}
	sameBits(t, fmt.Sprintf("%T: %d rows of %d, inverse %v", T(0), rows, n, inverse), y, want)
}

// TestHalfImage: images that one function transforms have the bits of those of rows and columns, and nothing behind them is written or
// read.
func TestHalfImage(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(string) {
		single, double := fence.Slices[float32](t, 512*258), fence.Slices[float64](t, 512*258)
		for _, rows := range []int{96, 128, 160, 256, 512, 1024} {
			for _, n := range []int{256, 512, 768} {
				for _, inverse := range []bool{false, true} {
					if rows*n <= 512*256 {
						checkImage(t, single, rows, n, inverse)
						checkImage(t, double, rows, n, inverse)
					}
				}
			}
		}
	})
}

// TestHalfImageElsewhere: results that do not begin at a line of the cache, and sizes without a kernel, are refused before anything is
// written.
func TestHalfImageElsewhere(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(name string) {
		for _, c := range []struct{ rows, n, off int }{{256, 256, 2}, {64, 256, 0}, {100, 256, 0}, {509, 256, 0}, {256, 250, 0}} {
			x := random[float32](c.rows * c.n)
			buf, back := borrow[float32](c.rows*(c.n+2) + c.off)
			defer back()
			y := buf[c.off:]
			clear(y)
			if HalfImage(y, x, c.rows, Half{c.n, false, 1, 1}, x) {
				t.Errorf("%s: %v is no image for the kernel", name, c)
			}
			for _, v := range y {
				if v != 0 {
					t.Fatalf("%s: %v: the result was written", name, c)
				}
			}
		}
	})
}

func checkTightFences[T floats](t *testing.T) {
	l := lanesOf[T]()
	slices := fence.Slices[T](t, 512*(3*2*l+2))
	for _, rows := range []int{128, 512} { // the last radix is 4, 8
		p := planOf[T](rows)
		st := &p.passes[len(p.passes)-1]
		if !st.hasTight() {
			continue
		}
		for _, groups := range []int{1, 3} {
			pitch := groups * 2 * l
			x, y, last := slices(0, rows*pitch), slices(1, rows*(pitch+2)), slices(2, 2*rows)
			copy(x, random[T](len(x)))
			copy(last, random[T](len(last)))
			tightFast(st, y, x, last, slices(3, st.radix*64/(vectorBytes()/l)), groups, pitch, false)
			want := make([]T, 2*l)
			for r := range rows {
				sameBits(t, "last bin", y[r*(pitch+2)+pitch:][:2], last[2*r:][:2])
			}
			column := make([]T, rows*2*l) // the first one alone
			for r := range rows {
				copy(column[r*2*l:][:2*l], x[r*pitch:])
			}
			z := make([]T, len(column))
			st.run(l, z, column, once, swaps{}, nil)
			for r := range rows {
				join(want, z[r*2*l:], 2*l, 1)
				sameBits(t, fmt.Sprintf("%T: row %d of %d", T(0), r, rows), y[r*(pitch+2):][:2*l], want)
			}
		}
	}
}

// TestTightFences: the last pass of an image touches nothing behind its operands.
func TestTightFences(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(string) {
		checkTightFences[float32](t)
		checkTightFences[float64](t)
	})
}
