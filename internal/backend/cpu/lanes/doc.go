// Package lanes factors batches of small real matrices, one matrix in each lane of vector registers: 16 of float32 or 8 of float64 at
// once with AVX-512, half as many with AVX2.
//
// Matrices are interleaved: a cell, which is a vector, has the same element of all of them. All lanes do the same operations, so what a
// matrix gives depends neither on its lane nor on the others; where matrices differ in what they need (row exchanges, rotations of
// an iteration), the lanes that need nothing are masked. Machines without these vectors have New return nil.
package lanes
