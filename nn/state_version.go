package nn

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/migrate"
)

// Versioned is a module whose state has had other forms: names, shapes or meanings that its tensors do not have any more. StateDict
// stores the version with the state, and LoadStateDict brings the state of an older version up, one step after the other. A state
// without a version, such as one of another program, has version 1.
type Versioned interface {
	Module
	// StateVersion is that of the states this module writes, at least 1.
	StateVersion() int
	// MigrateState changes a state of version from into one of version from+1. d is the module's part of the state: names are as in
	// the module's own StateDict, with those of the modules inside.
	MigrateState(from int, d *lucid.StateDict) error
}

// StateVersion returns the version of the state that a module writes: 1 if it does not say.
func StateVersion(m Module) int {
	if v, ok := m.(Versioned); ok {
		if n := v.StateVersion(); n >= 1 {
			return n
		}
		panic(lucid.Errorf(lucid.ErrValue, "state_version", "%T says its state has version %d; want at least 1", m, v.StateVersion()))
	}
	return 1
}

// versions calls f with every module that is saved, under all its names.
func versions(m Module, f func(name string, m Module)) {
	w := walker{again: true, module: f}
	w.visit(m)
}

// upgraded returns the state in the versions of m's modules: itself if it is in them, else a copy. Modules come before those inside.
func upgraded(m Module, d *lucid.StateDict) (_ *lucid.StateDict, err error) {
	own := false
	versions(m, func(name string, c Module) {
		have, want := d.Version(name), StateVersion(c)
		if err != nil || have == want {
			return
		}
		if !own {
			d, own = copied(d), true
		}
		err = bringUp(name, c, d, have, want)
	})
	return d, err
}

// bringUp changes the part of the state that belongs to one module.
func bringUp(name string, m Module, d *lucid.StateDict, have, want int) error {
	label := fmt.Sprintf("%T", m)
	if name != "" {
		label = name + ", a " + label
	}
	sub := migrate.Subject{Op: "load_state_dict", What: "the state of module", Name: label, Version: have, Current: want}
	return changePart(d, name, func(part *lucid.StateDict) error {
		return sub.Bring(func(from int) func() error {
			if v, ok := m.(Versioned); ok && from >= 1 {
				return func() error { return v.MigrateState(from, part) }
			}
			return nil
		}, func(version int) { part.SetVersion("", version) })
	})
}

func copied(d *lucid.StateDict) *lucid.StateDict {
	own := lucid.NewStateDict()
	own.Merge("", d)
	return own
}

// partOf is what belongs to the module of that name, by its names inside the module.
func partOf(d *lucid.StateDict, name string) *lucid.StateDict {
	if name == "" {
		return d
	}
	return d.Prefix(name + ".")
}

// changePart lets f change what belongs to the module of that name.
func changePart(d *lucid.StateDict, name string, f func(part *lucid.StateDict) error) error {
	part := partOf(d, name)
	if err := f(part); err != nil || name == "" {
		return err
	}
	prefix := name + "."
	for _, n := range d.Names() {
		if strings.HasPrefix(n, prefix) {
			d.Delete(n)
		}
	}
	d.Merge(prefix, part)
	return nil
}
