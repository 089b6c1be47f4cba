package lucid

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/lucid-go/lucid/internal/fault"
)

// StateDict is an ordered list of named tensors: the parameters and buffers of a module, or the state of an
// optimizer. Save writes it to a file and Load reads it back. The zero value is empty and ready.
type StateDict struct {
	names []string
	byKey map[string]*Tensor
	meta  map[string]string
}

// NewStateDict returns an empty one.
func NewStateDict() *StateDict { return &StateDict{} }

// Set adds a tensor at the end, or replaces the one of that name at its position.
func (d *StateDict) Set(name string, t *Tensor) {
	if d.byKey == nil {
		d.byKey = map[string]*Tensor{}
	}
	if _, ok := d.byKey[name]; !ok {
		d.names = append(d.names, name)
	}
	d.byKey[name] = t
}

// Get returns the tensor of that name, nil if there is none.
func (d *StateDict) Get(name string) *Tensor { return d.byKey[name] }

// Has reports whether there is a tensor of that name.
func (d *StateDict) Has(name string) bool {
	_, ok := d.byKey[name]
	return ok
}

// Delete takes a tensor out.
func (d *StateDict) Delete(name string) {
	if d.Has(name) {
		delete(d.byKey, name)
		d.names = slices.DeleteFunc(d.names, func(s string) bool { return s == name })
	}
}

// Names returns the names in order.
func (d *StateDict) Names() []string { return slices.Clone(d.names) }

// Len returns how many tensors there are.
func (d *StateDict) Len() int { return len(d.names) }

// All iterates over names and tensors in order.
func (d *StateDict) All() iter.Seq2[string, *Tensor] {
	return func(yield func(string, *Tensor) bool) {
		for _, name := range d.names {
			if !yield(name, d.byKey[name]) {
				return
			}
		}
	}
}

// Metadata returns the text stored with the tensors, nil if there is none.
func (d *StateDict) Metadata() map[string]string { return maps.Clone(d.meta) }

// SetMetadata stores a text with the tensors; it is saved with them.
func (d *StateDict) SetMetadata(key, value string) {
	if d.meta == nil {
		d.meta = map[string]string{}
	}
	d.meta[key] = value
}

// versionKey is the last part of the name under which the version of a module's state is in the metadata.
const versionKey = "state_version"

func versionName(module string) string {
	if module == "" {
		return versionKey
	}
	return module + "." + versionKey
}

// Version returns in which version the state of a module is, by the module's path; "" is the outermost. It is 1 if none is
// stored, and 0 if what is stored is no version.
func (d *StateDict) Version(module string) int {
	text, ok := d.meta[versionName(module)]
	if !ok {
		return 1
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < 1 {
		return 0
	}
	return v
}

// SetVersion stores the version of a module's state in the metadata, as <module>.state_version; 1 is what is not stored.
func (d *StateDict) SetVersion(module string, version int) {
	switch {
	case version < 1:
		fault.Throw(fault.Value, "set_version", "version %d of module %q; want at least 1", version, module)
	case version == 1:
		delete(d.meta, versionName(module))
	default:
		d.SetMetadata(versionName(module), strconv.Itoa(version))
	}
}

// Prefix returns the tensors and the metadata whose names begin with prefix, without it.
func (d *StateDict) Prefix(prefix string) *StateDict {
	out := &StateDict{}
	for k, v := range d.meta {
		if len(k) > len(prefix) && k[:len(prefix)] == prefix {
			out.SetMetadata(k[len(prefix):], v)
		}
	}
	for name, t := range d.All() {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			out.Set(name[len(prefix):], t)
		}
	}
	return out
}

// Merge adds all tensors of other, each name behind prefix.
func (d *StateDict) Merge(prefix string, other *StateDict) {
	for name, t := range other.All() {
		d.Set(prefix+name, t)
	}
	for k, v := range other.meta {
		d.SetMetadata(prefix+k, v)
	}
}

// String lists names, dtypes and shapes.
func (d *StateDict) String() string {
	var b []byte
	for name, t := range d.All() {
		b = fmt.Appendf(b, "%s %v %v\n", name, t.DType(), t.Shape())
	}
	return string(b)
}
