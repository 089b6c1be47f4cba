//go:build purego || !amd64

package simd

func align64(b []byte) int { return 0 }

func streamNT(dst, src []byte) bool { return false }

func streamCopy(dst, src []byte) bool { return false }

func streamRead(x []byte) (uint64, bool) { return 0, false }
