package data

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
)

// orientation returns how a camera was held, as a JPEG file says: 1 to 8, as in the EXIF standard; 1, upright, if the
// file says nothing or nothing that makes sense. It reads the segments before the image, all of which are bounded by
// the file.
func orientation(jpeg []byte) int {
	if len(jpeg) < 4 || jpeg[0] != 0xff || jpeg[1] != 0xd8 {
		return 1
	}
	for b := jpeg[2:]; len(b) >= 4 && b[0] == 0xff; {
		marker := b[1]
		if marker == 0xff { // padding
			b = b[1:]
			continue
		}
		size := int(binary.BigEndian.Uint16(b[2:]))
		if marker == 0xda || marker == 0xd9 || size < 2 || 2+size > len(b) { // the image begins, or nothing is there
			return 1
		}
		if head := []byte("Exif\x00\x00"); marker == 0xe1 && bytes.HasPrefix(b[4:2+size], head) {
			return tiffOrientation(b[4+len(head) : 2+size])
		}
		b = b[2+size:]
	}
	return 1
}

// tiffOrientation reads tag 0x112 of the first directory of a TIFF structure.
func tiffOrientation(b []byte) int {
	var order binary.ByteOrder
	switch {
	case len(b) < 8:
		return 1
	case string(b[:2]) == "II":
		order = binary.LittleEndian
	case string(b[:2]) == "MM":
		order = binary.BigEndian
	default:
		return 1
	}
	at := int64(order.Uint32(b[4:]))
	if order.Uint16(b[2:]) != 42 || at < 8 || at+2 > int64(len(b)) {
		return 1
	}
	entries := int(order.Uint16(b[at:]))
	b = b[at+2:]
	for range entries {
		if len(b) < 12 {
			break
		}
		if order.Uint16(b) == 0x112 && order.Uint16(b[2:]) == 3 && order.Uint32(b[4:]) == 1 {
			if v := int(order.Uint16(b[8:])); v >= 1 && v <= 8 {
				return v
			}
			break
		}
		b = b[12:]
	}
	return 1
}

// upright rotates or mirrors an image by its EXIF orientation.
func upright(img image.Image, orientation int) image.Image {
	if orientation <= 1 || orientation > 8 {
		return img
	}
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	ow, oh := w, h
	if orientation > 4 { // rows and columns are swapped
		ow, oh = h, w
	}
	// The pixel at (x, y) of what was stored stands at to(x, y).
	to := [...]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return w - 1 - x, y },
		3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y },
		4: func(x, y int) (int, int) { return x, h - 1 - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return h - 1 - y, x },
		7: func(x, y int) (int, int) { return h - 1 - y, w - 1 - x },
		8: func(x, y int) (int, int) { return y, w - 1 - x },
	}[orientation]
	if g, ok := img.(*image.Gray); ok {
		out := image.NewGray(image.Rect(0, 0, ow, oh))
		for y := range h {
			for x, p := range g.Pix[y*g.Stride:][:w] {
				ox, oy := to(x, y)
				out.Pix[oy*out.Stride+ox] = p
			}
		}
		return out
	}
	flat := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(flat, flat.Rect, img, b.Min, draw.Src)
	out := image.NewRGBA(image.Rect(0, 0, ow, oh))
	for y := range h {
		for x := range w {
			ox, oy := to(x, y)
			copy(out.Pix[oy*out.Stride+4*ox:][:4], flat.Pix[y*flat.Stride+4*x:])
		}
	}
	return out
}
