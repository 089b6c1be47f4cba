package safetensors

import "github.com/lucid-go/lucid/internal/codec"

const op = "safetensors"

// Options says how to read. The zero value reads by copy and refuses what it cannot represent.
type Options struct {
	Limits codec.Limits

	// Mapped makes tensors views of a mapping of the file, valid until Close. See codec.Mapping for the dangers.
	Mapped bool

	// RawF8 reads 8-bit floats as uint8.
	RawF8 bool

	// IgnoreUnlisted accepts shards holding tensors that the index does not name; they are left out.
	IgnoreUnlisted bool
}
