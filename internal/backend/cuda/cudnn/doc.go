// Package cudnn binds the graph API of cuDNN, NVIDIA's library of convolutions and attention, opened when first needed. What
// is to be computed is described as a graph of operations over tensors; the library names engines that can do it, and one
// of them becomes a plan, chosen once for a kind of work and kept. The library is optional: what it refuses, or where it
// is missing, callers compute by kernels of their own.
package cudnn
