//go:build arm64 && !purego && linux

package cpuid

import (
	"encoding/binary"
	"os"
)

// The kernel describes the processor in the auxiliary vector: pairs of 64-bit
// words, a key and a value. Bit numbers are those of asm/hwcap.h.
const (
	auxHWCap  = 16
	auxHWCap2 = 26

	bitFP16    = 10 // HWCAP_ASIMDHP
	bitDotProd = 20 // HWCAP_ASIMDDP
	bitBF16    = 14 // HWCAP2_BF16
)

func detectOS() {
	aux, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		return // no /proc, as in some sandboxes: stay with plain ASIMD
	}
	for ; len(aux) >= 16; aux = aux[16:] {
		value := binary.LittleEndian.Uint64(aux[8:])
		switch binary.LittleEndian.Uint64(aux) {
		case auxHWCap:
			ARM64.FP16 = value>>bitFP16&1 == 1
			ARM64.DotProd = value>>bitDotProd&1 == 1
		case auxHWCap2:
			ARM64.BF16 = value>>bitBF16&1 == 1
		}
	}
}
