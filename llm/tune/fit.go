package tune

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/optim"
)

// run is a tuning under way.
type run struct {
	m        *llm.Model
	o        Options
	device   lucid.Device
	names    []string
	params   []*lucid.Tensor
	layers   []*Linear // with adapters
	opt      *optim.AdamW
	examples []example
	held     []example
	order    order
	taken    int // groups of examples taken
	losses   []float64
	tokens   int

	whole func(in []*lucid.Tensor) *lucid.Tensor // loss, gradient and step
	part  func(in []*lucid.Tensor) *lucid.Tensor // loss and gradient
	apply func(in []*lucid.Tensor) *lucid.Tensor // step
	judge func(in []*lucid.Tensor) *lucid.Tensor // loss
}

// Fit tunes the adapter of a model, or with Options.Full all of its weights. When ctx ends, the step under way is finished, the run
// is saved if Options.State is set, and the error is that of ctx; the report is then of the steps made.
func Fit(ctx context.Context, m *llm.Model, d Data, o Options) (report Report, err error) {
	r := &run{m: m}
	caught := lucid.Try(func() {
		o.fill(m.Config().Context)
		r.o = o
		r.prepare(d)
		if o.Resume {
			r.load()
		}
		nn.Train(m.Module())
		m.Module().SetCheckpointing(o.Checkpointing || m.Module().InBlocks() && !o.KeepActivations)
		defer func() {
			nn.Eval(m.Module())
			m.Module().SetCheckpointing(false)
			for _, p := range r.params {
				p.ZeroGrad()
				if o.Full {
					p.RequiresGrad_(false)
				}
			}
		}()
		err = r.steps(ctx, &report)
	})
	if caught != nil {
		err = caught
	}
	report.Losses, report.Tokens, report.Examples = r.losses, r.tokens, len(r.examples)
	if n := len(r.losses); n > 0 {
		report.First, report.Final = r.losses[0], r.losses[n-1]
	}
	return report, err
}

// prepare finds what is tuned, encodes the data and compiles the steps.
func (r *run) prepare(d Data) {
	net, o := r.m.Module(), &r.o
	r.device = net.Placement().Device
	for name, l := range net.Linears() {
		if a, ok := l.(*Linear); ok {
			r.layers = append(r.layers, a)
			for i, p := range a.parameters() {
				r.names, r.params = append(r.names, name+"."+parameterNames[i]), append(r.params, p)
			}
		}
	}
	switch {
	case o.Full && r.layers != nil:
		fault.Throw(fault.Value, op, "Full tunes a model without adapters; Remove or Fuse the adapter first")
	case o.Full:
		all := nn.FilterAndMap(net, func(_ string, t *lucid.Tensor) bool { return t.DType().IsFloat() }, nil)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			r.names, r.params = append(r.names, name), append(r.params, all[name].RequiresGrad_(true))
		}
	case r.layers == nil:
		fault.Throw(fault.Value, op, "the model has no adapter; call LoRA first, or set Full to tune all weights")
	}
	e := &encoder{m: r.m, length: o.Length, prompts: o.LearnPrompts, dpo: o.Loss == "dpo"}
	r.examples = e.encode(d)
	if o.Validation.Len() > 0 {
		r.held = e.encode(o.Validation)
	}
	r.order = order{n: len(r.examples), each: 1, seed: o.Seed, plain: o.InOrder}
	if e.dpo {
		r.order.each = 2
	}
	r.opt = optim.NewAdamW(r.params, optim.AdamWOptions{LR: o.LR, WeightDecay: &o.WeightDecay})
	r.compile()
}

func (r *run) compile() {
	loss := r.crossEntropy
	if r.o.Loss == "dpo" {
		loss = r.preference
	}
	step := func() {
		if r.o.Clip > 0 {
			utils.ClipGradNorm(r.params, r.o.Clip)
		}
		if err := r.opt.TryStep(); err != nil {
			fault.Rethrow(op, err)
		}
	}
	r.whole = lucid.Compile(func(in []*lucid.Tensor) *lucid.Tensor {
		r.opt.ZeroGrad()
		y := loss(in)
		y.Backward()
		step()
		return y
	}, lucid.CompileOptions{Name: "tune.step"})
	r.part = lucid.Compile(func(in []*lucid.Tensor) *lucid.Tensor {
		y := loss(in)
		y.Backward()
		return y
	}, lucid.CompileOptions{Name: "tune.part"})
	r.apply = lucid.Compile(func(in []*lucid.Tensor) *lucid.Tensor {
		step()
		return in[0].Add(0)
	}, lucid.CompileOptions{Name: "tune.apply"})
	r.judge = lucid.Compile(loss, lucid.CompileOptions{Name: "tune.loss"})
}

