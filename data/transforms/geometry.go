package transforms

import (
	"math"
	"math/rand/v2"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// size returns the last two dimensions of an image.
func size(op string, x *lucid.Tensor) (h, w int) {
	if x.Dim() < 2 {
		refuse(lucid.ErrShapeMismatch, op, "an image of shape %v; want (C, H, W), or more dimensions in front", x.Shape())
	}
	return x.Size(-2), x.Size(-1)
}

func checkSize(op string, h, w int) {
	if h < 1 || w < 1 || h > maxSide || w > maxSide {
		refuse(lucid.ErrValue, op, "%d × %d pixels; want 1 to %d each", h, w, maxSide)
	}
}

// maxSide bounds what a mistake in a size can allocate.
const maxSide = 1 << 16

// Crop takes the part of an image that begins at a row and a column and has a height and a width. It must be inside the image.
func Crop(top, left, h, w int) Transform {
	checkSize("crop", h, w)
	return func(_ *rand.Rand, x *lucid.Tensor) *lucid.Tensor { return crop("crop", x, top, left, h, w) }
}

func crop(op string, x *lucid.Tensor, top, left, h, w int) *lucid.Tensor {
	if H, W := size(op, x); top < 0 || left < 0 || top > H-h || left > W-w {
		refuse(lucid.ErrIndex, op, "%d × %d pixels at %d, %d of an image of %d × %d", h, w, top, left, H, W)
	}
	return x.At(lucid.Ellipsis, lucid.Range{Start: top, Stop: top + h}, lucid.Range{Start: left, Stop: left + w})
}

// CenterCrop takes the middle of an image. Where the image is smaller it is padded with zeros.
func CenterCrop(h, w int) Transform {
	checkSize("center_crop", h, w)
	return func(_ *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		H, W := size("center_crop", x)
		if dh, dw := max(h-H, 0), max(w-W, 0); dh+dw > 0 {
			x = F.Pad(x, []int{dw / 2, (dw + 1) / 2, dh / 2, (dh + 1) / 2})
			H, W = H+dh, W+dw
		}
		middle := func(n int) int { return int(math.RoundToEven(float64(n) / 2)) }
		return crop("center_crop", x, middle(H-h), middle(W-w), h, w)
	}
}

// RandomCropOptions: Padding pixels are added on every side first, by Mode as functional.Pad has it ("constant", "reflect",
// "replicate", "circular"; the default is "constant") with Fill. PadIfNeeded pads an image that is too small, instead of refusing it.
type RandomCropOptions struct {
	Padding     int     // pixels added on every side first
	Mode        string  // of the padding: "constant" (also by ""), "reflect", "replicate" or "circular"
	Fill        float64 // of constant padding
	PadIfNeeded bool    // pad an image that is too small; otherwise it is refused
}

// RandomCrop takes a part of an image at a random position.
func RandomCrop(h, w int, opts ...RandomCropOptions) Transform {
	const op = "random_crop"
	checkSize(op, h, w)
	o := door.Option(op, opts)
	if o.Padding < 0 {
		refuse(lucid.ErrValue, op, "a padding of %d", o.Padding)
	}
	return func(r *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		x = pad(x, o.Padding, o.Padding, o.Mode, o.Fill)
		H, W := size(op, x)
		if o.PadIfNeeded && (H < h || W < w) {
			x = pad(x, max(h-H, 0), max(w-W, 0), o.Mode, o.Fill)
			H, W = size(op, x)
		}
		if H < h || W < w {
			refuse(lucid.ErrShapeMismatch, op, "%d × %d pixels of an image of %d × %d; set PadIfNeeded", h, w, H, W)
		}
		return crop(op, x, r.IntN(H-h+1), r.IntN(W-w+1), h, w)
	}
}

// Pad adds pixels of one value on every side.
func Pad(n int, fill float64) Transform {
	if n < 0 || n > maxSide {
		refuse(lucid.ErrValue, "pad", "%d pixels; want 0 to %d", n, maxSide)
	}
	return func(_ *rand.Rand, x *lucid.Tensor) *lucid.Tensor { return pad(x, n, n, "", fill) }
}

func pad(x *lucid.Tensor, h, w int, mode string, fill float64) *lucid.Tensor {
	if h == 0 && w == 0 {
		return x
	}
	o := F.PadOptions{Mode: mode}
	if mode == "" || mode == "constant" {
		o.Value = fill
		if !x.DType().IsInexact() {
			o.Value = int(fill)
		}
	}
	return F.Pad(x, []int{w, w, h, h}, o)
}

// RandomResizedCropOptions: Scale bounds the part of the area that is taken, Ratio its width over its height, Filter is that of
// Resize. Zeros are 0.08 to 1, 3/4 to 4/3 and "bilinear".
type RandomResizedCropOptions struct {
	Scale  [2]float64 // bounds of the part of the area that is taken; zeros: 0.08 and 1
	Ratio  [2]float64 // bounds of its width over its height; zeros: 3/4 and 4/3
	Filter string     // that of Resize
}

// RandomResizedCrop takes a part of random size, shape and position and brings it to h × w.
func RandomResizedCrop(h, w int, opts ...RandomResizedCropOptions) Transform {
	const op = "random_resized_crop"
	checkSize(op, h, w)
	o := door.Option(op, opts)
	if o.Scale == [2]float64{} {
		o.Scale = [2]float64{0.08, 1}
	}
	if o.Ratio == [2]float64{} {
		o.Ratio = [2]float64{3. / 4, 4. / 3}
	}
	if !(o.Scale[0] > 0 && o.Scale[0] <= o.Scale[1] && o.Ratio[0] > 0 && o.Ratio[0] <= o.Ratio[1]) {
		refuse(lucid.ErrValue, op, "a scale from %v to %v, a ratio from %v to %v; want positive numbers, the smaller first", o.Scale[0],
			o.Scale[1], o.Ratio[0], o.Ratio[1])
	}
	to := Resize([]int{h, w}, ResizeOptions{Filter: o.Filter})
	return func(r *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		H, W := size(op, x)
		top, left, ch, cw := o.part(r, H, W)
		return to(r, crop(op, x, top, left, ch, cw))
	}
}

// part chooses what to take of H × W pixels: it tries ten times, then takes the middle.
func (o RandomResizedCropOptions) part(r *rand.Rand, H, W int) (top, left, h, w int) {
	low, high := math.Log(o.Ratio[0]), math.Log(o.Ratio[1])
	for range 10 {
		area := float64(H*W) * (o.Scale[0] + r.Float64()*(o.Scale[1]-o.Scale[0]))
		ratio := math.Exp(low + r.Float64()*(high-low))
		w, h = int(math.RoundToEven(math.Sqrt(area*ratio))), int(math.RoundToEven(math.Sqrt(area/ratio)))
		if w > 0 && w <= W && h > 0 && h <= H {
			return r.IntN(H - h + 1), r.IntN(W - w + 1), h, w
		}
	}
	h, w = H, W
	switch in := float64(W) / float64(H); {
	case in < o.Ratio[0]:
		h = min(H, int(math.RoundToEven(float64(W)/o.Ratio[0])))
	case in > o.Ratio[1]:
		w = min(W, int(math.RoundToEven(float64(H)*o.Ratio[1])))
	}
	return (H - h) / 2, (W - w) / 2, h, w
}

// RandomHorizontalFlip mirrors an image left to right with probability p.
func RandomHorizontalFlip(p float64) Transform { return flip("random_horizontal_flip", p, -1) }

// RandomVerticalFlip mirrors an image top to bottom with probability p.
func RandomVerticalFlip(p float64) Transform { return flip("random_vertical_flip", p, -2) }

func flip(op string, p float64, dim int) Transform {
	checkProbability(op, p)
	return func(r *rand.Rand, x *lucid.Tensor) *lucid.Tensor {
		size(op, x)
		if r.Float64() < p {
			return lucid.Flip(x, dim)
		}
		return x
	}
}
