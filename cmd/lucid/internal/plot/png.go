package plot

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"unicode/utf8"
)

// fine is how many dots each way make a pixel of the picture: lines are plotted in dots and averaged, which smooths them.
const fine = 3

// PNG writes the picture SVG writes, in pixels.
func PNG(w io.Writer, r Run) error {
	p := canvas{image.NewRGBA(image.Rect(0, 0, width*fine, height*fine))}
	p.fill(p.Rect, rgba(white))
	r.draw(p)
	return png.Encode(w, p.shrink())
}

func rgba(colour int) color.RGBA {
	return color.RGBA{uint8(colour >> 16), uint8(colour >> 8), uint8(colour), 255}
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

// line joins points by lines of a width, with round ends.
func (p canvas) line(at []point, wide float64, colour int) {
	for i := range at {
		a, b := at[max(i-1, 0)], at[i]
		n := int(math.Ceil(math.Hypot(b.x-a.x, b.y-a.y)*fine)) + 1
		for k := range n + 1 {
			t := float64(k) / float64(n)
			p.dot(point{a.x + t*(b.x-a.x), a.y + t*(b.y-a.y)}, wide/2, colour)
		}
	}
}

// dot paints a disc.
func (p canvas) dot(at point, radius float64, colour int) {
	x, y, r, c := at.x*fine, at.y*fine, radius*fine, rgba(colour)
	for j := int(y - r); j <= int(y+r); j++ {
		for i := int(x - r); i <= int(x+r); i++ {
			if dx, dy := float64(i)+0.5-x, float64(j)+0.5-y; dx*dx+dy*dy <= r*r && (image.Point{i, j}).In(p.Rect) {
				p.SetRGBA(i, j, c)
			}
		}
	}
}

// text writes with the bitmaps of glyphs.go. A pixel of a bitmap is a square of whole dots: 4 at the size of labels, 5 at that of titles.
func (p canvas) text(s string, at point, size, anchor float64, colour int) {
	square := max(int(size/3+0.01), 1)
	x := int(at.x*fine) - int(anchor*float64(utf8.RuneCountInString(s)*(glyphWidth+1)-1)*float64(square))
	y := int(at.y*fine) - glyphBase*square
	for _, r := range s {
		for row, bits := range glyph(r) {
			for column := range glyphWidth {
				if bits[column] == '#' {
					i, j := x+column*square, y+row*square
					p.fill(image.Rect(i, j, i+square, j+square), rgba(colour))
				}
			}
		}
		x += (glyphWidth + 1) * square
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
