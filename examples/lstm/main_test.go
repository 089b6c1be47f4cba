package main

import (
	"strings"
	"testing"
)

func TestLSTM(t *testing.T) {
	var b strings.Builder
	if e := run(&b, 200, 32); e > 0.05 {
		t.Errorf("the forecast is off by %.4f; printed:\n%s", e, &b)
	}
	if !strings.Contains(b.String(), "*") || !strings.Contains(b.String(), "·") {
		t.Errorf("printed:\n%s", &b)
	}
}
