// Package attr owns the attributes of ops: comparable structs, so that common
// subexpressions, cache keys, printing and export need no code per op.
package attr

import (
	"encoding/binary"
	"fmt"
)

// Attr is the attribute of one node: nil, or a comparable struct of this package.
type Attr any

// Ints is an immutable, comparable list of ints.
type Ints string

// MakeInts copies a list.
func MakeInts(v ...int) Ints {
	if len(v) == 0 {
		return ""
	}
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return Ints(b)
}

// Len returns the number of ints.
func (s Ints) Len() int { return len(s) / 8 }

// At returns the i-th int.
func (s Ints) At(i int) int {
	b := s[8*i : 8*i+8]
	return int(uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 |
		uint64(b[6])<<48 | uint64(b[7])<<56)
}

// Slice returns a fresh slice.
func (s Ints) Slice() []int {
	v := make([]int, s.Len())
	for i := range v {
		v[i] = s.At(i)
	}
	return v
}

// Contains reports whether v is in the list.
func (s Ints) Contains(v int) bool {
	for i := range s.Len() {
		if s.At(i) == v {
			return true
		}
	}
	return false
}

// String prints as Go prints a slice.
func (s Ints) String() string { return fmt.Sprint(s.Slice()) }
