package data

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// idx makes a file of bytes in IDX format.
func idx(kind byte, body []byte, dims ...uint32) []byte {
	b := []byte{0, 0, kind, byte(len(dims))}
	for _, n := range dims {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return append(b, body...)
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func zip(t testing.TB, b []byte) []byte {
	t.Helper()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return z.Bytes()
}

func TestIDXDTypes(t *testing.T) {
	for _, c := range []struct {
		kind byte
		body []byte
		want lucid.DType
		sum  float64
	}{
		{8, []byte{1, 255}, lucid.Uint8, 256},
		{9, []byte{1, 255}, lucid.Int8, 0},
		{11, []byte{1, 0, 255, 255}, lucid.Int16, 255},
		{12, []byte{0, 0, 1, 0, 255, 255, 255, 255}, lucid.Int32, 255},
		{13, []byte{0x3f, 0x80, 0, 0, 0x40, 0, 0, 0}, lucid.Float32, 3},
		{14, []byte{0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0}, lucid.Float64, 3},
	} {
		x, err := DecodeIDX(bytes.NewReader(idx(c.kind, c.body, 1, 2)))
		if err != nil {
			t.Errorf("kind %d: %v", c.kind, err)
			continue
		}
		if got := x.To(lucid.Float64).Sum().Item(); x.DType() != c.want || !slices.Equal(x.Shape(), []int{1, 2}) || got != c.sum {
			t.Errorf("kind %d: %v %v sums to %v, want %v %v", c.kind, x.DType(), x.Shape(), got, c.want, c.sum)
		}
	}
}

// TestIDXRefuses cuts, lengthens and forges files.
func TestIDXRefuses(t *testing.T) {
	good := idx(8, []byte{1, 2, 3, 4, 5, 6}, 2, 3)
	for n := range good {
		if _, err := DecodeIDX(bytes.NewReader(good[:n])); !errors.Is(err, lucid.ErrFormat) {
			t.Errorf("the first %d bytes were taken", n)
		}
	}
	for name, b := range map[string][]byte{
		"longer":          append(slices.Clone(good), 0),
		"unknown dtype":   idx(10, nil, 0),
		"huge dimension":  idx(8, nil, 1<<31, 1<<31),
		"promises 2 GB":   idx(8, []byte{1}, 1<<31-1),
		"nine dimensions": idx(8, []byte{1}, 1, 1, 1, 1, 1, 1, 1, 1, 1),
		"no zeros":        {1, 0, 8, 0},
	} {
		if x, err := DecodeIDX(bytes.NewReader(b)); err == nil {
			t.Errorf("%s: taken as %v", name, x.Shape())
		}
	}
	if x, err := DecodeIDX(bytes.NewReader(idx(8, nil, 0, 3))); err != nil || x.NumElement() != 0 {
		t.Errorf("no images: %v", err)
	}
}

func TestMNIST(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "train-images-idx3-ubyte"), idx(8, []byte{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2))
	write(t, filepath.Join(dir, "train-labels-idx1-ubyte.gz"), zip(t, idx(8, []byte{7, 9}, 2)))
	write(t, filepath.Join(dir, "t10k-images.idx3-ubyte"), idx(8, []byte{1, 2, 3, 4}, 1, 2, 2))
	if _, _, err := MNIST(dir); err == nil || !strings.Contains(err.Error(), "t10k-labels-idx1-ubyte") {
		t.Errorf("a missing file: %v", err)
	}
	write(t, filepath.Join(dir, "t10k-labels-idx1-ubyte"), idx(8, []byte{3}, 1))
	train, test, err := MNIST(dir)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := train.Get(1); err != nil || b[0].Sum().Item() != 26 || b[1].Item() != 9 || test.Len() != 1 {
		t.Errorf("%v, %v", b, err)
	}
	write(t, filepath.Join(dir, "t10k-labels-idx1-ubyte"), idx(8, []byte{3, 4}, 2))
	if _, _, err := MNIST(dir); err == nil {
		t.Error("two labels for one image were taken")
	}
}

func TestCSV(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		o       CSVOptions
		x       []float32
		y       []int64
		classes []string
		columns []string
	}{
		"numbers": {text: "1,2,10\n3,4,9\n", x: []float32{1, 2, 3, 4}, y: []int64{1, 0}, classes: []string{"9", "10"}},
		"names": {text: "1,2,rose\n3,4,iris\n5,6,rose", x: []float32{1, 2, 3, 4, 5, 6}, y: []int64{1, 0, 1},
			classes: []string{"iris", "rose"}},
		"header": {text: "label;a;b\nx;1;2\n", x: []float32{1, 2}, y: []int64{0}, classes: []string{"x"},
			columns: []string{"a", "b"}},
		"numbered names": {text: "0\t1\tclass\n1\t2\tx\n", x: []float32{1, 2}, y: []int64{0}, classes: []string{"x"},
			columns: []string{"0", "1"}},
		"label column":   {text: "5,1,2\n", o: CSVOptions{Label: new(0)}, x: []float32{1, 2}, y: []int64{0}, classes: []string{"5"}},
		"no label":       {text: "5,1,2\n", o: CSVOptions{NoLabel: true}, x: []float32{5, 1, 2}},
		"spaces, quotes": {text: "1, 2, \"a,b\"\r\n", x: []float32{1, 2}, y: []int64{0}, classes: []string{"a,b"}},
	} {
		got, err := DecodeCSV(strings.NewReader(c.text), c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var y []int64
		if got.Y != nil {
			y = lucid.ToSlice[int64](got.Y)
		}
		if !slices.Equal(lucid.ToSlice[float32](got.X), c.x) || !slices.Equal(y, c.y) || !slices.Equal(got.Classes, c.classes) ||
			!slices.Equal(got.Columns, c.columns) {
			t.Errorf("%s: %v %v %v %v", name, got.X, got.Y, got.Classes, got.Columns)
		}
	}
}

// TestCSVNumeric reads labels that are numbers to predict, in a column that the header names.
func TestCSVNumeric(t *testing.T) {
	const table = "a,price,b\n1,2.5,3\n4,-1e3,6\n"
	got, err := DecodeCSV(strings.NewReader(table), CSVOptions{LabelName: "Price", Numeric: true})
	if err != nil || got.Y.DType() != lucid.Float32 || got.Classes != nil || got.Label != "price" ||
		!slices.Equal(lucid.ToSlice[float32](got.Y), []float32{2.5, -1000}) || !slices.Equal(got.Columns, []string{"a", "b"}) ||
		!slices.Equal(lucid.ToSlice[float32](got.X), []float32{1, 3, 4, 6}) {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err = DecodeCSV(strings.NewReader(table), CSVOptions{LabelName: "b"}); err != nil ||
		!slices.Equal(got.Classes, []string{"3", "6"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for want, o := range map[string]CSVOptions{
		`no column is named "cost"`: {LabelName: "cost"},
		"both say where":            {LabelName: "a", Label: new(1)},
		"NoLabel with":              {NoLabel: true, Numeric: true},
	} {
		if _, err := DecodeCSV(strings.NewReader(table), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, text := range []string{"1,x\n", "1,NA\n", "1,1e99\n", "1,inf\n"} {
		if _, err := DecodeCSV(strings.NewReader(text), CSVOptions{Numeric: true, Missing: new(0.0)}); err == nil ||
			!strings.Contains(err.Error(), "line 1: the label is") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestCSVRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":       {"", "no rows"},
		"header only":   {"a,b\n", "no rows"},
		"not a number":  {"1,2,x\n1,?,x\n", `line 2: field 2 is "?"`},
		"nan":           {"1,nan,x\n", "want a number"},
		"short row":     {"1,2,3\n1,2\n", "wrong number of fields"},
		"one field":     {"1\n2\n", "one field"},
		"open quote":    {"1,\"2\n", "quote"},
		"endless line":  {strings.Repeat("1", 1<<25), "bytes"},
		"beyond floats": {"1e99,1\n", "want a number"},
	} {
		if _, err := DecodeCSV(strings.NewReader(c.text)); !errors.Is(err, lucid.ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.200v, want %q", name, err, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "a.csv.gz")
	write(t, path, zip(t, []byte("1,2,3\n")))
	if x, err := ReadCSV(path); err != nil || x.X.Sum().Item() != 3 {
		t.Errorf("gzip: %v", err)
	}
	write(t, path, zip(t, []byte("1,2,3\n"))[:20])
	if _, err := ReadCSV(path); err == nil || !strings.Contains(err.Error(), "a.csv.gz") {
		t.Errorf("cut gzip: %v", err)
	}
}

// picture makes an image file of one colour.
func picture(t testing.TB, w, h int, c color.Color, jpg bool) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, c)
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	if jpg {
		b.Reset()
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestImageFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "red", "a.png"), picture(t, 6, 4, color.RGBA{255, 0, 0, 255}, false))
	write(t, filepath.Join(dir, "blue", "b.JPG"), picture(t, 12, 8, color.RGBA{0, 0, 255, 255}, true))
	write(t, filepath.Join(dir, "blue", "notes.txt"), []byte("no image"))
	write(t, filepath.Join(dir, "empty", "notes.txt"), []byte("no image"))
	d, err := NewImageFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 2 || !slices.Equal(d.Classes, []string{"blue", "red"}) || !slices.Equal(d.Shape(), []int{3, 8, 12}) {
		t.Fatalf("%d images, %v, %v", d.Len(), d.Classes, d.Shape())
	}
	loader := NewLoader(d, LoaderOptions{BatchSize: 2, Workers: 2})
	for b, err := range loader.All(context.Background()) {
		if err != nil || !slices.Equal(b[0].Shape(), []int{2, 3, 8, 12}) || !slices.Equal(lucid.ToSlice[int64](b[1]), []int64{0, 1}) {
			t.Fatalf("%v, %v", b, err)
		}
		means := lucid.ToSlice[float32](b[0].To(lucid.Float32).Mean(2, 3))
		for i, want := range []float32{0, 0, 255, 255, 0, 0} {
			if means[i] < want-3 || means[i] > want+3 {
				t.Errorf("channel %d has mean %v, want %v", i, means[i], want)
			}
		}
	}
	write(t, filepath.Join(dir, "red", "b.png"), []byte("no image"))
	d, err = NewImageFolder(dir, ImageOptions{Channels: 1, Height: 2, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(2); err == nil || !strings.Contains(err.Error(), "b.png") {
		t.Errorf("a broken image: %v", err)
	}
	if _, err := d.Get(3); err == nil {
		t.Error("an image that is not there was read")
	}
	if _, err := NewImageFolder(t.TempDir()); err == nil {
		t.Error("a folder without images was taken")
	}
}

// TestImageBounds asks that an image is measured before it is decoded.
func TestImageBounds(t *testing.T) {
	b := picture(t, 1, 1, color.White, false)
	binary.BigEndian.PutUint32(b[16:], 1<<30) // the width; png checks the sum only when it decodes
	if _, err := DecodeImage(bytes.NewReader(b)); !errors.Is(err, lucid.ErrFormat) {
		t.Error("an image of a billion pixels was taken")
	}
	small := picture(t, 2, 2, color.White, false)
	for _, o := range []ImageOptions{{Channels: 2}, {Height: 2}, {Height: 1 << 40, Width: 1 << 40}, {MaxPixels: 3}, {MaxPixels: -1}} {
		if _, err := DecodeImage(bytes.NewReader(small), o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

// TestImageKinds asks that images of every kind in memory become what their colours say.
func TestImageKinds(t *testing.T) {
	rect := image.Rect(3, 5, 7, 8) // not at the origin
	colour := func(x, y int) color.Color { return color.RGBA{uint8(40 * (x - 3)), uint8(80 * (y - 5)), 200, 255} }
	palette := color.Palette{}
	for y := rect.Min.Y; y < rect.Max.Y; y++ {
		for x := rect.Min.X; x < rect.Max.X; x++ {
			palette = append(palette, colour(x, y))
		}
	}
	for _, img := range []draw.Image{image.NewRGBA(rect), image.NewNRGBA(rect), image.NewRGBA64(rect), image.NewNRGBA64(rect),
		image.NewPaletted(rect, palette), image.NewGray(rect), image.NewGray16(rect),
		image.NewRGBA(image.Rect(0, 0, 20, 20)).SubImage(rect).(draw.Image)} {
		for y := rect.Min.Y; y < rect.Max.Y; y++ {
			for x := rect.Min.X; x < rect.Max.X; x++ {
				img.Set(x, y, colour(x, y))
			}
		}
		rgb, gray := lucid.ToSlice[int](FromImage(img, ImageOptions{Channels: 3})),
			lucid.ToSlice[int](FromImage(img, ImageOptions{Channels: 1}))
		for i := range gray {
			at := img.At(3+i%4, 5+i/4)
			r, g, b, _ := at.RGBA()
			want := int(color.GrayModel.Convert(at).(color.Gray).Y)
			if rgb[i] != int(r>>8) || rgb[12+i] != int(g>>8) || rgb[24+i] != int(b>>8) || gray[i] < want-1 || gray[i] > want+1 {
				t.Fatalf("%T: pixel %d is %d %d %d, gray %d; want %v, gray %d", img, i, rgb[i], rgb[12+i], rgb[24+i], gray[i], at, want)
			}
		}
	}
}

// TestCSVMissing asks that fields without a number are refused unless an option says what they stand for.
func TestCSVMissing(t *testing.T) {
	const table = "\ufefflabel,a,b\nx,1,\ny, NA ,4\nx,null,?\n"
	if _, err := DecodeCSV(strings.NewReader(table)); err == nil ||
		!strings.Contains(err.Error(), "line 2: field 3 is \"\"; want a number, or the option Missing") {
		t.Error(err)
	}
	d, err := DecodeCSV(strings.NewReader(table), CSVOptions{Missing: new(-1.0)})
	if err != nil || d.Missing != 4 || !slices.Equal(lucid.ToSlice[int](d.X), []int{1, -1, -1, 4, -1, -1}) ||
		!slices.Equal(d.Columns, []string{"a", "b"}) {
		t.Errorf("%v, %+v", err, d)
	}
	if d, err = DecodeCSV(strings.NewReader(table), CSVOptions{Missing: new(math.NaN())}); err != nil || !math.IsNaN(d.X.At(1, 0).Item()) {
		t.Errorf("%v, %+v", err, d)
	}
	if d, err = DecodeCSV(strings.NewReader("\ufeff1,2,x\n3,4,y\n")); err != nil || d.X.At(0, 0).Item() != 1 {
		t.Errorf("a byte order mark before a number: %v", err)
	}
}

func TestTextDataset(t *testing.T) {
	d := NewTextDataset([]byte("abcdefg"), 3, 2)
	if d.Len() != 2 {
		t.Fatalf("%d windows", d.Len())
	}
	b, err := d.GetBatch([]int{1, 0})
	if err != nil || !slices.Equal(lucid.ToSlice[int64](b[0]), []int64{'c', 'd', 'e', 'a', 'b', 'c'}) ||
		!slices.Equal(lucid.ToSlice[int64](b[1]), []int64{'d', 'e', 'f', 'b', 'c', 'd'}) {
		t.Errorf("%v, %v", b, err)
	}
	one, err := d.Get(0)
	if err != nil || !slices.Equal(one[0].Shape(), []int{3}) {
		t.Errorf("%v, %v", one, err)
	}
	if _, err := d.Get(2); err == nil {
		t.Error("a window past the end was read")
	}
	if n := NewTextDataset([]byte("abc"), 3, 1).Len(); n != 0 {
		t.Errorf("a text without a next byte has %d windows", n)
	}
}

func FuzzIDX(f *testing.F) {
	f.Add(idx(8, []byte{1, 2, 3, 4, 5, 6}, 2, 3))
	f.Add(idx(14, make([]byte, 16), 2))
	f.Add(idx(13, nil, 0, 1<<31))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := DecodeIDX(bytes.NewReader(b))
		if err == nil && x.NumElement() > len(b) {
			t.Fatalf("%d elements of %d bytes", x.NumElement(), len(b))
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add("a,b,label\n1,2,x\n3,4,y\n")
	f.Add("1;2;3\n")
	f.Add("a,b,label\n1,,x\nNA,4,y\n")
	f.Fuzz(func(t *testing.T, s string) {
		filled, fillErr := DecodeCSV(strings.NewReader(s), CSVOptions{Missing: new(0.0)})
		if fillErr == nil && filled.Missing > filled.X.NumElement() {
			t.Fatalf("%d of %d fields are missing", filled.Missing, filled.X.NumElement())
		}
		x, err := DecodeCSV(strings.NewReader(s))
		if err != nil {
			return
		}
		if fillErr != nil || filled.Missing != 0 || !lucid.Equal(filled.X, x.X) {
			t.Fatalf("a table without holes is another one with Missing: %v", fillErr)
		}
		if x.Y == nil || x.X.Size(0) != x.Y.Size(0) || x.X.NumElement() > len(s) || len(x.Classes) > x.Y.Size(0) {
			t.Fatalf("%v numbers, %v labels, %d classes", x.X.Shape(), x.Y.Shape(), len(x.Classes))
		}
	})
}

func FuzzImage(f *testing.F) {
	f.Add(picture(f, 3, 2, color.White, false))
	f.Add(picture(f, 3, 2, color.Black, true))
	f.Add(sideways(f, true, exif(binary.LittleEndian, 6)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(b)); err == nil && c.Width*c.Height > 1<<20 {
			t.Skip("within the bound, but slow")
		}
		x, err := DecodeImage(bytes.NewReader(b), ImageOptions{Channels: 1, Height: 4, Width: 4})
		if err == nil && !slices.Equal(x.Shape(), []int{1, 4, 4}) {
			t.Fatalf("shape %v", x.Shape())
		}
	})
}
