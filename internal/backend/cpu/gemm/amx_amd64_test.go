//go:build amd64 && !purego

package gemm

import (
	"testing"

	"github.com/lucid-go/lucid/internal/impl"
)

// emulatedAMX does what the kernels do, in Go, reading the shapes as the processor does: what
// surrounds the kernels is tested on machines without AMX too.
func emulatedAMX(t *testing.T, rt, ct int) func(full, tail *tileShape, steps, rest int, a []float32, ars int, b []float32, brs int, c []float32, crs int, add bool) {
	return func(full, tail *tileShape, steps, rest int, a []float32, ars int, b []float32, brs int, c []float32, crs int, add bool) {
		shapes := make([]*tileShape, 0, steps+1)
		for range steps {
			shapes = append(shapes, full)
		}
		if rest > 0 {
			shapes = append(shapes, tail)
		}
		for i := range rt {
			for j := range ct {
				for r := range int(full.rows[2*i+j]) {
					for col := range int(full.colBytes[2*i+j]) / 4 {
						at := (16*i+r)*crs + 16*j + col
						if !add {
							c[at] = 0
						}
						for s, shape := range shapes {
							if shape.palette != 1 || int(shape.rows[6+j])*4 != int(shape.colBytes[4+i]) || shape.rows[4+i] != full.rows[2*i+j] {
								t.Fatal("shapes of tiles do not fit")
							}
							var even, odd float32
							for q := range int(shape.rows[6+j]) {
								x := halfView(a[(16*i+r)*ars+16*s+q:][:1])
								y := halfView(b[(16*s+q)*brs+16*j+col:][:1])
								even += widenOne(bfloat16, x[0]) * widenOne(bfloat16, y[0])
								odd += widenOne(bfloat16, x[1]) * widenOne(bfloat16, y[1])
							}
							c[at] += even + odd
						}
					}
				}
			}
		}
	}
}

// TestEmulatedAMX runs the engine of AMX on emulated kernels.
func TestEmulatedAMX(t *testing.T) {
	if !usePairs && !useAVX512 {
		t.Skip("packing needs AVX-512")
	}
	kernels, engine, use := amxKernels, amxPairsEngine, useAMX
	defer func() { amxKernels, amxPairsEngine, useAMX = kernels, engine, use }()
	for rt := 1; rt <= 2; rt++ {
		for ct := 1; ct <= 2; ct++ {
			amxKernels[rt][ct] = emulatedAMX(t, rt, ct)
		}
	}
	amxPairsEngine, useAMX = newAMX(*amxPairsEngine), true
	if !amxWorks() {
		t.Error("amxWorks refuses the emulation")
	}
	right := amxKernels[2][1]
	amxKernels[2][1] = func(full, tail *tileShape, steps, rest int, a []float32, ars int, b []float32, brs int, c []float32, crs int, add bool) {
		right(full, tail, steps, 0, a, ars, b, brs, c, crs, add)
	}
	if amxWorks() {
		t.Error("amxWorks does not see that a tail is missing")
	}
	amxKernels[2][1] = right
	testHalf(t, bfloat16, 4)
	testHalfRows(t)
}

// TestAMX holds the instruction against its emulation.
func TestAMX(t *testing.T) {
	restore, ok := impl.Select("gemm", "gemm/amx")
	if !ok {
		t.Skip("no AMX")
	}
	defer restore()
	for rows := 1; rows <= amxRows; rows++ {
		for _, kc := range []int{1, 7, 16, 33, 64} {
			for nv := 1; nv <= 2; nv++ {
				for _, add := range []bool{false, true} {
					checkAMX(t, rows, nv, kc, add)
				}
			}
		}
	}
}

// checkAMX uses small whole numbers, of which every sum is exact.
func checkAMX(t *testing.T, rows, nv, kc int, add bool) {
	a, b := make([]float32, rows*(kc+3)), make([]float32, kc*32)
	for _, x := range [][]float32{a, b} {
		for i, h := 0, halfView(x); i < len(h); i++ {
			h[i] = halve(bfloat16, []float32{float32(i*7%13 - 6)})[0]
		}
	}
	got, want := make([]float32, rows*40), make([]float32, rows*40)
	for i := range got {
		got[i], want[i] = float32(i%5), float32(i%5)
	}
	amxPairsEngine.tiles[nv][rows](kc, a, kc+3, 1, b, 32, got, 40, 16*nv, add)
	full, tail := shapeTiles(rows, amxPairs), shapeTiles(rows, max(1, kc%amxPairs))
	emulatedAMX(t, ceilDiv(rows, 16), nv)(&full, &tail, kc/amxPairs, kc%amxPairs, a, kc+3, b, 32, want, 40, add)
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("rows %d, vectors %d, kc %d, add %v: c[%d] = %v, want %v", rows, nv, kc, add, i, got[i], want[i])
		}
	}
}
