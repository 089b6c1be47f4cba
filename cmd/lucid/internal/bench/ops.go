package bench

import (
	"fmt"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// once is the job that computes f, eagerly, again and again. The result before is freed when the next one stands, as a
// framework that counts references does; a program would say so by Free or Scope.
func once(f func() *lucid.Tensor) job {
	var out *lucid.Tensor
	run := func() {
		y := f().Eval()
		if out != nil {
			out.Free()
		}
		out = y
	}
	return job{run: run, result: func() []*lucid.Tensor { run(); return []*lucid.Tensor{out} }}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func init() {
	for _, n := range []int{512, 1024, 2048, 4096} {
		product(fmt.Sprintf("sgemm_%d", n), lucid.Float32, n, 0.97)
	}
	product("sgemm_64", lucid.Float32, 64, 2)
	product("sgemm_128", lucid.Float32, 128, 1.2)
	product("sgemm_256", lucid.Float32, 256, 1.1)
	product("bf16_gemm_1024", lucid.BFloat16, 1024, 1.3)
	product("bf16_gemm_2048", lucid.BFloat16, 2048, 1.3)
	product("dgemm_1024", lucid.Float64, 1024, 0.97)
	const n = 4096
	add(Workload{Name: "matvec_4096", About: "vector × 4096² matrix", Bytes: 4 * n * n, Limit: "read", Goal: 1, make: func() job {
		v, m := random(1, 1, n), random(2, 1, n, n)
		return once(func() *lucid.Tensor { return v.MatMul(m) })
	}})
	convolutions()
	rows()
	reductions()
	maps()
	specials()
	transforms()
	moreTransforms()
	factorisations()
	add(Workload{Name: "chain10", About: "10-op chain on 64 MiB arrays, written eagerly", Bytes: 3 * 64 << 20, Limit: "stream_copy",
		Goal: 5, make: func() job {
			x, y := random(1, 1, 16<<20), random(2, 1, 16<<20)
			return once(func() *lucid.Tensor {
				return x.Mul(y).Add(x).Mul(0.5).Sub(y).Abs().Add(1).Sqrt().Div(y.Add(3)).Neg()
			})
		}})
	attention()
	quantized()
	add(Workload{Name: "gather", About: "8192 rows × 768 of 32768", Bytes: 2 * 8192 * 768 * 4, Limit: "copy", Goal: 1.2, make: func() job {
		table, index := random(1, 1, 32768, 768), integers(2, 32768, 8192)
		return once(func() *lucid.Tensor { return lucid.IndexSelect(table, 0, index) })
	}})
	add(Workload{Name: "sort_1m", About: "sort 1M", Goal: 2, make: func() job {
		x := random(1, 1, 1<<20)
		return once(func() *lucid.Tensor { v, _ := lucid.Sort(x); return v })
	}})
	add(Workload{Name: "add16_recorded", About: "a+b, 16 elements, recorded", Within: 250e-9, make: func() job {
		a, b := random(1, 1, 16), random(2, 1, 16)
		return job{run: func() { a.Add(b) }, result: func() []*lucid.Tensor { return []*lucid.Tensor{a.Add(b)} }}
	}})
	add(Workload{Name: "add16_evaluated", About: "a+b, 16 elements, one by one", Within: 600e-9, make: func() job {
		a, b := random(1, 1, 16), random(2, 1, 16)
		return once(func() *lucid.Tensor { return a.Add(b) })
	}})
	lstm()
	sampling()
	training()
}

// shares are the parts of the limit that are wanted, in addition to a speed against PyTorch.
var shares = map[string]float64{
	"sgemm_512": 0.93, "sgemm_1024": 0.93, "sgemm_2048": 0.93, "sgemm_4096": 0.93,
	"softmax": 0.85, "layernorm": 0.85, "rmsnorm": 0.85,
}

func product(name string, d lucid.DType, n int, goal float64) {
	limit, needs, tol := "fma32", "", 1e-4
	switch d {
	case lucid.Float64:
		limit, tol = "fma64", 1e-10
	case lucid.BFloat16:
		limit, tol = "bf16", 2e-2
		if Wait == nil {
			needs = "amx-bf16"
		}
	}
	about := fmt.Sprintf("%v matrix product %d³", d, n)
	add(Workload{Name: name, About: about, Flops: 2 * float64(n) * float64(n) * float64(n), Limit: limit, Goal: goal, Needs: needs,
		Tol: tol, make: func() job {
			a, b := random(1, 1, n, n).To(d).Eval(), random(2, 1, n, n).To(d).Eval()
			return once(func() *lucid.Tensor { return a.MatMul(b) })
		}})
}

// rows are ops that read a 4096² matrix and write another.
func rows() {
	const n = 4096
	each := func(name, about, limit string, goal float64, f func(x, w, b *lucid.Tensor) *lucid.Tensor) {
		add(Workload{Name: name, About: about, Bytes: 2 * 4 * n * n, Limit: limit, Goal: goal, make: func() job {
			x, w, b := random(1, 1, n, n), random(2, 1, n), random(3, 1, n)
			return once(func() *lucid.Tensor { return f(x, w, b) })
		}})
	}
	each("softmax", "softmax 4096²", "stream_copy", 1.9, func(x, w, b *lucid.Tensor) *lucid.Tensor { return x.Softmax(-1) })
	each("layernorm", "layer norm 4096²", "stream_copy", 1.5, func(x, w, b *lucid.Tensor) *lucid.Tensor {
		return F.LayerNorm(x, []int{n}, F.LayerNormOptions{Weight: w, Bias: b})
	})
	each("rmsnorm", "RMS norm 4096²", "stream_copy", 3.5, func(x, w, b *lucid.Tensor) *lucid.Tensor {
		return F.RMSNorm(x, []int{n}, F.RMSNormOptions{Weight: w})
	})
	add(Workload{Name: "softmax_matmul", About: "softmax 4096², then × 4096×64", Flops: 2 * n * n * 64, Limit: "fma32",
		Goal: 1.5, make: func() job {
			x, v := random(1, 1, n, n), random(2, 1, n, 64)
			return once(func() *lucid.Tensor { return x.Softmax(-1).Eval().MatMul(v) })
		}})
	each("transpose", "transpose copy 4096²", "stream_copy", 6,
		func(x, w, b *lucid.Tensor) *lucid.Tensor { return x.Transpose(0, 1).Contiguous() })
}

func reductions() {
	const n = 4096
	each := func(name, about string, goal float64, f func(x *lucid.Tensor) *lucid.Tensor) {
		add(Workload{Name: name, About: about, Bytes: 4 * n * n, Limit: "read", Goal: goal, make: func() job {
			x := random(1, 1, n, n)
			return once(func() *lucid.Tensor { return f(x) })
		}})
	}
	each("sum_last", "sum over the last dimension, 4096²", 1, func(x *lucid.Tensor) *lucid.Tensor { return x.Sum(-1) })
	each("sum_first", "sum over the first dimension, 4096²", 1.5, func(x *lucid.Tensor) *lucid.Tensor { return x.Sum(0) })
	each("sum_all", "sum of all, 4096²", 1, func(x *lucid.Tensor) *lucid.Tensor { return x.Sum() })
}

// maps are functions of 128k elements, which stay in the caches.
func maps() {
	const n = 128 << 10
	each := func(name string, goal float64, f func(x *lucid.Tensor) *lucid.Tensor) {
		add(Workload{Name: name, About: name + " of 128k elements in cache", Bytes: 2 * 4 * n, Goal: goal, make: func() job {
			x := random(1, 4, n)
			if name == "log" {
				x = x.Add(4.001).Eval()
			}
			return once(func() *lucid.Tensor { return f(x) })
		}})
	}
	each("exp", 1.5, (*lucid.Tensor).Exp)
	each("tanh", 1.3, (*lucid.Tensor).Tanh)
	each("sin", 1.5, (*lucid.Tensor).Sin)
	each("log", 1.5, (*lucid.Tensor).Log)
	each("erf", 2, (*lucid.Tensor).Erf)
	each("gelu", 1.5, func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x) })
}
