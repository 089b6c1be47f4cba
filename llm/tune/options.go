package tune

import (
	"math"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm"
)

// Options say how a model is tuned.
type Options struct {
	Steps      int     // how often the weights change
	LR         float64 // learning rate of AdamW; 0: 1e-4
	Batch      int     // examples of a step, or rows of Length tokens if they are packed; 0: 1
	Length     int     // the most tokens of an example; 0: 512, or the model's context if that is shorter
	Accumulate int     // batches whose gradients are added before a step; 0: 1

	Schedule    string  // of the learning rate: "constant" (also by ""), "linear" or "cosine", both down to 0
	WarmUp      int     // steps in which the learning rate grows to LR
	WeightDecay float64 // of AdamW
	Clip        float64 // the largest norm of the gradient; 0: no limit

	Seed    uint64 // of the order of the examples
	InOrder bool   // examples come in the order given

	Full         bool // tune all weights; the model must have no adapter
	LearnPrompts bool // learn prompts and the messages of users too
	// Pack puts several examples into a row, so that no padding is computed. Examples do not see each other.
	Pack bool
	// Checkpointing keeps only the inputs of layers for the gradient and computes the rest again. A model in blocks is tuned so anyway:
	// there it is the activations that take the memory.
	Checkpointing bool
	// KeepActivations tunes a model in blocks without Checkpointing.
	KeepActivations bool

	Loss string  // "cross_entropy" (also by ""), or "dpo", which learns preferences
	Beta float64 // of dpo: how strongly the model is bound to the one without the adapter; 0: 0.1

	Validation Data        // examples that are not learned; their loss is computed every Every steps
	Every      int         // steps between validations and samples; 0: a tenth of Steps
	Samples    []string    // prompts that are continued every Every steps
	Sampling   llm.Options // of Samples; MaxTokens 0: 32

	Progress func(p Progress) // called after every step

	State     string // a .lucid file that the run is saved to; "": none
	SaveEvery int    // steps between savings; 0: Every
	// Resume goes on from State: the next step is bit for bit the one the run would have made.
	Resume bool
}

// Progress is where a run is.
type Progress struct {
	Step       int     // steps made
	Steps      int     // of the run
	Loss       float64 // of the last step
	LR         float64
	Tokens     int               // seen in the last step
	Validation *float64          // loss of the validation data, if it was computed after this step
	Samples    map[string]string // by prompt, if they were written after this step
}

// Point is a loss after a number of steps.
type Point struct {
	Step int
	Loss float64
}

// Report is what a run gave.
type Report struct {
	First      float64   // loss of the first step
	Final      float64   // loss of the last step
	Losses     []float64 // of every step, from the beginning of the run
	Validation []Point   // of this call
	Tokens     int       // learned from in this call, prompts included
	Examples   int       // after long texts were cut
}

// Limits that keep a mistake in an option from taking all memory.
const (
	maxSteps = 1 << 30
	maxBatch = 1 << 16
)

// fill sets defaults and refuses what makes no sense.
func (o *Options) fill(context int) {
	zero := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	zero(&o.Batch, 1)
	zero(&o.Accumulate, 1)
	zero(&o.Length, min(512, context))
	zero(&o.Every, max(o.Steps/10, 1))
	zero(&o.SaveEvery, o.Every)
	zero(&o.Sampling.MaxTokens, 32)
	if o.LR == 0 {
		o.LR = 1e-4
	}
	if o.Beta == 0 {
		o.Beta = 0.1
	}
	if o.Schedule == "" {
		o.Schedule = "constant"
	}
	if o.Loss == "" {
		o.Loss = "cross_entropy"
	}
	o.check(context)
}

func (o *Options) check(context int) {
	if o.Checkpointing && o.KeepActivations {
		fault.Throw(fault.Value, op, "Checkpointing and KeepActivations are both set; they exclude each other")
	}
	for _, n := range []struct {
		name        string
		value       int
		least, most int
	}{
		{"Steps", o.Steps, 1, maxSteps}, {"Batch", o.Batch, 1, maxBatch}, {"Accumulate", o.Accumulate, 1, maxBatch},
		{"Length", o.Length, 1, context}, {"WarmUp", o.WarmUp, 0, maxSteps}, {"Every", o.Every, 1, maxSteps}, {"SaveEvery", o.SaveEvery, 1,
			maxSteps},
	} {
		if n.value < n.least || n.value > n.most {
			fault.Throw(fault.Value, op, "%s is %d; want %d to %d", n.name, n.value, n.least, n.most)
		}
	}
	for _, n := range []struct {
		name  string
		value float64
	}{{"LR", o.LR}, {"WeightDecay", o.WeightDecay}, {"Clip", o.Clip}, {"Beta", o.Beta}} {
		if !(n.value >= 0) || math.IsInf(n.value, 0) {
			fault.Throw(fault.Value, op, "%s is %v; want a finite number that is not negative", n.name, n.value)
		}
	}
	switch {
	case o.Schedule != "constant" && o.Schedule != "linear" && o.Schedule != "cosine":
		fault.Throw(fault.Value, op, `Schedule is %q; want "constant", "linear" or "cosine"`, o.Schedule)
	case o.Loss != "cross_entropy" && o.Loss != "dpo":
		fault.Throw(fault.Value, op, `Loss is %q; want "cross_entropy" or "dpo"`, o.Loss)
	case o.Loss == "dpo" && o.Pack:
		fault.Throw(fault.NotImplemented, op, "Pack with the loss dpo; take one of them")
	case o.Loss == "dpo" && o.Full:
		fault.Throw(fault.NotImplemented, op, "Full with the loss dpo, which compares with the model without its adapter; use LoRA")
	case o.Resume && o.State == "":
		fault.Throw(fault.Value, op, "Resume without State; name the file the run was saved to")
	}
}

// rate is the learning rate of a step, from 0.
func (o *Options) rate(step int) float64 {
	lr := o.LR
	if step < o.WarmUp {
		return lr * float64(step+1) / float64(o.WarmUp)
	}
	part := float64(step-o.WarmUp) / float64(max(o.Steps-o.WarmUp, 1))
	switch o.Schedule {
	case "linear":
		return lr * (1 - part)
	case "cosine":
		return lr * 0.5 * (1 + math.Cos(math.Pi*part))
	}
	return lr
}
