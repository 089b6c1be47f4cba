// Package resample changes the size of images: one line at a time, rows first, then columns. A new pixel is a weighted mean
// of old ones around its position; where an image shrinks the filter widens with it, so that no pixel is passed over.
package resample

import "math"

// Filter says how old pixels are weighed.
type Filter struct {
	name    string
	reach   float64 // of the filter to each side, in pixels of the larger image
	weight  func(x float64) float64
	special func(new, old int) []taps // instead of the two
}

// The filters, by the names people know.
var filters = []Filter{
	{name: "bilinear", reach: 1, weight: func(x float64) float64 { return max(0, 1-math.Abs(x)) }},
	{name: "nearest", special: nearest},
	{name: "area", special: area},
	{name: "bicubic", reach: 2, weight: cubic},
	{name: "lanczos", reach: 3, weight: lanczos},
}

// Names lists the filters; the first is the default.
func Names() (names []string) {
	for _, f := range filters {
		names = append(names, f.name)
	}
	return names
}

// ByName finds a filter; no name is the default.
func ByName(name string) (Filter, bool) {
	if name == "" {
		return filters[0], true
	}
	for _, f := range filters {
		if f.name == name {
			return f, true
		}
	}
	return Filter{}, false
}

// cubic is Keys' function with a = -1/2.
func cubic(x float64) float64 {
	switch x = math.Abs(x); {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

func lanczos(x float64) float64 {
	if math.Abs(x) >= 3 {
		return 0
	}
	return sinc(x) * sinc(x/3)
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// taps are the old pixels a new one is made of: weights from position first on, which add up to 1.
type taps struct {
	first  int
	weight []float64
}

func (f Filter) taps(new, old int) []taps {
	if f.special != nil {
		return f.special(new, old)
	}
	scale := float64(old) / float64(new)
	wide := max(scale, 1)
	all := make([]taps, new)
	for i := range all {
		centre := (float64(i) + 0.5) * scale
		begin := max(int(centre-f.reach*wide+0.5), 0)
		end := min(int(centre+f.reach*wide+0.5), old)
		t := taps{first: begin, weight: make([]float64, end-begin)}
		for k := range t.weight {
			t.weight[k] = f.weight((float64(begin+k) - centre + 0.5) / wide)
		}
		all[i] = t.norm()
	}
	return all
}

func (t taps) norm() taps {
	sum := 0.0
	for _, w := range t.weight {
		sum += w
	}
	for k := range t.weight {
		t.weight[k] /= sum
	}
	return t
}

// nearest takes the pixel under the middle of the new one.
func nearest(new, old int) []taps {
	all := make([]taps, new)
	for i := range all {
		all[i] = taps{min(int((float64(i)+0.5)*float64(old)/float64(new)), old-1), []float64{1}}
	}
	return all
}

// area takes the mean of what a new pixel covers, parts of pixels included.
func area(new, old int) []taps {
	scale := float64(old) / float64(new)
	all := make([]taps, new)
	for i := range all {
		begin, end := float64(i)*scale, min(float64(i+1)*scale, float64(old))
		t := taps{first: int(begin)}
		for j := t.first; j < old && float64(j) < end; j++ {
			t.weight = append(t.weight, min(end, float64(j+1))-max(begin, float64(j)))
		}
		all[i] = t.norm()
	}
	return all
}

// Image changes the size of an image of some planes, each of h rows of w pixels, to newH × newW.
func Image(f Filter, x []float32, planes, h, w, newH, newW int) []float32 {
	if newW != w {
		x = rows(x, planes*h, w, f.taps(newW, w))
	}
	if newH != h {
		x = columns(x, planes, h, newW, f.taps(newH, h))
	}
	return x
}

func rows(x []float32, n, w int, to []taps) []float32 {
	z := make([]float32, n*len(to))
	for r := range n {
		line := x[r*w : (r+1)*w]
		for i, t := range to {
			sum := 0.0
			for k, c := range t.weight {
				sum += c * float64(line[t.first+k])
			}
			z[r*len(to)+i] = float32(sum)
		}
	}
	return z
}

// columns sums whole rows, so that memory is passed over in order.
func columns(x []float32, planes, h, w int, to []taps) []float32 {
	z := make([]float32, planes*len(to)*w)
	sum := make([]float64, w)
	for p := range planes {
		for i, t := range to {
			clear(sum)
			for k, c := range t.weight {
				line := x[(p*h+t.first+k)*w:][:w]
				for j, v := range line {
					sum[j] += c * float64(v)
				}
			}
			line := z[(p*len(to)+i)*w:][:w]
			for j, v := range sum {
				line[j] = float32(v)
			}
		}
	}
	return z
}
