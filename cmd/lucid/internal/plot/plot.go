// Package plot draws a curve, in a terminal, as SVG or as PNG, and a confusion matrix.
package plot

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Mean returns n numbers that stand for the curve: the mean of each n-th part of it.
func Mean(y []float64, n int) []float64 {
	n = min(n, len(y))
	out := make([]float64, n)
	for i := range out {
		begin, end := i*len(y)/n, (i+1)*len(y)/n
		for _, v := range y[begin:end] {
			out[i] += v / float64(end-begin)
		}
	}
	return out
}

// Smooth returns the running mean of the curve over about n steps.
func Smooth(y []float64, n int) []float64 {
	out := make([]float64, len(y))
	for i := range y {
		begin, end := max(0, i-n/2), min(len(y), i+n/2+1)
		for _, v := range y[begin:end] {
			out[i] += v / float64(end-begin)
		}
	}
	return out
}

// span returns the bounds of finite numbers, a little apart.
func span(y []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range y {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return 0, 1
	}
	if high-low < 1e-12 {
		high = low + 1
	}
	return low, high
}

// dots are the bits of a braille character, by row and column.
var dots = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// Braille draws the curve in characters of 2×4 dots, width × height of them, with the bounds at its left.
func Braille(y []float64, width, height int) string {
	if len(y) == 0 || width < 1 || height < 1 {
		return ""
	}
	y = resample(y, 2*width)
	low, high := span(y)
	grid := make([][]rune, height)
	for i := range grid {
		grid[i] = make([]rune, width)
	}
	rows := 4 * height
	at := func(v float64) int { return min(max(int((high-v)/(high-low)*float64(rows-1)+0.5), 0), rows-1) }
	before := -1
	for x, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			before = -1
			continue
		}
		now := at(v)
		if before < 0 {
			before = now
		}
		for r := min(before, now); r <= max(before, now); r++ {
			grid[r/4][x/2] |= dots[r%4][x%2]
		}
		before = now
	}
	return frame(grid, low, high)
}

// frame writes the dots with an axis.
func frame(grid [][]rune, low, high float64) string {
	top, bottom := label(high), label(low)
	wide := max(utf8.RuneCountInString(top), utf8.RuneCountInString(bottom))
	var b strings.Builder
	for i, row := range grid {
		text, mark := "", "│"
		switch i {
		case 0:
			text, mark = top, "┤"
		case len(grid) - 1:
			text, mark = bottom, "┤"
		}
		fmt.Fprintf(&b, "%*s %s", wide, text, mark)
		for _, c := range row {
			b.WriteRune(0x2800 + c)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func label(v float64) string { return fmt.Sprintf("%.3g", v) }

// resample makes n points of any number.
func resample(y []float64, n int) []float64 {
	if len(y) >= n {
		return Mean(y, n)
	}
	out := make([]float64, n)
	for i := range out {
		at := float64(i) * float64(len(y)-1) / float64(max(n-1, 1))
		k := min(int(at), len(y)-1)
		out[i] = y[k]
		if k+1 < len(y) {
			out[i] += (at - float64(k)) * (y[k+1] - y[k])
		}
	}
	return out
}

// Confusion writes how many examples of each class were taken for which: rows say what they are.
func Confusion(w io.Writer, names []string, m [][]int) {
	wide := 4
	for i, row := range m {
		wide = max(wide, min(utf8.RuneCountInString(names[i]), 12)+1)
		for _, n := range row {
			wide = max(wide, len(fmt.Sprint(n))+1)
		}
	}
	fmt.Fprintf(w, "%*s", wide, "")
	for _, s := range names {
		fmt.Fprintf(w, "%*s", wide, short(s))
	}
	fmt.Fprintln(w)
	for i, row := range m {
		fmt.Fprintf(w, "%*s", wide, short(names[i]))
		for _, n := range row {
			text := "·"
			if n > 0 {
				text = fmt.Sprint(n)
			}
			fmt.Fprintf(w, "%*s", wide, text)
		}
		fmt.Fprintln(w)
	}
}

// short cuts a name to the width of a column.
func short(s string) string {
	if r := []rune(s); len(r) > 12 {
		return string(r[:11]) + "…"
	}
	return s
}
