// Package progress shows how far a long job is: a bar that overwrites itself on a terminal; elsewhere only the
// lines in between are printed.
package progress

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// file returns the file behind w, which may be wrapped.
func file(w io.Writer) (*os.File, bool) {
	for {
		if f, ok := w.(*os.File); ok {
			return f, true
		}
		u, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			return nil, false
		}
		w = u.Unwrap()
	}
}

// Terminal reports whether w shows what is written to a person, and can go back to the beginning of a line.
func Terminal(w io.Writer) bool {
	f, ok := file(w)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Columns returns how many characters a line of w has room for: what the terminal says, or the variable COLUMNS, or 80.
func Columns(w io.Writer) int {
	if f, ok := file(w); ok {
		if n := columnsOf(f); n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 80
}

// Bar is a progress bar. It is for one goroutine.
type Bar struct {
	w           io.Writer
	live        bool
	total       int
	unit        string
	now         func() time.Time
	begin, last time.Time
	start, done int // steps when it was made, and now
	seen        int // units since
	width       int // of what stands on the line now
	text        string
}

// New starts a bar for steps, of which some are done. With live false only Line shows anything.
func New(w io.Writer, live bool, done, total int, unit string) *Bar {
	b := &Bar{w: w, live: live, total: total, start: done, done: done, unit: unit, now: time.Now}
	b.begin = b.now()
	return b
}

// Step counts a step that took in some units, and says what to show at the end of the bar.
func (b *Bar) Step(units int, text string) {
	b.done++
	b.seen += units
	b.text = text
	if t := b.now(); b.live && (t.Sub(b.last) >= 50*time.Millisecond || b.done == b.total) {
		b.last = t
		b.draw()
	}
}

// Rate returns the units per second since the start.
func (b *Bar) Rate() float64 { return float64(b.seen) / max(b.now().Sub(b.begin).Seconds(), 1e-9) }

// Line writes a line above the bar.
func (b *Bar) Line(format string, args ...any) {
	b.Clear()
	fmt.Fprintf(b.w, format+"\n", args...)
	if b.live && b.done > 0 && b.done < b.total {
		b.draw()
	}
}

// Clear takes the bar away.
func (b *Bar) Clear() {
	if b.width > 0 {
		fmt.Fprint(b.w, "\r"+strings.Repeat(" ", b.width)+"\r")
		b.width = 0
	}
}

// draw asks for the width each time: the window may be resized. A line that wraps could not be overwritten.
func (b *Bar) draw() {
	line := fit(b.line(), Columns(b.w)-1)
	pad := max(b.width-utf8.RuneCountInString(line), 0)
	fmt.Fprint(b.w, "\r"+line+strings.Repeat(" ", pad))
	b.width = utf8.RuneCountInString(line)
}

// fit cuts a line to so many characters.
func fit(line string, columns int) string {
	if r := []rune(line); len(r) > columns {
		return string(r[:max(columns, 0)])
	}
	return line
}

const cells = 20

// line is at most 79 columns for counts of up to seven digits.
func (b *Bar) line() string {
	full := 0
	if b.total > 0 {
		full = min(cells, b.done*cells/b.total)
	}
	bar := strings.Repeat("█", full) + strings.Repeat("░", cells-full)
	return fmt.Sprintf("%s %d/%d  %s %s/s  %s  %s", bar, b.done, b.total, Count(b.Rate()), b.unit, b.left(), b.text)
}

// left is the time that the rest will take at the speed so far.
func (b *Bar) left() string {
	made := b.done - b.start
	if made == 0 {
		return "ETA ?"
	}
	perStep := b.now().Sub(b.begin).Seconds() / float64(made)
	return "ETA " + Duration(time.Duration(perStep*float64(b.total-b.done)*float64(time.Second)))
}

// Count shortens a large number.
func Count(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.1fM", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.0fk", v/1e3)
	}
	return fmt.Sprintf("%.0f", v)
}

// Duration shortens a time to what a person wants to know.
func Duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
