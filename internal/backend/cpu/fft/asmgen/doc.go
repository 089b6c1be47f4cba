// Package asmgen writes the assembly of package fft: the butterflies of all radices, and the small loops around them. A butterfly is
// written once as a list of operations on values; registers are assigned by when values are used next.
package asmgen
