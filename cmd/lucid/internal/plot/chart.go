package plot

import (
	"fmt"
	"math"
)

// A Run is what a picture shows of a training run.
type Run struct {
	Title string
	Loss  []float64 // one a step, from step 1
	Tests []Test    // in order of steps
	Score string    // what Test.Score is: "test accuracy", "test R²"
	Share bool      // scores are shares of 1, shown in percent
}

// Test is an evaluation after a step.
type Test struct {
	Step        int
	Loss, Score float64
}

// The picture, in pixels: the loss in the upper panel, the score in the lower one.
const (
	width, height  = 760, 560
	left, right    = 70, 24
	lossTop        = 72
	lossBottom     = 350
	scoreTop       = 412
	scoreBottom    = 510
	titleSize      = 16
	textSize       = 12
	legendSpace    = 26 // between names in a legend
	legendLine     = 22 // length of a line in a legend
	mostTicks      = 10
	mostPoints     = 2000
	scoreTicks     = 4
	characterWidth = 0.67 // of a character over its size, for the legend's layout
)

// Colours that people who see no red or no green can tell apart.
const (
	black  = 0x000000
	gray   = 0x555555
	faint  = 0xdddddd
	pale   = 0x9ecae1
	blue   = 0x08519c
	orange = 0xd95f02
	green  = 0x1b7f5a
	white  = 0xffffff
)

type point struct{ x, y float64 }

// A surface takes the picture: SVG or PNG.
type surface interface {
	// line joins points.
	line(at []point, wide float64, colour int)
	// dot is a disc.
	dot(at point, radius float64, colour int)
	// text begins at x with anchor 0, is centred there with 0.5, ends there with 1; y is its base line.
	text(s string, at point, size, anchor float64, colour int)
}

// axes map steps and values to a panel of the picture.
type axes struct {
	last        int // the step at the right end; the left end is step 0
	low, high   float64
	tick        float64
	top, bottom float64
}

func newAxes(last int, top, bottom float64, ticks float64, values ...[]float64) axes {
	a := axes{last: max(last, 1), top: top, bottom: bottom}
	all := []float64{0} // axes begin there
	for _, v := range values {
		all = append(all, v...)
	}
	a.low, a.high = span(all)
	a.tick = tick(a.high-a.low, ticks)
	a.low, a.high = math.Floor(a.low/a.tick)*a.tick, math.Ceil(a.high/a.tick)*a.tick
	return a
}

func (a axes) x(step float64) float64 { return left + step/float64(a.last)*(width-left-right) }
func (a axes) y(v float64) float64    { return a.top + (a.high-v)/(a.high-a.low)*(a.bottom-a.top) }

// rows are the values that get a line.
func (a axes) rows() (all []float64) {
	for i := range 2 * mostTicks {
		v := (math.Round(a.low/a.tick) + float64(i)) * a.tick
		if v > a.high+a.tick/2 {
			break
		}
		all = append(all, v)
	}
	return all
}

// columns are the steps that get a number.
func (a axes) columns() (all []float64) {
	for v := 0.0; v <= float64(a.last); v += max(tick(float64(a.last), 5), 1) {
		all = append(all, v)
	}
	return all
}

// line returns the points of a curve, one number a step from step 1, at most 2000 of them, in parts: a NaN ends a part.
func (a axes) line(y []float64) (parts [][]point) {
	scale := 1.0
	if len(y) > mostPoints {
		scale = float64(len(y)-1) / (mostPoints - 1)
		y = Mean(y, mostPoints)
	}
	at := make([]point, len(y))
	for i, v := range y {
		at[i] = point{1 + float64(i)*scale, v}
	}
	return a.join(at)
}

// join maps steps and values to the picture, in parts that end before what is not finite.
func (a axes) join(at []point) (parts [][]point) {
	open := false
	for _, p := range at {
		if math.IsNaN(p.y) || math.IsInf(p.y, 0) {
			open = false
			continue
		}
		if !open {
			parts = append(parts, nil)
			open = true
		}
		k := len(parts) - 1
		parts[k] = append(parts[k], point{a.x(p.x), a.y(p.y)})
	}
	return parts
}

// tick returns a round step that cuts a span into about so many parts, up to twice as many.
func tick(span, parts float64) float64 {
	raw := span / parts
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if raw <= f*power {
			return f * power
		}
	}
	return 10 * power
}

// draw lays the picture out.
func (r Run) draw(s surface) {
	tests, scores := make([]point, len(r.Tests)), make([]point, len(r.Tests))
	var testLoss, score []float64
	last := len(r.Loss)
	for i, t := range r.Tests {
		v := t.Score
		if r.Share {
			v *= 100
		}
		tests[i], scores[i] = point{float64(t.Step), t.Loss}, point{float64(t.Step), v}
		testLoss, score = append(testLoss, t.Loss), append(score, v)
		last = max(last, t.Step)
	}
	mean := Smooth(r.Loss, max(len(r.Loss)/30, 1))
	upper := newAxes(last, lossTop, lossBottom, 5, r.Loss, testLoss)
	s.text(r.Title, point{left, 26}, titleSize, 0, black)
	names := []named{{"loss of a step", pale, 2}, {"its running mean", blue, 2}}
	if len(tests) > 0 {
		names = append(names, named{"test loss", orange, 2})
	}
	legend(s, point{left, 54}, names)
	upper.grid(s, "")
	curve(s, upper.line(r.Loss), 1, pale, false)
	curve(s, upper.line(mean), 2, blue, false)
	curve(s, upper.join(tests), 2, orange, true)
	unit := ""
	if r.Share {
		unit = " %"
		score = append(score, 100) // the axis ends there, whatever was reached
	}
	lower := newAxes(last, scoreTop, scoreBottom, scoreTicks, score)
	if len(scores) > 0 {
		legend(s, point{left, scoreTop - 18}, []named{{r.Score, green, 2}})
		lower.grid(s, unit)
		curve(s, lower.join(scores), 2, green, true)
	} else {
		lower.bottom = lossBottom
	}
	for _, v := range lower.columns() {
		s.text(fmt.Sprintf("%.0f", v), point{lower.x(v), lower.bottom + 18}, textSize, 0.5, gray)
	}
	s.text("step", point{(left + width - right) / 2, lower.bottom + 38}, textSize, 0.5, gray)
}

// grid draws the lines of an axis and their values.
func (a axes) grid(s surface, unit string) {
	for _, v := range a.rows() {
		s.line([]point{{left, a.y(v)}, {width - right, a.y(v)}}, 1, faint)
		s.text(fmt.Sprintf("%.4g%s", v, unit), point{left - 8, a.y(v) + 4}, textSize, 1, gray)
	}
}

// curve draws the parts of a curve, its points as dots if there are few.
func curve(s surface, parts [][]point, wide float64, colour int, dots bool) {
	for _, part := range parts {
		s.line(part, wide, colour)
		if dots && len(part) <= 60 {
			for _, p := range part {
				s.dot(p, 3, colour)
			}
		}
	}
}

// named is a curve in a legend.
type named struct {
	name   string
	colour int
	wide   float64
}

// legend names curves, from left to right.
func legend(s surface, at point, curves []named) {
	for _, c := range curves {
		s.line([]point{{at.x, at.y - 4}, {at.x + legendLine, at.y - 4}}, c.wide, c.colour)
		s.text(c.name, point{at.x + legendLine + 6, at.y}, textSize, 0, gray)
		at.x += legendLine + 6 + float64(len([]rune(c.name)))*textSize*characterWidth + legendSpace
	}
}
