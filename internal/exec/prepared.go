package exec

import (
	"hash/maphash"
	"reflect"
	"slices"
	"sync"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

// Eager evaluations make the same few programs again and again. What a device makes of one depends on its code alone, not on its shape,
// and took a third of their planning.

const (
	maxPrepared       = 512 // programs that are cached
	maxPreparedInstrs = 64  // instructions of one of them
	maxSameHash       = 8   // programs of the same hash: attributes are no part of it
)

// preparedPrograms are programs without a producer that were prepared, by the hash of their code.
var preparedPrograms struct {
	sync.Mutex
	of    map[uint64][]preparedProgram
	count int
}

type preparedProgram struct {
	dev  *backend.Device
	prog *backend.Fused
}

var preparedSeed = maphash.MakeSeed()

// prepare lets a device prepare a program, unless it prepared one of the same code before. The lists of the program may be in space of
// the caller's; then they are not.
func prepare(d *backend.Device, f *backend.Fused) {
	own := func() {
		f.DTypes, f.Instrs, f.Out = slices.Clone(f.DTypes), slices.Clone(f.Instrs), slices.Clone(f.Out)
		d.Prepare(f)
	}
	if f.Producer != nil || len(f.Instrs) > maxPreparedInstrs || !sharable(f) {
		own()
		return
	}
	hash := hashCode(f)
	c := &preparedPrograms
	c.Lock()
	defer c.Unlock()
	same := c.of[hash]
	for _, e := range same {
		if e.dev == d && sameCode(e.prog, f) {
			sh := f.Shape
			*f = *e.prog
			f.Shape = sh
			return
		}
	}
	own()
	if c.count >= maxPrepared || c.of == nil {
		c.of, c.count, same = map[uint64][]preparedProgram{}, 0, nil
	}
	if len(same) >= maxSameHash {
		same = same[1:]
		c.count--
	}
	stored := *f
	c.of[hash] = append(slices.Clip(same), preparedProgram{d, &stored})
	c.count++
}

// hashCode is a hash of a program's code, but for its attributes.
func hashCode(f *backend.Fused) uint64 {
	h := uint64(f.In)
	mix := func(v uint64) {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	for _, d := range f.DTypes {
		mix(uint64(d) + 1)
	}
	for i := range f.Instrs {
		ins := &f.Instrs[i]
		mix(maphash.String(preparedSeed, ins.Op))
		mix(uint64(ins.Dst)<<48 ^ uint64(ins.Src[0]+1)<<32 ^ uint64(ins.Src[1]+1)<<16 ^ uint64(ins.Src[2]+1))
	}
	for _, o := range f.Out {
		mix(uint64(o))
	}
	for t := f.Reduction; t != nil; t = t.Next {
		mix(maphash.String(preparedSeed, t.Op))
		mix(uint64(t.Src))
	}
	return h
}

// sameCode reports whether programs differ in nothing but their shapes.
func sameCode(a, b *backend.Fused) bool {
	if a.In != b.In || !slices.Equal(a.DTypes, b.DTypes) || !slices.Equal(a.Out, b.Out) || len(a.Instrs) != len(b.Instrs) {
		return false
	}
	for i := range a.Instrs {
		x, y := &a.Instrs[i], &b.Instrs[i]
		if x.Op != y.Op || x.Dst != y.Dst || x.Src != y.Src || !attr.Same(x.Attr, y.Attr) {
			return false
		}
	}
	s, t := a.Reduction, b.Reduction
	for ; s != nil && t != nil; s, t = s.Next, t.Next {
		if s.Op != t.Op || s.Src != t.Src || !attr.Same(s.Attr, t.Attr) {
			return false
		}
	}
	return s == nil && t == nil
}

// sharable reports whether the attributes of a program can be told apart by comparing them: not floats, of which -0 equals 0.
func sharable(f *backend.Fused) bool {
	for i := range f.Instrs {
		if a := f.Instrs[i].Attr; a != nil && !exact(reflect.TypeOf(a)) {
			return false
		}
	}
	for t := f.Reduction; t != nil; t = t.Next {
		if t.Attr != nil && !exact(reflect.TypeOf(t.Attr)) {
			return false
		}
	}
	return true
}

// exact reports whether values of a type are equal only if their bits are.
func exact(t reflect.Type) bool {
	if known, ok := exactTypes.Load(t); ok {
		return known.(bool)
	}
	is := t.Comparable()
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.Interface:
		is = false
	case reflect.Struct:
		for i := range t.NumField() {
			is = is && exact(t.Field(i).Type)
		}
	case reflect.Array:
		is = is && exact(t.Elem())
	}
	exactTypes.Store(t, is)
	return is
}

var exactTypes sync.Map // reflect.Type → bool
