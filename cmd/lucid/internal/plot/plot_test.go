package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"os"
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
		r := Run{Title: "a < b & c", Loss: y, Score: "test R²"}
		for i := range y[:min(len(y), 3)] {
			r.Tests = append(r.Tests, Test{i + 1, y[i], 1 - y[i]})
		}
		var b strings.Builder
		if err := SVG(&b, r); err != nil {
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
		if err := PNG(&picture, r); err != nil {
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

// run is a run with a loss that falls from 4 to 1, and a test loss and an accuracy at every hundredth step.
func run() Run {
	r := Run{Title: "cnn on digits", Score: "test accuracy", Share: true}
	for i := range 300 {
		r.Loss = append(r.Loss, 4-float64(i)/100)
	}
	for i := 100; i <= 300; i += 100 {
		r.Tests = append(r.Tests, Test{i, 4.5 - float64(i)/100, float64(i) / 400})
	}
	return r
}

// TestLegend asks that every curve is named, in a family of fonts that every viewer has, and the axis of the accuracy is in percent.
func TestLegend(t *testing.T) {
	var b strings.Builder
	if err := SVG(&b, run()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">loss of a step<", ">its running mean<", ">test loss<", ">test accuracy<", ">100 %<", ">0 %<", ">step<",
		">cnn on digits<", ` font-family="sans-serif">`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "<circle"); n != 6 {
		t.Errorf("%d dots, want one for each test loss and accuracy", n)
	}
}

// TestPNG asks that the lines are where the numbers say.
func TestPNG(t *testing.T) {
	r := run()
	var b bytes.Buffer
	if err := PNG(&b, r); err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("LUCID_PLOT"); path != "" { // to look at it
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	colour := func(x, y float64) int {
		r, g, b, _ := img.At(int(x), int(y)).RGBA()
		return int(r>>8)<<16 | int(g>>8)<<8 | int(b>>8)
	}
	upper := newAxes(300, lossTop, lossBottom, 5, r.Loss)
	for _, i := range []int{50, 150, 250} {
		x, y := upper.x(float64(i+1)), upper.y(r.Loss[i])
		if on, above := colour(x, y)>>16, colour(x, y-9)>>16; on > 100 || above < 200 {
			t.Errorf("step %d: %d on the line, %d above it", i, on, above)
		}
	}
	lower := newAxes(300, scoreTop, scoreBottom, scoreTicks, []float64{100})
	for _, v := range r.Tests {
		if got := colour(upper.x(float64(v.Step)), upper.y(v.Loss)); got != orange {
			t.Errorf("test loss after step %d: #%06x", v.Step, got)
		}
		if got := colour(lower.x(float64(v.Step)), lower.y(100*v.Score)); got != green {
			t.Errorf("accuracy after step %d: #%06x", v.Step, got)
		}
	}
}

// TestGlyphs asks for every letter of ASCII, large and small ones apart, each in its grid and like no other.
func TestGlyphs(t *testing.T) {
	seen := map[string]rune{}
	for r := rune(' '); r < 0x7f; r++ {
		if _, ok := glyphs[r]; !ok {
			t.Errorf("%q is missing", r)
		}
	}
	for r, g := range glyphs {
		if other, ok := seen[g]; ok {
			t.Errorf("%q looks like %q", r, other)
		}
		seen[g] = r
		rows := glyph(r)
		if len(rows) > glyphHeight {
			t.Errorf("%q has %d rows", r, len(rows))
		}
		for _, row := range rows {
			if len(row) != glyphWidth || strings.Trim(row, ".#") != "" {
				t.Errorf("%q has a row %q", r, row)
			}
		}
	}
	if len(glyph('語')) == 0 {
		t.Error("nothing stands for a letter that is not here")
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
