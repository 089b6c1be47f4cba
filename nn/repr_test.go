package nn_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/nn/utils"
)

// printed has the modules of testdata/repr.json.
var printed = map[string]func() nn.Module{
	"nn.Linear(3, 5)":             func() nn.Module { return nn.NewLinear(3, 5) },
	"nn.Linear(3, 5, bias=False)": func() nn.Module { return nn.NewLinear(3, 5, nn.LinearOptions{NoBias: true}) },
	"nn.Bilinear(2, 3, 4)":        func() nn.Module { return nn.NewBilinear(2, 3, 4) },
	"nn.Identity()":               func() nn.Module { return nn.NewIdentity() },
	"nn.Conv1d(2, 4, 3)":          func() nn.Module { return nn.NewConv1d(2, 4, []int{3}) },
	"nn.Conv2d(3, 8, 3, stride=2, padding=1)": func() nn.Module {
		return nn.NewConv2d(3, 8, []int{3}, nn.ConvOptions{Stride: []int{2}, Padding: 1})
	},
	"nn.Conv2d(4, 8, (3, 5), dilation=2, groups=2, bias=False, padding_mode='reflect', padding=1)": func() nn.Module {
		return nn.NewConv2d(4, 8, []int{3, 5}, nn.ConvOptions{Dilation: []int{2}, Groups: 2, NoBias: true,
			PaddingMode: "reflect", Padding: []int{1, 1}})
	},
	"nn.Conv2d(3, 8, 3, padding='same')": func() nn.Module { return nn.NewConv2d(3, 8, []int{3}, nn.ConvOptions{Padding: "same"}) },
	"nn.Conv3d(1, 2, 3)":                 func() nn.Module { return nn.NewConv3d(1, 2, []int{3}) },
	"nn.ConvTranspose1d(2, 4, 3)":        func() nn.Module { return nn.NewConvTranspose1d(2, 4, []int{3}) },
	"nn.ConvTranspose2d(2, 4, 3, stride=2, padding=1, output_padding=1)": func() nn.Module {
		return nn.NewConvTranspose2d(2, 4, []int{3}, nn.ConvTransposeOptions{Stride: []int{2}, Padding: []int{1}, OutputPadding: []int{1}})
	},
	"nn.ConvTranspose3d(2, 4, 3, bias=False)": func() nn.Module {
		return nn.NewConvTranspose3d(2, 4, []int{3}, nn.ConvTransposeOptions{NoBias: true})
	},
	"nn.MaxPool1d(2)": func() nn.Module { return nn.NewMaxPool1d([]int{2}) },
	"nn.MaxPool2d(3, stride=2, padding=1)": func() nn.Module {
		return nn.NewMaxPool2d([]int{3}, F.MaxPoolOptions{Stride: []int{2}, Padding: []int{1}})
	},
	"nn.MaxPool3d((1, 2, 2), ceil_mode=True)": func() nn.Module {
		return nn.NewMaxPool3d([]int{1, 2, 2}, F.MaxPoolOptions{CeilMode: true})
	},
	"nn.AvgPool1d(2)": func() nn.Module { return nn.NewAvgPool1d([]int{2}) },
	"nn.AvgPool2d(3, stride=2, padding=1)": func() nn.Module {
		return nn.NewAvgPool2d([]int{3}, F.AvgPoolOptions{Stride: []int{2}, Padding: []int{1}})
	},
	"nn.AvgPool3d(2)":               func() nn.Module { return nn.NewAvgPool3d([]int{2}) },
	"nn.LPPool1d(2.0, 3)":           func() nn.Module { return nn.NewLPPool1d(2, []int{3}) },
	"nn.LPPool2d(2.0, 3, stride=2)": func() nn.Module { return nn.NewLPPool2d(2, []int{3}, F.LPPoolOptions{Stride: []int{2}}) },
	"nn.MaxUnpool2d(2)":             func() nn.Module { return nn.NewMaxUnpool2d([]int{2}) },
	"nn.AdaptiveAvgPool2d(1)":       func() nn.Module { return nn.NewAdaptiveAvgPool2d(1) },
	"nn.AdaptiveMaxPool2d((5, 7))":  func() nn.Module { return nn.NewAdaptiveMaxPool2d(5, 7) },
	"nn.BatchNorm1d(4)":             func() nn.Module { return nn.NewBatchNorm1d(4) },
	"nn.BatchNorm2d(4, eps=0.001, momentum=0.2, affine=False, track_running_stats=False)": func() nn.Module {
		return nn.NewBatchNorm2d(4, nn.BatchNormOptions{Eps: new(0.001), Momentum: new(0.2), NoAffine: true, NoTracking: true})
	},
	"nn.BatchNorm3d(4, momentum=None)": func() nn.Module { return nn.NewBatchNorm3d(4, nn.BatchNormOptions{CumulativeAverage: true}) },
	"nn.InstanceNorm2d(4)":             func() nn.Module { return nn.NewInstanceNorm2d(4) },
	"nn.InstanceNorm1d(4, affine=True, track_running_stats=True)": func() nn.Module {
		return nn.NewInstanceNorm1d(4, nn.InstanceNormOptions{Affine: true, TrackRunningStats: true})
	},
	"nn.LayerNorm(8)": func() nn.Module { return nn.NewLayerNorm([]int{8}) },
	"nn.LayerNorm([4, 8], elementwise_affine=False)": func() nn.Module {
		return nn.NewLayerNorm([]int{4, 8}, nn.LayerNormOptions{NoAffine: true})
	},
	"nn.GroupNorm(2, 4)":       func() nn.Module { return nn.NewGroupNorm(2, 4) },
	"nn.RMSNorm(8)":            func() nn.Module { return nn.NewRMSNorm([]int{8}) },
	"nn.RMSNorm(8, eps=1e-06)": func() nn.Module { return nn.NewRMSNorm([]int{8}, nn.RMSNormOptions{Eps: new(1e-6)}) },
	"nn.LocalResponseNorm(2)":  func() nn.Module { return nn.NewLocalResponseNorm(2) },
	"nn.Embedding(10, 3)":      func() nn.Module { return nn.NewEmbedding(10, 3) },
	"nn.Embedding(10, 3, padding_idx=0, max_norm=1.5)": func() nn.Module {
		return nn.NewEmbedding(10, 3, nn.EmbeddingOptions{PaddingIdx: new(0), MaxNorm: new(1.5)})
	},
	"nn.EmbeddingBag(10, 3, mode='sum')": func() nn.Module { return nn.NewEmbeddingBag(10, 3, nn.EmbeddingBagOptions{Mode: "sum"}) },
	"nn.Dropout()":                       func() nn.Module { return nn.NewDropout() },
	"nn.Dropout2d(0.25)":                 func() nn.Module { return nn.NewDropout2d(0.25) },
	"nn.AlphaDropout(0.1)":               func() nn.Module { return nn.NewAlphaDropout(0.1) },
	"nn.RNN(3, 4, nonlinearity='relu')":  func() nn.Module { return nn.NewRNN(3, 4, nn.RNNOptions{Nonlinearity: "relu"}) },
	"nn.GRU(3, 4, num_layers=2, batch_first=True, dropout=0.1)": func() nn.Module {
		return nn.NewGRU(3, 4, nn.RNNOptions{NumLayers: 2, BatchFirst: true, Dropout: 0.1})
	},
	"nn.LSTM(3, 4, bidirectional=True, bias=False, proj_size=2)": func() nn.Module {
		return nn.NewLSTM(3, 4, nn.RNNOptions{Bidirectional: true, NoBias: true, ProjSize: 2})
	},
	"nn.RNNCell(3, 4, nonlinearity='relu')": func() nn.Module { return nn.NewRNNCell(3, 4, nn.RNNCellOptions{Nonlinearity: "relu"}) },
	"nn.LSTMCell(3, 4)":                     func() nn.Module { return nn.NewLSTMCell(3, 4) },
	"nn.GRUCell(3, 4, bias=False)":          func() nn.Module { return nn.NewGRUCell(3, 4, nn.RNNCellOptions{NoBias: true}) },
	"nn.ReLU()":                             func() nn.Module { return nn.NewReLU() },
	"nn.ReLU6()":                            func() nn.Module { return nn.NewReLU6() },
	"nn.LeakyReLU()":                        func() nn.Module { return nn.NewLeakyReLU() },
	"nn.LeakyReLU(0.2)":                     func() nn.Module { return nn.NewLeakyReLU(F.LeakyReLUOptions{NegativeSlope: new(0.2)}) },
	"nn.ELU()":                              func() nn.Module { return nn.NewELU() },
	"nn.CELU(0.5)":                          func() nn.Module { return nn.NewCELU(F.ELUOptions{Alpha: new(0.5)}) },
	"nn.GELU()":                             func() nn.Module { return nn.NewGELU() },
	"nn.GELU(approximate='tanh')":           func() nn.Module { return nn.NewGELU(F.GELUOptions{Approximate: "tanh"}) },
	"nn.Softplus()":                         func() nn.Module { return nn.NewSoftplus() },
	"nn.Hardtanh()":                         func() nn.Module { return nn.NewHardtanh() },
	"nn.Hardshrink()":                       func() nn.Module { return nn.NewHardshrink() },
	"nn.Softshrink(0.2)":                    func() nn.Module { return nn.NewSoftshrink(F.ShrinkOptions{Lambd: new(0.2)}) },
	"nn.GLU()":                              func() nn.Module { return nn.NewGLU() },
	"nn.Softmax(dim=-1)":                    func() nn.Module { return nn.NewSoftmax(-1) },
	"nn.LogSoftmax(dim=1)":                  func() nn.Module { return nn.NewLogSoftmax(1) },
	"nn.Threshold(0.1, 20.0)":               func() nn.Module { return nn.NewThreshold(0.1, 20) },
	"nn.PReLU()":                            func() nn.Module { return nn.NewPReLU() },
	"nn.PReLU(4)":                           func() nn.Module { return nn.NewPReLU(nn.PReLUOptions{NumParameters: 4}) },
	"nn.RReLU()":                            func() nn.Module { return nn.NewRReLU() },
	"nn.SiLU()":                             func() nn.Module { return nn.NewSiLU() },
	"nn.Flatten()":                          func() nn.Module { return nn.NewFlatten() },
	"nn.Flatten(0, 1)":                      func() nn.Module { return nn.NewFlatten(nn.FlattenOptions{StartDim: new(0), EndDim: new(1)}) },
	"nn.Unflatten(1, (2, 3))":               func() nn.Module { return nn.NewUnflatten(1, 2, 3) },
	"nn.Upsample(scale_factor=2.0)":         func() nn.Module { return nn.NewUpsample(F.InterpolateOptions{ScaleFactor: []float64{2}}) },
	"nn.Upsample(size=(4, 5), mode='bilinear')": func() nn.Module {
		return nn.NewUpsample(F.InterpolateOptions{Size: []int{4, 5}, Mode: "bilinear"})
	},
	"nn.PixelShuffle(3)":                       func() nn.Module { return nn.NewPixelShuffle(3) },
	"nn.PixelUnshuffle(2)":                     func() nn.Module { return nn.NewPixelUnshuffle(2) },
	"nn.ChannelShuffle(2)":                     func() nn.Module { return nn.NewChannelShuffle(2) },
	"nn.Unfold(3)":                             func() nn.Module { return nn.NewUnfold([]int{3}) },
	"nn.Fold((4, 5), 2)":                       func() nn.Module { return nn.NewFold([]int{4, 5}, []int{2}) },
	"nn.ZeroPad2d(1)":                          func() nn.Module { return nn.NewZeroPad2d(1) },
	"nn.ReflectionPad1d((3, 1))":               func() nn.Module { return nn.NewReflectionPad1d(3, 1) },
	"nn.ReplicationPad3d(1)":                   func() nn.Module { return nn.NewReplicationPad3d(1) },
	"nn.CircularPad2d(2)":                      func() nn.Module { return nn.NewCircularPad2d(2) },
	"nn.ConstantPad1d((3, 1), 2.5)":            func() nn.Module { return nn.NewConstantPad1d(2.5, 3, 1) },
	"nn.CosineSimilarity()":                    func() nn.Module { return nn.NewCosineSimilarity() },
	"nn.MSELoss()":                             func() nn.Module { return nn.NewMSELoss() },
	"nn.CrossEntropyLoss(label_smoothing=0.1)": func() nn.Module { return nn.NewCrossEntropyLoss() },
	"nn.LinearCrossEntropyLoss(3, 5, out_features=(2,), bias=True)": func() nn.Module {
		return nn.NewLinearCrossEntropyLoss(3, 5, nn.LinearCrossEntropyLossOptions{OutFeatures: []int{2}, Bias: true})
	},
	"nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 3), nn.Tanh()))": func() nn.Module {
		return nn.NewSequential(nn.NewLinear(2, 3), nn.NewReLU(), nn.NewSequential(nn.NewLinear(3, 3), nn.NewTanh()))
	},
	"nn.Sequential()": func() nn.Module { return nn.NewSequential() },
	"nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU()])": func() nn.Module {
		return nn.NewModuleList(nn.NewLinear(2, 2), nn.NewLinear(2, 2), nn.NewReLU())
	},
	"nn.ModuleDict({'a': nn.Linear(2, 2), 'b': nn.ReLU()})": func() nn.Module {
		return nn.NewModuleDict().Set("a", nn.NewLinear(2, 2)).Set("b", nn.NewReLU())
	},
	"nn.TransformerEncoderLayer(8, 2, 16)": func() nn.Module {
		return nn.NewTransformerEncoderLayer(8, 2, nn.TransformerOptions{DimFeedforward: 16})
	},
	"nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 3, enable_nested_tensor=False)": func() nn.Module {
		return nn.NewTransformerEncoder(func() *nn.TransformerEncoderLayer {
			return nn.NewTransformerEncoderLayer(8, 2, nn.TransformerOptions{DimFeedforward: 16})
		}, 3, nil)
	},
}

