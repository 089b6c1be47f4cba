// Package repeat makes generated assembly shorter without changing the machine code: files that differ in few words share a header, and
// blocks that a file repeats are macros.
package repeat
