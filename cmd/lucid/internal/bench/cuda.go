package bench

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// UseCUDA puts the workloads on the first GPU, and takes those that fit its size instead of the CPU's.
func UseCUDA() error {
	if gpu.wait == nil {
		return lucid.Errorf(lucid.ErrDevice, "bench", "this program was built without CUDA; build it with -tags gpu")
	}
	if err := lucid.Try(func() { lucid.SetDefaultDevice(lucid.CUDA(0)) }); err != nil {
		return err
	}
	Wait = func() { must(gpu.wait()) }
	workloads = nil
	onGPU()
	return nil
}

// gpu is what package cuda gives to a program built with -tags gpu.
var gpu struct {
	wait    func() error
	kernels func() []string
}

// Kernels lists what the kernels took so far, the costliest first, where LUCID_CUDA_SYNC=1; else nothing.
func Kernels() []string {
	if gpu.kernels == nil {
		return nil
	}
	return gpu.kernels()
}

func onGPU() {
	const rows, cols, side = 16384, 8192, 16384
	half := func(seed uint32, sizes ...int) *lucid.Tensor {
		return repeated(seed, sizes...).To(lucid.BFloat16).Eval()
	}
	each := func(name, about string, bytes, goal, rate, tol float64, data func() []*lucid.Tensor,
		f func(in []*lucid.Tensor) *lucid.Tensor) {
		add(Workload{Name: name, About: about, Bytes: bytes, Goal: goal, Within: within(bytes, rate), Tol: tol, make: func() job {
			in := data()
			return once(func() *lucid.Tensor { return f(in) })
		}})
	}
	for _, n := range []int{1024, 4096, 8192} {
		product(fmt.Sprintf("bf16_gemm_%d", n), lucid.BFloat16, n, 1)
	}
	product("sgemm_4096", lucid.Float32, 4096, 1)
	big := func() []*lucid.Tensor { return []*lucid.Tensor{repeated(1, 1<<28).Eval()} }
	each("negate", "-x of 1 GiB: reading and writing", 8<<28, 1, 0, 0, big, func(in []*lucid.Tensor) *lucid.Tensor { return in[0].Neg() })
	each("chain9", "9-op chain on 1 GiB, written eagerly", 8<<28, 0, 3.6e12, 0, big, func(in []*lucid.Tensor) *lucid.Tensor {
		x := in[0]
		return x.Mul(2).Add(1).Tanh().Mul(x).Sub(0.5).Abs().Sqrt().Neg().Exp()
	})
	wide := func() []*lucid.Tensor { return []*lucid.Tensor{half(1, rows, cols), half(2, cols), half(3, cols)} }
	each("softmax", "softmax, bfloat16 16384×8192", 4*rows*cols, 0, 3.4e12, 2e-2, wide,
		func(in []*lucid.Tensor) *lucid.Tensor { return in[0].Softmax(-1) })
	each("layernorm", "layer norm, bfloat16 16384×8192", 4*rows*cols, 0, 3.4e12, 2e-2, wide, func(in []*lucid.Tensor) *lucid.Tensor {
		return F.LayerNorm(in[0], []int{cols}, F.LayerNormOptions{Weight: in[1], Bias: in[2]})
	})
	each("rmsnorm", "RMS norm, bfloat16 16384×8192", 4*rows*cols, 0, 3.4e12, 3e-2, wide, func(in []*lucid.Tensor) *lucid.Tensor {
		return F.RMSNorm(in[0], []int{cols}, F.RMSNormOptions{Weight: in[1]})
	})
	square := func() []*lucid.Tensor { return []*lucid.Tensor{repeated(1, side, side).Eval()} }
	each("sum_last", "sum over the last dimension, float32 16384²", 4*side*side, 0, 3.6e12, 1e-3, square,
		func(in []*lucid.Tensor) *lucid.Tensor { return in[0].Sum(-1) })
	each("sum_first", "sum over the first dimension, float32 16384²", 4*side*side, 0, 3.6e12, 1e-3, square,
		func(in []*lucid.Tensor) *lucid.Tensor { return in[0].Sum(0) })
	gpuAttention()
	add(Workload{Name: "mlp_train", About: "MLP 784-256-10, batch 64, Adam, whole step", Flops: 6 * 64 * (784*256 + 256*10),
		Within: within(1, 14000), make: func() job {
			var p params
			one, two := p.linear(784, 256), p.linear(256, 10)
			return train(optim.NewAdam(p.all, optim.AdamOptions{LR: 1e-3}),
				func(x *lucid.Tensor) *lucid.Tensor { return two(one(x).ReLU()) }, random(1, 1, 64, 784), integers(2, 10, 64))
		}})
	add(Workload{Name: "gpt2_train", About: "GPT-2 124M, B 32 T 1024, bfloat16, AdamW, whole step; lucid's loss is linear_cross_entropy",
		Flops: gpt{32, 1024, true, 0.004}.flops(), Within: within(32*1024, 530000), Tol: 2e-2, Heavy: true,
		make: gpt{32, 1024, true, 0.004}.job})
	add(Workload{Name: "resnet50_train", About: "ResNet-50, batch 256, bfloat16, SGD with momentum, whole step", Flops: resnet50.flops(),
		Within: within(256, 5000), Tol: 3e-2, Heavy: true, make: resnet50.job})
	tiny()
	add(Workload{Name: "start", About: "process start to first result", Within: 0.8, make: func() job {
		run := func() {
			self, err := os.Executable()
			if err == nil {
				err = exec.Command(self, "bench", "--device", "cuda", "--first").Run()
			}
			must(err)
		}
		return job{run: run, result: func() []*lucid.Tensor { run(); return nil }}
	}})
}

