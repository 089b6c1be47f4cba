package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBraille(t *testing.T) {
	got := Braille([]float64{4, 3, 2, 1}, 2, 1)
	if want := "4 ┤⠙⢦\n"; got != want { // steps down a diagonal, joined
		t.Errorf("%q, want %q", got, want)
	}
	for name, y := range map[string][]float64{"one": {1}, "flat": {2, 2, 2}, "broken": {1, math.NaN(), math.Inf(1), 0},
		"nothing but NaN": {math.NaN()}, "long": make([]float64, 10000)} {
		s := Braille(y, 30, 5)
		lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
		for _, l := range lines {
			if utf8.RuneCountInString(l) != utf8.RuneCountInString(lines[0]) {
				t.Errorf("%s: lines of different length:\n%s", name, s)
			}
		}
		if len(lines) != 5 {
			t.Errorf("%s: %d lines", name, len(lines))
		}
	}
	if Braille(nil, 10, 10) != "" {
		t.Error("no values were plotted as something")
	}
}

func TestMeans(t *testing.T) {
	y := []float64{1, 3, 5, 7}
	if got := Mean(y, 2); got[0] != 2 || got[1] != 6 {
		t.Errorf("Mean: %v", got)
	}
	if got := Smooth(y, 2); got[0] != 2 || got[1] != 3 || got[3] != 6 {
		t.Errorf("Smooth: %v", got)
	}
	if got := Mean(y, 9); len(got) != 4 {
		t.Errorf("Mean of few: %v", got)
	}
}

// TestSVG asks for well-formed XML without numbers that are none, whatever the curve.
func TestSVG(t *testing.T) {
	for name, y := range map[string][]float64{"falling": {4, 3, 2, 1}, "nothing": {}, "one": {1}, "zero": {0, 0},
		"broken": {1, math.NaN(), 2}, "huge": {1e30, 1}, "negative": {-1, -2}, "long": make([]float64, 5000)} {
		var b strings.Builder
		if err := SVG(&b, "a < b & c", "loss", y); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(strings.NewReader(b.String()))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%.500s", name, err, b.String())
			}
		}
		var picture bytes.Buffer
		if err := PNG(&picture, "a < b & c", "loss", y); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&picture)
		if err != nil || img.Bounds() != image.Rect(0, 0, width, height) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") || b.Len() > 200_000 {
			t.Errorf("%s: %d bytes\n%.500s", name, b.Len(), b.String())
		}
	}
}

// TestPNG asks that the thick line is where the numbers say.
func TestPNG(t *testing.T) {
	y := make([]float64, 300)
	for i := range y {
		y[i] = 4 - float64(i)/100
	}
	var b bytes.Buffer
	if err := PNG(&b, "cnn on digits", "loss", y); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	c := newChart(y)
	for _, i := range []int{50, 150, 250} {
		at := func(dy int) uint32 {
			r, _, _, _ := img.At(int(c.x(float64(i))), int(c.y(y[i]))+dy).RGBA()
			return r >> 8
		}
		if on, above := at(0), at(-9); on > 100 || above < 200 {
			t.Errorf("step %d: %d on the line, %d above it", i, on, above)
		}
	}
	for r, g := range glyphs {
		if len(g) != 15 || strings.Trim(g, "01") != "" {
			t.Errorf("%q is %q", r, g)
		}
	}
}

func TestConfusion(t *testing.T) {
	var b strings.Builder
	Confusion(&b, []string{"a", "a very long name indeed"}, [][]int{{12345, 0}, {1, 2}})
	want := "                        a a very long…\n            a        12345            ·\na very long…            1            2\n"
	if got := b.String(); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") ||
		strings.Count(got, "\n") != 3 {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}
