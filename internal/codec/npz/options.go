package npz

import "github.com/lucid-go/lucid/internal/codec"

const op = "npz"

// Options says how to read.
type Options struct {
	Limits codec.Limits

	// VoidAsBFloat16 takes two-byte voids for bfloat16, as ml_dtypes writes them.
	VoidAsBFloat16 bool
}

// WriteOptions says how to write.
type WriteOptions struct {
	// Deflate compresses the entries of an archive.
	Deflate bool

	// BFloat16AsVoid lets a lone .npy hold bfloat16, as two-byte voids; archives need no leave.
	BFloat16AsVoid bool
}
