package learn

import (
	"context"
	"errors"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

// Trainer is a run: a model on its way, and everything its next step depends on.
type Trainer struct {
	Config Config
	Spec   Spec
	Total  int       // steps of the run
	Done   int       // steps made
	Losses []float32 // one for each step made
	Every  int       // steps between reports
	Tests  []Test    // one for each evaluation, in order of steps

	task     *task
	model    nn.Layer
	opt      optim.Optimizer
	rate     sched.Scheduler
	loader   *data.Loader
	perEpoch int
	step     func(x, y *lucid.Tensor) *lucid.Tensor
	scores   func(x *lucid.Tensor) *lucid.Tensor
}

// New prepares a run at its first step.
func New(c Config) (*Trainer, error) {
	c, err := c.fill()
	if err != nil {
		return nil, err
	}
	var k *task
	// Data stays in host memory, whichever device the scope names: batches of it are brought there ahead of their steps.
	lucid.WithDevice(lucid.CPU, func() { k, err = load(c) })
	if err != nil {
		return nil, err
	}
	lucid.Seed(c.Seed)
	t := &Trainer{Spec: k.Spec, task: k}
	if t.model, err = newModel(c, k.Spec); err != nil {
		return nil, err
	}
	if in := inputOf(t.model); in != nil {
		in.Mean.Assign(k.mean.Reshape(-1).To(in.Mean.Device()))
		in.Std.Assign(k.std.Reshape(-1).To(in.Std.Device()))
	}
	n := k.train.Len()
	set(&c.Batch, min(64, max(n/8, 1))) // a small set makes small steps, or they would be few
	c.Batch = min(c.Batch, n)
	t.perEpoch = n / c.Batch
	if c.Steps == 0 && c.Epochs == 0 {
		c.Epochs = max(20, (200+t.perEpoch-1)/t.perEpoch)
		if n > 20000 {
			c.Epochs = 3
		}
	}
	if t.Total = c.Steps; c.Steps == 0 {
		t.Total = c.Epochs * t.perEpoch
	}
	t.Every = t.perEpoch
	if c.Text() || t.Total < t.perEpoch {
		t.Every = max(t.Total/10, 1)
	}
	t.Config = c
	t.prepare()
	return t, nil
}

// prepare makes the optimizer, the schedule, the loader and the compiled step.
func (t *Trainer) prepare() {
	c := t.Config
	t.opt = optim.NewAdamW(nn.Parameters(t.model), optim.AdamWOptions{LR: c.LR})
	total, warm := float64(t.Total), math.Min(100, float64(t.Total)/20)
	t.rate = sched.NewLambdaLR(t.opt, func(step int) float64 {
		s := float64(step)
		return math.Min(1, (s+1)/(warm+1)) * (0.51 + 0.49*math.Cos(math.Pi*math.Min(s/total, 1)))
	})
	to := t.reading(c.Batch)
	to.Shuffle, to.DropLast, to.Seed = true, true, &t.Config.Seed
	t.loader = data.NewLoader(t.task.train, to)
	t.step = lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		t.opt.ZeroGrad()
		loss := t.lossOf(t.model.Forward(x), y.Reshape(-1))
		loss.Backward()
		if err := t.opt.TryStep(); err != nil {
			panic(err) // an error of the engine, which the caller's Try gives back
		}
		return loss
	})
	t.scores = lucid.Compile(t.model.Forward)
}

// lossOf is what the steps make smaller. Targets of a regression are brought near 0 in float64: float32 has too few digits for the
// difference of large numbers.
func (t *Trainer) lossOf(scores, y *lucid.Tensor) *lucid.Tensor {
	g := t.Spec.Target
	if g == nil {
		return F.CrossEntropy(scores, y)
	}
	return F.MSELoss(scores.Reshape(-1), y.To(lucid.Float64).Sub(g.Mean).Div(g.Std).To(lucid.Float32))
}

// reading says how batches are read: for a device with memory of its own one goroutine at least brings them there ahead.
func (t *Trainer) reading(batch int) data.LoaderOptions {
	o := data.LoaderOptions{BatchSize: batch, Workers: t.task.workers, Device: nn.Parameters(t.model)[0].Device()}
	if o.Device != lucid.CPU {
		o.Workers = max(o.Workers, 1)
	}
	return o
}

func inputOf(m nn.Layer) *input {
	if s, ok := m.(*nn.Sequential); ok {
		in, _ := s.Layers[0].(*input)
		return in
	}
	return nil
}

// Epoch returns the number of the epoch the next step is in, from 0.
func (t *Trainer) Epoch() int { return t.Done / t.perEpoch }

// Parameters returns how many numbers the model learns.
func (t *Trainer) Parameters() int { return nn.NumParameters(t.model) }

// Held returns how many examples are held out.
func (t *Trainer) Held() int { return t.task.test.Len() }

// Units returns how many images, rows or bytes one step sees.
func (t *Trainer) Units() int {
	if t.Config.Text() {
		return t.Config.Batch * t.Config.Context
	}
	return t.Config.Batch
}

// Train makes the steps that are left and calls after with the loss of each; an error from after stops it. If the
// context is done it stops after the step it is making and returns the context's error: the trainer is then as after
// any other step, and can be saved.
func (t *Trainer) Train(ctx context.Context, after func(loss float64) error) error {
	nn.Train(t.model)
	for t.Done < t.Total {
		if err := t.epoch(ctx, after); err != nil {
			return err
		}
	}
	return nil
}

// epoch makes the steps left of an epoch.
func (t *Trainer) epoch(ctx context.Context, after func(loss float64) error) error {
	t.loader.Seek(t.Epoch(), t.Done%t.perEpoch)
	for batch, err := range t.loader.All(ctx) {
		if err != nil {
			return err
		}
		var loss float64
		if err := lucid.Try(func() { loss = t.step(batch[0], batch[1]).Item() }); err != nil {
			return err
		}
		t.rate.Step()
		t.Done++
		t.Losses = append(t.Losses, float32(loss))
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return hint("lucid train --lr "+shortest(t.Config.LR/10), "the loss became %v at step %d", loss, t.Done)
		}
		if err := errors.Join(after(loss), ctx.Err()); err != nil {
			return err
		}
		if t.Done == t.Total {
			return nil
		}
	}
	return nil
}

// Loss returns the mean loss of the last n steps.
func (t *Trainer) Loss(n int) float64 {
	last := t.Losses[max(0, len(t.Losses)-n):]
	sum := 0.0
	for _, v := range last {
		sum += float64(v)
	}
	return sum / float64(max(len(last), 1))
}
