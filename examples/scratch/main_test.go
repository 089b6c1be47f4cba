package main

import (
	"strings"
	"testing"
)

func TestScratch(t *testing.T) {
	var b strings.Builder
	if right := run(&b, 1500); right < 0.93 {
		t.Errorf("%.3f right; printed:\n%s", right, &b)
	}
	if !strings.Contains(b.String(), "█") || strings.Count(b.String(), "  loss ") != 11 {
		t.Errorf("printed:\n%s", &b)
	}
}
