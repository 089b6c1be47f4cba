//go:build arm64 && !purego

package cpuid

func detect() {
	ARM64.ASIMD = true // part of every arm64 that Go supports
	detectOS()
}