// steps makes the steps that are left.
func (r *run) steps(ctx context.Context, report *Report) error {
	o := &r.o
	for len(r.losses) < o.Steps {
		if err := ctx.Err(); err != nil {
			return r.stopped(err)
		}
		done := len(r.losses)
		r.opt.ParamGroups()[0].SetLR(o.rate(done))
		loss, tokens := r.step()
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fault.New(fault.Value, op, "the loss is %v at step %d; try a lower LR than %v, or Clip", loss, done+1, o.LR)
		}
		r.losses = append(r.losses, loss)
		r.tokens += tokens
		done++
		p := Progress{Step: done, Steps: o.Steps, Loss: loss, LR: o.rate(done - 1), Tokens: tokens}
		if done%o.Every == 0 || done == o.Steps {
			if err := r.look(ctx, &p, report); err != nil {
				return r.stopped(err)
			}
		}
		if o.State != "" && (done%o.SaveEvery == 0 || done == o.Steps) {
			if err := r.save(); err != nil {
				return err
			}
		}
		if o.Progress != nil {
			o.Progress(p)
		}
	}
	return nil
}

// stopped saves a run that its context ended.
func (r *run) stopped(why error) error {
	if r.o.State != "" && len(r.losses) > 0 {
		if err := r.save(); err != nil {
			return err
		}
	}
	return why
}

// step changes the weights once. The loss is the mean over the tokens of all its batches.
func (r *run) step() (loss float64, tokens int) {
	list, share := make([]batch, r.o.Accumulate), 0
	for i := range list {
		list[i] = r.next()
		share += list[i].targets
		tokens += list[i].tokens
	}
	if r.o.Loss == "dpo" {
		share = r.o.Batch * r.o.Accumulate // of pairs
	}
	if len(list) == 1 {
		return r.whole(r.shared(list[0], share)).Item(), tokens
	}
	r.opt.ZeroGrad()
	for _, b := range list {
		loss += r.part(r.shared(b, share)).Item()
	}
	if err := lucid.Eval(r.apply([]*lucid.Tensor{lucid.With{Device: r.device}.Zeros(1)})); err != nil {
		fault.Rethrow(op, err)
	}
	return loss, tokens
}

// shared adds what a sum over the batch is divided by.
func (r *run) shared(b batch, n int) []*lucid.Tensor {
	return append(slices.Clone(b.in), lucid.With{DType: lucid.Float32, Device: r.device}.New([]float32{float32(max(n, 1))}, 1))
}

// look computes the loss of the validation data, and writes samples.
func (r *run) look(ctx context.Context, p *Progress, report *Report) error {
	net := r.m.Module()
	nn.Eval(net)
	defer nn.Train(net)
	if r.held != nil {
		v, err := r.validate(ctx)
		if err != nil {
			return err
		}
		p.Validation = &v
		report.Validation = append(report.Validation, Point{p.Step, v})
	}
	for _, prompt := range r.o.Samples {
		text := ""
		for t, err := range r.m.Generate(ctx, prompt, r.o.Sampling) {
			if err != nil {
				return err
			}
			text += t.Text
		}
		if p.Samples == nil {
			p.Samples = map[string]string{}
		}
		p.Samples[prompt] = text
	}
	return nil
}

// validate is the mean loss of the examples held out.
func (r *run) validate(ctx context.Context) (mean float64, err error) {
	sum, n := 0.0, 0
	each := r.o.Batch * r.order.each
	for from := 0; from < len(r.held); from += each {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		list := r.held[from:min(from+each, len(r.held))]
		b := padded(list, r.o.Length, r.o.Loss == "dpo", lucid.With{Device: r.device})
		weight := b.targets
		if r.o.Loss == "dpo" {
			weight = len(list) / 2
		}
		lucid.NoGrad(func() { sum += r.judge(r.shared(b, 1)).Item() })
		n += weight
	}
	return sum / float64(max(n, 1)), nil
}
