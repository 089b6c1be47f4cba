// Package export owns the form in which a traced function is written to a file, and the checks a file must pass before any
// of it is recorded: Record and Encode one way, Parse, Check and Inline the other.
package export
