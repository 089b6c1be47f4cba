package nn

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// ExtraState is a module with state that is no parameter or buffer; it is saved with them under <name>.extra_state.
type ExtraState interface {
	Module
	GetExtraState() *lucid.Tensor
	SetExtraState(*lucid.Tensor) error
}

// StateDict returns the parameters and buffers of m under their names, in order of declaration; a tensor that two
// fields share is there twice. The values are those of now: training on does not change them.
func StateDict(m Module) *lucid.StateDict {
	d := lucid.NewStateDict()
	states(m, func(name string, t *lucid.Tensor) { d.Set(name, t.Detach()) }, func(name string, e ExtraState) {
		d.Set(name, e.GetExtraState())
	})
	versions(m, func(name string, c Module) {
		if v := StateVersion(c); v > 1 {
			d.SetVersion(name, v)
		}
	})
	return d
}

// states calls f with every tensor that is saved, and extra with every other state.
func states(m Module, f func(name string, t *lucid.Tensor), extra func(name string, e ExtraState)) {
	w := walker{again: true}
	w.tensor = func(name string, t *lucid.Tensor, fl field) {
		if !fl.transient {
			f(name, t)
		}
	}
	w.module = func(name string, m Module) {
		if e, ok := m.(ExtraState); ok {
			if name != "" {
				name += "."
			}
			extra(name+"extra_state", e)
		}
	}
	w.visit(m)
}

// LoadOptions say how LoadStateDict works; the zero value is PyTorch's default.
type LoadOptions struct {
	NotStrict bool // let names be missing or unexpected
}

// Mismatch is a tensor whose shape is not that of the module's.
type Mismatch struct {
	Name      string
	Want, Got []int
}

// LoadError says what did not fit; it is an ErrFormat.
type LoadError struct {
	Missing    []string   // in the module, not in the state
	Unexpected []string   // in the state, not in the module
	Mismatched []Mismatch // of another shape
}

// Error lists all names.
func (e *LoadError) Error() string {
	var b strings.Builder
	b.WriteString("lucid: load_state_dict: the state does not fit the module")
	if len(e.Missing) > 0 {
		fmt.Fprintf(&b, "; missing: %s", strings.Join(e.Missing, ", "))
	}
	if len(e.Unexpected) > 0 {
		fmt.Fprintf(&b, "; unexpected: %s", strings.Join(e.Unexpected, ", "))
	}
	for _, x := range e.Mismatched {
		fmt.Fprintf(&b, "; %s has shape %v, want %v", x.Name, x.Got, x.Want)
	}
	return b.String()
}

// Is matches ErrFormat, and ErrShapeMismatch if a shape differs.
func (e *LoadError) Is(target error) bool {
	return target == lucid.ErrFormat || target == lucid.ErrShapeMismatch && len(e.Mismatched) > 0
}

// Compare returns what does not fit between m and a state, nil if all does. A state of older versions is brought up first, as
// LoadStateDict does; one that cannot be is compared as it is.
func Compare(m Module, d *lucid.StateDict) *LoadError {
	if u, err := upgraded(m, d); err == nil {
		d = u
	}
	return compare(m, d)
}

// compare is Compare for a state in the versions of the modules.
func compare(m Module, d *lucid.StateDict) *LoadError {
	e := &LoadError{}
	known := map[string]bool{}
	states(m, func(name string, t *lucid.Tensor) {
		known[name] = true
		got := d.Get(name)
		if got == nil {
			e.Missing = append(e.Missing, name)
		} else if fmt.Sprint(got.Shape()) != fmt.Sprint(t.Shape()) {
			e.Mismatched = append(e.Mismatched, Mismatch{name, t.Shape(), got.Shape()})
		}
	}, func(name string, _ ExtraState) {
		known[name] = true
		if !d.Has(name) {
			e.Missing = append(e.Missing, name)
		}
	})
	for _, name := range d.Names() {
		if !known[name] {
			e.Unexpected = append(e.Unexpected, name)
		}
	}
	if len(e.Missing)+len(e.Unexpected)+len(e.Mismatched) == 0 {
		return nil
	}
	return e
}

// LoadStateDict makes the parameters and buffers of m show the values of d, cast to their dtypes. If something does
// not fit, it changes nothing and returns a *LoadError with every name; NotStrict lets names be missing or
// unexpected, but shapes must fit. The state of a module in an older version is brought up first (see Versioned); a version
// that the module does not know is an ErrVersion. d stays as it is.
func LoadStateDict(m Module, d *lucid.StateDict, opts ...LoadOptions) error {
	o := door.Option("load_state_dict", opts)
	d, err := upgraded(m, d)
	if err != nil {
		return err
	}
	d = changedByHooks(m, d)
	for name, c := range NamedModules(m) {
		if l, ok := c.(stateful); ok {
			l.fromState(partOf(d, name))
		}
	}
	if e := compare(m, d); e != nil && (!o.NotStrict || len(e.Mismatched) > 0) {
		return e
	}
	var failed error
	err = lucid.Try(func() {
		lucid.NoGrad(func() {
			states(m, func(name string, t *lucid.Tensor) {
				if v := d.Get(name); v != nil {
					t.Assign(v.To(t.Device()))
				}
			}, func(name string, e ExtraState) {
				if v := d.Get(name); v != nil && failed == nil {
					failed = e.SetExtraState(v)
				}
			})
		})
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	for name, c := range NamedModules(m) {
		if h := around(c); h != nil {
			for _, f := range h.loadPost {
				(*f)(c, partOf(d, name))
			}
		}
	}
	return nil
}

// changedByHooks is the state as the hooks before loading leave it: itself if there are none, else a copy.
func changedByHooks(m Module, d *lucid.StateDict) *lucid.StateDict {
	own := false
	for name, c := range NamedModules(m) {
		h := around(c)
		if h == nil || len(h.loadPre) == 0 {
			continue
		}
		if !own {
			d, own = copied(d), true
		}
		_ = changePart(d, name, func(part *lucid.StateDict) error {
			for _, f := range h.loadPre {
				(*f)(c, part)
			}
			return nil
		})
	}
	return d
}
