//go:build purego || !(amd64 || arm64)

package gemm

// ISA is the instruction set of float32 and float64 that is switched on: there is none.
func ISA() InstructionSet { return Generic }

func engine32() *engine[float32] { return generic32 }
func engine64() *engine[float64] { return generic64 }

// engineBF16 is the engine of bfloat16 in pairs: there is none.
func engineBF16() *engine[float32] { return nil }

// enginePairRows is the engine of BFloat16Rows: there is none.
func enginePairRows() *engine[float32] { return nil }

// engineInt8 is the engine of int8 in VNNI layout: there is none.
func engineInt8() *engine[float32] { return nil }

// engineInt32 and engineInt64 are nil: there are no kernels of whole numbers.
func engineInt32() *engine[float32] { return nil }
func engineInt64() *engine[float64] { return nil }
