package data

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// exif is the segment in which a camera says how it was held.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("Exif\x00\x00")
	name := "II"
	if order.String() == "BigEndian" {
		name = "MM"
	}
	b = order.AppendUint32(order.AppendUint16(append(b, name...), 42), 8)
	b = order.AppendUint16(b, 2)
	for _, tag := range [][4]uint32{{0x100, 3, 1, 7}, {0x112, 3, 1, uint32(orientation)}} {
		b = order.AppendUint16(order.AppendUint16(b, uint16(tag[0])), uint16(tag[1]))
		b = order.AppendUint16(order.AppendUint16(order.AppendUint32(b, tag[2]), uint16(tag[3])), 0)
	}
	b = order.AppendUint32(b, 0)
	return append(binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(2+len(b))), b...)
}

// sideways is a JPEG file of 16 × 8 pixels, the left half black and the rest white but for a gray lower right quarter,
// with segments put behind its first marker.
func sideways(t testing.TB, gray bool, segments ...[]byte) []byte {
	t.Helper()
	at := func(x, y int) color.Gray {
		switch {
		case x < 8:
			return color.Gray{0}
		case y < 4:
			return color.Gray{255}
		}
		return color.Gray{128}
	}
	var img image.Image
	g, c := image.NewGray(image.Rect(0, 0, 16, 8)), image.NewRGBA(image.Rect(0, 0, 16, 8))
	for y := range 8 {
		for x := range 16 {
			g.Set(x, y, at(x, y))
			c.Set(x, y, at(x, y))
		}
	}
	if img = c; gray {
		img = g
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(b.Bytes()[:2], slices.Concat(segments...), b.Bytes()[2:])
}

// Corners, in reading order, of the picture above for every way to hold a camera: what the EXIF standard says of the
// position of the first row and column.
func TestOrientation(t *testing.T) {
	for orientation, want := range map[int][4]int{
		0: {0, 255, 0, 128}, 1: {0, 255, 0, 128}, 2: {255, 0, 128, 0}, 3: {128, 0, 255, 0}, 4: {0, 128, 0, 255},
		5: {0, 0, 255, 128}, 6: {0, 0, 128, 255}, 7: {128, 255, 0, 0}, 8: {255, 128, 0, 0}, 9: {0, 255, 0, 128},
	} {
		for _, gray := range []bool{false, true} {
			for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				file := sideways(t, gray, []byte{0xff, 0xe0, 0, 4, 1, 2}, exif(order, uint16(orientation)))
				x, err := DecodeImage(bytes.NewReader(file))
				if err != nil {
					t.Fatal(err)
				}
				h, w := 8, 16
				if orientation >= 5 && orientation <= 8 {
					h, w = w, h
				}
				channels := 3
				if gray {
					channels = 1
				}
				if !slices.Equal(x.Shape(), []int{channels, h, w}) {
					t.Fatalf("orientation %d: shape %v", orientation, x.Shape())
				}
				for i, p := range [][2]int{{0, 0}, {0, w - 1}, {h - 1, 0}, {h - 1, w - 1}} {
					if got := int(x.At(channels-1, p[0], p[1]).Item()); got < want[i]-6 || got > want[i]+6 {
						t.Errorf("orientation %d: corner %d is %d; want %d", orientation, i, got, want[i])
					}
				}
				stored, err := DecodeImage(bytes.NewReader(file), ImageOptions{IgnoreOrientation: true})
				if err != nil || stored.Size(1) != 8 {
					t.Errorf("as it is stored: %v, %v", stored, err)
				}
			}
		}
	}
}

// What is wrong in the segments of a file never keeps its image from being read.
func TestOrientationBroken(t *testing.T) {
	whole := exif(binary.LittleEndian, 6)
	for cut := range whole {
		if got := orientation(sideways(t, true)[:2]); got != 1 {
			t.Fatalf("an empty file has orientation %d", got)
		}
		b := append([]byte{0xff, 0xd8}, whole[:cut]...)
		if got := orientation(b); got != 1 {
			t.Errorf("cut after %d bytes: orientation %d", cut, got)
		}
	}
	for at := 4; at < len(whole); at++ {
		for _, v := range []byte{0, 1, 0x7f, 0xff} {
			b := slices.Clone(whole)
			b[at] = v
			if x, err := DecodeImage(bytes.NewReader(sideways(t, true, b))); err != nil || x.NumElement() != 128 {
				t.Errorf("byte %d is %d: %v", at, v, err)
			}
		}
	}
}

// A class may be a link, and have folders inside.
func TestImageFolderLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir, elsewhere := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "a", "x.png"), picture(t, 2, 2, color.White, false))
	write(t, filepath.Join(dir, "a", "more", "y.png"), picture(t, 2, 2, color.White, false))
	write(t, filepath.Join(dir, "a", ".hidden.png"), []byte("no image"))
	write(t, filepath.Join(elsewhere, "z.png"), picture(t, 2, 2, color.Black, false))
	for to, from := range map[string]string{elsewhere: filepath.Join(dir, "b"),
		filepath.Join(elsewhere, "z.png"): filepath.Join(dir, "a", "z.png"), "nowhere": filepath.Join(dir, "c")} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	d, err := NewImageFolder(dir)
	if err != nil || d.Len() != 4 || !slices.Equal(d.Classes, []string{"a", "b"}) || !slices.Equal(d.Labels, []int64{0, 0, 0, 1}) {
		t.Fatalf("%v: %+v", err, d)
	}
	if x, err := d.Get(3); err != nil || x[0].To(lucid.Float32).Mean().Item() != 0 {
		t.Errorf("%v, %v", x, err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "a", "round")); err != nil {
		t.Fatal(err)
	}
	if _, err := NewImageFolder(dir); err == nil {
		t.Error("folders without end were taken")
	}
}
