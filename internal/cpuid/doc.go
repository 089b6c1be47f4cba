// Package cpuid says which vector instructions this machine has and the
// operating system saves.
//
// The answer is computed once, when the package is initialised, and does not
// change afterwards. A feature is reported only if both the processor and the
// operating system support it (on amd64 the register state is checked with
// XGETBV).
//
// The environment variable LUCID_CPU lowers what is reported, for tests and for
// hunting wrong results:
//
//	LUCID_CPU=generic   report nothing: every kernel runs its Go twin
//	LUCID_CPU=avx2      AVX2, FMA and F16C at most
//	LUCID_CPU=avx512    AVX-512 and its extensions, no AMX
//
// It never adds a feature the machine does not have. On arm64 only "generic"
// has a meaning. With the build tag purego nothing is reported.
package cpuid
