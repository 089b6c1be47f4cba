package main

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestSettle: a process that computes is waited for, one that sleeps is not.
func TestSettle(t *testing.T) {
	if os.Getenv("SETTLE_TEST") == "spin" {
		for begin := time.Now(); time.Since(begin) < 10*time.Second; {
		}
		return
	}
	if _, ok := threadTime(os.Getpid()); !ok {
		t.Skip("the system does not tell the processor time of threads")
	}
	begin := time.Now()
	sleeper := exec.Command("sleep", "10")
	if err := sleeper.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { sleeper.Process.Kill(); sleeper.Wait() }()
	settle(sleeper.Process.Pid)
	if d := time.Since(begin); d >= settleMost {
		t.Errorf("a process at rest was waited for %v", d)
	}
	spinner := exec.Command(os.Args[0], "-test.run", "^TestSettle$")
	spinner.Env = append(os.Environ(), "SETTLE_TEST=spin")
	if err := spinner.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { spinner.Process.Kill(); spinner.Wait() }()
	time.Sleep(50 * time.Millisecond) // until it computes
	begin = time.Now()
	settle(spinner.Process.Pid)
	if d := time.Since(begin); d < settleMost {
		t.Errorf("a process that computes was waited for %v, want %v", d, settleMost)
	}
}
