package profile

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestOnce: what is done once is shown if the environment asks for it, and only then.
func TestOnce(t *testing.T) {
	saved, was := os.Stderr, shows
	defer func() { os.Stderr, shows = saved, was }()
	for _, shows = range []bool{false, true} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		os.Stderr = w
		Once(time.Now().Add(-time.Second), "kernel %s", "k")
		w.Close()
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(string(text), "lucid: at "); got != shows || shows && !strings.HasSuffix(string(text), ": kernel k\n") {
			t.Errorf("asked for %v: %q", shows, text)
		}
	}
}
