package cpuid

import (
	"os"
	"runtime"
	"strings"
)

// Env is the environment variable that lowers what is reported.
const Env = "LUCID_CPU"

// X86 holds the features of an amd64 machine; all false elsewhere.
// AVX512 stands for F, BW, DQ, VL and CD together: all that any kernel of ours
// needs without a flag of its own.
var X86 struct {
	AVX2, FMA, F16C                            bool
	AVX512, AVX512BF16, AVX512VNNI, AVX512FP16 bool
	AMXTile, AMXBF16, AMXInt8                  bool
}

// L1Ways is how many cache lines a multiple of the page size apart fit in L1D without a conflict; 8 if the machine does not
// report it.
var L1Ways = 8

// NearL3 is the size in bytes of a third-level cache that a few cores share, as AMD's do: it is much faster than memory. 0 if there is
// none; those of Intel's servers, which all cores share, are not.
var NearL3 int

// ARM64 holds the features of an arm64 machine; all false elsewhere.
var ARM64 struct {
	ASIMD, BF16, DotProd, FP16 bool
}

// feature ties a printable name to its flag, for Summary and tests.
type feature struct {
	name string
	flag *bool
}

var x86Features = []feature{
	{"avx2", &X86.AVX2}, {"fma", &X86.FMA}, {"f16c", &X86.F16C},
	{"avx512", &X86.AVX512}, {"avx512bf16", &X86.AVX512BF16},
	{"avx512vnni", &X86.AVX512VNNI}, {"avx512fp16", &X86.AVX512FP16},
	{"amx-tile", &X86.AMXTile}, {"amx-bf16", &X86.AMXBF16}, {"amx-int8", &X86.AMXInt8},
}

var arm64Features = []feature{
	{"asimd", &ARM64.ASIMD}, {"bf16", &ARM64.BF16},
	{"dotprod", &ARM64.DotProd}, {"fp16", &ARM64.FP16},
}

func init() {
	detect()
	limit(os.Getenv(Env))
}

// limit clears the features above the named level. Unknown names change nothing;
// Summary shows them, so that a typing error is seen.
func limit(level string) {
	switch level {
	case "generic":
		for _, f := range x86Features {
			*f.flag = false
		}
		for _, f := range arm64Features {
			*f.flag = false
		}
	case "avx2":
		X86.AVX512, X86.AVX512BF16, X86.AVX512VNNI, X86.AVX512FP16 = false, false, false, false
		X86.AMXTile, X86.AMXBF16, X86.AMXInt8 = false, false, false
	case "avx512":
		X86.AMXTile, X86.AMXBF16, X86.AMXInt8 = false, false, false
	}
}

// Summary returns one line for people: the architecture and the features in use,
// as in "amd64: avx2 fma f16c (LUCID_CPU=avx2)".
func Summary() string {
	var b strings.Builder
	b.WriteString(runtime.GOARCH)
	b.WriteByte(':')
	n := 0
	for _, list := range [][]feature{x86Features, arm64Features} {
		for _, f := range list {
			if *f.flag {
				b.WriteByte(' ')
				b.WriteString(f.name)
				n++
			}
		}
	}
	if n == 0 {
		b.WriteString(" generic")
	}
	switch level := os.Getenv(Env); level {
	case "":
	case "generic", "avx2", "avx512":
		b.WriteString(" (" + Env + "=" + level + ")")
	default:
		b.WriteString(" (" + Env + "=" + level + " is unknown: want generic, avx2 or avx512)")
	}
	return b.String()
}
