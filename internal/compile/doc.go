// Package compile makes a traced function smaller before it is planned: equal expressions become one, constants are
// computed, views and casts that undo each other go. Every rewrite keeps the bits of the result.
//
// It also owns the form in which a traced function is written to a file, and the checks a file must pass before any
// of it is recorded: Record and Encode one way, Parse, Check and Inline the other.
package compile
