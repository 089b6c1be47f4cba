package fft

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/testutil/fence"
)

const pkg = "internal/backend/cpu/fft"

// TestVariants: all assembly and Go give the same results but for roundings, also with strides and few rows.
func TestVariants(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(string) {
		for _, n := range []int{6, 13, 35, 64, 77, 143, 128, 509, 521} {
			for _, s := range []tensor{{1, 1}, {17, 1}, {2, 16}, {1, 35}} {
				checkComplex[float32](t, s, n, true)
				checkComplex[float64](t, s, n, true)
				checkHalf[float32](t, s, n)
				checkHalf[float64](t, s, n)
			}
		}
	})
}

// transformed are a row of every kind of transform over a tensor whose rows are all the same.
func transformed[T floats](t *testing.T, shape tensor, n, r int, inverse bool) []T {
	t.Helper()
	whole, m := random[T](2*n), n/2+1
	spread := func(row []T, width int) []T { // elements of width numbers
		x := make([]T, len(row)*shape.rows())
		for i := range shape.rows() {
			for j := range len(row) / width {
				at := i/shape.inner*len(row)/width*shape.inner + i%shape.inner + j*shape.inner
				copy(x[width*at:][:width], row[width*j:])
			}
		}
		return x
	}
	pick := func(x []T, length, width int) (row []T) {
		for j := range length {
			at := r/shape.inner*length*shape.inner + r%shape.inner + j*shape.inner
			row = append(row, x[width*at:][:width]...)
		}
		return row
	}
	rows, h := Rows{Outer: shape.outer, Inner: shape.inner}, Half{n, inverse, 0.5, 2}
	x := spread(whole, 2)
	bins, back := make([]T, 2*m*shape.rows()), make([]T, n*shape.rows())
	for _, err := range []error{Complex(serial, x, x, rows, n, inverse, 0.5), ToHalf(serial, bins, spread(whole[:n], 1), rows, h),
		FromHalf(serial, back, spread(whole[:2*m], 2), rows, h)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return append(append(pick(x, n, 2), pick(bins, m, 2)...), pick(back, n, 1)...)
}

func sameBits[T floats](t *testing.T, name string, got, want []T) {
	t.Helper()
	for i := range want {
		if math.Float64bits(float64(got[i])) != math.Float64bits(float64(want[i])) {
			t.Fatalf("%s: number %d of %d is %v, want %v", name, i, len(want), got[i], want[i])
		}
	}
}

func checkBits[T floats](t *testing.T, n int) {
	t.Helper()
	for _, inverse := range []bool{false, true} {
		want := transformed[T](t, tensor{1, 1}, n, 0, inverse)
		for _, c := range []struct {
			s tensor
			r int
		}{{tensor{1, 1}, 0}, {tensor{3, 1}, 2}, {tensor{19, 1}, 0}, {tensor{19, 1}, 18}, {tensor{1, 3}, 1}, {tensor{2, 17}, 20},
			{tensor{40, 1}, 33}} {
			got := transformed[T](t, c.s, n, c.r, inverse)
			sameBits(t, fmt.Sprintf("%T: n %d, row %d of %v, inverse %v", T(0), n, c.r, c.s, inverse), got, want)
		}
	}
}

// TestPosition: a row has the same bits alone, among few rows, among many, and whatever its position and its stride are.
func TestPosition(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(string) {
		for _, n := range []int{15, 16, 64, 97, 128, 143, 192, 512, 521, 1000, 1009, 1024, 3000, 5003, 8448, 20000} {
			checkBits[float32](t, n)
			if n < 2000 || !testing.Short() {
				checkBits[float64](t, n)
			}
		}
	})
}

// TestVariantsHaveSameBits: AVX2 and AVX-512 round alike.
func TestVariantsHaveSameBits(t *testing.T) {
	for _, n := range []int{15, 16, 49, 64, 97, 121, 128, 169, 192, 256, 521, 1000, 1024, 3000, 4096, 8448} {
		var single []float32
		var double []float64
		for _, name := range asmvariant.List(pkg) {
			restore, ok := asmvariant.Select(pkg, name)
			if !ok {
				continue
			}
			for _, s := range []tensor{{1, 1}, {17, 1}, {1, 16}} {
				a, b := transformed[float32](t, s, n, 0, false), transformed[float64](t, s, n, 0, true)
				if single == nil {
					single, double = a, b
				}
				sameBits(t, fmt.Sprintf("%s: n %d, %v", name, n, s), a, single)
				sameBits(t, fmt.Sprintf("%s: n %d, %v", name, n, s), b, double)
			}
			restore()
		}
	}
}

