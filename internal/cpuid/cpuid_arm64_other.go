//go:build arm64 && !purego && !linux && !darwin

package cpuid

// detectOS knows no way to ask here: plain ASIMD only.
func detectOS() {}
