package simd

// timesC64 rounds every product of parts: the compiler may not fuse one with the sum.
func timesC64(x, y complex64) complex64 {
	re := float32(real(x)*real(y)) - float32(imag(x)*imag(y))
	return complex(re, float32(real(x)*imag(y))+float32(imag(x)*real(y)))
}
