package learn

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// metaKey is the text in a checkpoint that says what it is of.
const metaKey = "lucid train"

// formatVersion is the version that Save writes. Version 1 had no regressions and no tests.
const formatVersion = 2

// meta is what a checkpoint holds in addition to tensors.
type meta struct {
	Version int    `json:"version"`
	Config  Config `json:"config"`
	Spec    Spec   `json:"spec"`
	Done    int    `json:"done"`
	Total   int    `json:"total"`
}

// Save writes the run to a .lucid file: model, optimizer, schedule, random state, position in the data, losses, tests. The
// file is there whole or as it was before.
func (t *Trainer) Save(path string) error {
	text, err := json.Marshal(meta{formatVersion, t.Config, t.Spec, t.Done, t.Total})
	if err != nil {
		return err
	}
	d := lucid.NewStateDict()
	d.SetMetadata(metaKey, string(text))
	d.Merge("model.", nn.StateDict(t.model))
	d.Merge("optimizer.", t.opt.StateDict())
	d.Merge("schedule.", t.rate.StateDict())
	d.Set("random", lucid.GetRNGState())
	d.Set("losses", lucid.New(t.Losses, len(t.Losses)))
	tests := make([]float64, 0, 3*len(t.Tests))
	for _, v := range t.Tests {
		tests = append(tests, float64(v.Step), v.Loss, v.Score)
	}
	d.Set("tests", lucid.New(tests, len(t.Tests), 3))
	return lucid.Save(path, d)
}

// open reads a checkpoint and what it is of.
func open(path string) (d *lucid.StateDict, m meta, err error) {
	d, err = lucid.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, m, hint("lucid train", "there is no checkpoint %s", path)
	}
	if err != nil {
		return nil, m, err
	}
	text, ok := d.Metadata()[metaKey]
	if !ok {
		return nil, m, hint("lucid train", "%s is no checkpoint of lucid train", path)
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, m, lucid.Errorf(lucid.ErrFormat, "train", "%s: %v", path, err)
	}
	if m.Version < 1 || m.Version > formatVersion {
		return nil, m, lucid.Errorf(lucid.ErrVersion, "train", "%s is of version %d; this program reads 1 to %d", path, m.Version,
			formatVersion)
	}
	if m.Config, err = m.Config.fill(); err != nil {
		return nil, m, err
	}
	if n := len(m.Spec.Classes); n > 1<<20 {
		return nil, m, lucid.Errorf(lucid.ErrFormat, "train", "%s tells %d classes apart", path, n)
	}
	return d, m, nil
}

// Resume brings a run back from its checkpoint. Its next step is bit for bit the one the run would have made.
func Resume(path string, change func(c *Config)) (*Trainer, error) {
	d, m, err := open(path)
	if err != nil {
		return nil, err
	}
	c := m.Config
	change(&c)
	t, err := New(c)
	if err != nil {
		return nil, err
	}
	if t.Spec.Examples != m.Spec.Examples || !slices.Equal(t.Spec.Shape, m.Spec.Shape) || !slices.Equal(t.Spec.Classes, m.Spec.Classes) ||
		!t.Spec.Target.equal(m.Spec.Target) {
		return nil, hint("lucid train",
			"the data, or its target, has changed since %s was saved: %d examples of shape %v in %d classes, now %d of %v in %d",
			path, m.Spec.Examples, m.Spec.Shape, len(m.Spec.Classes), t.Spec.Examples, t.Spec.Shape, len(t.Spec.Classes))
	}
	random, losses := d.Get("random"), d.Get("losses")
	if random == nil || losses == nil || losses.Dim() != 1 || losses.Size(0) != m.Done || losses.DType() != lucid.Float32 {
		return nil, lucid.Errorf(lucid.ErrFormat, "train", "%s lacks the random state, or the losses of its %d steps", path, m.Done)
	}
	if t.Total < m.Done {
		return nil, hint("lucid train --resume", "%s has made %d steps already; a run of %d cannot go on from there", path, m.Done, t.Total)
	}
	if err := nn.LoadStateDict(t.model, d.Prefix("model.")); err != nil {
		return nil, err
	}
	if err := t.opt.LoadStateDict(d.Prefix("optimizer.")); err != nil {
		return nil, err
	}
	if err := t.rate.LoadStateDict(d.Prefix("schedule.")); err != nil {
		return nil, err
	}
	if err := lucid.Try(func() { lucid.SetRNGState(random) }); err != nil {
		return nil, err
	}
	t.Done, t.Losses = m.Done, lucid.ToSlice[float32](losses)
	t.Tests, err = readTests(d.Get("tests"), path, m)
	return t, err
}

// readTests reads the evaluations of a run; those of version 1 were not saved.
func readTests(x *lucid.Tensor, path string, m meta) (tests []Test, err error) {
	if x == nil && m.Version == 1 {
		return nil, nil
	}
	if x == nil || x.Dim() != 2 || x.Size(1) != 3 || x.Size(0) > m.Done || x.DType() != lucid.Float64 {
		return nil, lucid.Errorf(lucid.ErrFormat, "train", "%s lacks the tests of its %d steps", path, m.Done)
	}
	v := lucid.ToSlice[float64](x)
	for before := 0.0; len(v) > 0; v = v[3:] {
		if !(v[0] > before && v[0] <= float64(m.Done)) {
			return nil, lucid.Errorf(lucid.ErrFormat, "train", "%s has a test after step %v of %d", path, v[0], m.Done)
		}
		before = v[0]
		tests = append(tests, Test{int(v[0]), v[1], v[2]})
	}
	return tests, nil
}

// equal reports whether two runs predict the same number of the same data.
func (t *Target) equal(u *Target) bool { return t == u || t != nil && u != nil && *t == *u }
