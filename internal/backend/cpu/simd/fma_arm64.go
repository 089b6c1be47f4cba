package simd

// fma is a*b + c rounded once. On arm64 the compiler fuses the two; TestFma would
// tell if it stopped doing so.
func fma(a, b, c float32) float32 { return a*b + c }
