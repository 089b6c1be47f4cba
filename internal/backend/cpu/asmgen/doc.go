// Package asmgen writes the assembly of internal/backend/cpu/gemm, of internal/backend/cpu/conv/kernel and of
// internal/backend/cpu/qmm.
//
// The generator is a test: go test in this folder fails if a file on disk differs
// from what the generator writes, and go test -generate writes it. It is a module
// of its own, so that nothing here is ever part of a program.
//
// One description gives all kernels: an ISA (avx512, avx2) times an element type
// (float32, float64) times a tile of mr rows by nv vectors.
package asmgen
