// Package fft has the discrete Fourier transforms of the CPU device: of any length, of complex numbers, of real ones, and back.
//
// Transforms run side by side, one in each lane of a vector: element j of all of them is two vectors, the real and the imaginary
// parts. So no butterfly needs a shuffle, and a row's bits depend on the row alone, not on its position or its neighbours. A
// length is factored into the radices 2, 3, 4, 5, 7, 8, 11 and 13, and passes of Stockham's form run from one buffer to
// the other. A length with another prime factor is a convolution (Bluestein's form) of a length without one.
//
// One long row is a matrix whose columns are transformed, multiplied by roots of unity and transformed along the other side (the
// four-step form), so that lanes are full and pieces fit in the cache.
//
// The inverse is the transform of swapped parts, swapped again; all tables are of the forward direction.
package fft
