package main

import (
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

func TestCustom(t *testing.T) {
	var b strings.Builder
	if inside := run(&b, 1200); inside < 0.72 || inside > 0.88 {
		t.Errorf("%.3f of the points are between the curves, want 0.8; printed:\n%s", inside, &b)
	}
}

// TestParts asks that the layer's parameter is found, and that the function has its own gradient.
func TestParts(t *testing.T) {
	if d := nn.StateDict(NewWaves(3)); d.Len() != 1 || d.Names()[0] != "frequency" {
		t.Error(d)
	}
	x := lucid.New([]float32{1, 2}, 2).RequiresGrad_(true)
	gentle(x)[0].Mul(lucid.New([]float32{5, 0.5}, 2)).Sum().Backward()
	if g := lucid.ToSlice[float64](x.Grad()); g[0] != 1 || g[1] != 0.5 {
		t.Error(g)
	}
	if got := Pinball(lucid.Zeros(2), lucid.New([]float32{1, -1}, 2), 0.9).Item(); got < 0.499 || got > 0.501 {
		t.Error(got)
	}
}
