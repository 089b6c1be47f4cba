package gemm

// Number is an element type that Go multiplies and adds.
type Number interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64 | complex64 | complex128
}

// Axpy adds a scaled row: z[j] += x·b[j].
func Axpy[T Number](z []T, x T, b []T) {
	b = b[:len(z)]
	for j := range z {
		z[j] += x * b[j]
	}
}

// Axpy4 adds four scaled rows, in order.
func Axpy4[T Number](z []T, x0, x1, x2, x3 T, b0, b1, b2, b3 []T) {
	b0, b1, b2, b3 = b0[:len(z)], b1[:len(z)], b2[:len(z)], b3[:len(z)]
	for j := range z {
		z[j] = z[j] + x0*b0[j] + x1*b1[j] + x2*b2[j] + x3*b3[j]
	}
}
