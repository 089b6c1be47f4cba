// Package dtype owns element types: their sizes and kinds, the promotion table,
// and conversion between Go values and the bytes of a buffer.
//
// It knows nothing of shapes, graphs or devices.
package dtype
