package progress

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// clock is a time that tests move.
func clock(b *Bar) func(d time.Duration) {
	now := time.Unix(0, 0)
	b.now = func() time.Time { return now }
	b.begin = now
	return func(d time.Duration) { now = now.Add(d) }
}

func TestBar(t *testing.T) {
	t.Setenv("COLUMNS", "")
	var w strings.Builder
	b := New(&w, true, 50, 100, "images")
	pass := clock(b)
	for range 25 {
		pass(100 * time.Millisecond)
		b.Step(64, "loss 0.1234")
	}
	lines := strings.Split(w.String(), "\r")
	want := "███████████████░░░░░ 75/100  640 images/s  ETA 2s  loss 0.1234"
	if got := strings.TrimRight(lines[len(lines)-1], " "); got != want {
		t.Errorf("the bar is\n%s\nwant\n%s", got, want)
	}
	if n := utf8.RuneCountInString(want); n > 79 {
		t.Errorf("%d columns", n)
	}
	b.Line("epoch %d", 3)
	if !strings.Contains(w.String(), " \repoch 3\n\r███") {
		t.Errorf("the line is not alone: %q", w.String())
	}
	w.Reset()
	b.Clear()
	b.Clear()
	if got := strings.Trim(w.String(), " "); got != "\r"+strings.Repeat(" ", utf8.RuneCountInString(want))+"\r" {
		t.Errorf("clearing wrote %q", got)
	}
}

// TestBarRate asks that fast steps do not flood the terminal.
func TestBarRate(t *testing.T) {
	var w strings.Builder
	b := New(&w, true, 0, 1000, "rows")
	pass := clock(b)
	for range 1000 {
		pass(time.Millisecond)
		b.Step(1, "")
	}
	if n := strings.Count(w.String(), "\r"); n > 25 || n < 15 {
		t.Errorf("written %d times in a second", n)
	}
	if !strings.Contains(w.String(), "1000/1000  1000 rows/s  ETA 0s") {
		t.Errorf("the last step is not shown: %q", w.String())
	}
}

// TestNotLive asks for lines alone where there is no terminal.
func TestNotLive(t *testing.T) {
	var w strings.Builder
	b := New(&w, false, 0, 10, "images")
	for range 10 {
		b.Step(1, "x")
	}
	b.Line("done")
	b.Clear()
	if w.String() != "done\n" {
		t.Errorf("wrote %q", w.String())
	}
}

func TestTerminal(t *testing.T) {
	if Terminal(&strings.Builder{}) {
		t.Error("a string is a terminal")
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	if Terminal(f) {
		t.Error("nowhere is a terminal")
	}
}

func TestShortForms(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m01s",
		3*time.Hour + 5*time.Minute: "3h05m"} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	for v, want := range map[float64]string{7: "7", 9999: "9999", 12345: "12k", 2.5e6: "2.5M"} {
		if got := Count(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// A bar is never longer than the line it overwrites, on a terminal of any width.
func TestNarrow(t *testing.T) {
	for columns, want := range map[string]int{"1": 0, "2": 1, "30": 29, "1000": 63, "": 63, "x": 63} {
		t.Setenv("COLUMNS", columns)
		var w strings.Builder
		b := New(&w, true, 50, 100, "images")
		pass := clock(b)
		for range 25 {
			pass(100 * time.Millisecond)
			b.Step(64, "loss 0.1234")
		}
		for _, line := range strings.Split(w.String(), "\r") {
			if n := utf8.RuneCountInString(line); n > want {
				t.Errorf("%s columns: %d characters in %q", columns, n, line)
			}
		}
	}
}
