package bench

import (
	"slices"
	"testing"
)

// TestReasons: every reason and every share of the limit belongs to a workload, which carries it.
func TestReasons(t *testing.T) {
	named := func(name string) (w Workload) {
		if i := slices.IndexFunc(All(), func(w Workload) bool { return w.Name == name }); i >= 0 {
			w = All()[i]
		}
		return w
	}
	for name, why := range reasons {
		if w := named(name); w.Goal == 0 && w.Within == 0 || w.Reason != why {
			t.Errorf("%s: no such workload with a goal", name)
		}
	}
	for name, share := range shares {
		if w := named(name); w.Limit == "" || w.Share != share {
			t.Errorf("%s: no such workload with a limit", name)
		}
	}
}
