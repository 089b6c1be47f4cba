// Package cabi is what the C library (cmd/liblucid) calls: tensors, functions and ops by number instead of by pointer, raw memory, and
// errors as numbers with a text. It is plain Go, so that it is built and tested without a C compiler; the C side only converts types.
//
// A number (Handle) has the position of an object in a table, and how often the position was used before: one that was freed is
// refused, never followed.
package cabi
