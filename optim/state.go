package optim

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/tree"
)

// StateDict returns the state of every parameter as state.<index>.<name> and the numbers of every group as
// param_groups.<index>.<name>. The values are those of now.
func (e *engine[H]) StateDict() *lucid.StateDict {
	d := lucid.NewStateDict()
	index := 0
	for _, g := range e.groups {
		for j := range g.params {
			q, step := &g.params[j], g.clock
			if g.stepsDiffer.Load() != 0 {
				step = g.age(q)
			}
			d.Set(fmt.Sprintf("state.%d.step", index), step.Detach())
			for _, s := range q.state {
				d.Set(fmt.Sprintf("state.%d.%s", index, s.name), s.t.Detach())
			}
			index++
		}
	}
	index = 0
	for i, g := range e.groups {
		set := func(name string, v float64) {
			d.Set(fmt.Sprintf("param_groups.%d.%s", i, name), number(lucid.With{DType: lucid.Float64}, v))
		}
		set("lr", g.LR())
		set("initial_lr", g.InitialLR)
		if g.momentumTensor != nil {
			set("current_momentum", g.momentum)
		}
		numbers(&g.h, func(name string, v reflect.Value, _ bool) { set(name, toFloat(v)) })
		at := make([]int64, len(g.params))
		for j := range at {
			at[j] = int64(index)
			index++
		}
		d.Set(fmt.Sprintf("param_groups.%d.params", i), lucid.New(at, len(at)))
	}
	return d
}

// numbers calls f with the fields of an optimizer's numbers. later says that files of earlier releases lack one: it was added with the
// tag state:"later", and its zero value means what optimizers did before.
func numbers(h any, f func(name string, v reflect.Value, later bool)) {
	v := reflect.ValueOf(h).Elem()
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		f(tree.Snake(field.Name), v.Field(i), field.Tag.Get("state") == "later")
	}
}

func toFloat(v reflect.Value) float64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Int:
		return float64(v.Int())
	}
	return v.Float()
}

func fromFloat(v reflect.Value, f float64) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f != 0)
	case reflect.Int:
		v.SetInt(int64(f))
	default:
		v.SetFloat(f)
	}
}

// LoadStateDict brings a state back that StateDict made for the same parameters in the same groups. If something does
// not fit it changes nothing.
func (e *engine[H]) LoadStateDict(d *lucid.StateDict) error {
	return lucid.Try(func() {
		e.check(d)
		index := 0
		for i, g := range e.groups {
			get := func(name string) float64 {
				if t := d.Get(fmt.Sprintf("param_groups.%d.%s", i, name)); t != nil {
					return t.Item()
				}
				return 0 // a later number; check refused others
			}
			numbers(&g.h, func(name string, v reflect.Value, _ bool) { fromFloat(v, get(name)) })
			g.InitialLR = get("initial_lr")
			g.lr = get("lr")
			g.rate.Assign(g.lr) // a schedule, if there is one, changes it in the next step
			g.load(d, index)
			if g.momentumTensor != nil {
				g.SetMomentum(get("current_momentum")) // may make state that the file has not
			}
			index += len(g.params)
		}
		e.version.Store(e.version.Load() + 1)
	})
}

// load brings the state of the parameters back, the first of which has an index.
func (g *group[H]) load(d *lucid.StateDict, index int) {
	steps := make([]float64, len(g.params))
	for j := range steps {
		steps[j] = d.Get(fmt.Sprintf("state.%d.step", index+j)).Item()
	}
	stepsDiffer, most := int64(0), slices.Max(steps)
	for j := range g.params {
		q := &g.params[j]
		if steps[j] != most {
			stepsDiffer = 1
		}
		q.missed.Assign(most - steps[j])
		for _, s := range q.state {
			s.t.Assign(d.Get(fmt.Sprintf("state.%d.%s", index+j, s.name)).To(s.t.Device()))
		}
	}
	g.clock.Assign(most)
	g.stepsDiffer.Store(stepsDiffer)
}

// check refuses a state that does not fit.
func (e *engine[H]) check(d *lucid.StateDict) {
	const op = "load_state_dict"
	want := map[string]bool{}
	need := func(name string, shape []int) {
		want[name] = true
		t := d.Get(name)
		if t == nil {
			refuse(lucid.ErrFormat, op, "%s: the state has no %s", e.rule.name, name)
		}
		if fmt.Sprint(t.Shape()) != fmt.Sprint(shape) {
			refuse(lucid.ErrShapeMismatch, op, "%s: %s has shape %v; want %v", e.rule.name, name, t.Shape(), shape)
		}
	}
	index := 0
	for i, g := range e.groups {
		at := func(name string) string { return fmt.Sprintf("param_groups.%d.%s", i, name) }
		need(at("lr"), nil)
		need(at("initial_lr"), nil)
		if g.momentumTensor != nil {
			need(at("current_momentum"), nil)
		}
		numbers(&g.h, func(name string, _ reflect.Value, later bool) {
			if !later || d.Get(at(name)) != nil {
				need(at(name), nil)
			}
		})
		need(at("params"), []int{len(g.params)})
		for _, q := range g.params {
			need(fmt.Sprintf("state.%d.step", index), nil)
			for _, s := range q.state {
				need(fmt.Sprintf("state.%d.%s", index, s.name), s.t.Shape())
			}
			index++
		}
	}
	for _, name := range d.Names() {
		if !want[name] {
			refuse(lucid.ErrFormat, op, "%s: the state has %s, which this optimizer does not", e.rule.name, name)
		}
	}
}
