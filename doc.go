// Package lucid is a machine-learning framework: n-dimensional tensors that are computed lazily, functions that
// differentiate, vectorise and compile other functions, and PyTorch's way of training beside them. It needs no cgo.
package lucid
