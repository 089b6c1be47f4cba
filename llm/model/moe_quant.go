package model

import (
	"strconv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/nn"
)

// QuantExperts is Experts whose matrices are in a block format of GGUF files, as QuantLinear's are.
type QuantExperts struct {
	nn.Base
	Weight *lucid.Tensor `nn:"weight,buffer"` // bytes, (experts, out, bytes of a row)
	Bias   *lucid.Tensor
	Type   ggml.Type
	Fast   bool
}

// Select is that of Experts.
func (m *QuantExperts) Select(x, which *lucid.Tensor) *lucid.Tensor {
	x = x.Reshape(-1, x.Size(-1))
	in := []*lucid.Tensor{x, m.Weight, rowsOf(x, which), which}
	nodes := make([]*graph.Node, len(in))
	for i, t := range in {
		nodes[i] = (*graph.Array)(t).Acquire()
		defer nodes[i].Unref()
	}
	y := (*lucid.Tensor)(door.Wrap(ops.GatherBlockMatmul(nodes[0], nodes[1], nodes[2], nodes[3], m.Type, m.Fast)))
	return addBias(y, m.Bias, which)
}

// ExpertBlocks returns the block format of a stack of experts by the name of its weight, and how many elements a row has; ok is false for
// any other weight.
func (m *Model) ExpertBlocks(name string) (t ggml.Type, width int, ok bool) {
	for i, l := range m.Body.Layers {
		s, sparse := l.MLP.(*SparseMLP)
		if !sparse {
			continue
		}
		p := "model.layers." + strconv.Itoa(i) + ".mlp.experts."
		x := s.Experts
		for at, e := range map[string]selector{"gate_proj": x.GateProj, "up_proj": x.UpProj, "down_proj": x.DownProj} {
			if q, ok := e.(*QuantExperts); ok && name == p+at+".weight" {
				return q.Type, q.Weight.Size(2) / q.Type.BlockBytes() * q.Type.BlockSize(), true
			}
		}
	}
	return 0, 0, false
}
