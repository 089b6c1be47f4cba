// Package codec owns what all file formats share: the plain form of a file's tensors, the limits a reader
// works under, the one checked constructor every tensor of a foreign file comes out of, file mapping, and
// writing a file so that a crash leaves either the old one or the new one.
//
// A foreign file is a list of claims. A reader makes a Spec of each claim, has it checked by Check or a
// Table, and only then allocates; New makes the tensor. Errors are *fault.Error (Format for a bad file, DType
// for an unknown element type, Version, OutOfMemory for a limit on memory); errors of the
// operating system keep their own type inside the chain, so that errors.Is(err, fs.ErrNotExist) works.
//
// Bytes are little-endian, in files and in memory: every platform the project builds for is.
package codec
