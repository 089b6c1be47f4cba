package latency

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Whether a late tick or a long stop is ours or the machine's can be told without its help: the system counts how long
// each thread was ready to run and had no processor. A thread that waits behind another one, or behind a thread of the
// kernel's own, adds to it; one that computes for too long without giving way does not. What the host takes from a virtual
// processor is not counted, and so is held against us.

// disturbed is how long threads may have waited for a processor in a span that counts as undisturbed.
const disturbed = 500 * time.Microsecond

// waitClock sums how long the threads of this process were ready to run and did not. Its files stay open: it is read every
// millisecond. Where the system does not tell, it stays at 0.
type waitClock struct {
	files  map[string]*os.File
	looked time.Time
	text   [64]byte
}

func newWaitClock() *waitClock {
	w := &waitClock{files: map[string]*os.File{}}
	w.look()
	return w
}

// look finds new threads.
func (w *waitClock) look() {
	w.looked = time.Now()
	names, _ := filepath.Glob("/proc/self/task/*/schedstat")
	for _, n := range names {
		if w.files[n] == nil {
			if f, err := os.Open(n); err == nil {
				w.files[n] = f
			}
		}
	}
}

// read is the sum so far.
func (w *waitClock) read() (d time.Duration) {
	if time.Since(w.looked) > 10*time.Millisecond {
		w.look()
	}
	for _, f := range w.files {
		n, _ := f.ReadAt(w.text[:], 0)
		if part := bytes.Fields(w.text[:n]); len(part) >= 2 {
			ns, _ := strconv.ParseInt(string(part[1]), 10, 64)
			d += time.Duration(ns)
		}
	}
	return d
}

func (w *waitClock) close() {
	for _, f := range w.files {
		f.Close()
	}
}

// spans are what was measured over many short spans of time, together and over the undisturbed ones alone.
type spans struct {
	n, calm       int
	longest, ours time.Duration
}

// add counts a span in which something came late, and threads waited for a processor as long as it says.
func (s *spans) add(late, waited time.Duration) {
	s.n++
	s.longest = max(s.longest, late)
	if waited < disturbed {
		s.calm++
		s.ours = max(s.ours, late)
	}
}

func (s spans) String() string {
	return fmt.Sprintf("%v in %d undisturbed of %d", s.ours, s.calm, s.n)
}
