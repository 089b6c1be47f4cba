package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// After a parallel loop OpenMP's threads look for the next one: GNU's for some milliseconds, Intel's for a fifth of a second, and with
// OMP_WAIT_POLICY=active for ever. What another process times meanwhile shares a processor with them, a slice of some milliseconds each.

const (
	settleTime = 20 * time.Millisecond  // what every worker gets
	settleLook = 10 * time.Millisecond  // between two looks at the processor time of its threads
	settleMost = 500 * time.Millisecond // of one that does not come to rest
	settleIdle = time.Millisecond       // processor time between two looks of a process at rest
)

// settle waits until the threads of a process have come to rest.
func settle(pid int) { settleBy(func() (time.Duration, bool) { return threadTime(pid) }, time.Sleep) }

// settleBy is settle for what tells the processor time, and what waits.
func settleBy(used func() (sum time.Duration, ok bool), sleep func(time.Duration)) {
	sleep(settleTime)
	was, ok := used()
	for waited := settleTime; ok && waited < settleMost; waited += settleLook {
		sleep(settleLook)
		now, _ := used()
		if now-was < settleIdle {
			return
		}
		was = now
	}
}

// threadTime is the processor time that the threads of a process have had; ok is false where the system does not tell.
func threadTime(pid int) (sum time.Duration, ok bool) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, name := range files {
		b, err := os.ReadFile(name)
		var ns int64
		if n, _ := fmt.Sscan(string(b), &ns); err == nil && n == 1 {
			sum, ok = sum+time.Duration(ns), true
		}
	}
	return sum, ok
}
