package nn

import (
	"iter"
	"path"
	"strings"

	"github.com/lucid-go/lucid"
)

// NamedParameters iterates over the parameters of m and the modules inside, each once, in order of declaration.
func NamedParameters(m Module) iter.Seq2[string, *lucid.Tensor] { return named(m, false) }

// NamedBuffers iterates over the buffers of m and the modules inside, each once.
func NamedBuffers(m Module) iter.Seq2[string, *lucid.Tensor] { return named(m, true) }

func named(m Module, buffers bool) iter.Seq2[string, *lucid.Tensor] {
	return func(yield func(string, *lucid.Tensor) bool) {
		seen := map[*lucid.Tensor]bool{}
		done := false
		w := walker{tensor: func(name string, t *lucid.Tensor, f field) {
			if done || seen[t] || isBuffer(t, f) != buffers {
				return
			}
			seen[t] = true
			if !buffers {
				mustBeParameter(name, t)
			}
			done = !yield(name, t)
		}}
		w.visit(m)
	}
}

// Parameters returns the parameters of m and the modules inside, each once, in order of declaration.
func Parameters(m Module) []*lucid.Tensor { return second(NamedParameters(m)) }

// Buffers returns the buffers of m and the modules inside, each once.
func Buffers(m Module) []*lucid.Tensor { return second(NamedBuffers(m)) }

func second[K, V any](s iter.Seq2[K, V]) (list []V) {
	for _, v := range s {
		list = append(list, v)
	}
	return list
}

// NamedModules iterates over m, whose name is empty, and all modules inside, each once, outer before inner.
func NamedModules(m Module) iter.Seq2[string, Module] {
	return func(yield func(string, Module) bool) {
		done := false
		w := walker{module: func(name string, m Module) { done = done || !yield(name, m) }}
		w.visit(m)
	}
}

// Modules returns m and all modules inside, each once.
func Modules(m Module) []Module { return second(NamedModules(m)) }

// NamedChildren iterates over the modules directly inside m.
func NamedChildren(m Module) iter.Seq2[string, Module] {
	return func(yield func(string, Module) bool) {
		done := false
		var w walker
		w.module = func(name string, c Module) {
			if c != m && len(w.open) == 2 {
				done = done || !yield(name, c)
			}
		}
		w.visit(m)
	}
}

// Children returns the modules directly inside m.
func Children(m Module) []Module { return second(NamedChildren(m)) }

// GetModule returns the module of that name inside m, nil if there is none; "" is m itself.
func GetModule(m Module, name string) Module {
	for n, c := range NamedModules(m) {
		if n == name {
			return c
		}
	}
	return nil
}

// GetParameter returns the parameter of that name, nil if there is none.
func GetParameter(m Module, name string) *lucid.Tensor { return find(NamedParameters(m), name) }

// GetBuffer returns the buffer of that name, nil if there is none.
func GetBuffer(m Module, name string) *lucid.Tensor { return find(NamedBuffers(m), name) }

func find(s iter.Seq2[string, *lucid.Tensor], name string) *lucid.Tensor {
	for n, t := range s {
		if n == name {
			return t
		}
	}
	return nil
}

// Apply calls f with every module inside m, inner before outer, otherwise in order of declaration, and with m last.
func Apply(m Module, f func(Module)) {
	var all []Module // f may change m
	w := walker{leave: func(m Module) { all = append(all, m) }}
	w.visit(m)
	for _, c := range all {
		f(c)
	}
}

// NumParameters returns how many numbers the parameters of m hold.
func NumParameters(m Module) (n int) {
	for _, p := range Parameters(m) {
		n += p.NumElement()
	}
	return n
}

// ZeroGrad clears the gradients of all parameters.
func ZeroGrad(m Module) {
	for _, p := range Parameters(m) {
		p.ZeroGrad()
	}
}

// RequiresGrad says for all parameters of m whether Backward computes gradients.
func RequiresGrad(m Module, on bool) {
	for _, p := range Parameters(m) {
		p.RequiresGrad_(on)
	}
}

// Freeze stops gradients for the parameters whose names match one of the patterns, all if none is given, and returns
// how many matched. In a pattern * stands for one part of a name and ** for any number of parts; a pattern that names
// a module stands for all inside. Gradients that are there stay, and an optimizer goes by them until they are cleared.
func Freeze(m Module, patterns ...string) int { return setGrad(m, false, patterns) }

// Unfreeze is the opposite of Freeze.
func Unfreeze(m Module, patterns ...string) int { return setGrad(m, true, patterns) }

func setGrad(m Module, on bool, patterns []string) (n int) {
	for name, p := range NamedParameters(m) {
		if len(patterns) > 0 && !matchAny(patterns, name) {
			continue
		}
		n++
		p.RequiresGrad_(on)
	}
	return n
}

func matchAny(patterns []string, name string) bool {
	parts := strings.Split(name, ".")
	for _, p := range patterns {
		if matchParts(strings.Split(p, "."), parts) {
			return true
		}
	}
	return false
}

// matchParts compares a pattern with the beginning of a name.
func matchParts(pattern, name []string) bool {
	if len(pattern) == 0 {
		return true
	}
	if pattern[0] == "**" {
		for i := range len(name) + 1 {
			if matchParts(pattern[1:], name[i:]) && (len(pattern) > 1 || i == len(name)) {
				return true
			}
		}
		return false
	}
	if len(name) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	if err != nil {
		refuse(lucid.ErrValue, "freeze", "the pattern %q: %v", pattern[0], err)
	}
	return ok && matchParts(pattern[1:], name[1:])
}
