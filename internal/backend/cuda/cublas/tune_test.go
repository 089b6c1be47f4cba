package cublas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/dtype"
)

// BenchmarkAlgorithms times each algorithm the library lists for bfloat16 products of random numbers: the best run, and one
// of many in a row.
func BenchmarkAlgorithms(b *testing.B) {
	d, err := driver.Open(0)
	asmvariant.Feature("cuda", err == nil)
	if err != nil {
		b.Logf("SKIP: %v", err)
		asmvariant.Require(b, "cuda")
	}
	h, err := New(d)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1024, 4096, 8192} {
		algorithms(b, h, n)
	}
}

func algorithms(b *testing.B, h *Handle, n int) {
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	var at [3]uintptr
	for i := range at {
		p, err := h.d.Alloc(2 * n * n)
		must(err)
		defer h.d.Release(p)
		at[i] = p
		data := make([]uint16, n*n)
		for k := range data { // from 1 to 2, of either sign
			data[k] = uint16(rand.Uint32())&0x807f | 0x3f80
		}
		must(h.d.Upload(p, dtype.Bytes(data)))
	}
	m := Matrix{Row: n, Column: 1}
	p, o := Product{DType: dtype.BFloat16, Batch: 1, M: n, N: n, K: n, X: m, Y: m, Pitch: n,
		Align: [3]int{256, 256, 256}}, Operands{Z: at[0], X: at[1], Y: at[2]}
	l, err := h.plan(p, true, o)
	must(err)
	list, err := h.candidates(l, p)
	must(err)
	w, err := h.watch()
	must(err)
	defer w.close()
	runs := max(1, int(2e13/(2*float64(n)*float64(n)*float64(n)))) // about 30 ms
	for round := range 3 {
		for i := range list {
			c := &list[i]
			if h.launch(h.d, l, &c.algo, o) != 0 {
				continue
			}
			one, err := h.took(w, l, &c.algo, o, 1)
			must(err)
			all, err := h.took(w, l, &c.algo, o, runs)
			must(err)
			chosen := ""
			if c.algo == l.algo {
				chosen = "chosen"
			}
			fmt.Printf("%d³, round %d, algorithm %2d: %.1f µs once, %.1f µs in a row of %d, workspace %d, %.2f waves %s\n", n, round, i,
				1e3*one, 1e3*all/float64(runs), runs, c.workspace, c.waves, chosen)
		}
	}
}
