package cuda

import "math/bits"

// Transforms of our own, where cuFFT is missing: passes of Stockham's algorithm in global memory, and Bluestein's for lengths with a
// large prime factor. They are right, and not fast.

// largestRadix is the largest prime factor that has a pass of its own.
const largestRadix = 61

// radicesOf returns the prime factors of n, but 4 rather than 2 twice; ok is false if one is too large.
func radicesOf(n int) (list []int, ok bool) {
	for n%4 == 0 {
		list, n = append(list, 4), n/4
	}
	for p := 2; p <= largestRadix && n > 1; p++ {
		for n%p == 0 {
			list, n = append(list, p), n/p
		}
	}
	return list, n == 1
}

// ownRows transforms contiguous rows; from and to may be the same.
func (x *transform) ownRows(rows, n int, inverse bool, from, to uintptr) error {
	radices, ok := radicesOf(n)
	if !ok {
		return x.bluestein(rows, n, inverse, from, to)
	}
	bytes := rows * n * x.complex.Size()
	if len(radices) == 0 {
		return x.Device.Copy(to, from, bytes)
	}
	other, err := x.get(bytes)
	if err != nil {
		return err
	}
	// The last pass writes to `to`; a pass never reads what it writes.
	at, next := to, other
	if len(radices)%2 == 1 {
		at, next = other, to
	}
	if from == to && next == to {
		if err := x.Device.Copy(other, from, bytes); err != nil {
			return err
		}
		from = other
	}
	done := 1
	for i, r := range radices {
		source := at
		if i == 0 {
			source = from
		}
		p := fftParams{rows: rows, n: n, in: source, out: next, inverse: inverse, radix: r, done: done}
		if err := x.launchFFT("fft_pass", rows*n, p); err != nil {
			return err
		}
		at, next, done = next, at, done*r
	}
	return nil
}

// bluestein makes transforms of any length a convolution, whose length is a power of two.
func (x *transform) bluestein(rows, n int, inverse bool, from, to uintptr) error {
	size := 1 << bits.Len(uint(2*n-2))
	p := fftParams{rows: rows, n: n, size: size, inverse: inverse}
	signal, err := x.get(rows * size * x.complex.Size())
	if err != nil {
		return err
	}
	filter, err := x.get(size * x.complex.Size())
	if err != nil {
		return err
	}
	step := func(name string, count int, in, out uintptr) error {
		p.in, p.out = in, out
		return x.launchFFT(name, count, p)
	}
	if err := step("chirp_filter", size, 0, filter); err != nil {
		return err
	}
	if err := x.ownRows(1, size, false, filter, filter); err != nil {
		return err
	}
	if err := step("chirp_in", rows*size, from, signal); err != nil {
		return err
	}
	if err := x.ownRows(rows, size, false, signal, signal); err != nil {
		return err
	}
	p.with = filter
	if err := step("chirp_product", rows*size, signal, signal); err != nil {
		return err
	}
	if err := x.ownRows(rows, size, true, signal, signal); err != nil {
		return err
	}
	return step("chirp_out", rows*n, signal, to)
}

// ownToHalf and ownFromHalf transform between real rows and half spectra by way of whole ones.
func (x *transform) ownToHalf(rows, n int, from, to uintptr) error {
	whole, err := x.get(rows * n * x.complex.Size())
	if err != nil {
		return err
	}
	p := fftParams{rows: rows, n: n, bins: n/2 + 1, in: from, out: whole}
	if err := x.launchFFT("fft_widen", rows*n, p); err != nil {
		return err
	}
	if err := x.ownRows(rows, n, false, whole, whole); err != nil {
		return err
	}
	p.in, p.out = whole, to
	return x.launchFFT("fft_first", rows*p.bins, p)
}

func (x *transform) ownFromHalf(rows, n int, from, to uintptr) error {
	whole, err := x.get(rows * n * x.complex.Size())
	if err != nil {
		return err
	}
	p := fftParams{rows: rows, n: n, bins: n/2 + 1, in: from, out: whole}
	if err := x.launchFFT("fft_whole", rows*n, p); err != nil {
		return err
	}
	if err := x.ownRows(rows, n, true, whole, whole); err != nil {
		return err
	}
	p.in, p.out = whole, to
	return x.launchFFT("fft_real", rows*n, p)
}
