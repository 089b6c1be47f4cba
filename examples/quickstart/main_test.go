package main

import (
	"strings"
	"testing"
)

// TestQuickstart runs the program the README shows, and asks for what it promises.
func TestQuickstart(t *testing.T) {
	var b strings.Builder
	if unseen := run(&b, 1000); unseen < 0.95 {
		t.Errorf("%.3f of unseen points told apart, want 0.95; printed:\n%s", unseen, &b)
	}
	if got := b.String(); strings.Count(got, "  loss ") != 11 || !strings.Contains(got, "accuracy: ") {
		t.Errorf("printed:\n%s", got)
	}
}
