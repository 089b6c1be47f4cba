// Package lapack factors dense matrices: LU, Cholesky, QR, eigenvalues, singular values. It knows slices and strides, and
// nothing of tensors or devices.
//
// Matrices are stored row by row; ld is the distance between rows in elements. Large matrices are cut so that nearly all of the
// work is in matrix products, which the caller provides (Product). A Solver holds these and scratch memory, and is used by
// one goroutine at a time. The order of all sums depends on sizes alone.
//
// Small dense problems that a factorisation ends with (tridiagonal, bidiagonal, Hessenberg) are solved in float64 for every
// element type.
package lapack
