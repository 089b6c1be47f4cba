// Package gguf owns the GGUF format, versions 2 and 3, little-endian: typed metadata, tensor infos, and tensor data of plain
// or block types (internal/ggml) at aligned offsets; one file or the parts of a split one.
//
// Open maps the file and reads its header; Data shows a tensor's bytes without a copy. Counts, lengths, sizes and offsets are
// checked against the length of the file before anything is allocated, with the rules of the format's own reader: offsets
// follow each other without hole or overlap, names and keys are unique, rows are whole blocks. Bytes after the last tensor
// are passed over. A file in big-endian order, of version 1 or of a later one, and unknown types are refused by name.
//
// The format has no checksum: damaged tensor bytes are not noticed.
package gguf