func TestReprIsPyTorchs(t *testing.T) {
	b, err := os.ReadFile("testdata/repr.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Cases map[string]string }
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Cases) != len(printed) {
		t.Errorf("%d cases, %d modules here", len(doc.Cases), len(printed))
	}
	for name, want := range doc.Cases {
		want = strings.ReplaceAll(want, "NonDynamicallyQuantizableLinear", "Linear")
		if make := printed[name]; make == nil {
			t.Errorf("no module for %s", name)
		} else if got := fmt.Sprint(make()); got != want {
			t.Errorf("%s prints\n%s\nwant\n%s", name, got, want)
		}
	}
}

// reprNet is a module of one's own.
type reprNet struct {
	nn.Base
	Body   []nn.Layer
	Heads  map[string]*nn.Linear
	Shared *nn.Linear
	Again  *nn.Linear
	Lazy   nn.Layer
}

func (m *reprNet) ExtraRepr() string { return "size=2" }

func TestReprOfOnesOwn(t *testing.T) {
	l := nn.NewLinear(1, 1)
	utils.WeightNorm(l)
	m := &reprNet{Body: []nn.Layer{nn.NewReLU(), nn.NewReLU()},
		Heads: map[string]*nn.Linear{"b": nn.NewLinear(1, 2), "a": nn.NewLinear(1, 3)}, Shared: l, Again: l, Lazy: nn.NewLazyLinear(3)}
	got := nn.Repr(m)
	want := `reprNet(
  size=2
  (body): ModuleList(
    (0-1): 2 x ReLU()
  )
  (heads): ModuleDict(
    (a): Linear(in_features=1, out_features=3, bias=True)
    (b): Linear(in_features=1, out_features=2, bias=True)
  )
  (shared): Linear(
    in_features=1, out_features=1, bias=True
    (parametrizations): ModuleDict(
      (weight): ModuleList(
        (0): weightNorm()
      )
    )
  )
  (again): Linear(
    in_features=1, out_features=1, bias=True
    (parametrizations): ModuleDict(
      (weight): ModuleList(
        (0): weightNorm()
      )
    )
  )
  (lazy): LazyLinear()
)`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	m.Lazy.Forward(lucid.Ones(1, 2))
	if got := nn.Repr(m.Lazy); got != "Linear(in_features=2, out_features=3, bias=True)" {
		t.Errorf("a lazy layer that was made prints %s", got)
	}
	if got := fmt.Sprint(m); !strings.Contains(got, "nn.Repr") {
		t.Errorf("a module without String prints %s", got)
	}
	p := nn.NewParameterList(lucid.Ones(2, 3))
	if got := fmt.Sprint(p); got != "ParameterList(\n  (0): Parameter containing: [float32 of size 2x3]\n)" {
		t.Errorf("parameters print as %s", got)
	}
}

func ExampleRepr() {
	net := nn.NewSequential(nn.NewConv2d(1, 4, []int{3}), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(144, 10))
	fmt.Println(net)
	// Output:
	// Sequential(
	//   (0): Conv2d(1, 4, kernel_size=(3, 3), stride=(1, 1))
	//   (1): ReLU()
	//   (2): Flatten(start_dim=1, end_dim=-1)
	//   (3): Linear(in_features=144, out_features=10, bias=True)
	// )
}

// TestEmbeddingBagRepr has PyTorch's text of a bag whose last row is left out.
func TestEmbeddingBagRepr(t *testing.T) {
	m := nn.NewEmbeddingBag(6, 4, nn.EmbeddingBagOptions{PaddingIdx: new(-1)})
	if got, want := nn.Repr(m), "EmbeddingBag(6, 4, mode='mean', padding_idx=5)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
