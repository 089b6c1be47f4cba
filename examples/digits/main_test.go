package main

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestDigits(t *testing.T) {
	var b strings.Builder
	right, err := run(context.Background(), &b, 5)
	if err != nil || right < 0.93 {
		t.Errorf("%.3f right, %v; printed:\n%s", right, err, &b)
	}
	if strings.Count(b.String(), "images/s") != 5 || !strings.Contains(b.String(), ", taken for a ") && right < 1 {
		t.Errorf("printed:\n%s", &b)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := run(ctx, &b, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
