// Package nvrtc compiles CUDA C++ at run time with NVIDIA's library of that name, opened when first needed, and caches the
// results on disk. A cache entry is named after the hash of source, options, architecture and driver version. Entries are
// written to a temporary file and renamed, so processes may share the folder; a damaged entry is compiled again.
package nvrtc
