package transforms

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data/internal/resample"
	"github.com/lucid-go/lucid/internal/door"
)

// ResizeOptions: Filter is "bilinear" (the default), "nearest", "area", "bicubic" or "lanczos". Where an image shrinks, all but
// "nearest" see every pixel (torchvision's antialias). MaxSize bounds the longer side if Resize got one number; 0 does not.
type ResizeOptions struct {
	Filter  string // "bilinear" (also by ""), "nearest", "area", "bicubic" or "lanczos"
	MaxSize int    // most pixels of the longer side, where Resize got one number; 0: any
}

// Resize brings an image to a size: of two numbers, height and width; of one, that of the shorter side, the other keeping the
// proportions. A float image keeps its dtype; an integer one is rounded, and cut at the bounds of its dtype.
func Resize(to []int, opts ...ResizeOptions) Transform {
	const op = "resize"
	o := door.Option(op, opts)
	f, ok := resample.ByName(o.Filter)
	if !ok {
		refuse(lucid.ErrValue, op, "there is no filter %q; want one of: %s", o.Filter, strings.Join(resample.Names(), ", "))
	}
	if len(to) != 1 && len(to) != 2 || o.MaxSize < 0 || o.MaxSize > 0 && (len(to) == 2 || o.MaxSize < to[0]) {
		refuse(lucid.ErrValue, op,
			"sizes %v with at most %d; want height and width, or the shorter side and at most that much more for the longer", to, o.MaxSize)
	}
	checkSize(op, to[0], to[len(to)-1])
	return func(_ *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		h, w := size(op, x)
		if h == 0 || w == 0 {
			refuse(lucid.ErrShapeMismatch, op, "an image of shape %v has no pixels", x.Shape())
		}
		H, W := to[0], to[len(to)-1]
		if len(to) == 1 {
			H, W = shorter(h, w, to[0], o.MaxSize)
		}
		return resize(f, x, h, w, H, W)
	}
}

// shorter returns the size whose shorter side is n.
func shorter(h, w, n, most int) (H, W int) {
	long := n * max(h, w) / min(h, w)
	if most > 0 && long > most {
		n, long = max(most*n/long, 1), most
	}
	if long > maxSide {
		refuse(lucid.ErrValue, "resize", "an image of %d × %d would become %d pixels long; set MaxSize", h, w, long)
	}
	if h <= w {
		return n, long
	}
	return long, n
}

func resize(f resample.Filter, x *lucid.Tensor, h, w, H, W int) *lucid.Tensor {
	if h == H && w == W {
		return x
	}
	d := x.DType()
	if d.IsComplex() {
		refuse(lucid.ErrDType, "resize", "an image of %v", d)
	}
	shape := x.Shape()
	v := lucid.ToSlice[float32](x)
	v = resample.Image(f, v, len(v)/(h*w), h, w, H, W)
	if !d.IsFloat() {
		low, high := bounds(d)
		for i := range v {
			v[i] = min(max(float32(math.RoundToEven(float64(v[i]))), low), high)
		}
	}
	shape[len(shape)-2], shape[len(shape)-1] = H, W
	return lucid.New(v, shape...).To(d)
}

// bounds are those of an integer dtype that float32 can show.
func bounds(d lucid.DType) (low, high float32) {
	bits := 8 * d.Size()
	switch {
	case d == lucid.Bool:
		return 0, 1
	case d.IsSigned():
		high = float32(math.Ldexp(1, bits-1))
		low = -high
	default:
		high = float32(math.Ldexp(1, bits))
	}
	if bits <= 16 {
		return low, high - 1
	}
	return low, math.Nextafter32(high, 0)
}
