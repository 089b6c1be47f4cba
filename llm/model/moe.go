package model

import (
	"math"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// MoE says how layers with experts choose and mix them.
type MoE struct {
	Experts  int
	PerToken int    // experts that a token goes to
	Size     int    // intermediate size of an expert
	Shared   int    // intermediate size of the MLP that all tokens go to; 0: there is none
	Sparse   []bool // which layers have experts; nil: all

	Routing  Routing
	NormTopK bool    // weights of the chosen experts are divided by their sum
	Scale    float64 // and multiplied by this; 0: they are not

	Groups    int  // experts are in so many groups, of which TopGroups are chosen first; 0: there are none
	TopGroups int  // by the score of their best expert, or the sum of their best two if Corrected
	Corrected bool // a bias is added to scores where experts are chosen, not where they are mixed

	SharedGate bool // the result of the shared MLP is multiplied by a sigmoid
	RouterBias bool
	Bias       bool    // of experts
	Limit      float64 // of gpt-oss: gates and inputs of experts are bounded by it; 0: the activation is that of the model
	Alpha      float64 // with Limit: the factor in the sigmoid of the gate
}

// Routing says what the scores of experts are.
type Routing string

// The kinds of scores.
const (
	SoftmaxRouting Routing = "softmax"      // softmax over all experts
	SigmoidRouting Routing = "sigmoid"      // each expert by itself
	TopKRouting    Routing = "topk_softmax" // softmax over the chosen experts
)

func (m *MoE) check(layers int) {
	switch {
	case m.Experts < 1 || m.Experts > 1<<14 || m.PerToken < 1 || m.PerToken > m.Experts:
		refuse("%d of %d experts for each token; want 1 or more of 1 to %d", m.PerToken, m.Experts, 1<<14)
	case m.Size < 1 || m.Size > maxWidth || m.Shared < 0 || m.Shared > maxWidth:
		refuse("the intermediate sizes of experts are %d and %d; want up to %d", m.Size, m.Shared, maxWidth)
	case m.Sparse != nil && len(m.Sparse) != layers:
		refuse("%d kinds of MLPs for %d layers", len(m.Sparse), layers)
	case !slices.Contains([]Routing{SoftmaxRouting, SigmoidRouting, TopKRouting}, m.Routing):
		unsupported("the routing %q of experts; want softmax, sigmoid or topk_softmax", m.Routing)
	case m.Groups < 0 || m.Groups > 0 && (m.Experts%m.Groups != 0 || m.TopGroups < 1 || m.TopGroups > m.Groups):
		refuse("%d of %d groups of %d experts", m.TopGroups, m.Groups, m.Experts)
	case m.Groups > 0 && (m.Corrected && m.Experts/m.Groups < 2 || m.PerToken > m.TopGroups*(m.Experts/m.Groups)):
		refuse("%d groups of %d experts are too small for %d experts of %d groups", m.Groups, m.Experts/m.Groups, m.PerToken, m.TopGroups)
	}
	for _, v := range []float64{m.Scale, m.Limit, m.Alpha} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			refuse("a scale or limit of experts is %v; want a finite number that is not negative", v)
		}
	}
}

// sparse reports whether a layer has experts.
func (c *Config) sparse(layer int) bool {
	return c.MoE != nil && (c.MoE.Sparse == nil || c.MoE.Sparse[layer])
}

// firstSparse is the number of the first layer with experts.
func (c *Config) firstSparse() string { return strconv.Itoa(max(0, slices.Index(c.MoE.Sparse, true))) }

// sparseFrom says which layers have experts.
func (m *MoE) sparseFrom(layers int, is func(layer int) bool) {
	m.Sparse = make([]bool, min(max(layers, 0), maxLayers))
	all := true
	for i := range m.Sparse {
		m.Sparse[i] = is(i)
		all = all && m.Sparse[i]
	}
	if all {
		m.Sparse = nil
	}
}

// Router chooses the experts of each token.
type Router struct {
	nn.Base
	Weight     *lucid.Tensor // (experts, hidden)
	Bias       *lucid.Tensor // (experts); nil: none
	Correction *lucid.Tensor `nn:"e_score_correction_bias"` // added to scores where experts are chosen; nil: none
	c          *MoE
}

// Forward takes tokens, (N, hidden), to which experts they go to, int64 of (N, PerToken), and the weights of their results.
func (m *Router) Forward(x *lucid.Tensor) (which, weights *lucid.Tensor) {
	c := m.c
	scores := project(x, nn.Use(m, m.Weight))
	if m.Bias != nil {
		scores = scores.Add(nn.Use(m, m.Bias))
	}
	scores = scores.To(lucid.Float32)
	switch c.Routing {
	case SoftmaxRouting:
		scores = scores.Softmax(-1)
	case SigmoidRouting:
		scores = scores.Sigmoid()
	}
	choice := scores.Detach()
	if m.Correction != nil {
		choice = choice.Add(m.Correction.To(lucid.Float32).Detach())
	}
	if c.Groups > 1 {
		choice = lucid.Where(m.inTopGroups(choice), choice, math.Inf(-1))
	}
	_, which = lucid.TopK(choice, c.PerToken)
	weights = scores.Gather(1, which)
	if c.Routing == TopKRouting {
		weights = weights.Softmax(-1)
	}
	if c.NormTopK {
		weights = weights.Div(weights.Sum(-1).Unsqueeze(-1).Add(1e-20))
	}
	if c.Scale != 0 && c.Scale != 1 {
		weights = weights.Mul(c.Scale)
	}
	return which, weights.To(x.DType())
}

