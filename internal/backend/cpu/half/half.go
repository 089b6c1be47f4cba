// Package half converts elements of half types, float16 and bfloat16, to float32 and back.
package half

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// atOnce is how many elements are rounded in one call.
const atOnce = 64 << 10

// Widen converts to float32, which is exact.
func Widen(d dtype.DType, z []float32, x []uint16) {
	if d == dtype.BFloat16 {
		simd.BF16ToF32(z, x)
		return
	}
	simd.F16ToF32(z, x)
}

// Narrow rounds float32 to a half type.
func Narrow(d dtype.DType, z []uint16, x []float32) {
	if d == dtype.BFloat16 {
		simd.F32ToBF16(z, x)
		return
	}
	simd.F32ToF16(z, x)
}

// NarrowRows is Narrow for rows by cols elements, rows zrs and xrs apart.
func NarrowRows(d dtype.DType, z []uint16, zrs int, x []float32, xrs, rows, cols int) {
	if n := rows * cols; zrs == cols && xrs == cols && n <= atOnce {
		Narrow(d, z[:n], x[:n])
		return
	}
	for i := range rows {
		Narrow(d, z[i*zrs:][:cols], x[i*xrs:][:cols])
	}
}

// WidenStrided is Widen for elements a step apart.
func WidenStrided(d dtype.DType, z []float32, x []uint16, step int) {
	if step == 1 {
		Widen(d, z, x[:len(z)])
		return
	}
	var tile [128]uint16
	for at := 0; at < len(z); at += len(tile) {
		n := min(len(tile), len(z)-at)
		for i := range tile[:n] {
			tile[i] = x[(at+i)*step]
		}
		Widen(d, z[at:at+n], tile[:n])
	}
}
