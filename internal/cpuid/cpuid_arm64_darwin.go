//go:build arm64 && !purego && darwin

package cpuid

import "syscall"

func detectOS() {
	has := func(name string) bool {
		v, err := syscall.SysctlUint32("hw.optional.arm." + name)
		return err == nil && v == 1
	}
	ARM64.FP16 = has("FEAT_FP16")
	ARM64.DotProd = has("FEAT_DotProd")
	ARM64.BF16 = has("FEAT_BF16")
}
