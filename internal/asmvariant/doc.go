// Package asmvariant lists the assembly variants of each routine, so that
// tests can run every one of them and the Go twin too.
//
// A package of kernels registers each variant in its init function, with the
// flag its dispatch reads:
//
//	var useAVX2 = cpuid.X86.AVX2 && cpuid.X86.FMA
//
//	func init() { asmvariant.Register("gemm", "float32/avx2", &useAVX2) }
//
// A variant is named routine/feature. Registering a variant whose flag is false
// says that it was built but this machine lacks the feature; tests report that,
// and fail if LUCID_REQUIRE names the feature.
//
// Outside tests nothing here is used after initialisation: dispatch reads plain
// bools. Select writes them, so a test that selects must not run in parallel with
// others of its package.
package asmvariant
