package dtype

import "strings"

// Set is a set of dtypes, for declarations of what an op takes.
type Set uint32

// The sets that declarations use.
const (
	SetFloats   = Set(1<<Float16 | 1<<BFloat16 | 1<<Float32 | 1<<Float64)
	SetComplex  = Set(1<<Complex64 | 1<<Complex128)
	SetIntegers = Set(1<<Uint8 | 1<<Uint16 | 1<<Uint32 | 1<<Uint64 | 1<<Int8 | 1<<Int16 | 1<<Int32 | 1<<Int64)
	SetSigned   = Set(1<<Int8|1<<Int16|1<<Int32|1<<Int64) | SetFloats | SetComplex // numbers with a sign
	SetBool     = Set(1 << Bool)
	SetInexact  = SetFloats | SetComplex
	SetReals    = SetIntegers | SetFloats // numbers with an order
	SetNumbers  = SetReals | SetComplex
	SetOrdered  = SetBool | SetReals
	SetAll      = SetBool | SetNumbers
)

// SetOf returns the set of some dtypes.
func SetOf(ds ...DType) (s Set) {
	for _, d := range ds {
		s |= 1 << d
	}
	return s
}

// Has reports whether d is in the set.
func (s Set) Has(d DType) bool { return d < N && s>>d&1 != 0 }

// String lists the names, in the order of the constants.
func (s Set) String() string {
	var names []string
	for d := Bool; d < N; d++ {
		if s.Has(d) {
			names = append(names, d.String())
		}
	}
	return strings.Join(names, ", ")
}
