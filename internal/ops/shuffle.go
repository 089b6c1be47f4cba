package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
)

// PixelShuffle moves channels into space: (…, C·r², H, W) becomes (…, C, H·r, W·r).
//
//lucid:pkg nn/functional
func PixelShuffle(x *Node, upscaleFactor int) *Node {
	r := upscaleFactor
	if x.Rank() < 3 || r <= 0 || r > maxFactor || x.Dim(-3)%(r*r) != 0 {
		fault.Throw(fault.Shape, "pixel_shuffle", "%v has no channels to spread by %d; want (…, C·r², H, W)", x.Shape(), r)
	}
	k := x.Rank() - 3
	lead, c, h, w := x.Shape().Dims()[:k], x.Dim(-3)/(r*r), x.Dim(-2), x.Dim(-1)
	y := Reshape(x, append(slices.Clone(lead), c, r, r, h, w)...)
	y = permute(y, tailOrder(k, 0, 3, 1, 4, 2))
	return Reshape(y, append(slices.Clone(lead), c, h*r, w*r)...)
}

// maxFactor keeps the square of a factor, and sizes times it, within an int.
const maxFactor = 1 << 20

// PixelUnshuffle undoes PixelShuffle: (…, C, H·r, W·r) becomes (…, C·r², H, W).
//
//lucid:pkg nn/functional
func PixelUnshuffle(x *Node, downscaleFactor int) *Node {
	r := downscaleFactor
	if x.Rank() < 3 || r <= 0 || r > maxFactor || x.Dim(-2)%r != 0 || x.Dim(-1)%r != 0 {
		fault.Throw(fault.Shape, "pixel_unshuffle", "the last two sizes of %v are not multiples of %d", x.Shape(), r)
	}
	k := x.Rank() - 3
	lead, c, h, w := x.Shape().Dims()[:k], x.Dim(-3), x.Dim(-2)/r, x.Dim(-1)/r
	y := Reshape(x, append(slices.Clone(lead), c, h, r, w, r)...)
	y = permute(y, tailOrder(k, 0, 2, 4, 1, 3))
	return Reshape(y, append(slices.Clone(lead), c*r*r, h, w)...)
}

// tailOrder keeps the first k dimensions and puts those behind in the order given.
func tailOrder(k int, order ...int) []int {
	all := make([]int, 0, k+len(order))
	for i := range k {
		all = append(all, i)
	}
	for _, o := range order {
		all = append(all, k+o)
	}
	return all
}

// ChannelShuffle deals the channels (dim 1) out among groups.
//
//lucid:pkg nn/functional
func ChannelShuffle(x *Node, groups int) *Node {
	if x.Rank() < 3 || groups <= 0 || x.Dim(1)%groups != 0 {
		fault.Throw(fault.Shape, "channel_shuffle", "the channels of %v do not make %d groups", x.Shape(), groups)
	}
	d := x.Shape().Dims()
	y := Reshape(x, append([]int{d[0], groups, d[1] / groups}, d[2:]...)...)
	order := []int{0, 2, 1}
	for i := 3; i < y.Rank(); i++ {
		order = append(order, i)
	}
	return reshapeTo(permute(y, order), x.Shape())
}
