package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/nn"
)

// heads is a module whose state had three forms. Version 1 had one tensor for queries, keys and values each, and the scale as its
// logarithm; version 2 put them into one; version 3 has the scale itself.
type heads struct {
	nn.Base
	InProj *lucid.Tensor `nn:"in_proj"`
	Scale  *lucid.Tensor
	Out    *nn.Linear
}

func newHeads() *heads {
	return &heads{InProj: nn.Parameter(lucid.Zeros(6, 2)), Scale: nn.Parameter(lucid.Zeros(1)), Out: nn.NewLinear(2, 2)}
}

func (h *heads) Forward(x *lucid.Tensor) *lucid.Tensor { return h.Out.Forward(x) }

func (h *heads) StateVersion() int { return 3 }

func (h *heads) MigrateState(from int, d *lucid.StateDict) error {
	switch from {
	case 1:
		var parts []*lucid.Tensor
		for _, name := range []string{"q", "k", "v"} {
			t := d.Get(name)
			if t == nil {
				return lucid.Errorf(lucid.ErrFormat, "heads", "the state has no %s", name)
			}
			d.Delete(name)
			parts = append(parts, t)
		}
		d.Set("in_proj", lucid.Cat(parts, 0))
	case 2:
		d.Set("scale", d.Get("log_scale").Exp())
		d.Delete("log_scale")
	}
	return nil
}

type encoder struct {
	nn.Base
	First, Second *heads
}

func newEncoder() *encoder { return &encoder{First: newHeads(), Second: newHeads()} }

// oldState is the state of an encoder: the first module in version 1, the second in version 2.
func oldState() *lucid.StateDict {
	d := lucid.NewStateDict()
	wave := func(from int, shape ...int) *lucid.Tensor {
		n := 1
		for _, s := range shape {
			n *= s
		}
		return lucid.Arange(n).To(lucid.Float32).Add(from).Sin().Reshape(shape...)
	}
	for i, name := range []string{"q", "k", "v"} {
		d.Set("first."+name, wave(4*i, 2, 2))
	}
	d.Set("second.in_proj", wave(0, 6, 2))
	for i, name := range []string{"first", "second"} {
		d.Set(name+".log_scale", wave(20+i, 1))
		d.Set(name+".out.weight", wave(30+i, 2, 2))
		d.Set(name+".out.bias", wave(40+i, 2))
	}
	d.SetVersion("second", 2)
	return d
}

// TestOlderStates loads committed files of an older state, in every format that has metadata. They are never written again;
// LUCID_WRITE_EXPORT=1 makes one that is missing.
func TestOlderStates(t *testing.T) {
	for _, ext := range []string{".lucid", ".safetensors", ".npz"} {
		path := filepath.Join("testdata", "state", "heads_v1"+ext)
		if _, err := os.Stat(path); err != nil && os.Getenv("LUCID_WRITE_EXPORT") != "" {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := lucid.Save(path, oldState()); err != nil {
				t.Fatal(err)
			}
		}
		d, err := lucid.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		names := d.Names()
		m := newEncoder()
		if e := nn.Compare(m, d); e != nil {
			t.Errorf("%s: %v", ext, e)
		}
		if err := nn.LoadStateDict(m, d); err != nil {
			t.Errorf("%s: %v", ext, err)
			continue
		}
		if !slices.Equal(d.Names(), names) || d.Version("first") != 1 || d.Version("second") != 2 {
			t.Errorf("%s: the caller's state was changed: %v", ext, d.Names())
		}
		old := oldState()
		want := old.Get("second.in_proj")
		for _, h := range []*heads{m.First, m.Second} {
			if !lucid.Equal(h.InProj.Detach(), want) {
				t.Errorf("%s: %v; want %v", ext, h.InProj, want)
			}
		}
		if !lucid.Equal(m.First.Scale.Detach(), old.Get("first.log_scale").Exp()) ||
			!lucid.Equal(m.Second.Out.Bias.Detach(), old.Get("second.out.bias")) {
			t.Errorf("%s: other values", ext)
		}
		again := nn.StateDict(m)
		if again.Version("first") != 3 || again.Version("second") != 3 || again.Version("first.out") != 1 {
			t.Errorf("%s: versions %v", ext, again.Metadata())
		}
		if err := nn.LoadStateDict(newEncoder(), again); err != nil {
			t.Error(err)
		}
	}
}

