//go:build !linux

package mem

// Evict tells the system that a part of a mapped file will not be read soon. Here pages stay until the system needs them.
func (b *Buffer) Evict(from, to int) {}