// inTopGroups says of each expert, (N, experts), whether its group is one of the best.
func (m *Router) inTopGroups(scores *lucid.Tensor) *lucid.Tensor {
	n, c := scores.Size(0), m.c
	grouped := scores.Reshape(n, c.Groups, c.Experts/c.Groups)
	best := 1
	if c.Corrected {
		best = 2
	}
	top, _ := lucid.TopK(grouped, best)
	_, groups := lucid.TopK(top.Sum(-1), c.TopGroups)
	all := lucid.With{DType: lucid.Int64, Device: scores.Device()}.Arange(c.Groups).Reshape(1, c.Groups, 1)
	chosen := groups.Unsqueeze(1).Eq(all).Any(-1).Unsqueeze(-1) // (N, groups, 1)
	return chosen.Expand(n, c.Groups, c.Experts/c.Groups).Reshape(n, c.Experts)
}

// Experts is a stack of matrices, of which each row of the input is multiplied with chosen ones.
type Experts struct {
	nn.Base
	Weight *lucid.Tensor // (experts, out, in)
	Bias   *lucid.Tensor // (experts, out); nil: none
}

// Select takes rows, (N, in) or (N, k, in), and which experts, int64 of (N, k), to (N, k, out). Experts that are not chosen are
// not read, and none is copied.
func (m *Experts) Select(x, which *lucid.Tensor) *lucid.Tensor {
	x = x.Reshape(-1, 1, x.Size(-1))
	y := lucid.GatherMm(x, nn.Use(m, m.Weight).Transpose(1, 2),
		lucid.GatherMmOptions{LHSIndices: rowsOf(x, which), RHSIndices: which}).Squeeze(2)
	return addBias(y, nn.Use(m, m.Bias), which)
}

// rowsOf numbers the rows of x, (rows, …), for choices of (N, k): there is a row for each choice, or one for each k.
func rowsOf(x, which *lucid.Tensor) *lucid.Tensor {
	n := which.Size(0)
	return lucid.With{DType: lucid.Int64, Device: x.Device()}.Arange(x.Size(0)).Reshape(n, x.Size(0)/n)
}

// addBias adds the biases of chosen experts, (experts, out), to (N, k, out).
func addBias(y, bias, which *lucid.Tensor) *lucid.Tensor {
	if bias == nil {
		return y
	}
	return y.Add(bias.IndexSelect(0, which.Reshape(-1)).Reshape(y.Shape()...))
}

// selector is a stack of matrices: Experts or QuantExperts.
type selector interface {
	nn.Module
	Select(x, which *lucid.Tensor) *lucid.Tensor
}

// ExpertMLPs are gated MLPs as stacks of their matrices.
type ExpertMLPs struct {
	nn.Base
	GateProj   selector
	UpProj     selector
	DownProj   selector
	Activation string
	c          *MoE
}

// SparseMLP sends each token to a few of many MLPs and adds their results.
type SparseMLP struct {
	nn.Base
	Gate             *Router
	Experts          *ExpertMLPs
	SharedExperts    *MLP     // nil: none
	SharedExpertGate nn.Layer // nil: none
}

// Forward leaves the shape as it is.
func (m *SparseMLP) Forward(x *lucid.Tensor) *lucid.Tensor {
	flat := x.Reshape(-1, x.Size(-1))
	which, weights := m.Gate.Forward(flat)
	y := m.Experts.mixed(flat, which, weights)
	if m.SharedExperts != nil {
		shared := m.SharedExperts.Forward(flat)
		if m.SharedExpertGate != nil {
			shared = shared.Mul(m.SharedExpertGate.Forward(flat).Sigmoid())
		}
		y = y.Add(shared)
	}
	return y.Reshape(x.Shape()...)
}

// mixed adds the results of chosen experts with weights.
func (m *ExpertMLPs) mixed(x, which, weights *lucid.Tensor) *lucid.Tensor {
	gate, up := m.GateProj.Select(x, which), m.UpProj.Select(x, which)
	if limit := m.c.Limit; limit > 0 {
		gate, up = gate.Minimum(limit), up.Clamp(-limit, limit)
		gate = gate.Mul(gate.Mul(m.c.Alpha).Sigmoid())
		up = up.Add(1.0)
	} else {
		gate = activate(m.Activation, gate)
	}
	y := m.DownProj.Select(gate.Mul(up), which)
	return y.Mul(weights.Unsqueeze(-1)).Sum(1)
}
