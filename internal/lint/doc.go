// Package lint holds the rules of the house, as tests: which package may import which, how long files and functions may
// be, how things are named and documented, which op has a kernel and which rules. It has no code of its own.
//
// A rule that stands in the way is argued about in its file, where exceptions are listed with their reasons; it is not
// relaxed to make a change pass.
package lint

//go:generate go test . -run TestCoverage$ -generate
