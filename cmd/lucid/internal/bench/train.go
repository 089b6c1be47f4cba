package bench

import (
	"math"
	"os"
	"os/exec"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// params makes parameters of noise, seeded by their number.
type params struct {
	all  []*lucid.Tensor
	half bool // products and what is between them are in bfloat16; the parameters stay in float32
}

// use is a parameter as a layer computes with it.
func (p *params) use(t *lucid.Tensor) *lucid.Tensor {
	if p.half {
		return t.To(lucid.BFloat16)
	}
	return t
}

func (p *params) add(scale float64, sizes ...int) *lucid.Tensor {
	t := random(uint32(100+len(p.all)), float32(scale), sizes...).RequiresGrad_(true)
	p.all = append(p.all, t)
	return t
}

// linear makes the weight and the bias of a layer.
func (p *params) linear(in, out int) func(x *lucid.Tensor) *lucid.Tensor {
	w, b := p.add(1/math.Sqrt(float64(in)), out, in), p.add(1/math.Sqrt(float64(in)), out)
	return func(x *lucid.Tensor) *lucid.Tensor { return F.Linear(x, p.use(w), F.LinearOptions{Bias: p.use(b)}) }
}

// train is the job of training a classifier.
func train(opt optim.Optimizer, forward func(x *lucid.Tensor) *lucid.Tensor, x, y *lucid.Tensor) job {
	return trainLoss(opt, func(x, y *lucid.Tensor) *lucid.Tensor { return F.CrossEntropy(forward(x), y) }, x, y)
}

// trainLoss is the job of whole training steps: forward, backward and update, compiled. The result checked is the losses of
// the first steps.
func trainLoss(opt optim.Optimizer, lossOf func(x, y *lucid.Tensor) *lucid.Tensor, x, y *lucid.Tensor, how ...lucid.CompileOptions) job {
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		loss := lossOf(x, y)
		loss.Backward()
		opt.Step()
		opt.ZeroGrad()
		return loss
	}, how...)
	run := func() { step(x, y).Eval() }
	if Wait != nil {
		run = func() { step(x, y) } // a training loop that does not read the loss of every step
	}
	return job{run: run, result: func() []*lucid.Tensor {
		var losses []float64
		for range 3 {
			losses = append(losses, step(x, y).Item())
		}
		return []*lucid.Tensor{lucid.New(losses, len(losses))}
	}, step: step}
}

func training() {
	const batch = 64
	add(Workload{Name: "mlp_train", About: "MLP 784-256-10, batch 64, Adam, whole step", Flops: 6 * batch * (784*256 + 256*10),
		Limit: "fma32", Goal: 2.3, make: func() job {
			var p params
			one, two := p.linear(784, 256), p.linear(256, 10)
			return train(optim.NewAdam(p.all, optim.AdamOptions{LR: 1e-3}),
				func(x *lucid.Tensor) *lucid.Tensor { return two(one(x).ReLU()) }, random(1, 1, batch, 784), integers(2, 10, batch))
		}})
	add(Workload{Name: "mlp_infer", About: "MLP 64-64-64 inference, batch 1", Goal: 8, make: func() job {
		var p params
		one, two := p.linear(64, 64), p.linear(64, 64)
		for _, t := range p.all {
			t.RequiresGrad_(false)
		}
		f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return two(one(x).ReLU()) })
		x := random(1, 1, 1, 64)
		return once(func() *lucid.Tensor { return f(x) })
	}})
	add(Workload{Name: "cnn_train", About: "CNN 28² (32-64 conv, pools, 3136-128-10), batch 64, Adam, whole step",
		Flops: 6 * batch * (28*28*32*9 + 14*14*64*32*9 + 3136*128 + 1280), Limit: "fma32", Goal: 1.5, make: func() job {
			var p params
			layer := func(in, out int) func(x *lucid.Tensor) *lucid.Tensor {
				w, b := p.add(1/math.Sqrt(float64(in*9)), out, in, 3, 3), p.add(1/math.Sqrt(float64(in*9)), out)
				return func(x *lucid.Tensor) *lucid.Tensor {
					return F.MaxPool2d(F.Conv2d(x, w, F.ConvOptions{Bias: b, Padding: 1}).ReLU(), []int{2})
				}
			}
			c1, c2 := layer(1, 32), layer(32, 64)
			l1, l2 := p.linear(3136, 128), p.linear(128, 10)
			return train(optim.NewAdam(p.all, optim.AdamOptions{LR: 1e-3}),
				func(x *lucid.Tensor) *lucid.Tensor { return l2(l1(c2(c1(x)).Reshape(-1, 3136)).ReLU()) }, random(1, 1, batch, 1, 28, 28),
				integers(2, 10, batch))
		}})
	add(Workload{Name: "gpt2_train", About: "GPT-2 124M, B 4 T 64, AdamW, whole step; lucid's loss is linear_cross_entropy",
		Flops: gpt{4, 64, false, 0}.flops(), Limit: "fma32", Goal: 1.4, Heavy: true, make: gpt{4, 64, false, 0}.job})
	add(Workload{Name: "gpt2_half_train", About: "GPT-2 124M, B 4 T 64, bfloat16, AdamW, whole step; lucid's loss is linear_cross_entropy",
		Flops: gpt{4, 64, true, 0}.flops(), Limit: "bf16", Goal: 2.5, Needs: "amx-bf16", Tol: 2e-2, Heavy: true,
		make: gpt{4, 64, true, 0}.job})
	add(Workload{Name: "start", About: "process start to first result", Within: 5e-3, Goal: 300, make: func() job {
		run := func() {
			self, err := os.Executable()
			if err == nil {
				err = exec.Command(self, "bench", "--first").Run()
			}
			must(err)
		}
		return job{run: run, result: func() []*lucid.Tensor { run(); return nil }}
	}})
}
