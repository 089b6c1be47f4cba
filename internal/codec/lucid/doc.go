// Package lucid owns the project's checkpoint container, the .lucid file: an ordered list of named sections
// (tensors, JSON, bytes) with a version and a checksum on every byte. A file that was cut short or damaged
// anywhere is refused; see layout.go for the bytes.
//
// The format version is about this container. What the sections mean is the caller's, who puts the versions of
// its own parts into Schema and hands those it knows to Upgrade. A file of a newer format or schema is refused with
// both versions named; older ones are brought up by the steps given to Register and RegisterSchema, or refused where there is none.
//
// A checksum finds accidents, not malice: a person who can change the file can change the checksum. So every size in a
// header is checked as in any foreign file.
package lucid
