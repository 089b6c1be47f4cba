package plot

import "math"

// The picture and the field of the curve in it, in pixels.
const (
	width, height = 720, 400
	left, right   = 60, 20
	top, bottom   = 40, 45
)

// chart maps a curve, one number a step, to the picture.
type chart struct {
	steps     int
	low, high float64
	tick      float64
}

type point struct{ x, y float64 }

func newChart(y []float64) chart {
	c := chart{steps: len(y)}
	c.low, c.high = span(y)
	c.low = min(c.low, 0)
	c.tick = tick(c.high - c.low)
	c.high = math.Ceil(c.high/c.tick) * c.tick
	return c
}

func (c chart) x(step float64) float64 {
	return left + step/float64(max(c.steps-1, 1))*(width-left-right)
}
func (c chart) y(v float64) float64 { return top + (c.high-v)/(c.high-c.low)*(height-top-bottom) }

// rows are the values that get a line.
func (c chart) rows() (all []float64) {
	for v := math.Ceil(c.low/c.tick) * c.tick; v <= c.high+c.tick/2; v += c.tick {
		all = append(all, v)
	}
	return all
}

// columns are the steps that get a number.
func (c chart) columns() (all []float64) {
	for v := 0.0; v < float64(c.steps); v += max(tick(float64(c.steps)), 1) {
		all = append(all, v)
	}
	return all
}

// mean is what the thick line shows.
func (c chart) mean(y []float64) []float64 { return Smooth(y, max(len(y)/30, 1)) }

// line returns the points of the curve, at most 2000 of them, in parts: a NaN ends a part.
func (c chart) line(y []float64) (parts [][]point) {
	const most = 2000
	scale := 1.0
	if len(y) > most {
		scale = float64(len(y)-1) / (most - 1)
		y = Mean(y, most)
	}
	open := false
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			open = false
			continue
		}
		if !open {
			parts = append(parts, nil)
			open = true
		}
		k := len(parts) - 1
		parts[k] = append(parts[k], point{c.x(float64(i) * scale), c.y(v)})
	}
	return parts
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
