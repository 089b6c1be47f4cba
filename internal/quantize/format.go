package quantize

import "slices"

// Mode is how a group of numbers is quantized.
type Mode uint8

// The modes.
const (
	Affine Mode = iota
	MXFP4
	MXFP8
	NVFP4
)

// modes are names, and the bits and groups that each allows, the default first.
var modes = []struct {
	name         string
	bits, groups []int
}{
	{"affine", []int{4, 2, 3, 5, 6, 8}, []int{64, 32, 128}},
	{"mxfp4", []int{4}, []int{32}},
	{"mxfp8", []int{8}, []int{32}},
	{"nvfp4", []int{4}, []int{16}},
}

// String is the name in MLX.
func (m Mode) String() string { return modes[m].name }

// Known reports whether there is such a mode.
func (m Mode) Known() bool { return int(m) < len(modes) }

// Parse returns the mode of that name; "" is affine.
func Parse(name string) (Mode, bool) {
	if name == "" {
		return Affine, true
	}
	for i, m := range modes {
		if m.name == name {
			return Mode(i), true
		}
	}
	return 0, false
}

// Format is a mode with the bits of a number and the size of a group.
type Format struct {
	Mode        Mode
	Bits, Group int
}

// WithDefaults replaces zeros by what the mode has if nothing is said.
func (f Format) WithDefaults() Format {
	if f.Bits == 0 {
		f.Bits = modes[f.Mode].bits[0]
	}
	if f.Group == 0 {
		f.Group = modes[f.Mode].groups[0]
	}
	return f
}

// Valid reports whether the mode allows the bits and the group.
func (f Format) Valid() bool {
	return f.Mode.Known() && slices.Contains(modes[f.Mode].bits, f.Bits) && slices.Contains(modes[f.Mode].groups, f.Group)
}

// Choices lists what the mode allows.
func (m Mode) Choices() (bits, groups []int) { return modes[m].bits, modes[m].groups }

// Words is how many words of 32 bits n numbers take; n is a multiple of the group.
func (f Format) Words(n int) int { return n / 32 * f.Bits }

// Elements is how many numbers are in some words.
func (f Format) Elements(words int) int { return words / f.Bits * 32 }

// put writes number i into words that are zero there.
func (f Format) put(packed []uint32, i int, v uint32) {
	at := i * f.Bits
	packed[at/32] |= v << (at % 32)
	if over := at%32 + f.Bits - 32; over > 0 {
		packed[at/32+1] |= v >> (f.Bits - over)
	}
}