// within is the time for so much work at a rate; 0 if none is wanted.
func within(work, rate float64) float64 {
	if rate == 0 {
		return 0
	}
	return work / rate
}

// repeated is 4M numbers of noise, again and again: for arrays of gigabytes.
func repeated(seed uint32, sizes ...int) *lucid.Tensor {
	v := make([]float32, numel(sizes))
	for n := copy(v, noise(min(len(v), 1<<22), seed)); n < len(v); n *= 2 {
		copy(v[n:], v[:n])
	}
	return lucid.New(v, sizes...)
}

// gpuAttention is causal attention of the size of a large model's.
func gpuAttention() {
	const batch, heads, length, width = 4, 32, 4096, 128
	const flops = 4 * batch * heads * length * length * width / 2
	data := func(n int) (list []*lucid.Tensor) {
		for i := range n {
			list = append(list, repeated(uint32(i+1), batch, heads, length, width).To(lucid.BFloat16).Eval())
		}
		return list
	}
	attend := func(in []*lucid.Tensor) []*lucid.Tensor {
		return []*lucid.Tensor{F.ScaledDotProductAttention(in[0], in[1], in[2], F.ScaledDotProductAttentionOptions{IsCausal: true})}
	}
	add(Workload{Name: "attention", About: "causal attention 4×32×4096×128, bfloat16", Flops: flops, Goal: 1, Tol: 2e-2, make: func() job {
		in := data(3)
		return once(func() *lucid.Tensor { return attend(in)[0] })
	}})
	add(Workload{Name: "attention_backward", About: "causal attention 4×32×4096×128, bfloat16, forward and backward", Flops: 3.5 * flops,
		Goal: 1, Tol: 4e-2, make: func() job {
			in := data(4)
			var last []*lucid.Tensor
			run := func() {
				out, grads := lucid.VJPN(attend, in[:3], in[3:])
				must(lucid.Eval(append(out, grads...)...))
				for _, x := range append(out, last...) {
					x.Free()
				}
				last = grads
			}
			return job{run: run, result: func() []*lucid.Tensor { run(); return last }}
		}})
}

// tiny is what it costs to ask for something: an op at a time, and 64 of them that cannot be one in a compiled function.
func tiny() {
	add(Workload{Name: "tiny", About: "x·w, 64 elements, evaluated one by one without waiting", Within: 6e-6, make: func() job {
		x, w := random(1, 1, 64).Eval(), random(2, 1, 64).Eval()
		return once(func() *lucid.Tensor { return x.Mul(w) })
	}})
	add(Workload{Name: "tiny_compiled", About: "64 softmax and 64 subtractions of 16×16 in turn, compiled",
		Within: 128 * 1.5e-6, make: func() job {
			x, w := random(1, 0.2, 16, 16).Eval(), random(2, 0.2, 16, 16).Eval()
			f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
				for range 64 {
					x = x.Softmax(-1).Sub(w)
				}
				return x
			})
			var out *lucid.Tensor
			return job{run: func() { out = f(x) }, result: func() []*lucid.Tensor { out = f(x); return []*lucid.Tensor{out} }}
		}})
}
