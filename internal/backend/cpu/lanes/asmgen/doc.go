// Package asmgen writes the assembly of package lanes. A kernel is written once for both element types; a cell is a vector of 64 bytes
// with one element of each matrix.
package asmgen
