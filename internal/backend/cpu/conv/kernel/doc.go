// Package kernel has the micro-kernels of convolution: direct, by output positions, NHWC and depthwise. It knows slices, strides
// and offsets of taps, not tensors. What is a plain product of matrices is in package gemm.
//
// # Order of summation
//
// Each sum runs over taps and channels in one order, which the comment of its function gives, by fused multiply-adds that start
// from zero. All instruction sets keep it, so bits depend neither on the machine nor on how the output is cut into tiles. Only
// the Go twin on machines without fused multiply-add rounds differently.
//
// Kernels are chosen by gemm.ISA: the variants of package gemm switch both.
//
// The assembly is written by internal/backend/cpu/asmgen, a module of its own, together with that of package gemm:
//
//	go generate ./internal/backend/cpu/conv/kernel
package kernel

//go:generate go -C ../../asmgen test . -generate
