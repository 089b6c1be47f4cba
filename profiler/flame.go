package profiler

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"slices"
	"strings"
	"time"
)

// flame is a box of a flame graph: what is inside it adds up to its time, or less.
type flame struct {
	name  string
	time  time.Duration
	calls int
	inner []*flame
}

// child returns the box of a name inside f.
func (f *flame) child(name string) *flame {
	k := slices.IndexFunc(f.inner, func(c *flame) bool { return c.name == name })
	if k < 0 {
		k, f.inner = len(f.inner), append(f.inner, &flame{name: name})
	}
	return f.inner[k]
}

func (f *flame) depth() (n int) {
	for _, c := range f.inner {
		n = max(n, c.depth())
	}
	return n + 1
}

// flames adds the launches up by the ranges they ran in, the modules that recorded them, and their names.
func (r *Report) flames() *flame {
	root := &flame{name: "all"}
	var ranges []Event
	for _, e := range r.Events {
		if e.Range {
			ranges = append(ranges, e)
		}
	}
	// The outermost first.
	slices.SortStableFunc(ranges, func(a, b Event) int { return cmp.Compare(b.Time, a.Time) })
	for _, e := range r.Launches() {
		var path []string
		for _, g := range ranges {
			if g.Start <= e.Start && e.Start+e.Time <= g.Start+g.Time {
				path = append(path, g.Name)
			}
		}
		if e.Module != "" {
			path = append(path, strings.Split(e.Module, ".")...)
		}
		f := root
		f.time, f.calls = f.time+e.Time, f.calls+1
		for _, name := range append(path, e.Name) {
			f = f.child(name)
			f.time, f.calls = f.time+e.Time, f.calls+1
		}
	}
	return root
}

// The picture of a flame graph, in pixels.
const (
	flameWidth  = 1200
	flameHeight = 18 // of a row
	letterWidth = 7
	leastBox    = 0.3 // narrower boxes are left out
)

// WriteFlameGraph writes the launches as an SVG: a box for every range, module and op, as wide as its share of the time, above those that
// it is inside of. A browser shows name, time and calls of a box under the pointer.
func (r *Report) WriteFlameGraph(w io.Writer) error {
	root := r.flames()
	rows := root.depth()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="monospace" font-size="11">`+"\n",
		flameWidth, rows*flameHeight)
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	if root.time > 0 {
		root.draw(&b, 0, rows-1, float64(flameWidth)/float64(root.time), root.time)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// draw writes a box and those inside it, the longest at the left.
func (f *flame) draw(b *strings.Builder, x float64, row int, scale float64, all time.Duration) {
	wide := float64(f.time) * scale
	if wide < leastBox || row < 0 {
		return
	}
	y := row * flameHeight
	fmt.Fprintf(b, `<g><title>%s: %v, %.1f %%, %d calls</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="#fff"/>`,
		html.EscapeString(f.name), f.time.Round(100*time.Nanosecond), 100*float64(f.time)/float64(all), f.calls, x, y, wide, flameHeight,
		colourOf(f.name))
	if n := int(wide-4) / letterWidth; n >= 3 {
		name := []rune(f.name)
		if len(name) > n {
			name = append(name[:n-1:n-1], '…')
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%d">%s</text>`, x+3, y+13, html.EscapeString(string(name)))
	}
	b.WriteString("</g>\n")
	slices.SortStableFunc(f.inner, func(a, c *flame) int { return cmp.Or(cmp.Compare(c.time, a.time), strings.Compare(a.name, c.name)) })
	for _, c := range f.inner {
		c.draw(b, x, row-1, scale, all)
		x += float64(c.time) * scale
	}
}

// colourOf gives a name one of some warm colours, always the same.
func colourOf(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	v := h.Sum32()
	return fmt.Sprintf("#%02x%02x%02x", 205+v%50, 120+v>>8%110, 60+v>>16%50)
}
