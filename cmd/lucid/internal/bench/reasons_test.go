package bench

import (
	"slices"
	"testing"
)

// TestReasons: every reason belongs to a workload with a goal, which carries it.
func TestReasons(t *testing.T) {
	for name, why := range reasons {
		i := slices.IndexFunc(All(), func(w Workload) bool { return w.Name == name })
		if i < 0 || All()[i].Goal == 0 || All()[i].Reason != why {
			t.Errorf("%s: no such workload with a goal", name)
		}
	}
}
