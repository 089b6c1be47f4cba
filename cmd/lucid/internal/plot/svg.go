package plot

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// SVG writes a picture of a run: the loss of each step, its running mean, the test loss, and the score in a panel below.
func SVG(w io.Writer, r Run) error {
	var s svg
	fmt.Fprintf(&s.b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif">`+"\n", width, height)
	s.b.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	r.draw(&s)
	s.b.WriteString("</svg>\n")
	_, err := io.WriteString(w, s.b.String())
	return err
}

type svg struct{ b strings.Builder }

func (s *svg) line(at []point, wide float64, colour int) {
	fmt.Fprintf(&s.b, `<path fill="none" stroke="#%06x" stroke-width="%g" d="`, colour, wide)
	command := "M"
	for _, p := range at {
		fmt.Fprintf(&s.b, "%s%.1f %.1f", command, p.x, p.y)
		command = "L"
	}
	s.b.WriteString("\"/>\n")
}

func (s *svg) dot(at point, radius float64, colour int) {
	fmt.Fprintf(&s.b, `<circle cx="%.1f" cy="%.1f" r="%g" fill="#%06x"/>`+"\n", at.x, at.y, radius, colour)
}

func (s *svg) text(text string, at point, size, anchor float64, colour int) {
	where := map[float64]string{0: "start", 0.5: "middle", 1: "end"}[anchor]
	fmt.Fprintf(&s.b, `<text x="%.1f" y="%.1f" font-size="%g" text-anchor="%s" fill="#%06x">%s</text>`+"\n", at.x, at.y, size, where,
		colour, html.EscapeString(text))
}
