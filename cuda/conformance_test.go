package cuda

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/backendtest"
)

// TestConformance holds the GPU against the reference device; what ran on the host for want of a kernel fails it.
//
// Most of its time goes into compiling kernels. LUCID_TEST_PARTS=64 cuts it into so many parts, each a process, as many at a
// time as there are processors, and adds up what they say: the command for a whole run. LUCID_TEST_LOGS names a folder for
// their output.
func TestConformance(t *testing.T) {
	gpu(t)
	if n, err := strconv.Atoi(os.Getenv("LUCID_TEST_PARTS")); err == nil && n > 0 {
		conformanceParts(t, n)
		return
	}
	dev, err := backend.Open("cuda", 0)
	if err != nil {
		t.Fatal(err)
	}
	backendtest.Run(t, dev)
	if ops, _ := Fallbacks(0); len(ops) > 0 {
		t.Errorf("ops that ran on the host: %v", ops)
	}
}

// partResult is what a part of the suite said.
type partResult struct {
	checks, comparisons int
	took                time.Duration
	wrong               string // why it failed
}

var partSummary = regexp.MustCompile(`: (\d+) checks, (\d+) comparisons, (\d+) ops, part`)

func conformanceParts(t *testing.T, n int) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	logs := os.Getenv("LUCID_TEST_LOGS")
	if logs == "" {
		logs = t.TempDir()
	}
	begin, results := time.Now(), make([]partResult, n)
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(n, runtime.NumCPU()) {
		workers.Go(func() {
			for k := range next {
				results[k] = conformancePart(self, filepath.Join(logs, fmt.Sprintf("part%d.log", k)), k, n)
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	workers.Wait()
	var sum partResult
	failed := 0
	for k, r := range results {
		sum.checks, sum.comparisons, sum.took = sum.checks+r.checks, sum.comparisons+r.comparisons, max(sum.took, r.took)
		if r.wrong != "" {
			failed++
			t.Errorf("part %d of %d, after %v: %s", k, n, r.took.Round(time.Second), r.wrong)
		}
	}
	t.Logf("conformance: %d checks, %d comparisons in %d parts, %d parts failed; %v, the longest part %v", sum.checks, sum.comparisons, n, failed, time.Since(begin).Round(time.Second), sum.took.Round(time.Second))
}

// conformancePart runs a part in a process of its own.
func conformancePart(self, log string, k, n int) (r partResult) {
	begin := time.Now()
	c := exec.Command(self, "-test.run", "^TestConformance$", "-test.v", "-test.parallel", "2")
	c.Env = append(os.Environ(), fmt.Sprintf("LUCID_TEST_SHARD=%d/%d", k, n), "LUCID_TEST_PARTS=", "GOMAXPROCS=2")
	out, err := c.CombinedOutput()
	r.took = time.Since(begin)
	if werr := os.WriteFile(log, out, 0o600); werr != nil {
		r.wrong = werr.Error()
	}
	m := partSummary.FindSubmatch(out)
	if m != nil {
		r.checks, _ = strconv.Atoi(string(m[1]))
		r.comparisons, _ = strconv.Atoi(string(m[2]))
	}
	if err != nil || m == nil {
		r.wrong = fmt.Sprintf("%v: %s", err, failures(out))
	}
	return r
}

// failures are the lines of a log that say what failed, or its end.
func failures(log []byte) string {
	var lines []string
	for line := range bytes.Lines(log) {
		s := strings.TrimSpace(string(line))
		said := strings.Contains(s, ".go:") // what a check complained of
		if strings.HasPrefix(s, "--- FAIL") || strings.HasPrefix(s, "panic:") || strings.Contains(s, "differs") || said && !partSummary.MatchString(s) {
			lines = append(lines, s)
		}
	}
	if len(lines) == 0 {
		return string(log[max(0, len(log)-500):])
	}
	return strings.Join(lines[:min(len(lines), 12)], "\n")
}
