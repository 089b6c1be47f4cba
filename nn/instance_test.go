package nn_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// lookup is a module of a user that checks values.
type lookup struct {
	nn.Base
	Table *nn.Embedding
	W     *lucid.Tensor
}

func (m *lookup) Forward(x *lucid.Tensor) *lucid.Tensor {
	return m.Table.Forward(x).MatMul(m.W)
}

// layerOf has a name in front of its fields that is not first in the struct.
type layerOf struct {
	Name string
	nn.Base
	Attention *lookup
}

func (m *layerOf) Forward(x *lucid.Tensor) *lucid.Tensor { return m.Attention.Forward(x).Add(1) }

type coder struct {
	nn.Base
	Layers []*layerOf
}

// Forward adds up what the layers give.
func (m *coder) Forward(x *lucid.Tensor) *lucid.Tensor {
	y := lucid.Zeros(1)
	for _, l := range m.Layers {
		y = y.Add(l.Forward(x))
	}
	return y
}

type wholeModel struct {
	nn.Base
	Encoder *coder
	Out     *nn.Sequential
}

func (m *wholeModel) Forward(x *lucid.Tensor) *lucid.Tensor {
	return m.Out.Forward(m.Encoder.Forward(x))
}

func newWholeModel() *wholeModel {
	m := &wholeModel{Encoder: &coder{}, Out: nn.NewSequential(nn.NewLinear(4, 4), nn.NewReLU(), nn.NewLinear(4, 2))}
	for range 4 {
		m.Encoder.Layers = append(m.Encoder.Layers,
			&layerOf{Attention: &lookup{Table: nn.NewEmbedding(5, 3), W: nn.Parameter(lucid.Ones(3, 4))}})
	}
	return m
}

// TestErrorModule asks that errors name the module they were found in as NamedModules does: those that are found when an op is recorded,
// and those that are found when values are computed; eager and compiled.
func TestErrorModule(t *testing.T) {
	good := lucid.New([]int64{1, 4}, 2)
	for name, c := range map[string]struct {
		change        func(m *wholeModel)
		module, types string
		late          bool // found when values are computed: a module is known alone, not by those it is inside of
	}{
		"a product": {func(m *wholeModel) { m.Encoder.Layers[2].Attention.W = nn.Parameter(lucid.Ones(2, 4)) },
			"encoder.layers.2.attention", "wholeModel.coder.layerOf.lookup", false},
		"a layer of a sequence": {func(m *wholeModel) { m.Out.Layers[2] = nn.NewLinear(3, 3) },
			"out.2", "wholeModel.Sequential.Linear", false},
		"an index": {func(m *wholeModel) { m.Encoder.Layers[3].Attention.Table = nn.NewEmbedding(2, 3) },
			"encoder.layers.3.attention.table", "wholeModel.coder.layerOf.lookup.Embedding", true},
		"an index in the first": {func(m *wholeModel) { m.Encoder.Layers[0].Attention.Table = nn.NewEmbedding(2, 3) },
			"encoder.layers.0.attention.table", "wholeModel.coder.layerOf.lookup.Embedding", true},
	} {
		for _, after := range []bool{false, true} { // the model is seen before or after it is changed
			if c.late && !after {
				continue
			}
			m := newWholeModel()
			if !after {
				nn.Parameters(m)
			}
			if c.change(m); after {
				nn.Eval(m)
			}
			for kind, f := range map[string]func(x *lucid.Tensor) *lucid.Tensor{"eager": m.Forward, "compiled": lucid.Compile(m.Forward)} {
				err := lucid.Try(func() { lucid.ToSlice[float64](f(good)) })
				var e *lucid.Error
				if !errors.As(err, &e) || e.Module != c.module || !strings.HasSuffix(e.ModuleTypes, c.types) {
					t.Errorf("%s, %s: %v\nin %q (%s), want %q (%s)", name, kind, err, e.Module, e.ModuleTypes, c.module, c.types)
					continue
				}
				if !strings.Contains(err.Error(), ", in module "+c.module) {
					t.Errorf("%s, %s: the module is missing in %v", name, kind, err)
				}
			}
		}
	}
}

// TestErrorModuleParts asks that a walk over a part does not take the names of the whole away, that a model that was never seen has
// types alone, and that nothing holds models that were seen.
func TestErrorModuleParts(t *testing.T) {
	good := lucid.New([]int64{1, 4}, 2)
	fails := func(m *coder) *lucid.Error {
		m.Layers[1].Attention.W = nn.Parameter(lucid.Ones(2, 4))
		var e *lucid.Error
		if err := lucid.Try(func() { m.Forward(good) }); !errors.As(err, &e) {
			t.Fatal(err)
		}
		return e
	}
	m := newWholeModel()
	nn.Parameters(m.Encoder)
	if e := fails(m.Encoder); e.Module != "layers.1.attention" {
		t.Errorf("%q", e.Module)
	}
	nn.Parameters(m)
	nn.Parameters(m.Encoder)
	if e := fails(m.Encoder); e.Module != "encoder.layers.1.attention" {
		t.Errorf("%q", e.Module)
	}
	if e := fails(newWholeModel().Encoder); e.Module != "" || e.ModuleTypes != "coder.layerOf.lookup" {
		t.Errorf("%q, %q", e.Module, e.ModuleTypes)
	}
	gone := make(chan string, 1)
	func() {
		m := newWholeModel()
		nn.Parameters(m)
		runtime.AddCleanup(m, func(string) { gone <- "gone" }, "")
	}()
	for range 20 {
		runtime.GC()
		select {
		case <-gone:
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("a model that was seen is held")
}

// BenchmarkForwardSmall is the forward pass of a small network, to see what names of modules cost where no error is: nothing.
func BenchmarkForwardSmall(b *testing.B) {
	m := nn.NewSequential(nn.NewLinear(8, 16), nn.NewReLU(), nn.NewLinear(16, 4))
	table := nn.NewEmbedding(5, 8)
	x, ids := lucid.Ones(2, 8).Eval(), lucid.New([]int64{1, 2}, 2)
	nn.Parameters(m)
	for name, f := range map[string]func() *lucid.Tensor{"mlp": func() *lucid.Tensor { return m.Forward(x) },
		"embedding": func() *lucid.Tensor { return table.Forward(ids) }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f().Free()
			}
		})
	}
}

// shared has the Base of a model that embeds it by a pointer.
type shared struct{ nn.Base }

type byPointer struct {
	*shared
	Inner *nn.Sequential
}

// TestErrorModuleByPointer walks over a part of a model whose Base is in another struct: the model has no name, its parts do.
func TestErrorModuleByPointer(t *testing.T) {
	m := &byPointer{shared: &shared{}, Inner: nn.NewSequential(nn.NewLinear(2, 2))}
	for range 2 {
		if n := len(nn.Parameters(m)); n != 2 {
			t.Errorf("%d parameters of the model, want 2", n)
		}
		if n := len(nn.Parameters(m.Inner)); n != 2 {
			t.Errorf("%d parameters of the part, want 2", n)
		}
	}
}
