package qmm

import (
	"encoding/binary"
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
)

// Products with rows of bfloat16 and float16, as files have them: activations stay float32, and weights are widened in registers. An
// element of y is the sum of eight lanes, element i of the rows in lane i%8, each by fused multiply-adds; the lanes are added as a
// tree, neighbours first, then the elements behind the last eight. So bits depend on nothing but the two rows.

// ColumnsByRows is how many rows of weights ByRows takes together.
const ColumnsByRows = 4

const (
	rowsMost = 3 // rows of x that a kernel takes
	rowsWide = 8 // those of AVX-512
	lanes    = 8
)

type rowsKernel func(steps int, x *float32, xs int, w *byte, ws int, y *float32, ys int)

// HasRows reports whether ByRows has assembly here for rows of that type.
func HasRows(t ggml.Type) bool { return useAVX2 && rowsKernels[t] != nil }

// ByRows computes y[i*ys+j] for m rows of k elements in x and n rows of k elements of type t, BF16 or F16, in w.
func ByRows(t ggml.Type, m, n, k int, x []float32, w []byte, y []float32, ys int) {
	if m == 0 || n == 0 {
		return
	}
	_, _, _ = x[:m*k], w[:2*n*k], y[:(m-1)*ys+n] // kernels do not check
	steps, most := k/lanes, rowsMost
	if useRows512 {
		most = rowsWide
	}
	for i := 0; i < m; i += most {
		rows := min(most, m-i)
		for j := 0; j < n; j += ColumnsByRows {
			if !HasRows(t) || n < ColumnsByRows || steps == 0 {
				for r := range rows {
					for c := range min(ColumnsByRows, n-j) {
						y[(i+r)*ys+j+c] = lanesSum(t, x[(i+r)*k:][:steps*lanes], w[2*(j+c)*k:])
					}
				}
				continue
			}
			at := min(j, n-ColumnsByRows) // the last ones may be computed twice
			rowsKernels[t][rows-1](steps, &x[i*k], 4*k, &w[2*at*k], 2*k, &y[i*ys+at], 4*ys)
		}
	}
	if rest := steps * lanes; rest < k {
		for i := range m {
			for j := range n {
				for p := rest; p < k; p++ {
					y[i*ys+j] = fma(x[i*k+p], element(t, w[2*(j*k+p):]), y[i*ys+j])
				}
			}
		}
	}
}

// element reads a number.
func element(t ggml.Type, b []byte) float32 {
	u := binary.LittleEndian.Uint16(b)
	if t == ggml.BF16 {
		return math.Float32frombits(uint32(u) << 16)
	}
	return dtype.F16(u).Float32()
}

// lanesSum is the Go version of the kernels.
func lanesSum(t ggml.Type, x []float32, w []byte) float32 {
	var s [lanes]float32
	for i, v := range x {
		s[i%lanes] = fma(v, element(t, w[2*i:]), s[i%lanes])
	}
	return float32(float32(s[0]+s[1])+float32(s[2]+s[3])) + float32(float32(s[4]+s[5])+float32(s[6]+s[7]))
}
