package attr

import "github.com/lucid-go/lucid/internal/dtype"

// Quantized is a format of MLX's quantized matrices: the number of a quantize.Mode, the bits of a level, the size of a group, and the
// dtype of the values.
type Quantized struct {
	Mode, Bits, Group int
	To                dtype.DType
	Fast              bool // a device may round x to int8
}