// A step for a version of checkpoints that never was: it had names with slashes.
func init() {
	checkpoint.RegisterSchema("state_dict", 0, func(c *checkpoint.Checkpoint) error {
		for i := range c.Sections {
			c.Sections[i].Name = strings.ReplaceAll(c.Sections[i].Name, "/", ".")
		}
		return nil
	})
}

// TestOlderCheckpoint loads a committed checkpoint whose schema is of an older version, and refuses a newer one.
func TestOlderCheckpoint(t *testing.T) {
	path := filepath.Join("testdata", "state", "schema_v0.lucid")
	content := func(version int, name string) checkpoint.Checkpoint {
		c := checkpoint.Checkpoint{Schema: map[string]int{"state_dict": version}}
		c.Add(codec.Tensor{Name: name, DType: lucid.Uint8, Shape: []int{3}, Data: []byte{1, 2, 3}})
		return c
	}
	if _, err := os.Stat(path); err != nil && os.Getenv("LUCID_WRITE_EXPORT") != "" {
		if err := checkpoint.Write(path, content(0, "body/0/weight")); err != nil {
			t.Fatal(err)
		}
	}
	d, err := lucid.Load(path)
	if err != nil || !slices.Equal(d.Names(), []string{"body.0.weight"}) || d.Get("body.0.weight").Sum().Item() != 6 {
		t.Error(d, err)
	}
	newer := filepath.Join(t.TempDir(), "newer.lucid")
	if err := checkpoint.Write(newer, content(2, "w")); err != nil {
		t.Fatal(err)
	}
	if _, err := lucid.Load(newer); !errors.Is(err, lucid.ErrVersion) || !strings.Contains(err.Error(), `version 2 of part "state_dict"`) ||
		!strings.Contains(err.Error(), "versions 0 to 1") {
		t.Error(err)
	}
}

// TestRefusedStates asks for errors that name the module, and for modules that stay as they were.
func TestRefusedStates(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *lucid.StateDict)
		kind   error
		words  []string
	}{
		"newer": {func(d *lucid.StateDict) { d.SetVersion("second", 4) }, lucid.ErrVersion,
			[]string{"second", "version 4", "1 to 3", "update"}},
		"no such": {func(d *lucid.StateDict) { d.SetVersion("first.out", 2) }, lucid.ErrVersion,
			[]string{"first.out", "*nn.Linear", "version 2"}},
		"nonsense": {func(d *lucid.StateDict) { d.SetMetadata("first.state_version", "x") }, lucid.ErrVersion,
			[]string{"first", "version 0"}},
		"part": {func(d *lucid.StateDict) { d.Delete("first.k") }, lucid.ErrFormat, []string{"has no k", "from version 1 to 2"}},
	} {
		d, m := oldState(), newEncoder()
		c.change(d)
		before := nn.StateDict(m)
		err := nn.LoadStateDict(m, d)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v does not say %q", name, err, w)
			}
		}
		for n, v := range nn.StateDict(m).All() {
			if !lucid.Equal(v, before.Get(n)) {
				t.Errorf("%s: %s was changed", name, n)
			}
		}
	}
	if lucid.Try(func() { lucid.NewStateDict().SetVersion("", 0) }) == nil {
		t.Error("version 0 was taken")
	}
}

// TestStateVersionNames asks that versions go along with parts of a state.
func TestStateVersionNames(t *testing.T) {
	d := lucid.NewStateDict()
	d.Merge("model.", nn.StateDict(newEncoder()))
	if got := d.Version("model.first"); got != 3 {
		t.Errorf("version %d behind a prefix", got)
	}
	if got := d.Prefix("model.").Version("first"); got != 3 {
		t.Errorf("version %d without it", got)
	}
	if d.SetVersion("model.first", 1); d.Version("model.first") != 1 || len(d.Metadata()) != 1 {
		t.Error(d.Metadata())
	}
}
