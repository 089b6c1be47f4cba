package cpu

import (
	"math"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/par"
)

// Softmax of float64.

var largestF64 = treeExtremum(maxOf(math.Inf(-1)).run, simd.MaxF64)

// softmaxRows64 goes over dense rows of float64 by vectors.
func softmaxRows64(c *backend.Ctx, x, z []float64, rows, n int, logs bool) error {
	per := max(1, softmaxElems/(4*n))
	return c.For((rows+per-1)/per, func(b int) {
		for r := b * per; r < min((b+1)*per, rows); r++ {
			from, to := x[r*n:(r+1)*n], z[r*n:(r+1)*n]
			m := largestF64(math.Inf(-1), from)
			if logs {
				s := 0.0
				overTiles(from, from, func(x, _, t []float64) {
					simd.AddScalarF64(t, x, -m)
					simd.ExpF64(t, t)
					for _, v := range t {
						s += v
					}
				})
				simd.AddScalarF64(to, from, -m)
				simd.AddScalarF64(to, to, -math.Log(s))
				continue
			}
			simd.AddScalarF64(to, from, -m)
			simd.ExpF64(to, to)
			simd.ScaleF64(to, to, 1/simd.SumF64(to))
		}
	})
}

// softmax64 is the float64 form, one row after the other.
func softmax64(c *backend.Ctx, x, z []float64, outer, n, inner int, logs bool) error {
	if inner == 1 && n >= runFrom && n <= softmaxElems {
		return softmaxRows64(c, x, z, outer, n, logs)
	}
	if inner > 1 {
		return softmaxColumns64(c, x, z, outer, n, inner, logs)
	}
	per := max(1, softmaxElems/(8*n))
	rows := outer * inner
	return c.For((rows+per-1)/per, func(b int) {
		for r := b * per; r < min((b+1)*per, rows); r++ {
			at := r/inner*n*inner + r%inner
			m, s := math.Inf(-1), 0.0
			for k := range n {
				if v := x[at+k*inner]; v > m || v != v {
					m = v
				}
			}
			for k := range n {
				e := math.Exp(x[at+k*inner] - m)
				s += e
				if !logs {
					z[at+k*inner] = e
				}
			}
			l := math.Log(s)
			for k := range n {
				if logs {
					z[at+k*inner] = x[at+k*inner] - m - l
				} else {
					z[at+k*inner] /= s
				}
			}
		}
	})
}

// softmaxColumns64 goes down groups of neighbouring columns, without a copy.
func softmaxColumns64(c *backend.Ctx, x, z []float64, outer, n, inner int, logs bool) error {
	const width = 128
	tiles := (inner + width - 1) / width
	return c.For(outer*tiles, func(b int) {
		var tops, sums, tmp [width]float64
		at := b/tiles*n*inner + b%tiles*width
		w := min(width, inner-b%tiles*width)
		m, s, t := tops[:w], sums[:w], tmp[:w]
		row := func(v []float64, k int) []float64 { return v[at+k*inner:][:w] }
		pace := par.NewPace()
		copy(m, row(x, 0))
		for k := 1; k < n; k++ {
			simd.MaxF64(m, m, row(x, k))
		}
		for k := range n {
			to := row(z, k)
			simd.SubF64(to, row(x, k), m)
			if logs {
				simd.ExpF64(t, to)
				simd.AddF64(s, s, t)
			} else {
				simd.ExpF64(to, to)
				simd.AddF64(s, s, to)
			}
			pace.Step()
		}
		if logs {
			simd.LogF64(s, s)
		}
		for k := range n {
			to := row(z, k)
			if logs {
				simd.SubF64(to, to, s)
			} else {
				simd.DivF64(to, to, s)
			}
		}
	})
}