func checkFences[T floats](t *testing.T) {
	slices := fence.Slices[T](t, 2*40*1100)
	for _, n := range []int{2, 13, 16, 64, 77, 97, 128, 192, 256, 512, 521, 1024} {
		for _, s := range []tensor{{1, 1}, {3, 1}, {16, 1}, {19, 1}, {1, 16}, {2, 19}} {
			rows, size := Rows{Outer: s.outer, Inner: s.inner}, s.rows()
			x, y := slices(0, 2*size*n), slices(1, 2*size*n)
			copy(x, random[T](len(x)))
			bins, real := slices(2, 2*size*(n/2+1)), slices(3, size*n)
			copy(real, random[T](len(real)))
			for _, err := range []error{Complex(serial, y, x, rows, n, false, 1), ToHalf(serial, bins, real, rows, Half{n, false, 1, 1}),
				FromHalf(serial, real, bins, rows, Half{n, true, 1, 1})} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestFences: nothing behind tensors is read or written.
func TestFences(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(string) {
		checkFences[float32](t)
		checkFences[float64](t)
	})
}

func checkKernelFences[T floats](t *testing.T) {
	l := lanesOf[T]()
	slices := fence.Slices[T](t, 2*16*2200)
	for _, n := range []int{2, 3, 4, 5, 7, 8, 11, 13, 30, 64, 97, 143} {
		p := planOf[T](n)
		x, y := slices(0, p.scratch(l)), slices(1, p.scratch(l))
		copy(x, random[T](len(x)))
		p.run(l, x, y, swaps{}, nil)
	}
	for _, h := range []int{1, 2, 5, 8, 33} {
		x, y, w := slices(0, 2*l*(h+1)), slices(1, 2*l*(h+1)), halfRootsOf[T](2*h)
		copy(x, random[T](len(x)))
		copy(slices(2, len(w)), w)
		w = slices(2, len(w))
		f := factors[T]{1, 1, 1}
		unpack(l, y, x[:2*l*h], w, h, 0, h/2+1, f)
		pack(l, y[:2*l*h], x, w, h, 0, h/2+1, f)
	}
	for _, n := range []int{1, 2, 7} {
		x, w := slices(0, 2*l*n), slices(1, 2*l*n)
		twistLanes(x, w, n, swaps{})
		mulLanes(l, x, x, slices(2, 2*n), n, swaps{})
		splitFast(x, w, 2*l, n)
		joinFast(w, x, 2*l, n)
	}
	for _, blocks := range []int{1, 3} {
		x, w, to := slices(0, 2*l*l*blocks), slices(1, 2*l*l*blocks), slices(2, 2*l*l*blocks)
		copy(x, random[T](len(x)))
		copy(w, random[T](len(w)))
		want := append([]T(nil), x...)
		twistLanes(want, w, blocks*l, swaps{})
		twistTranspose(to, 2*l*l, x, w, blocks)
		for i := range want {
			b, k, part, j := i/(2*l*l), i/(2*l)%l, i/l%2, i%l
			if got := to[2*l*l*b+2*l*j+part*l+k]; got != want[i] {
				t.Fatalf("%T: transposed block %d of %d: element %d, lane %d is %v, want %v", T(0), b, blocks, j, k, got, want[i])
			}
		}
	}
	for _, n := range []int{1, l - 1, l, 3*l + 2} {
		rows, x := slices(0, l*n), slices(1, wholeLanes(n, 2)*l)
		copy(rows, random[T](len(rows)))
		if !fromRows(x, 1, rows, n, n) {
			break
		}
		back := slices(2, l*n)
		toRows(back, n, x, 1, n)
		for i := range rows {
			if x[i%n*l+i/n] != rows[i] || back[i] != rows[i] {
				t.Fatalf("%T: number %d of row %d of %d is wrong in lanes or back", T(0), i%n, i/n, n)
			}
		}
	}
	for _, c := range [][2]int{{1, 1}, {4, 4}, {8, 8}, {8, 16}, {3, 9}, {9, 12}} {
		src, dst := slices(0, c[0]*c[1]), slices(1, c[0]*c[1])
		copy(src, random[T](len(src)))
		transposeFast(dst, c[0], src, c[1], c[0], c[1])
		for i := range c[0] {
			for j := range c[1] {
				if dst[j*c[0]+i] != src[i*c[1]+j] {
					t.Fatalf("%T: transposition of %v: element %d, %d is wrong", T(0), c, i, j)
				}
			}
		}
	}
}

// TestKernelFences: nor behind the buffers and tables of kernels.
func TestKernelFences(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(string) {
		checkKernelFences[float32](t)
		checkKernelFences[float64](t)
	})
}

// TestConvolutionSides: convolutions of long rows have sides that are whole vectors, as packed order needs.
func TestConvolutionSides(t *testing.T) {
	for n := longLength / 2; n < 1<<30; n += n/7 + 1 {
		if a, b := sides(convLength(max(2*n-1, 1<<10), maxLanes*maxLanes)); a%maxLanes != 0 || b%maxLanes != 0 {
			t.Errorf("n %d: sides %d and %d", n, a, b)
		}
	}
}

func checkFrames[T floats](t *testing.T, n int) {
	const step, frames = 24, 11
	slices := fence.Slices[T](t, frames*(n+2))
	x, y := slices(0, (frames-1)*step+n), slices(1, frames*(n+2))
	copy(x, random[T](len(x)))
	h := Half{N: n, Scale: 0.5, Middle: 1}
	if err := ToHalf(serial, y, x, Rows{Outer: frames, Inner: 1, Step: step}, h); err != nil {
		t.Fatal(err)
	}
	for r := range frames {
		want := make([]T, n+2)
		if err := ToHalf(serial, want, x[r*step:][:n], Rows{Outer: 1, Inner: 1}, h); err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprintf("frame %d of %d", r, n), y[r*(n+2):][:n+2], want)
	}
}

