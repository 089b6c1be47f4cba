package exec

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// countingFuser counts the programs it prepares.
type countingFuser struct {
	backend.Fuser
	n int
}

func (f *countingFuser) Prepare(p *backend.Fused) {
	f.n++
	p.Prep, p.HorizontalKey = fmt.Sprint("program ", f.n), fmt.Sprint("key ", f.n)
}

// TestPreparedOnce: programs of the same code are prepared once, whatever their shape; those that differ in anything else are not mixed up.
func TestPreparedOnce(t *testing.T) {
	fuser := &countingFuser{}
	d, other := &backend.Device{Fuser: fuser}, &backend.Device{Fuser: fuser}
	base := func() *backend.Fused {
		return &backend.Fused{Shape: shape.Of("test", 2), DTypes: []dtype.DType{dtype.Float32, dtype.Float32, dtype.Float64}, In: 1,
			Instrs: []backend.Instr{{Op: "exp", Dst: 1, Src: [3]int{0, -1, -1}},
				{Op: "cast", Attr: attr.Cast{To: dtype.Float64}, Dst: 2, Src: [3]int{1, -1, -1}}},
			Out: []int{2}, Reduction: &backend.Reduction{Op: "sum", Attr: attr.Axes{Axes: attr.MakeInts(0)}, Src: 2}}
	}
	changes := []func(f *backend.Fused){
		func(f *backend.Fused) {},
		func(f *backend.Fused) { f.Instrs[0].Op = "sin" },
		func(f *backend.Fused) { f.Instrs[1].Src[0] = 0 },
		func(f *backend.Fused) { f.Instrs[1].Attr = attr.Cast{To: dtype.Float32} },
		func(f *backend.Fused) { f.DTypes[0] = dtype.Float16 },
		func(f *backend.Fused) { f.Out = []int{1, 2} },
		func(f *backend.Fused) { f.Reduction = nil },
		func(f *backend.Fused) { f.Reduction.Op = "amax" },
		func(f *backend.Fused) { f.Reduction.Src = 1 },
		func(f *backend.Fused) { f.Reduction.Attr = attr.Axes{Axes: attr.MakeInts(0), Keep: true} },
		func(f *backend.Fused) { f.Reduction.Next = &backend.Reduction{Op: "sum", Src: 1} },
	}
	prepared := func(dev *backend.Device, change func(f *backend.Fused), n int) string {
		f := base()
		f.Shape = shape.Of("test", n)
		change(f)
		prepare(dev, f)
		return fmt.Sprint(f.Prep, f.HorizontalKey)
	}
	seen := map[string]bool{}
	for _, dev := range []*backend.Device{d, other} {
		for i, change := range changes {
			first := prepared(dev, change, 3)
			if seen[first] {
				t.Errorf("program %d is taken for another one: %s", i, first)
			}
			seen[first] = true
			if again := prepared(dev, change, 4); again != first {
				t.Errorf("program %d is prepared again: %s, then %s", i, first, again)
			}
		}
	}
	// Numbers in attributes that are equal need not be the same.
	zero := func(f *backend.Fused) {
		f.Instrs[0] = backend.Instr{Op: "softplus", Attr: attr.Softplus{}, Dst: 1, Src: [3]int{0, -1, -1}}
	}
	minus := func(f *backend.Fused) {
		zero(f)
		f.Instrs[0].Attr = attr.Softplus{Threshold: math.Copysign(0, -1)}
	}
	if prepared(d, zero, 3) == prepared(d, minus, 3) {
		t.Error("a program with -0 is taken for one with 0")
	}
	// What a device decides about a product depends on its shape.
	product := func(f *backend.Fused) { f.Producer = &backend.Producer{Op: "matmul"} }
	if prepared(d, product, 3) == prepared(d, product, 4) {
		t.Error("the program of a product is prepared for one shape alone")
	}
	// The cache is bounded, and goes on when it is full.
	for i := range 3 * maxPrepared {
		change := func(f *backend.Fused) { f.Instrs[0].Op = fmt.Sprint("op", i) }
		if first := prepared(d, change, 3); prepared(d, change, 4) != first || preparedPrograms.count > maxPrepared {
			t.Fatalf("program %d: prepared again, or %d are stored", i, preparedPrograms.count)
		}
	}
	for i := range 3 * maxSameHash { // the same hash
		change := func(f *backend.Fused) { f.Reduction.Attr = attr.Axes{Axes: attr.MakeInts(i)} }
		if first := prepared(d, change, 3); prepared(d, change, 4) != first {
			t.Fatalf("axis %d: prepared again", i)
		}
	}
}
