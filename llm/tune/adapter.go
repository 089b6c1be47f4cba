package tune

import (
	"math"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/nn"
)

// LoRAOptions say what an adapter is like.
type LoRAOptions struct {
	Rank    int     // of the matrices; 0: 8
	Alpha   float64 // the adapter is multiplied by Alpha/Rank; 0: Rank, which multiplies by 1
	Dropout float64 // share of the inputs that training sets to zero; 0: none
	// Targets are the layers that get an adapter. A plain name such as q_proj stands for all layers that end with it. In a pattern with
	// dots * stands for one part of a name and ** for any number: **.q_proj, model.layers.*.mlp.**. nil: q_proj and v_proj.
	Targets []string
	DoRA    bool // learn the lengths of the matrices' rows apart from their directions
	RSLoRA  bool // multiply by Alpha/√Rank instead
}

const maxRank = 1 << 14

func (o *LoRAOptions) fill() {
	if o.Rank == 0 {
		o.Rank = 8
	}
	if o.Alpha == 0 {
		o.Alpha = float64(o.Rank)
	}
	if o.Targets == nil {
		o.Targets = []string{"q_proj", "v_proj"}
	}
	switch {
	case o.Rank < 1 || o.Rank > maxRank:
		fault.Throw(fault.Value, op, "Rank is %d; want 1 to %d", o.Rank, maxRank)
	case !(o.Alpha > 0) || math.IsInf(o.Alpha, 0):
		fault.Throw(fault.Value, op, "Alpha is %v; want a positive number", o.Alpha)
	case !(o.Dropout >= 0 && o.Dropout < 1):
		fault.Throw(fault.Value, op, "Dropout is %v; want a share from 0 to below 1", o.Dropout)
	}
}

func (o *LoRAOptions) scale() float64 {
	if o.RSLoRA {
		return o.Alpha / math.Sqrt(float64(o.Rank))
	}
	return o.Alpha / float64(o.Rank)
}

// Adapter is what LoRA added to a model.
type Adapter struct {
	m       *llm.Model
	o       LoRAOptions
	names   []string
	layers  []*Linear
	removed bool
}

// LoRA adds adapters to layers of a model. They change nothing until they are tuned. The rest of the model stays as it is.
func LoRA(m *llm.Model, o LoRAOptions) (a *Adapter, err error) {
	err = fault.Catch(func() {
		o.fill()
		a = &Adapter{m: m, o: o}
		a.attach()
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// attach makes the layers, and replaces those of the model when all are made.
func (a *Adapter) attach() {
	net, c := a.m.Module(), a.m.Config()
	device := net.Placement().Device
	used := make([]bool, len(a.o.Targets))
	for name, inner := range net.Linears() {
		hit := false
		for i, p := range a.o.Targets {
			if matches(p, name) {
				hit, used[i] = true, true
			}
		}
		if !hit {
			continue
		}
		if _, twice := inner.(*Linear); twice {
			fault.Throw(fault.Value, op, "%s has an adapter already; Remove or Fuse that one first", name)
		}
		in, out := c.LinearSize(name)
		a.names, a.layers = append(a.names, name), append(a.layers, newLinear(inner, in, out, device, a.o))
	}
	if i := slices.Index(used, false); i >= 0 {
		fault.Throw(fault.Value, op, "the target %q names no layer; there are such as %s", a.o.Targets[i], someLayers(a.m))
	}
	for i, name := range a.names {
		net.SetLinear(name, a.layers[i])
	}
}

// someLayers lists the layers of the first block.
func someLayers(m *llm.Model) string {
	var list []string
	for name := range m.Module().Linears() {
		if strings.HasPrefix(name, "model.layers.0.") || name == "lm_head" {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// matches compares a target with the name of a layer.
func matches(pattern, name string) bool {
	if !strings.ContainsAny(pattern, ".*") {
		return name == pattern || strings.HasSuffix(name, "."+pattern)
	}
	return matchParts(strings.Split(pattern, "."), strings.Split(name, "."))
}

func matchParts(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return matchParts(pattern[1:], name) || len(name) > 0 && matchParts(pattern, name[1:])
	case len(name) == 0 || pattern[0] != "*" && pattern[0] != name[0]:
		return false
	}
	return matchParts(pattern[1:], name[1:])
}

// Layers returns the names of the layers that have an adapter.
func (a *Adapter) Layers() []string { return slices.Clone(a.names) }

// Options returns what the adapter was made with, defaults filled in.
func (a *Adapter) Options() LoRAOptions {
	o := a.o
	o.Targets = slices.Clone(o.Targets)
	return o
}

// NumParameters returns how many numbers the adapter has.
func (a *Adapter) NumParameters() (n int) {
	for _, l := range a.layers {
		for _, p := range l.parameters() {
			n += p.NumElement()
		}
	}
	return n
}

// parameters are what an adapter learns.
func (l *Linear) parameters() []*lucid.Tensor {
	if l.Magnitude == nil {
		return []*lucid.Tensor{l.A, l.B}
	}
	return []*lucid.Tensor{l.A, l.B, l.Magnitude}
}

// SetEnabled switches the adapter on or off without taking it away.
func (a *Adapter) SetEnabled(on bool) {
	v := int64(1)
	if on {
		v = 0
	}
	for _, l := range a.layers {
		l.off.Store(v)
	}
}

// Remove takes the adapter off: the model is as it was. Removing twice does nothing.
func (a *Adapter) Remove() {
	if !a.removed {
		for i, name := range a.names {
			a.m.Module().SetLinear(name, a.layers[i].Inner)
		}
		a.removed = true
	}
}

// Fuse writes the adapter into the matrices of the model and takes it off. The model then computes the same without it, up to
// rounding, and can be saved.
func (a *Adapter) Fuse() error {
	if a.removed {
		return fault.New(fault.Value, op, "the adapter was removed or fused already")
	}
	return fault.Catch(func() {
		lucid.NoGrad(func() {
			var all []*lucid.Tensor
			for _, l := range a.layers {
				all = append(all, l.fused())
			}
			if err := lucid.Eval(all...); err != nil {
				panic(err)
			}
			for i, l := range a.layers {
				bias := l.Inner.(*nn.Linear).Bias
				l.Inner = &nn.Linear{Weight: all[i], Bias: bias}
				nn.Eval(l.Inner)
			}
		})
		a.Remove()
	})
}
