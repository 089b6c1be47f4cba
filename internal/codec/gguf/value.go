package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Kind is the type of a metadata value, by its number in the file.
type Kind uint32

// The kinds.
const (
	Uint8 Kind = iota
	Int8
	Uint16
	Int16
	Uint32
	Int32
	Float32
	Bool
	String
	Array
	Uint64
	Int64
	Float64
	numKinds
)

var kindNames = [numKinds]string{"uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string", "array",
	"uint64", "int64", "float64"}

// kindBytes is the size of a scalar; 0 for strings and arrays.
var kindBytes = [numKinds]int{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8}

// String names the kind.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint32(k))
}

// Value is one metadata value. The accessors say by their second result whether the value is of their kind.
type Value struct {
	kind, elem Kind
	raw        []byte // scalars: one or a whole array, as in the file
	text       string
	texts      []string
	nested     []Value
}

// Kind returns the value's kind.
func (v Value) Kind() Kind { return v.kind }

// Elem returns the kind of an array's elements.
func (v Value) Elem() Kind { return v.elem }

// Len returns the number of an array's elements, 1 for other values.
func (v Value) Len() int {
	switch {
	case v.kind != Array:
		return 1
	case v.elem == String:
		return len(v.texts)
	case v.elem == Array:
		return len(v.nested)
	}
	return len(v.raw) / kindBytes[v.elem]
}

// At returns element i of an array.
func (v Value) At(i int) Value {
	switch v.elem {
	case String:
		return Value{kind: String, text: v.texts[i]}
	case Array:
		return v.nested[i]
	}
	n := kindBytes[v.elem]
	return Value{kind: v.elem, raw: v.raw[i*n : i*n+n]}
}

// bits returns a scalar's bits: signed kinds extended, floats as they are.
func (v Value) bits() (u uint64) {
	if len(v.raw) == 0 { // the zero Value
		return 0
	}
	switch b := v.raw; v.kind {
	case Uint8, Bool:
		return uint64(b[0])
	case Int8:
		return uint64(int8(b[0]))
	case Uint16:
		return uint64(binary.LittleEndian.Uint16(b))
	case Int16:
		return uint64(int16(binary.LittleEndian.Uint16(b)))
	case Uint32, Float32:
		return uint64(binary.LittleEndian.Uint32(b))
	case Int32:
		return uint64(int32(binary.LittleEndian.Uint32(b)))
	case Uint64, Int64, Float64:
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Int returns a value of any integer kind that fits.
func (v Value) Int() (int64, bool) {
	switch v.kind {
	case Uint8, Int8, Uint16, Int16, Uint32, Int32, Int64:
		return int64(v.bits()), true
	case Uint64:
		u := v.bits()
		return int64(u), u <= math.MaxInt64
	}
	return 0, false
}

// Float returns a value of either float kind.
func (v Value) Float() (float64, bool) {
	switch v.kind {
	case Float32:
		return float64(math.Float32frombits(uint32(v.bits()))), true
	case Float64:
		return math.Float64frombits(v.bits()), true
	}
	return 0, false
}

// Bool returns a bool.
func (v Value) Bool() (is, ok bool) {
	if v.kind != Bool {
		return false, false
	}
	return v.bits() != 0, true
}

// Text returns a string.
func (v Value) Text() (string, bool) { return v.text, v.kind == String }

// Texts returns an array of strings. The caller must not change it.
func (v Value) Texts() ([]string, bool) { return v.texts, v.kind == Array && v.elem == String }

// Ints returns an array of any integer kind.
func (v Value) Ints() ([]int64, bool) {
	if v.kind != Array || v.elem == String || v.elem == Array {
		return nil, false
	}
	out := make([]int64, v.Len())
	if v.elem == Int32 { // the kinds of a vocabulary's tokens
		for i := range out {
			out[i] = int64(int32(binary.LittleEndian.Uint32(v.raw[4*i:])))
		}
		return out, true
	}
	for i := range out {
		n, ok := v.At(i).Int()
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// Floats returns an array of either float kind.
func (v Value) Floats() ([]float64, bool) {
	if v.kind != Array || v.elem != Float32 && v.elem != Float64 {
		return nil, false
	}
	out := make([]float64, v.Len())
	for i := range out {
		if v.elem == Float32 { // the scores of a vocabulary's tokens
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(v.raw[4*i:])))
			continue
		}
		out[i], _ = v.At(i).Float()
	}
	return out, true
}

// OfUint32 makes a value of that kind.
func OfUint32(v uint32) Value {
	return Value{kind: Uint32, raw: binary.LittleEndian.AppendUint32(nil, v)}
}

// OfInt makes a value of any integer kind; bits that do not fit are cut off.
func OfInt(k Kind, v int64) Value {
	return Value{kind: k, raw: appendInt(nil, k, v)}
}

// OfFloat32 makes a value of that kind.
func OfFloat32(v float32) Value {
	return Value{kind: Float32, raw: binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))}
}

