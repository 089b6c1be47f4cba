package plot

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"unicode/utf8"
)

// fine is how many dots each way make a pixel of the picture: lines are plotted in dots and averaged, which smooths them.
const fine = 3

var (
	white = color.RGBA{255, 255, 255, 255}
	black = color.RGBA{0, 0, 0, 255}
	gray  = color.RGBA{0x55, 0x55, 0x55, 255}
	faint = color.RGBA{0xdd, 0xdd, 0xdd, 255}
	pale  = color.RGBA{0x9e, 0xca, 0xe1, 255}
	blue  = color.RGBA{0x08, 0x51, 0x9c, 255}
)

// PNG writes the picture SVG writes, in pixels.
func PNG(w io.Writer, title, yName string, y []float64) error {
	c := newChart(y)
	p := canvas{image.NewRGBA(image.Rect(0, 0, width*fine, height*fine))}
	p.fill(p.Rect, white)
	p.text(title, left, 12, 3, 0, black)
	for _, v := range c.rows() {
		p.stroke([]point{{left, c.y(v)}, {width - right, c.y(v)}}, 1, faint)
		p.text(fmt.Sprintf("%.4g", v), left-6, c.y(v)-5, 2, 1, gray)
	}
	for _, v := range c.columns() {
		p.text(fmt.Sprintf("%.0f", v), c.x(v), height-bottom+8, 2, 0.5, gray)
	}
	p.text("step", (left+width-right)/2, height-18, 2, 0.5, gray)
	p.text(yName, left-12, 16, 2, 1, gray)
	for _, part := range c.line(y) {
		p.stroke(part, 1, pale)
	}
	for _, part := range c.line(c.mean(y)) {
		p.stroke(part, 2, blue)
	}
	return png.Encode(w, p.shrink())
}

// canvas is the picture in dots.
type canvas struct{ *image.RGBA }

func (p canvas) fill(r image.Rectangle, c color.RGBA) {
	r = r.Intersect(p.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p.SetRGBA(x, y, c)
		}
	}
}

// stroke joins points by lines of a width, with round ends.
func (p canvas) stroke(at []point, wide float64, c color.RGBA) {
	for i := range at {
		a, b := at[max(i-1, 0)], at[i]
		n := int(math.Ceil(math.Hypot(b.x-a.x, b.y-a.y)*fine)) + 1
		for k := range n + 1 {
			t := float64(k) / float64(n)
			p.dot((a.x+t*(b.x-a.x))*fine, (a.y+t*(b.y-a.y))*fine, wide*fine/2, c)
		}
	}
}

// dot paints a disc.
func (p canvas) dot(x, y, r float64, c color.RGBA) {
	for j := int(y - r); j <= int(y+r); j++ {
		for i := int(x - r); i <= int(x+r); i++ {
			if dx, dy := float64(i)+0.5-x, float64(j)+0.5-y; dx*dx+dy*dy <= r*r && (image.Point{i, j}).In(p.Rect) {
				p.SetRGBA(i, j, c)
			}
		}
	}
}

// text writes in letters of 3×5 squares of a size in pixels. Shift moves it left by that part of its length.
func (p canvas) text(s string, x, y, size, shift float64, c color.RGBA) {
	x -= shift * (4*float64(utf8.RuneCountInString(s)) - 1) * size
	for _, r := range s {
		for k, bit := range glyph(r) {
			if bit == '1' {
				a, b := (x+float64(k%3)*size)*fine, (y+float64(k/3)*size)*fine
				p.fill(image.Rect(int(a), int(b), int(a+size*fine), int(b+size*fine)), c)
			}
		}
		x += 4 * size
	}
}

// shrink makes a pixel of every fine×fine dots.
func (p canvas) shrink() *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			var sum [3]int
			for j := range fine {
				line := p.Pix[(y*fine+j)*p.Stride+4*x*fine:]
				for i := range fine {
					for k := range sum {
						sum[k] += int(line[4*i+k])
					}
				}
			}
			const n = fine * fine
			out.SetRGBA(x, y, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
		}
	}
	return out
}
