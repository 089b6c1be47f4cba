// Package nvrtc compiles CUDA C++ at run time with NVIDIA's library of that name, opened when first needed, and keeps the
// results on disk. An entry of the cache is named after what decides it: source, options, architecture and
// driver. Entries are written under another name and renamed, so processes may share the folder; a damaged one is made
// again.
package nvrtc