// OfFloat64 makes a value of that kind.
func OfFloat64(v float64) Value {
	return Value{kind: Float64, raw: binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))}
}

// OfBool makes a value of that kind.
func OfBool(v bool) Value {
	raw := []byte{0}
	if v {
		raw[0] = 1
	}
	return Value{kind: Bool, raw: raw}
}

// OfText makes a string.
func OfText(s string) Value { return Value{kind: String, text: s} }

// OfTexts makes an array of strings.
func OfTexts(s []string) Value { return Value{kind: Array, elem: String, texts: s} }

// OfInts makes an array of an integer kind.
func OfInts(k Kind, list []int64) Value {
	v := Value{kind: Array, elem: k}
	for _, n := range list {
		v.raw = appendInt(v.raw, k, n)
	}
	return v
}

// OfFloats makes an array of float32.
func OfFloats(list []float32) Value {
	v := Value{kind: Array, elem: Float32}
	for _, f := range list {
		v.raw = binary.LittleEndian.AppendUint32(v.raw, math.Float32bits(f))
	}
	return v
}

// OfArray makes an array of arrays.
func OfArray(list []Value) Value { return Value{kind: Array, elem: Array, nested: list} }

func appendInt(b []byte, k Kind, v int64) []byte {
	switch kindBytes[k] {
	case 1:
		return append(b, byte(v))
	case 2:
		return binary.LittleEndian.AppendUint16(b, uint16(v))
	case 4:
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(b, uint64(v))
}

// Metadata is the file's keys with their values, in the file's order. The zero value is empty and ready.
type Metadata struct {
	keys   []string
	values map[string]Value
}

// Keys lists the keys. The caller must not change it.
func (m *Metadata) Keys() []string { return m.keys }

// Get returns the value of a key.
func (m *Metadata) Get(key string) (Value, bool) { v, ok := m.values[key]; return v, ok }

// Set adds a key or replaces its value.
func (m *Metadata) Set(key string, v Value) {
	if m.values == nil {
		m.values = map[string]Value{}
	}
	if _, there := m.values[key]; !there {
		m.keys = append(m.keys, key)
	}
	m.values[key] = v
}

// Int returns an integer, or def when the key is missing or of another kind.
func (m *Metadata) Int(key string, def int64) int64 {
	v, there := m.values[key]
	if n, ok := v.Int(); ok && there {
		return n
	}
	return def
}

// Text returns a string, or def when the key is missing or of another kind.
func (m *Metadata) Text(key, def string) string {
	if s, ok := m.values[key].Text(); ok {
		return s
	}
	return def
}

// Bool returns a bool, or def when the key is missing or of another kind.
func (m *Metadata) Bool(key string, def bool) bool {
	if b, ok := m.values[key].Bool(); ok {
		return b
	}
	return def
}

func (m *Metadata) has(key string) bool { _, ok := m.values[key]; return ok }
