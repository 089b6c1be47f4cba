//go:build !linux

package codec

// Evict says that the first n bytes will not be read soon. Here they stay until the system needs memory.
func (m *Mapping) Evict(n int) {}
