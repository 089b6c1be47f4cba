package main

import (
	"strings"
	"testing"
)

// TestQuickstart runs the program the README shows, and asks for what it promises.
func TestQuickstart(t *testing.T) {
	if testing.Short() {
		var b strings.Builder
		run(&b, 3)
		if got := b.String(); strings.Count(got, "loss") != 3 || !strings.Contains(got, "accuracy: ") {
			t.Errorf("printed:\n%s", got)
		}
		return
	}
	var b strings.Builder
	if unseen := run(&b, 400); unseen < 0.95 {
		t.Errorf("%.3f of unseen points told apart, want 0.95; printed:\n%s", unseen, &b)
	}
}
