package dtype

import (
	"maps"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
)

// dtypeKinds are the kinds of IsKind: those of the Python array API, then MLX's categories.
var dtypeKinds = map[string]func(DType) bool{
	"bool":             func(d DType) bool { return d == Bool },
	"signed integer":   func(d DType) bool { return d.IsInteger() && d.IsSigned() },
	"unsigned integer": func(d DType) bool { return d.IsInteger() && !d.IsSigned() },
	"integral":         DType.IsInteger,
	"real floating":    DType.IsFloat,
	"complex floating": DType.IsComplex,
	"numeric":          func(d DType) bool { return d != Bool },

	"generic":         func(DType) bool { return true },
	"number":          func(d DType) bool { return d != Bool },
	"integer":         DType.IsInteger,
	"signedinteger":   func(d DType) bool { return d.IsInteger() && d.IsSigned() },
	"unsignedinteger": func(d DType) bool { return d.IsInteger() && !d.IsSigned() },
	"inexact":         DType.IsInexact,
	"floating":        DType.IsFloat,
	"complexfloating": DType.IsComplex,
}

// IsKind reports whether the dtype is of a kind: bool, "signed integer", "unsigned integer", integral, "real floating", "complex floating"
// or numeric, or one of MLX's categories: generic, number, integer, signedinteger, unsignedinteger, inexact, floating, complexfloating.
func (d DType) IsKind(kind string) bool {
	is, ok := dtypeKinds[kind]
	if !ok || !d.Valid() {
		panic(fault.New(fault.Value, "isdtype", "dtype %v, kind %q; want a dtype and one of %s", d, kind,
			strings.Join(slices.Sorted(maps.Keys(dtypeKinds)), ", ")))
	}
	return is(d)
}
