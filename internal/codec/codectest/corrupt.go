package codectest

import (
	"bytes"
	"errors"
	"io/fs"
	"runtime"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
)

// Corrupt damages file at every byte position (each of a few flips, and every truncation, and bytes appended) and
// parses the result. A damaged file must give a typed error or, unless checked, may parse; it must never panic,
// hang or allocate much more than the file. checked formats carry checksums: there every damage is an error.
func Corrupt(t *testing.T, file []byte, checked bool, parse func([]byte) error) {
	t.Helper()
	if err := parse(file); err != nil {
		t.Fatalf("the undamaged file: %v", err)
	}
	budget := uint64(len(file))*64 + 4<<20
	start := time.Now()
	try := func(what string, at int, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := parse(b)
		runtime.ReadMemStats(&after)
		if err == nil && checked {
			t.Fatalf("%s at %d went unnoticed", what, at)
		}
		if err != nil && !Typed(err) {
			t.Fatalf("%s at %d: untyped error %v", what, at, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > budget {
			t.Fatalf("%s at %d: %d bytes allocated for a file of %d", what, at, n, len(file))
		}
	}
	flips := []byte{0xff, 0x01, 0x80}
	if testing.Short() {
		flips = flips[:1]
	}
	for i := range file {
		for _, x := range flips {
			b := bytes.Clone(file)
			b[i] ^= x
			try("flip", i, b)
		}
		try("truncation", i, file[:i:i])
	}
	try("one byte more", len(file), append(bytes.Clone(file), 0))
	if d := time.Since(start); d > time.Minute {
		t.Errorf("the sweep took %v", d)
	}
}

// Typed reports whether err is one a caller can tell apart: ours with a kind that is not Internal.
func Typed(err error) bool {
	k, ok := fault.KindOf(err)
	return ok && k != fault.Internal || errors.Is(err, fs.ErrNotExist)
}

// WantKind fails unless err is of that kind.
func WantKind(t *testing.T, err error, want fault.Kind) {
	t.Helper()
	if !errors.Is(err, fault.SentinelOf(want)) {
		t.Errorf("error %v, want one of kind %q", err, want)
	}
}
