// Package graph owns the lazy graph: Node, an immutable value that is computed or waits to be; Array, the handle
// that shows a node to users; Op, the declaration of a primitive; Trace, the record of a function being compiled.
//
// It computes nothing and knows no device kernels.
//
// The one invariant: a node has its value or its inputs. A node holds its inputs until its own value is stored,
// and a value may be discarded only while its inputs are held. So a pending node is a reference to all it reads.
package graph
