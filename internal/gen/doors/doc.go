// Package doors writes the public functions and methods from the marks on package ops, and the table by which ops
// are called by name. Its test fails when the files on disk differ; with -generate it writes them.
package doors

//go:generate go test . -generate
