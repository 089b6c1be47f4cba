package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// prepare lets peers that compile do so once, all at the same time, before anything is timed: they keep what they compiled on
// disk. Workloads that take gigabytes get a process each, which ends. Lucid does not take part: it chooses algorithms by the
// clock, with the device to itself.
func (d *driver) prepare(table []workload) error {
	begin := time.Now()
	var wg sync.WaitGroup
	errs := make([]error, len(d.peers))
	for i, p := range d.peers[1:] {
		wg.Go(func() {
			if errs[i] = p.start(); errs[i] != nil || !p.compiles {
				return
			}
			for _, w := range table {
				if !w.Heavy {
					d.tryOnce(p, w.Name)
				}
			}
		})
		for _, w := range table {
			if p.compiles && w.Heavy {
				wg.Go(func() {
					alone := &peer{Key: p.Key, Name: p.Name, command: p.command, env: p.env}
					defer alone.stop()
					if alone.start() == nil {
						d.tryOnce(alone, w.Name)
					}
				})
			}
		}
	}
	wg.Wait()
	fmt.Printf("peers compiled in %v\n", time.Since(begin).Round(time.Second))
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: %w", d.peers[i+1].Name, err)
		}
	}
	return nil
}

// tryOnce has a worker run a workload; whether it can is said when it is measured.
func (d *driver) tryOnce(p *peer, name string) {
	if name == "start" { // a process of its own
		return
	}
	var t timing
	begin := time.Now()
	_ = p.ask(name+" 1", &t)
	fmt.Printf("  %s %s: %v %s\n", p.Name, name, time.Since(begin).Round(100*time.Millisecond), t.Error)
}

// startAll starts the processes side by side: some take seconds to import what they need.
func (d *driver) startAll() error {
	errs := make([]error, len(d.peers))
	var wg sync.WaitGroup
	for i, p := range d.peers {
		wg.Go(func() { errs[i] = p.start() })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: %w", d.peers[i].Name, err)
		}
	}
	return nil
}

// memory is the most memory a worker has had, in bytes, or what it holds of the GPU's; 0 where the system does not tell.
func (d *driver) memory(p *peer) int64 {
	if p.process == nil {
		return 0
	}
	if d.device == "" {
		return p.peak()
	}
	out, err := exec.Command("nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits").Output()
	if err != nil {
		return 0
	}
	return onGPU(string(out), p.process.Process.Pid)
}

// onGPU finds the bytes of a process in the answer of nvidia-smi: a line "pid, MiB" for each.
func onGPU(list string, pid int) int64 {
	for line := range strings.Lines(list) {
		who, n, _ := strings.Cut(strings.TrimSpace(line), ",")
		mib, err := strconv.ParseInt(strings.TrimSpace(n), 10, 64)
		if err == nil && strings.TrimSpace(who) == strconv.Itoa(pid) {
			return mib << 20
		}
	}
	return 0
}

// caches are where peers keep what they compiled, for the time of a run.
func caches() (env []string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "lucid-bench")
	if err != nil {
		return nil, nil, err
	}
	return []string{"TORCHINDUCTOR_CACHE_DIR=" + dir + "/inductor", "JAX_COMPILATION_CACHE_DIR=" + dir + "/jax",
		"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0"}, func() { os.RemoveAll(dir) }, nil
}
