package nn

import "github.com/lucid-go/lucid"

// channelsFirst brings (B, …, C) to (B, C, …), a view; without a batch (…, C) would need it to be known.
func channelsFirst(x *lucid.Tensor) *lucid.Tensor {
	if x.Dim() < 3 {
		return x
	}
	return x.MoveDim(-1, 1)
}

// channelsLast is the opposite of channelsFirst.
func channelsLast(x *lucid.Tensor) *lucid.Tensor {
	if x.Dim() < 3 {
		return x
	}
	return x.MoveDim(1, -1)
}

// ChannelsLast runs a layer that wants (B, C, …) over (B, …, C), as MLX's layers take it: pooling, norms, Upsample, Dropout2d.
// Convolutions and batch norms have an option of this name, which is faster.
type ChannelsLast struct {
	Base
	Layer Layer
}

// NewChannelsLast returns it for a layer.
func NewChannelsLast(layer Layer) *ChannelsLast { return &ChannelsLast{Layer: layer} }

// Forward runs the layer over x, (B, …, C), and gives (B, …, channels of its result).
func (m *ChannelsLast) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	if x.Dim() < 3 {
		refuse(lucid.ErrShapeMismatch, "channels_last", "x has shape %v; want (B, …, C)", x.Shape())
	}
	return Leave(m, x, channelsLast(m.Layer.Forward(channelsFirst(x))))
}
