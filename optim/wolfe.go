package optim

import (
	"math"

	"github.com/lucid-go/lucid"
)

// wolfe is a search along a line for a point where the function is lower and flatter enough: Wolfe's strong
// conditions, by brackets and cubic interpolation.
type wolfe struct {
	at           func(t float64) (f float64, g *lucid.Tensor) // the function along the line
	d            *lucid.Tensor                                // direction
	f, slope     float64                                      // at the start
	g            *lucid.Tensor
	width, tol   float64 // largest component of the direction; the smallest bracket worth a look
	most, c, cur int     // calls allowed and made; iterations
}

const armijo, curvature = 1e-4, 0.9

// point is a point on the line.
type point struct {
	t, f, slope float64
	g           *lucid.Tensor
}

func (w *wolfe) point(t float64) point {
	f, g := w.at(t)
	w.c++
	return point{t, f, dot(g, w.d), g}
}

// tooHigh reports whether the function did not fall enough.
func (w *wolfe) tooHigh(p point) bool { return p.f > w.f+armijo*p.t*w.slope }

func (w *wolfe) flat(p point) bool { return math.Abs(p.slope) <= -curvature*w.slope }

// search returns value, gradient and position of the point found, and the calls it took.
func (w *wolfe) search(t float64) (float64, *lucid.Tensor, float64, int) {
	a, b, done := w.bracket(t)
	if !done {
		a, b = w.zoom(a, b)
	}
	if b.f < a.f {
		a = b
	}
	return a.f, a.g, a.t, w.c
}

// bracket goes out until two points have a good one between them, or one is good.
func (w *wolfe) bracket(t float64) (a, b point, done bool) {
	start := point{0, w.f, w.slope, w.g}
	prev, now := start, w.point(t)
	for ; w.cur < w.most; w.cur++ {
		if w.tooHigh(now) || w.cur > 1 && now.f >= prev.f {
			return prev, now, false
		}
		if w.flat(now) {
			return now, now, true
		}
		if now.slope >= 0 {
			return prev, now, false
		}
		next := cubic(prev, now, now.t+0.01*(now.t-prev.t), now.t*10)
		prev, now = now, w.point(next)
	}
	return start, now, false
}

// zoom makes the bracket smaller until a point in it is good.
func (w *wolfe) zoom(a, b point) (point, point) {
	stuck := false
	low, high := a, b
	if a.f > b.f {
		low, high = b, a
	}
	for w.cur < w.most {
		left, right := math.Min(low.t, high.t), math.Max(low.t, high.t)
		if (right-left)*w.width < w.tol {
			break
		}
		t := cubic(low, high, left, right)
		edge := 0.1 * (right - left)
		if math.Min(right-t, t-left) < edge {
			if stuck || t >= right || t <= left {
				if math.Abs(t-right) < math.Abs(t-left) {
					t = right - edge
				} else {
					t = left + edge
				}
				stuck = false
			} else {
				stuck = true
			}
		} else {
			stuck = false
		}
		p := w.point(t)
		w.cur++
		if w.tooHigh(p) || p.f >= low.f {
			high = p
			if high.f < low.f {
				low, high = high, low
			}
			continue
		}
		if w.flat(p) {
			return p, p
		}
		if p.slope*(high.t-low.t) >= 0 {
			high = low
		}
		low = p
	}
	return low, high
}

// cubic returns where the cubic through two points with their slopes is lowest, within bounds.
func cubic(p, q point, low, high float64) float64 {
	d1 := p.slope + q.slope - 3*(p.f-q.f)/(p.t-q.t)
	square := d1*d1 - p.slope*q.slope
	if !(square >= 0) {
		return (low + high) / 2
	}
	if p.t > q.t {
		p, q = q, p
	}
	d2 := math.Sqrt(square)
	t := q.t - (q.t-p.t)*((q.slope+d2-d1)/(q.slope-p.slope+2*d2))
	return math.Min(math.Max(t, low), high)
}
