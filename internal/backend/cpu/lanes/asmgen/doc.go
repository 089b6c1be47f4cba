// Package asmgen writes the assembly of package lanes. A kernel is written once for both element types and, but for a few, both sets of
// instructions; a cell is a vector with one element of each matrix.
package asmgen
