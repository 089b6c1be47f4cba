// Package ops tests single ops: edges, gradients, indexing, random numbers, kernels with several algorithms.
package ops
