package nn_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// The models of scripts/golden_nn/states.py, with the same names.

type cnn struct {
	nn.Base
	Conv1 *nn.Conv2d
	Bn1   *nn.BatchNorm2d
	Conv2 *nn.Conv2d
	Bn2   *nn.BatchNorm2d
	Fc    *nn.Linear
}

func newCNN() *cnn {
	return &cnn{Conv1: nn.NewConv2d(1, 4, []int{3}, nn.ConvOptions{Padding: 1, NoBias: true}), Bn1: nn.NewBatchNorm2d(4),
		Conv2: nn.NewConv2d(4, 6, []int{3}, nn.ConvOptions{Stride: []int{2}}), Bn2: nn.NewBatchNorm2d(6), Fc: nn.NewLinear(54, 5)}
}

func (m *cnn) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = F.ReLU(m.Bn1.Forward(m.Conv1.Forward(x)))
	x = F.ReLU(m.Bn2.Forward(m.Conv2.Forward(x)))
	return m.Fc.Forward(x.Flatten(1, -1))
}

type recurrent struct {
	nn.Base
	LSTM *nn.LSTM
	Head *nn.Linear
}

func (m *recurrent) Forward(x *lucid.Tensor) *lucid.Tensor {
	y, _, _ := m.LSTM.Forward(x, nil, nil)
	return m.Head.Forward(y)
}

type gptAttention struct {
	nn.Base
	CAttn, CProj *nn.Linear
}

func (m *gptAttention) Forward(x *lucid.Tensor) *lucid.Tensor {
	B, T, C := x.Size(0), x.Size(1), x.Size(2)
	p := lucid.Split(m.CAttn.Forward(x), C, -1)
	for i := range p {
		p[i] = p[i].Reshape(B, T, 2, C/2).Transpose(1, 2)
	}
	o := F.ScaledDotProductAttentionOptions{}
	o.IsCausal = true
	return m.CProj.Forward(F.ScaledDotProductAttention(p[0], p[1], p[2], o).Transpose(1, 2).Reshape(B, T, C))
}

type gptMLP struct {
	nn.Base
	CFc, CProj *nn.Linear
}

func (m *gptMLP) Forward(x *lucid.Tensor) *lucid.Tensor {
	return m.CProj.Forward(F.GELU(m.CFc.Forward(x), F.GELUOptions{Approximate: "tanh"}))
}

type gptBlock struct {
	nn.Base
	Ln1  *nn.LayerNorm `nn:"ln_1"`
	Attn *gptAttention
	Ln2  *nn.LayerNorm `nn:"ln_2"`
	MLP  *gptMLP
}

func (m *gptBlock) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = x.Add(m.Attn.Forward(m.Ln1.Forward(x)))
	return x.Add(m.MLP.Forward(m.Ln2.Forward(x)))
}

// plainEncoder is an encoder without masks.
type plainEncoder struct {
	nn.Base
	E *nn.TransformerEncoder `nn:",inline"`
}

func (m *plainEncoder) Forward(x *lucid.Tensor) *lucid.Tensor { return m.E.Forward(x) }

var stateModels = map[string]func() nn.Layer{
	"mlp": func() nn.Layer {
		return nn.NewSequential(nn.NewLinear(5, 8), nn.NewReLU(), nn.NewLinear(8, 8), nn.NewTanh(), nn.NewLinear(8, 3))
	},
	"cnn": func() nn.Layer { return newCNN() },
	"lstm": func() nn.Layer {
		return &recurrent{LSTM: nn.NewLSTM(4, 6, nn.RNNOptions{NumLayers: 2, Bidirectional: true, BatchFirst: true}),
			Head: nn.NewLinear(12, 3)}
	},
	"encoder": func() nn.Layer {
		o := nn.TransformerOptions{DimFeedforward: 12, BatchFirst: true}
		return &plainEncoder{E: nn.NewTransformerEncoder(func() *nn.TransformerEncoderLayer {
			return nn.NewTransformerEncoderLayer(8, 2, o)
		}, 2, nn.NewLayerNorm([]int{8}))}
	},
	"gpt2": func() nn.Layer {
		return &gptBlock{Ln1: nn.NewLayerNorm([]int{8}), Attn: &gptAttention{CAttn: nn.NewLinear(8, 24), CProj: nn.NewLinear(8, 8)},
			Ln2: nn.NewLayerNorm([]int{8}), MLP: &gptMLP{CFc: nn.NewLinear(8, 32), CProj: nn.NewLinear(32, 8)}}
	},
}

func loadState(t *testing.T, path string) *lucid.StateDict {
	t.Helper()
	d, err := lucid.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A state dict of PyTorch loads into modules of the same names and gives the same outputs; what lucid writes has the
// same names, dtypes, shapes and bits. LUCID_STATES_OUT keeps the files for scripts/golden_nn/states.py check.
func TestStates(t *testing.T) {
	for name, make1 := range stateModels {
		t.Run(name, func(t *testing.T) {
			theirs := loadState(t, "testdata/states/"+name+".safetensors")
			m := make1()
			if err := nn.LoadStateDict(m, theirs); err != nil {
				t.Fatal(err)
			}
			nn.Eval(m)
			io := loadState(t, "testdata/states/"+name+"_io.safetensors")
			y := m.Forward(io.Get("x").To(lucid.DefaultDevice())).Detach()
			tol := testutil.Tol(dtype.Float32, false)
			want := lucid.ToSlice[float64](io.Get("y"))
			if !slices.Equal(y.Shape(), io.Get("y").Shape()) {
				t.Fatalf("an output of shape %v; want %v", y.Shape(), io.Get("y").Shape())
			}
			for i, v := range lucid.ToSlice[float64](y) {
				if !tol.Close(v, want[i]) {
					t.Fatalf("output %d is %v; want %v", i, v, want[i])
				}
			}
			dir := os.Getenv("LUCID_STATES_OUT")
			if dir == "" {
				dir = t.TempDir()
			}
			path := filepath.Join(dir, name+".safetensors")
			if err := lucid.Save(path, nn.StateDict(m)); err != nil {
				t.Fatal(err)
			}
			ours := loadState(t, path)
			if a, b := slices.Sorted(slices.Values(ours.Names())), slices.Sorted(slices.Values(theirs.Names())); !slices.Equal(a, b) {
				t.Fatalf("names %v; want %v", a, b)
			}
			for key, v := range theirs.All() {
				if got := ours.Get(key); got.DType() != v.DType() || !slices.Equal(got.Shape(), v.Shape()) || !lucid.Equal(got, v) {
					t.Errorf("%s is not what PyTorch wrote", key)
				}
			}
		})
	}
}
