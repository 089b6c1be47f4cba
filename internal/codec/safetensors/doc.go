// Package safetensors owns the safetensors format: an 8-byte length, a JSON header, and the tensors' bytes.
//
// Open reads the header only and tensors on demand, from one file or from the shards of an index
// (model.safetensors.index.json); Read brings everything in. The format's rules are enforced in full: no hole, no
// overlap, nothing after the last tensor, no key twice, no header over the limit. Nothing is allocated on the word
// of a header before it is checked against the file's length.
//
// The format has no checksum: damaged tensor bytes are not noticed. Its 8-bit floats have no dtype here; they are
// refused, or read as uint8 when Options.RawF8 says so. Floats below 8 bits are refused when the file is opened.
package safetensors
