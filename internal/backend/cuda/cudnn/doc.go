// Package cudnn binds the graph API of cuDNN, NVIDIA's library of convolutions and attention, opened when first needed.
// Work is described as a graph of operations over tensors; the library lists engines that can run it, and one of them
// becomes a plan, chosen once for a kind of work and cached. The library is optional: what it refuses, or where it is
// missing, callers compute by kernels of their own.
package cudnn
