//go:build purego || !(amd64 || arm64)

package cpuid

func detect() {}
