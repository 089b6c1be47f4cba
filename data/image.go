package data

import (
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg" // registers the decoder
	_ "image/png"  // registers the decoder
	"io"
	"os"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data/internal/resample"
	"github.com/lucid-go/lucid/internal/door"
)

// maxPixels bounds an image before it is decoded: its size is the first thing a file says.
const maxPixels = 1 << 26

// ImageOptions say what an image becomes; the zero value keeps it as it is.
type ImageOptions struct {
	Height, Width int // 0: the image's own; a new pixel is the mean of the area it covers
	Channels      int // 1: gray, 3: red, green, blue; 0: 1 for a gray image, else 3
	MaxPixels     int // of the file, which is refused before it is decoded if it has more; 0: 2^26

	// IgnoreOrientation keeps the pixels of a JPEG as they are stored, also when the file says that its camera was held
	// sideways.
	IgnoreOrientation bool
}

// ReadImage reads a PNG or JPEG file as (C, H, W), uint8. What is transparent is black; photographs stand upright, as
// their EXIF orientation says.
func ReadImage(path string, opts ...ImageOptions) (*lucid.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o, err := imageOptions("read_image", opts)
	if err != nil {
		return nil, err
	}
	t, err := decodeImage(f, o)
	return t, decodeError("read_image", path, err)
}

// DecodeImage reads a PNG or JPEG image as (C, H, W), uint8.
func DecodeImage(r io.ReadSeeker, opts ...ImageOptions) (*lucid.Tensor, error) {
	o, err := imageOptions("decode_image", opts)
	if err != nil {
		return nil, err
	}
	t, err := decodeImage(r, o)
	return t, decodeError("decode_image", "", err)
}

func decodeImage(r io.ReadSeeker, o ImageOptions) (*lucid.Tensor, error) {
	head, format, err := image.DecodeConfig(r)
	if err != nil {
		return nil, fmt.Errorf("no PNG or JPEG image: %w", err)
	}
	if head.Width <= 0 || head.Height <= 0 || head.Width > o.MaxPixels/head.Height {
		return nil, fmt.Errorf("%s of %d × %d; want at most %d pixels", format, head.Width, head.Height, o.MaxPixels)
	}
	orientation := 1
	if format == "jpeg" && !o.IgnoreOrientation {
		if orientation, err = readOrientation(r); err != nil {
			return nil, err
		}
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(r)
	if err != nil {
		return nil, err
	}
	return fromImage(upright(img, orientation), o), nil
}

// exifBytes bounds what is read to find the orientation: cameras write it into the first segments of a file.
const exifBytes = 1 << 18

func readOrientation(r io.ReadSeeker) (int, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	head, err := io.ReadAll(io.LimitReader(r, exifBytes))
	return orientation(head), err
}

// FromImage returns an image as (C, H, W), uint8.
func FromImage(img image.Image, opts ...ImageOptions) *lucid.Tensor {
	o, err := imageOptions("from_image", opts)
	if err != nil {
		panic(err)
	}
	return fromImage(img, o)
}

func imageOptions(op string, opts []ImageOptions) (o ImageOptions, err error) {
	o = door.Option(op, opts)
	if o.MaxPixels == 0 {
		o.MaxPixels = maxPixels
	}
	if o.Channels != 0 && o.Channels != 1 && o.Channels != 3 || o.Height < 0 || o.Width < 0 || (o.Height == 0) != (o.Width == 0) ||
		o.Height > 0 && o.Width > maxPixels/o.Height || o.MaxPixels < 0 {
		return o, lucid.Errorf(lucid.ErrValue, op,
			"%d channels of %d × %d, at most %d pixels; want 1 or 3, both sizes or none, and no more than %d pixels", o.Channels, o.Height,
			o.Width, o.MaxPixels, maxPixels)
	}
	return o, nil
}

func fromImage(img image.Image, o ImageOptions) *lucid.Tensor {
	b := img.Bounds()
	h, w := b.Dy(), b.Dx()
	if o.Channels == 0 {
		o.Channels = 3
		switch img.(type) {
		case *image.Gray, *image.Gray16:
			o.Channels = 1
		}
	}
	v := planes(img, o.Channels)
	if o.Height == 0 || o.Height == h && o.Width == w {
		return lucid.New(v, o.Channels, h, w)
	}
	x := make([]float32, len(v))
	for i, p := range v {
		x[i] = float32(p)
	}
	area, _ := resample.ByName("area")
	x = resample.Image(area, x, o.Channels, h, w, o.Height, o.Width)
	v = make([]uint8, len(x))
	for i, p := range x {
		v[i] = uint8(min(max(p+0.5, 0), 255))
	}
	return lucid.New(v, o.Channels, o.Height, o.Width)
}

// planes returns the pixels channel by channel.
func planes(img image.Image, channels int) []uint8 {
	b := img.Bounds()
	h, w := b.Dy(), b.Dx()
	n := h * w
	out := make([]uint8, channels*n)
	if g, ok := img.(*image.Gray); ok && channels == 1 {
		for y := range h {
			copy(out[y*w:(y+1)*w], g.Pix[y*g.Stride:])
		}
		return out
	}
	c, ok := img.(*image.RGBA)
	if !ok {
		c = image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(c, c.Rect, img, b.Min, draw.Src)
	}
	for y := range h {
		line := c.Pix[y*c.Stride:][:4*w]
		for x := range w {
			p, at := line[4*x:][:3], y*w+x
			if channels == 3 {
				out[at], out[n+at], out[2*n+at] = p[0], p[1], p[2]
				continue
			}
			// The weights of ITU-R 601, as color.GrayModel has them, of 16-bit values.
			out[at] = uint8((19595*257*uint32(p[0]) + 38470*257*uint32(p[1]) + 7471*257*uint32(p[2]) + 1<<15) >> 24)
		}
	}
	return out
}
