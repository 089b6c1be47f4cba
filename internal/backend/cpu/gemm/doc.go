// Package gemm multiplies matrices: C = A·B or C += A·B, in float32, float64,
// bfloat16 and float16. It knows slices and strides, not tensors.
//
// # Shapes
//
// A is m by k and B is k by n, both with any non-negative row and column stride,
// so that transposes and views need no copy. C is m by n, row-major with a row stride.
//
// # Order of summation
//
// Each element of C is summed in one order that depends on k alone. k is cut into
// equal chunks (see chunk); within a chunk products are added one after the other
// with fused multiply-adds, starting from zero; the sums of the chunks are added to C
// from first to last. Every path keeps this order: packed, direct, row vector, any
// tile size, AVX-512, AVX2 and NEON. So a row of the result has the same bits whatever
// m is, and bits do not depend on the number of threads. Only the Go twin on machines
// without fused multiply-add rounds differently, and AVX512_BF16 and AMX, which take
// bfloat16 in pairs: there the order is that of pairs, and the bound of bf16.go holds.
//
// # How a product is computed
//
// A register tile of C, for example 14 rows by 32 columns on AVX-512, is computed by an
// assembly kernel that broadcasts scalars of A and reads vectors of B. The kernel
// takes A with any strides and B with any row stride, so small and skinny products run
// on the operands in place (small.go, direct.go). Large ones are copied into
// panels, chunk by chunk, so that caches and TLB see sequential memory (packed.go). A
// few rows times a matrix read B once, at the speed of memory: in whole rows if it is stored
// so (rowvec.go), else by kernels that transpose it in registers (the dots of macrokernel.go). A
// product with only a few columns is computed as its transpose.
//
// Half types are widened to float32 while they are packed, or in the kernel (half.go).
// With AVX512_BF16 bfloat16 is packed in pairs instead, at twice the rate (bf16.go), and
// AMX takes the same panels in larger tiles (amx_amd64.go).
//
// # Epilogues
//
// Bias, activation, residual and scale are what follows a product element by element. An
// Epilogue is a function that is called once for each part of C that is finished, with
// the part and its position, while the part is still in a near cache: a few rows by up to 256
// columns for large products, all of C for tiny ones. It may change the part in place
// or write what it makes of it elsewhere. The parts cover C, each element once, but how
// C is cut depends on the number of threads, so only what is done element by element keeps
// the bits independent of it. Calls may run at the same time on different parts. package cpu hands parts on to
// the elementwise programs that consume a product (matmulThen).
//
// The assembly is written by internal/backend/cpu/asmgen, a module of its own; its test fails if a file is not up to date. go
// generate writes the files:
//
//	go generate ./internal/backend/cpu/gemm
//
// Rows are split evenly: 64 rows are 13+13+13+13+12, never 14·4+8, so that no tile is
// small. Work is cut into blocks of C and handed to the caller's parallel loop; no sum is
// cut, so that the cut decides speed only. One kernel call takes a few microseconds, so that the
// collector never waits for assembly.
package gemm

//go:generate go -C ../asmgen test . -generate
