package main

import (
	"os"
	"testing"
	"time"
)

// TestSettle: threads that spin are waited for, but not for ever, and where the system does not tell the wait is a fixed one.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		spin, want time.Duration
		tells      bool
	}{
		{0, settleTime + settleLook, true},
		{200 * time.Millisecond, 210 * time.Millisecond, true},
		{time.Hour, settleMost, true},
		{time.Hour, settleTime, false},
	} {
		var now time.Duration
		settleBy(func() (time.Duration, bool) { return 2 * min(now, c.spin), c.tells }, func(d time.Duration) { now += d })
		if now != c.want {
			t.Errorf("threads that spin for %v: waited for %v, want %v", c.spin, now, c.want)
		}
	}
}

// TestThreadTime: what a process computes is seen.
func TestThreadTime(t *testing.T) {
	was, ok := threadTime(os.Getpid())
	if !ok {
		t.Skip("the system does not tell the processor time of threads")
	}
	for begin := time.Now(); ; {
		if now, _ := threadTime(os.Getpid()); now > was+settleIdle {
			return
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("a minute of work is not seen")
		}
	}
}
