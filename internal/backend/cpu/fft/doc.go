// Package fft has the discrete Fourier transforms of the CPU device: of any length, of complex numbers, of real ones, and back.
//
// Transforms run side by side, one in each lane of a vector: element j of all of them is two vectors, the real and the imaginary
// parts. So no butterfly needs a shuffle, and a row's bits depend on the row alone, not on its position or its neighbours. A
// length is factored into the radices 2, 3, 4, 5, 7, 8, 11 and 13, and passes of Stockham's form run from one buffer to
// the other. A length with another prime factor is a convolution (Bluestein's form) of a length without one.
//
// A long row is a matrix whose columns are transformed, multiplied by roots of unity and transformed along the other side (the
// four-step form), so that lanes are full and pieces fit in the cache. Which form a row has depends on its length alone. Where a few
// shorter rows would leave lanes empty, vectors have neighbouring elements of one row; the arithmetic is the same, and so are the bits.
// With assembly the same holds for all rows that are one behind the other, of multiples of 64 elements (float32 with AVX-512: of 128) or
// convolutions of such a length: they need no transposition. Passes read and write tensors themselves, and ask for the lines of the next
// rows, or, with AVX-512, write large results around the cache. There, rows of 128, 256 and 512 numbers in float32 get all passes from one
// kernel, in which a row's last pass and the next one's first alternate: memory is read and written while others are computed.
// Real images are stored around the cache by the last pass of their columns, which shifts the bins of rows to whole lines: a row has a bin
// more than lines.
//
// AVX2 and AVX-512 do the same operations, so they give the same bits; Go, which has no fused multiply-add of its own, rounds more often.
//
// The inverse is the transform of swapped parts, swapped again; all tables are of the forward direction.
package fft

//go:generate go -C asmgen test . -generate
