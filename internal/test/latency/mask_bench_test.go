package latency

import (
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// BenchmarkHalfMask compares masks of attention in bfloat16: an additive one should cost about what a bool one does.
func BenchmarkHalfMask(b *testing.B) {
	q := lucid.Randn(4, 8, 256, 64).To(lucid.BFloat16).Eval()
	keep := lucid.Rand(4, 1, 1, 256).Gt(0.2).Eval()
	for name, m := range map[string]*lucid.Tensor{
		"none":     nil,
		"bool":     keep,
		"additive": lucid.Where(keep, 0.0, -1e9).To(lucid.BFloat16).Eval(),
		"float32":  lucid.Where(keep, 0.0, -1e9).To(lucid.Float32).Eval(),
		"full":     lucid.Where(keep, 0.0, -1e9).To(lucid.BFloat16).Expand(4, 8, 256, 256).Contiguous().Eval(),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				F.ScaledDotProductAttention(q, q, q, F.ScaledDotProductAttentionOptions{AttnMask: m}).Eval()
			}
		})
	}
}
