//go:build !purego && !race

package lanes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/backend/lapack"
)

// TestInRegisters: 4×4 matrices in registers have the bits of those in cells, and nothing outside the operands is touched.
func TestInRegisters(t *testing.T) {
	if !useAVX512 {
		t.Skip("no AVX-512")
	}
	plain := kernels32AVX512
	plain.lu4, plain.solve4 = nil, nil
	fast, slow := New[float32](), &Batch[float32]{k: &plain, lanes: 16}
	if fast.k.lu4 == nil {
		t.Fatal("no kernel")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		x, y := fenced[float32](t, 256, round%2 == 0), fenced[float32](t, 64, round%2 == 0)
		copy(x, some[float32](uint64(round), 16, 4, 4))
		for i := range y {
			y[i] = float32(r.NormFloat64())
		}
		if round%3 == 2 { // singular in some column, and not finite
			for l := range 16 {
				m := x[16*l:][:16]
				for i := range 4 {
					m[4*i+l%4] = 0
				}
				if l%5 == 4 {
					m[r.IntN(16)] = []float32{float32(math.NaN()), float32(math.Inf(1)), math.MaxFloat32}[r.IntN(3)]
				}
			}
		}
		type result struct {
			z, s      []float32
			piv, info []int32
		}
		run := func(b *Batch[float32]) (v result) {
			end := round%2 == 1
			v = result{fenced[float32](t, 256, end), fenced[float32](t, 64, end), fenced[int32](t, 64, end), fenced[int32](t, 16, end)}
			b.LU(4, 4, 16, lapack.Matrices[float32]{Data: x, Stride: 16}, v.z, v.piv, v.info)
			p := v.piv
			if round%4 == 3 { // any rows are allowed
				p = fenced[int32](t, 64, round%2 == 1)
				q := rand.New(rand.NewPCG(uint64(round), 5))
				for i := range p {
					p[i] = q.Int32N(4) + 1
				}
			}
			lu, right := lapack.Matrices[float32]{Data: v.z, Stride: 16}, lapack.Matrices[float32]{Data: y, Stride: 4}
			b.SolveLU(false, 4, 1, 16, lu, p, right, v.s)
			return v
		}
		got, want := run(fast), run(slow)
		if !slices.Equal(got.piv, want.piv) || !slices.Equal(got.info, want.info) {
			t.Fatalf("round %d: pivots %v and info %v, want %v and %v", round, got.piv, got.info, want.piv, want.info)
		}
		same := func(name string, a, b []float32) {
			for i := range a {
				if math.Float32bits(a[i]) != math.Float32bits(b[i]) && !(a[i] != a[i] && b[i] != b[i]) {
					t.Fatalf("round %d: %s, element %d is %v, want %v", round, name, i, a[i], b[i])
				}
			}
		}
		same("LU", got.z, want.z)
		same("solution", got.s, want.s)
	}
}
