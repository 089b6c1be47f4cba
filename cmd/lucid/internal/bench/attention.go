package bench

import (
	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

func attention() {
	const heads, length, width = 12, 1024, 64
	const flops = 4 * heads * length * length * width / 2 // the causal half of two products
	data := func() (q, k, v *lucid.Tensor) {
		return random(1, 1, 1, heads, length, width), random(2, 1, 1, heads, length, width), random(3, 1, 1, heads, length, width)
	}
	attend := func(q, k, v *lucid.Tensor) *lucid.Tensor {
		return F.ScaledDotProductAttention(q, k, v, F.ScaledDotProductAttentionOptions{IsCausal: true})
	}
	add(Workload{Name: "attention", About: "causal attention 12×1024×64", Flops: flops, Limit: "fma32", Goal: 1.7, make: func() job {
		q, k, v := data()
		return once(func() *lucid.Tensor { return attend(q, k, v) })
	}})
	add(Workload{Name: "attention_backward", About: "causal attention 12×1024×64, forward and backward", Flops: 3.5 * flops, Limit: "fma32",
		Goal: 1.4, make: func() job {
			q, k, v := data()
			g := random(4, 1, 1, heads, length, width)
			f := func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{attend(in[0], in[1], in[2])} }
			var last []*lucid.Tensor
			run := func() {
				var out []*lucid.Tensor
				out, last = lucid.VJPN(f, []*lucid.Tensor{q, k, v}, []*lucid.Tensor{g})
				must(lucid.Eval(append(out, last...)...))
			}
			return job{run: run, result: func() []*lucid.Tensor { run(); return last }}
		}})
}
