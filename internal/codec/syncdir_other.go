//go:build !unix

package codec

// syncDir does nothing: the system has no way to sync a directory, and its rename is written through.
func syncDir(string) error { return nil }
