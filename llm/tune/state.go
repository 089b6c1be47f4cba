package tune

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// parameterNames of a layer, in the order of Linear.parameters.
var parameterNames = []string{"lora_A.weight", "lora_B.weight", "lora_magnitude_vector"}

const (
	stateKey     = "lucid tune"
	stateVersion = 1
)

// state is what a file holds in addition to tensors. Everything but Taken must be the same for a run to go on.
type state struct {
	Version int
	Taken   int    `json:"taken"` // groups of examples
	Same    string `json:"same"`  // options that decide what a step does, as text
	Data    string `json:"data"`  // checksum of the examples
}

// describe is the state of the run as it is.
func (r *run) describe() state {
	o := &r.o
	sum := fnv.New64a()
	for _, x := range r.examples {
		fmt.Fprintln(sum, x.ids, x.learn)
	}
	steps := 0
	if o.Schedule != "constant" {
		steps = o.Steps
	}
	scale, dropout := 0.0, 0.0
	if r.layers != nil {
		scale, dropout = r.layers[0].scale, r.layers[0].dropout
	}
	same := fmt.Sprintf("LR %v, Batch %d, Length %d, Accumulate %d, Schedule %s %d, WarmUp %d, WeightDecay %v, Clip %v, ", o.LR, o.Batch,
		o.Length, o.Accumulate, o.Schedule, steps, o.WarmUp, o.WeightDecay, o.Clip)
	same += fmt.Sprintf("Seed %d, InOrder %v, Full %v, Pack %v, Loss %s %v, scale %v, dropout %v", o.Seed, o.InOrder, o.Full, o.Pack,
		o.Loss,
		o.Beta, scale, dropout)
	return state{stateVersion, r.taken, same, fmt.Sprintf("%016x", sum.Sum64())}
}

// save writes everything the next step depends on. The file is there whole or as it was before, and has a checksum.
func (r *run) save() error {
	text, err := json.Marshal(r.describe())
	if err != nil {
		return err
	}
	d := lucid.NewStateDict()
	d.SetMetadata(stateKey, string(text))
	for i, p := range r.params {
		d.Set("parameter."+r.names[i], p.Detach())
	}
	d.Merge("optimizer.", r.opt.StateDict())
	d.Set("random", lucid.GetRNGState())
	d.Set("losses", lucid.New(r.losses, len(r.losses)))
	return lucid.Save(r.o.State, d)
}

// load brings a run back.
func (r *run) load() {
	bad := func(format string, args ...any) {
		fault.Throw(fault.Format, op, "%s: %s", r.o.State, fmt.Sprintf(format, args...))
	}
	d, err := lucid.Load(r.o.State)
	if err != nil {
		fault.Rethrow(op, err)
	}
	text, ok := d.Metadata()[stateKey]
	if !ok {
		bad("it is not the state of a tuning")
	}
	var s state
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		bad("%v", err)
	}
	now := r.describe()
	losses, random := d.Get("losses"), d.Get("random")
	switch {
	case s.Version != stateVersion:
		bad("version %d; this program reads %d", s.Version, stateVersion)
	case s.Same != now.Same:
		bad("the run was made with other options: %s; now %s", s.Same, now.Same)
	case s.Data != now.Data:
		bad("the data has changed since the run was saved")
	case losses == nil || random == nil || losses.Dim() != 1 || losses.DType() != lucid.Float64 || s.Taken < 0:
		bad("the losses, the random state or the position in the data are missing")
	case losses.Size(0) > r.o.Steps:
		bad("the run has made %d steps; Steps is %d", losses.Size(0), r.o.Steps)
	}
	for i, p := range r.params {
		t := d.Get("parameter." + r.names[i])
		if t == nil || fmt.Sprint(t.Shape()) != fmt.Sprint(p.Shape()) || t.DType() != p.DType() {
			bad("the parameter %s of shape %v is missing or of another shape", r.names[i], p.Shape())
		}
		lucid.NoGrad(func() { p.Assign(t.To(p.Device())) })
	}
	if err := r.opt.LoadStateDict(d.Prefix("optimizer.")); err != nil {
		fault.Rethrow(op, err)
	}
	lucid.SetRNGState(random)
	r.taken, r.losses = s.Taken, lucid.ToSlice[float64](losses)
}
