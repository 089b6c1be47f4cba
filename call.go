package lucid

import (
	"slices"
	"sort"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/schema"
)

// Op describes an op that can be called by name.
type Op struct {
	Name          string
	Version       int
	Doc           string
	Aliases       []string // other names it answers to in Call
	InPlace       bool     // with an underscore behind its names, Call rebinds the first tensor and returns it
	Door          string   // the Go function, "" if only a method
	Kind          string   // elementwise, view, reduce, …; composite: written with other ops
	AMP           string   // keep, half, float32
	Deterministic bool
	VJP           string // "yes", or "waived: why"
	JVP           string
	VMap          string
	Params        []Param
}

// Param describes a parameter: tensors come from the inputs in order, the others from the attributes.
type Param struct {
	Name     string
	Type     string
	Optional bool
}

// Ops lists every op that can be called by name, sorted.
func Ops() []Op {
	var all []Op
	for n, s := range schema.All() {
		if n == s.Name {
			all = append(all, describe(s))
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

func describe(s *schema.Schema) Op {
	o := Op{Name: s.Name, Aliases: slices.Clone(s.Aliases), InPlace: s.InPlace, Version: 1, Doc: s.Doc, Door: s.Door,
		Kind: graph.Composite.String(), AMP: "keep", Deterministic: s.Random == "", VJP: "yes", JVP: "yes", VMap: "yes"}
	if s.AMP != "" {
		o.AMP = s.AMP
	}
	for _, p := range s.Params {
		o.Params = append(o.Params, Param(p))
	}
	noGrad, noVMap := s.NoGrad, s.NoVMap
	if g := graph.Lookup(s.Name); g != nil {
		o.Version, o.Kind, o.AMP, o.Deterministic = g.Version, g.Kind.String(), g.AMP.String(), g.Nondeterministic == ""
		noGrad, noVMap = g.NoGrad, g.NoVMap
	}
	if noGrad != "" {
		o.VJP, o.JVP = "waived: "+noGrad, "waived: "+noGrad
	}
	if noVMap != "" {
		o.VMap = "waived: " + noVMap
	}
	return o
}

// Call runs an op by name: tensors in order, everything else as attributes under PyTorch's keywords. It is strict: an
// unknown name or attribute, a wrong type or count is an error that says what was expected. The name of an op that has
// an in-place form, with an underscore behind it, is that form: it rebinds the first tensor, and returns it.
func Call(name string, inputs []*Tensor, attrs map[string]any) (out []*Tensor, err error) {
	s, inplace := schema.Lookup(name), false
	if base, ok := strings.CutSuffix(name, "_"); ok && s == nil {
		if b := schema.Lookup(base); b != nil && b.InPlace {
			s, inplace = b, true
		}
	}
	if s == nil {
		return nil, fault.New(fault.NotImplemented, "call", "there is no op %q%s", name, similar(name))
	}
	err = fault.Catch(func() {
		in := acquireOptional(inputs)
		c := schema.NewCaller(s, in, attrs)
		defer func() {
			for _, n := range in {
				release(n)
			}
		}()
		ns := present(c.Call())
		c.Finish()
		if inplace {
			if _, number := attrs[s.Params[0].Name]; number || inputs[0] == nil {
				c.Bad(fault.Value, "%s rebinds its first operand, which must be a tensor", name)
			}
			out = []*Tensor{inputs[0].rebind(s.Name, ns[0])}
			return
		}
		if s.View {
			out = wrapViews(ns)
		} else {
			out = wrapAll(ns)
		}
	})
	return out, within(s.Name, err)
}

// present leaves out results that were not asked for.
func present(ns []*graph.Node) []*graph.Node {
	return slices.DeleteFunc(ns, func(n *graph.Node) bool { return n == nil })
}

func acquireOptional(ts []*Tensor) []*graph.Node {
	ns := make([]*graph.Node, len(ts))
	for i, t := range ts {
		ns[i] = acquireMaybe(t)
	}
	return ns
}

// similar suggests names that begin alike.
func similar(name string) string {
	if near := schema.Similar(name); near != nil {
		return "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return "; Ops lists them"
}
