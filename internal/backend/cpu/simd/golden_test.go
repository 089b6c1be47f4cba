package simd

import (
	"hash/fnv"
	"math"
	"testing"
)

// golden are checksums of the math kernels over 65536 arguments. They tie the
// architectures together, which no comparison on one machine can do.
var golden = map[string]uint64{
	"ExpF32":      0xf2560c8abafea981,
	"Exp2F32":     0xbc74843a54a3c682,
	"Expm1F32":    0x8f34a51afe080443,
	"LogF32":      0x82fc1d7203399a9f,
	"Log2F32":     0x547ea44b3488db84,
	"Log1pF32":    0xd4332ff40fed6a09,
	"TanhF32":     0x64f7c218ca92b98b,
	"SigmoidF32":  0x6408e4f86179b932,
	"SiluF32":     0x2bf67ccbcf5f772a,
	"ErfF32":      0xa07adc4ea1f62d04,
	"GeluF32":     0x605f554c2cc3f143,
	"GeluTanhF32": 0x1fb7d37804fa721,
	"SinF32":      0xfe1e639268cf3820,
	"CosF32":      0x7f4922329fa86b0f,
}

func TestGolden(t *testing.T) {
	for _, a := range accuracies {
		x := make([]float32, 0, 1<<16)
		for u := range uint32(1 << 16) {
			v := math.Float32frombits(u * 65537)
			if (a.name == "SinF32" || a.name == "CosF32") && math.Abs(float64(v)) > 30000 {
				v = 1 // beyond it package math decides
			}
			x = append(x, v)
		}
		z := make([]float32, len(x))
		a.f(z, x)
		h := fnv.New64a()
		for _, v := range z {
			u := math.Float32bits(v)
			if v != v {
				u = 0x7fc00000
			}
			h.Write([]byte{byte(u), byte(u >> 8), byte(u >> 16), byte(u >> 24)})
		}
		if got := h.Sum64(); got != golden[a.name] {
			t.Errorf("%q: %#x, not %#x", a.name, got, golden[a.name])
		}
	}
}
