package utils

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// CheckpointSequential is m.Forward(x) that keeps less for Backward: the layers are cut into as many segments as asked
// for, and what is inside all but the last is computed again when its gradient is. Memory then grows with the number of
// segments and the longest of them instead of the number of layers; the square root of that number is a good choice. The
// gradients are those of Forward, random numbers included; hooks of m itself are not run.
func CheckpointSequential(m *nn.Sequential, segments int, x *lucid.Tensor) *lucid.Tensor {
	if segments < 1 || segments > max(m.Len(), 1) {
		refuse(lucid.ErrValue, "checkpoint_sequential", "%d segments of %d layers; want from 1 to as many as there are layers", segments,
			m.Len())
	}
	size := m.Len() / segments // as in PyTorch, the last segment has what is left
	for i := range segments - 1 {
		x = lucid.Checkpoint(nn.NewSequential(m.Layers[i*size : (i+1)*size]...).Forward)(x)
	}
	return nn.NewSequential(m.Layers[(segments-1)*size:]...).Forward(x)
}
