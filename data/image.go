package data

import (
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // registers the decoder
	_ "image/png"  // registers the decoder
	"io"
	"os"

	"github.com/lucid-go/lucid"
)

// maxPixels bounds an image before it is decoded: its size is the first thing a file says.
const maxPixels = 1 << 26

// ImageOptions say what an image becomes; the zero value keeps it as it is.
type ImageOptions struct {
	Height, Width int // 0: the image's own
	Channels      int // 1: gray, 3: red, green, blue; 0: 1 for a gray image, else 3
}

// ReadImage reads a PNG or JPEG file as (C, H, W), uint8. What is transparent is black.
func ReadImage(path string, opts ...ImageOptions) (*lucid.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := DecodeImage(f, opts...)
	if err != nil {
		return nil, lucid.Errorf(lucid.ErrFormat, "read_image", "%s: %v", path, err)
	}
	return t, nil
}

// DecodeImage reads a PNG or JPEG image as (C, H, W), uint8.
func DecodeImage(r io.ReadSeeker, opts ...ImageOptions) (*lucid.Tensor, error) {
	var o ImageOptions
	if len(opts) > 1 {
		refuse(lucid.ErrValue, "decode_image", "got %d option structs; want at most one", len(opts))
	}
	if len(opts) == 1 {
		o = opts[0]
	}
	if o.Channels != 0 && o.Channels != 1 && o.Channels != 3 || o.Height < 0 || o.Width < 0 || (o.Height == 0) != (o.Width == 0) || o.Height*o.Width > maxPixels {
		return nil, lucid.Errorf(lucid.ErrValue, "decode_image", "%d channels of %d × %d; want 1 or 3, and both sizes or none", o.Channels, o.Height, o.Width)
	}
	head, format, err := image.DecodeConfig(r)
	if err != nil {
		return nil, fmt.Errorf("no PNG or JPEG image: %w", err)
	}
	if head.Width <= 0 || head.Height <= 0 || head.Width > maxPixels/head.Height {
		return nil, fmt.Errorf("%s of %d × %d; want at most %d pixels", format, head.Width, head.Height, maxPixels)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(r)
	if err != nil {
		return nil, err
	}
	if o.Channels == 0 {
		o.Channels = 3
		if m := img.ColorModel(); m == color.GrayModel || m == color.Gray16Model {
			o.Channels = 1
		}
	}
	p := newPlanes(img, o.Channels)
	if o.Height > 0 && (o.Height != p.h || o.Width != p.w) {
		p = p.resize(o.Height, o.Width)
	}
	return p.tensor(), nil
}

// planes is an image as numbers from 0 to 255, channel by channel.
type planes struct {
	c, h, w int
	v       []float32
}

func newPlanes(img image.Image, channels int) planes {
	b := img.Bounds()
	p := planes{channels, b.Dy(), b.Dx(), make([]float32, channels*b.Dx()*b.Dy())}
	n := p.h * p.w
	for y := range p.h {
		for x := range p.w {
			at := y*p.w + x
			if channels == 1 {
				g := color.Gray16Model.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.Gray16)
				p.v[at] = float32(g.Y) / 257
				continue
			}
			r, g, b, _ := img.At(b.Min.X+x, b.Min.Y+y).RGBA()
			p.v[at], p.v[n+at], p.v[2*n+at] = float32(r)/257, float32(g)/257, float32(b)/257
		}
	}
	return p
}

// resize gives every new pixel the mean of the area it covers, first along rows, then along columns.
func (p planes) resize(h, w int) planes {
	wide := planes{p.c, p.h, w, make([]float32, p.c*p.h*w)}
	for row := range p.c * p.h {
		shrink(wide.v[row*w:(row+1)*w], p.v[row*p.w:(row+1)*p.w])
	}
	out := planes{p.c, h, w, make([]float32, p.c*h*w)}
	from, to := make([]float32, p.h), make([]float32, h)
	for c := range p.c {
		for x := range w {
			for y := range from {
				from[y] = wide.v[(c*p.h+y)*w+x]
			}
			shrink(to, from)
			for y, v := range to {
				out.v[(c*h+y)*w+x] = v
			}
		}
	}
	return out
}

// shrink makes line z of line x.
func shrink(z, x []float32) {
	scale := float64(len(x)) / float64(len(z))
	for i := range z {
		begin, end := float64(i)*scale, float64(i+1)*scale
		sum, area := 0.0, 0.0
		for j := int(begin); j < len(x) && float64(j) < end; j++ {
			part := min(end, float64(j+1)) - max(begin, float64(j))
			sum += part * float64(x[j])
			area += part
		}
		if area > 0 {
			z[i] = float32(sum / area)
		}
	}
}

func (p planes) tensor() *lucid.Tensor {
	b := make([]uint8, len(p.v))
	for i, v := range p.v {
		b[i] = uint8(min(max(v+0.5, 0), 255))
	}
	return lucid.New(b, p.c, p.h, p.w)
}
