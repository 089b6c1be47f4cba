//go:build !unix || race

package mem

func mapBytes(n int) ([]byte, error) { return bytesOf(make([]uint64, (n+7)/8), n), nil }

func unmapBytes([]byte) {}
