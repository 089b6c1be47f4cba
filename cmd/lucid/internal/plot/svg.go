package plot

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// The picture and the field of the curve in it, in pixels.
const (
	svgWidth, svgHeight = 720, 400
	left, right         = 60, 20
	top, bottom         = 40, 45
)

// SVG writes the curve, one number a step, thin as it is and thick as a running mean.
func SVG(w io.Writer, title, yName string, y []float64) error {
	low, high := span(y)
	low = min(low, 0)
	step := tick(high - low)
	high = math.Ceil(high/step) * step
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", svgWidth, svgHeight)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/><text x="%d" y="24" font-size="15">%s</text>`+"\n", left, html.EscapeString(title))
	px := func(i float64) float64 { return left + i/float64(max(len(y)-1, 1))*(svgWidth-left-right) }
	py := func(v float64) float64 { return top + (high-v)/(high-low)*(svgHeight-top-bottom) }
	for v := math.Ceil(low/step) * step; v <= high+step/2; v += step {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end" fill="#555">%.4g</text>`+"\n", left, py(v), svgWidth-right, left-6, py(v)+4, v)
	}
	for v := 0.0; v < float64(len(y)); v += max(tick(float64(len(y))), 1) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%.0f</text>`+"\n", px(v), svgHeight-bottom+18, v)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#555">step</text><text x="14" y="%d" fill="#555" transform="rotate(-90 14 %d)" text-anchor="middle">%s</text>`+"\n",
		(left+svgWidth-right)/2, svgHeight-8, svgHeight/2, svgHeight/2, html.EscapeString(yName))
	path(&b, y, px, py, "#9ecae1", 1)
	path(&b, Smooth(y, max(len(y)/30, 1)), px, py, "#08519c", 2)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// path draws a line, of at most 2000 points.
func path(b *strings.Builder, y []float64, px, py func(float64) float64, colour string, width int) {
	const most = 2000
	scale := 1.0
	if len(y) > most {
		scale = float64(len(y)-1) / (most - 1)
		y = Mean(y, most)
	}
	fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="%d" d="`, colour, width)
	command := "M"
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			command = "M"
			continue
		}
		fmt.Fprintf(b, "%s%.1f %.1f", command, px(float64(i)*scale), py(v))
		command = "L"
	}
	b.WriteString("\"/>\n")
}

// tick returns a round step that cuts a span into four to ten parts.
func tick(span float64) float64 {
	raw := span / 5
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if raw <= f*power {
			return f * power
		}
	}
	return 10 * power
}
