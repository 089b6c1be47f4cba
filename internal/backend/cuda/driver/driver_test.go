package driver

import (
	"errors"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/fault"
)

// TestOpen opens the first device, or checks that the error lists what was tried.
func TestOpen(t *testing.T) {
	d, err := Open(0)
	asmvariant.Feature("cuda", err == nil)
	if err != nil {
		if !errors.Is(err, fault.SentinelOf(fault.Device)) || !strings.Contains(err.Error(), "cuda") {
			t.Errorf("%v", err)
		}
		t.Logf("SKIP: %v", err)
		asmvariant.Require(t, "cuda")
	}
	t.Logf("%s, driver %d at %s, compute capability %d.%d, %d multiprocessors", d.Name, Version, Path, d.Major, d.Minor, d.SMs)
	p, err := d.Alloc(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	in, out := make([]byte, 1<<20), make([]byte, 1<<20)
	for i := range in {
		in[i] = byte(i * 7)
	}
	if err := errors.Join(d.Upload(p, in), d.Download(out, p, 0)); err != nil {
		t.Fatal(err)
	}
	if string(in) != string(out) {
		t.Error("memory comes back changed")
	}
	if err := errors.Join(d.Release(p), d.Trim()); err != nil {
		t.Error(err)
	}
	if _, err := d.Alloc(1 << 50); !errors.Is(err, fault.SentinelOf(fault.OutOfMemory)) ||
		!strings.Contains(err.Error(), "CUDA_ERROR_OUT_OF_MEMORY") {
		t.Errorf("a petabyte: %v", err)
	}
	if _, err := d.Load([]byte("no module"), "x"); !errors.Is(err, fault.SentinelOf(fault.Device)) {
		t.Errorf("a bad module: %v", err)
	}
	if _, err := Open(1000); !errors.Is(err, fault.SentinelOf(fault.Device)) {
		t.Errorf("device 1000: %v", err)
	}
}
