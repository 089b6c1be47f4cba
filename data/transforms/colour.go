package transforms

import (
	"math/rand/v2"

	"github.com/lucid-go/lucid"
)

// ToTensor makes float32 numbers from 0 to 1 of a uint8 image, and float32 numbers of any other.
func ToTensor() Transform {
	return func(_ *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		if y := x.To(lucid.Float32); x.DType() != lucid.Uint8 {
			return y
		} else {
			return y.Div(255)
		}
	}
}

// Normalize takes the mean of each channel off and divides by its deviation. One number stands for all channels.
func Normalize(mean, std []float64) Transform {
	const op = "normalize"
	for _, s := range std {
		if !(s > 0) {
			refuse(lucid.ErrValue, op, "a deviation of %v; want a positive number", s)
		}
	}
	if len(mean) == 0 || len(std) == 0 {
		refuse(lucid.ErrValue, op, "%d means and %d deviations; want one for each channel", len(mean), len(std))
	}
	m, s := lucid.New(mean, len(mean), 1, 1), lucid.New(std, len(std), 1, 1)
	return func(_ *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		if !x.DType().IsFloat() {
			refuse(lucid.ErrDType, op, "an image of %v; want floats, which ToTensor makes", x.DType())
		}
		c := channels(op, x)
		if len(mean) != 1 && len(mean) != c || len(std) != 1 && len(std) != c {
			refuse(lucid.ErrShapeMismatch, op, "%d means and %d deviations for an image of shape %v", len(mean), len(std), x.Shape())
		}
		return x.Sub(m.To(x.DType())).Div(s.To(x.DType()))
	}
}

// channels returns the size of the third dimension from the end.
func channels(op string, x *lucid.Tensor) int {
	if x.Dim() < 3 {
		refuse(lucid.ErrShapeMismatch, op, "an image of shape %v; want (C, H, W)", x.Shape())
	}
	return x.Size(-3)
}

// Grayscale makes an image gray, with 1 or 3 equal channels. The weights are those of ITU-R 601.
func Grayscale(n int) Transform {
	const op = "grayscale"
	if n != 1 && n != 3 {
		refuse(lucid.ErrValue, op, "%d channels; want 1 or 3", n)
	}
	return func(_ *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		switch c := channels(op, x); {
		case c == 3:
			x = back(luma(x.To(lucid.Float32)), x.DType())
		case c != 1:
			refuse(lucid.ErrShapeMismatch, op, "an image of shape %v; want 1 or 3 channels", x.Shape())
		}
		if n == 1 {
			return x
		}
		return lucid.Cat([]*lucid.Tensor{x, x, x}, -3)
	}
}

// luma is how bright colours are, one channel of three.
func luma(x *lucid.Tensor) *lucid.Tensor {
	part := func(i int) *lucid.Tensor {
		return x.At(lucid.Ellipsis, lucid.Range{Start: i, Stop: i + 1}, lucid.Colon, lucid.Colon)
	}
	return part(0).Mul(0.2989).Add(part(1).Mul(0.587)).Add(part(2).Mul(0.114))
}

// back brings numbers to the dtype of an image, integers cut at 0 and 255 and towards 0 as torchvision does.
func back(x *lucid.Tensor, d lucid.DType) *lucid.Tensor {
	if d.IsFloat() {
		return x.Clamp(0, 1).To(d)
	}
	return x.Clamp(0, 255).To(d)
}

// ColorJitterOptions are how far each property may go from 1, both ways: 0.4 multiplies by 0.6 to 1.4; 0 leaves it alone.
type ColorJitterOptions struct {
	Brightness float64 // 0: unchanged
	Contrast   float64 // 0: unchanged
	Saturation float64 // 0: unchanged
}

// ColorJitter changes brightness, contrast and saturation by random factors, in random order.
func ColorJitter(o ColorJitterOptions) Transform {
	const op = "color_jitter"
	if !(o.Brightness >= 0 && o.Contrast >= 0 && o.Saturation >= 0) {
		refuse(lucid.ErrValue, op, "%+v; none may be negative", o)
	}
	spread := []float64{o.Brightness, o.Contrast, o.Saturation}
	return func(r *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		if c := channels(op, x); c != 1 && c != 3 {
			refuse(lucid.ErrShapeMismatch, op, "an image of shape %v; want 1 or 3 channels", x.Shape())
		}
		for _, k := range r.Perm(len(spread)) {
			s := spread[k]
			if s == 0 {
				continue
			}
			low := max(0, 1-s)
			x = adjust(x, k, low+r.Float64()*(1+s-low))
		}
		return x
	}
}

// adjust mixes an image with black, with its mean brightness, or with itself in gray.
func adjust(x *lucid.Tensor, what int, factor float64) *lucid.Tensor {
	v := x.To(lucid.Float32)
	gray := v
	if x.Size(-3) == 3 {
		gray = luma(v)
	}
	var from *lucid.Tensor
	switch what {
	case 0:
		from = lucid.ZerosLike(v)
	case 1:
		from = lucid.Mean(gray, lucid.ReduceOptions{Dim: []int{-3, -2, -1}, KeepDim: true})
	default:
		from = gray
	}
	return back(v.Mul(factor).Add(from.Mul(1-factor)), x.DType())
}