// TestFrames: rows that overlap are those of copies.
func TestFrames(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(string) {
		for _, n := range []int{128, 512, 2048} {
			if ReadsFrames[float32](n) {
				checkFrames[float32](t, n)
				checkFrames[float64](t, n)
			}
		}
	})
}

func checkStream[T floats](t *testing.T, s tensor, n int) {
	size := s.rows() * n
	x, _ := borrow[T](2 * size)
	copy(x, random[T](2*size))
	for _, inverse := range []bool{false, true} {
		// Aligned results are stored around the cache; those next to them are not.
		for _, off := range []int{0, 2} {
			want := make([]T, 2*size)
			got, back := borrow[T](2*size + 2)
			defer back()
			rows := Rows{Outer: s.outer, Inner: s.inner}
			half := Half{n, inverse, 0.5, 2}
			m := s.rows() * (n + 2)
			wantBins, gotBins := make([]T, m), make([]T, m)
			err := errors.Join(Complex(serial, want, x, rows, n, inverse, 0.5), ToHalf(serial, wantBins, x[:size], rows, half))
			rows.Stream = true
			err = errors.Join(err, Complex(serial, got[off:][:2*size], x, rows, n, inverse, 0.5),
				ToHalf(serial, gotBins, x[:size], rows, half))
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%T: n %d of %v, inverse %v, from %d", T(0), n, s, inverse, off)
			sameBits(t, name, got[off:][:2*size], want)
			sameBits(t, name, gotBins, wantBins)
		}
	}
}

// TestStream: results that go around the cache have the same bits.
func TestStream(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(string) {
		for _, n := range []int{16, 24, 64, 128, 256, 512, 1000, 8192, 16384} {
			for _, s := range []tensor{{1, 1}, {37, 1}, {1, 32}, {2, 19}} {
				if s.rows()*n > 1<<18 {
					continue
				}
				checkStream[float32](t, s, n)
				checkStream[float64](t, s, n)
			}
		}
	})
}

// TestPitch: rows of bins may be further apart.
func TestPitch(t *testing.T) {
	asmvariant.ForEach(t, pkg, func(name string) {
		const rows, n, pitch = 9, 256, 288
		if !ReadsFrames[float32](n) {
			return
		}
		x := random[float32](rows * n)
		want, got := make([]float32, rows*(n+2)), make([]float32, rows*pitch)
		for i := range got {
			got[i] = 7
		}
		err := errors.Join(ToHalf(serial, want, x, Rows{Outer: rows, Inner: 1}, Half{n, false, 1, 1}),
			ToHalf(serial, got, x, Rows{Outer: rows, Inner: 1, Pitch: pitch}, Half{n, false, 1, 1}))
		if err != nil {
			t.Fatal(err)
		}
		for r := range rows {
			sameBits(t, name, got[r*pitch:][:n+2], want[r*(n+2):][:n+2])
			for _, v := range got[r*pitch+n+2 : (r+1)*pitch] {
				if v != 7 {
					t.Fatalf("%s: something was written between the rows", name)
				}
			}
		}
	})
}
