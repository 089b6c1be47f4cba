package dtype

import "fmt"

// DType names an element type. The zero value means "not given".
type DType uint8

// The element types, ordered so that a kind is a contiguous range.
const (
	Invalid DType = iota
	Bool
	Uint8
	Uint16
	Uint32
	Uint64
	Int8
	Int16
	Int32
	Int64
	Float16
	BFloat16
	Float32
	Float64
	Complex64
	Complex128
	N // number of values, for tables indexed by DType
)

// Kind groups dtypes by what arithmetic they have.
type Kind uint8

// Kinds in promotion order: a higher kind wins over a lower one.
const (
	KindInvalid Kind = iota
	KindBool
	KindUint
	KindInt
	KindFloat
	KindComplex
)

type info struct {
	name string
	size int
	kind Kind
}

var infos = [N]info{
	Invalid: {"invalid", 0, KindInvalid},
	Bool:    {"bool", 1, KindBool},
	Uint8:   {"uint8", 1, KindUint}, Uint16: {"uint16", 2, KindUint}, Uint32: {"uint32", 4, KindUint}, Uint64: {"uint64", 8, KindUint},
	Int8: {"int8", 1, KindInt}, Int16: {"int16", 2, KindInt}, Int32: {"int32", 4, KindInt}, Int64: {"int64", 8, KindInt},
	Float16: {"float16", 2, KindFloat}, BFloat16: {"bfloat16", 2, KindFloat}, Float32: {"float32", 4, KindFloat},
	Float64:   {"float64", 8, KindFloat},
	Complex64: {"complex64", 8, KindComplex}, Complex128: {"complex128", 16, KindComplex},
}

// String returns the lower-case name, as in "float32".
func (d DType) String() string {
	if d >= N {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return infos[d].name
}

// Size returns the bytes of one element, 0 if d is not valid.
func (d DType) Size() int {
	if d >= N {
		return 0
	}
	return infos[d].size
}

// Kind returns the dtype's kind.
func (d DType) Kind() Kind {
	if d >= N {
		return KindInvalid
	}
	return infos[d].kind
}

// Valid reports whether d is one of the declared dtypes.
func (d DType) Valid() bool { return d > Invalid && d < N }

// IsFloat reports whether d is a real floating type.
func (d DType) IsFloat() bool { return d.Kind() == KindFloat }

// IsComplex reports whether d is a complex type.
func (d DType) IsComplex() bool { return d.Kind() == KindComplex }

// IsInexact reports whether d is floating or complex.
func (d DType) IsInexact() bool { return d.Kind() >= KindFloat }

// IsInteger reports whether d is a signed or unsigned integer; bool is not.
func (d DType) IsInteger() bool { return d.Kind() == KindInt || d.Kind() == KindUint }

// IsSigned reports whether d holds negative values.
func (d DType) IsSigned() bool { return d.Kind() >= KindInt }

// IsHalf reports whether d is a 16-bit float, which computes in float32.
func (d DType) IsHalf() bool { return d == Float16 || d == BFloat16 }

// Real returns the type of a complex dtype's parts; other dtypes are their own.
func (d DType) Real() DType {
	switch d {
	case Complex64:
		return Float32
	case Complex128:
		return Float64
	}
	return d
}

// Complex returns the complex dtype whose parts hold d: float64 gives complex128, all else complex64.
func (d DType) Complex() DType {
	if d == Float64 || d == Complex128 {
		return Complex128
	}
	return Complex64
}

// Acc returns the type sums of d accumulate in on fast backends.
func (d DType) Acc() DType {
	switch d.Kind() {
	case KindBool, KindInt:
		return Int64
	case KindUint:
		return Uint64
	}
	if d.IsHalf() {
		return Float32
	}
	return d
}

// Parse finds a dtype by its name.
func Parse(name string) (DType, bool) {
	for d := Bool; d < N; d++ {
		if infos[d].name == name {
			return d, true
		}
	}
	switch name {
	case "half":
		return Float16, true
	case "float":
		return Float32, true
	case "double":
		return Float64, true
	case "short":
		return Int16, true
	case "int":
		return Int32, true
	case "long":
		return Int64, true
	}
	return Invalid, false
}

// All lists every dtype in declaration order.
func All() []DType {
	all := make([]DType, 0, N-1)
	for d := Bool; d < N; d++ {
		all = append(all, d)
	}
	return all
}
