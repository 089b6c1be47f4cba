package tune

import (
	"context"
	"testing"
)

func TestFit(t *testing.T) {
	m := tiny(t)
	a, err := LoRA(m, LoRAOptions{Rank: 8, Targets: []string{"**.q_proj", "**.v_proj", "**.down_proj"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Fit(context.Background(), m, Text("aaaaabbbbbaaaaabbbbb"), Options{Steps: 150, LR: 0.02})
	if err != nil || r.Final >= 0.5*r.First {
		t.Fatalf("%v to %v, %v", r.First, r.Final, err)
	}
	_ = a
}
