package plot

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// SVG writes the curve, one number a step, thin as it is and thick as a running mean.
func SVG(w io.Writer, title, yName string, y []float64) error {
	c := newChart(y)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width,
		height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/><text x="%d" y="24" font-size="15">%s</text>`+"\n", left,
		html.EscapeString(title))
	for _, v := range c.rows() {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end" fill="#555">%.4g</text>`+"\n", left,
			c.y(v), width-right, left-6, c.y(v)+4, v)
	}
	for _, v := range c.columns() {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%.0f</text>`+"\n", c.x(v), height-bottom+18, v)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#555">step</text><text x="14" y="%d" fill="#555" transform="rotate(-90 14 %d)" text-anchor="middle">%s</text>`+"\n",
		(left+width-right)/2, height-8, height/2, height/2, html.EscapeString(yName))
	path(&b, c.line(y), "#9ecae1", 1)
	path(&b, c.line(c.mean(y)), "#08519c", 2)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func path(b *strings.Builder, parts [][]point, colour string, width int) {
	fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="%d" d="`, colour, width)
	for _, part := range parts {
		command := "M"
		for _, p := range part {
			fmt.Fprintf(b, "%s%.1f %.1f", command, p.x, p.y)
			command = "L"
		}
	}
	b.WriteString("\"/>\n")
}
