package nn_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

type run func(in []*lucid.Tensor) []*lucid.Tensor

func one(l nn.Layer) (nn.Module, run) {
	return l, func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{l.Forward(in[0])} }
}

type pair interface {
	nn.Module
	Forward(a, b *lucid.Tensor) *lucid.Tensor
}

func two(l pair) (nn.Module, run) {
	return l, func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{l.Forward(in[0], in[1])} }
}

type triple interface {
	nn.Module
	Forward(a, b, c *lucid.Tensor) *lucid.Tensor
}

func three(l triple) (nn.Module, run) {
	return l, func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{l.Forward(in[0], in[1], in[2])} }
}

func at(in []*lucid.Tensor, i int) *lucid.Tensor {
	if i < len(in) {
		return in[i]
	}
	return nil
}

// build makes a module by PyTorch's name and keywords.
func build(t *testing.T, c goldenCase) (nn.Module, run) {
	k := c.Kwargs
	n := func(i int) int { return int(c.Args[i].(float64)) }
	conv := func() nn.ConvOptions {
		o := nn.ConvOptions{Stride: k.list("stride"), Dilation: k.list("dilation"), Groups: k.n("groups"), NoBias: k.off("bias"), PaddingMode: k.s("padding_mode")}
		switch p := k["padding"].(type) {
		case string:
			o.Padding = p
		case nil:
		default:
			o.Padding = listOf(p)
		}
		return o
	}
	transpose := func() nn.ConvTransposeOptions {
		return nn.ConvTransposeOptions{Stride: k.list("stride"), Padding: k.list("padding"), OutputPadding: k.list("output_padding"), Groups: k.n("groups"), Dilation: k.list("dilation")}
	}
	batch := func() nn.BatchNormOptions {
		_, given := k["momentum"]
		return nn.BatchNormOptions{Eps: k.p("eps"), Momentum: k.p("momentum"), CumulativeAverage: given && k["momentum"] == nil, NoAffine: k.off("affine"), NoTracking: k.off("track_running_stats")}
	}
	instance := nn.InstanceNormOptions{Affine: k.b("affine"), TrackRunningStats: k.b("track_running_stats")}
	switch c.Op {
	case "Linear":
		return one(nn.NewLinear(n(0), n(1), nn.LinearOptions{NoBias: k.off("bias")}))
	case "Bilinear":
		return two(nn.NewBilinear(n(0), n(1), n(2)))
	case "Conv1d":
		return one(nn.NewConv1d(n(0), n(1), listOf(c.Args[2]), conv()))
	case "Conv2d":
		return one(nn.NewConv2d(n(0), n(1), listOf(c.Args[2]), conv()))
	case "Conv3d":
		return one(nn.NewConv3d(n(0), n(1), listOf(c.Args[2]), conv()))
	case "ConvTranspose1d":
		return one(nn.NewConvTranspose1d(n(0), n(1), listOf(c.Args[2]), transpose()))
	case "ConvTranspose2d":
		return one(nn.NewConvTranspose2d(n(0), n(1), listOf(c.Args[2]), transpose()))
	case "ConvTranspose3d":
		return one(nn.NewConvTranspose3d(n(0), n(1), listOf(c.Args[2]), transpose()))
	case "BatchNorm1d":
		return one(nn.NewBatchNorm1d(n(0), batch()))
	case "BatchNorm2d":
		return one(nn.NewBatchNorm2d(n(0), batch()))
	case "BatchNorm3d":
		return one(nn.NewBatchNorm3d(n(0), batch()))
	case "InstanceNorm1d":
		return one(nn.NewInstanceNorm1d(n(0), instance))
	case "InstanceNorm2d":
		return one(nn.NewInstanceNorm2d(n(0), instance))
	case "InstanceNorm3d":
		return one(nn.NewInstanceNorm3d(n(0), instance))
	case "LayerNorm":
		return one(nn.NewLayerNorm(listOf(c.Args[0]), nn.LayerNormOptions{NoBias: k.off("bias"), NoAffine: k.off("elementwise_affine")}))
	case "GroupNorm":
		return one(nn.NewGroupNorm(n(0), n(1)))
	case "RMSNorm":
		return one(nn.NewRMSNorm(listOf(c.Args[0])))
	case "LocalResponseNorm":
		return one(nn.NewLocalResponseNorm(n(0)))
	case "Embedding":
		return one(nn.NewEmbedding(n(0), n(1), nn.EmbeddingOptions{PaddingIdx: k.i("padding_idx"), MaxNorm: k.p("max_norm"), ScaleGradByFreq: k.b("scale_grad_by_freq")}))
	case "EmbeddingBag":
		m := nn.NewEmbeddingBag(n(0), n(1), nn.EmbeddingBagOptions{Mode: k.s("mode")})
		return m, func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{m.Forward(in[0], at(in, 1), nil)} }
	case "PReLU":
		o := nn.PReLUOptions{}
		if len(c.Args) > 0 {
			o.NumParameters = new(n(0))
		}
		return one(nn.NewPReLU(o))
	}
	return buildSequence(t, c)
}

func buildSequence(t *testing.T, c goldenCase) (nn.Module, run) {
	k := c.Kwargs
	n := func(i int) int { return int(c.Args[i].(float64)) }
	rnn := nn.RNNOptions{NumLayers: k.n("num_layers"), Nonlinearity: k.s("nonlinearity"), NoBias: k.off("bias"), BatchFirst: k.b("batch_first"), Bidirectional: k.b("bidirectional"), ProjSize: k.n("proj_size")}
	trans := nn.TransformerOptions{DimFeedforward: k.n("dim_feedforward"), BatchFirst: k.b("batch_first"), NormFirst: k.b("norm_first"), Activation: k.s("activation"), NumEncoderLayers: k.i("num_encoder_layers"), NumDecoderLayers: k.i("num_decoder_layers")}
	switch c.Op {
	case "RNN":
		m := nn.NewRNN(n(0), n(1), rnn)
		return m, func(in []*lucid.Tensor) []*lucid.Tensor {
			y, h := m.Forward(in[0], at(in, 1))
			return []*lucid.Tensor{y, h}
		}
	case "GRU":
		m := nn.NewGRU(n(0), n(1), rnn)
		return m, func(in []*lucid.Tensor) []*lucid.Tensor {
			y, h := m.Forward(in[0], at(in, 1))
			return []*lucid.Tensor{y, h}
		}
	case "LSTM":
		m := nn.NewLSTM(n(0), n(1), rnn)
		return m, func(in []*lucid.Tensor) []*lucid.Tensor {
			y, h, cn := m.Forward(in[0], at(in, 1), at(in, 2))
			return []*lucid.Tensor{y, h, cn}
		}
	case "RNNCell":
		return two(nn.NewRNNCell(n(0), n(1)))
	case "GRUCell":
		return two(nn.NewGRUCell(n(0), n(1)))
	case "LSTMCell":
		m := nn.NewLSTMCell(n(0), n(1))
		return m, func(in []*lucid.Tensor) []*lucid.Tensor {
			h, cn := m.Forward(in[0], in[1], in[2])
			return []*lucid.Tensor{h, cn}
		}
	case "MultiheadAttention":
		m := nn.NewMultiheadAttention(n(0), n(1), nn.MultiheadAttentionOptions{KDim: k.n("kdim"), VDim: k.n("vdim"), BatchFirst: k.b("batch_first"), NoBias: k.off("bias"), AddBiasKV: k.b("add_bias_kv"), AddZeroAttn: k.b("add_zero_attn")})
		return m, func(in []*lucid.Tensor) []*lucid.Tensor {
			y, w := m.Forward(in[0], in[1], in[2])
			return []*lucid.Tensor{y, w}
		}
	case "TransformerEncoderLayer":
		m := nn.NewTransformerEncoderLayer(n(0), n(1), trans)
		return m, func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{m.Forward(in[0])} }
	case "TransformerDecoderLayer":
		m := nn.NewTransformerDecoderLayer(n(0), n(1), trans)
		return m, func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{m.Forward(in[0], in[1])} }
	case "Transformer":
		m := nn.NewTransformer(n(0), n(1), trans)
		return m, func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{m.Forward(in[0], in[1])} }
	}
	return buildLoss(t, c)
}

func buildLoss(t *testing.T, c goldenCase) (nn.Module, run) {
	k := c.Kwargs
	plain := F.LossOptions{Reduction: k.s("reduction")}
	margin := lucid.MarginLossOptions{Margin: k.p("margin")}
	switch c.Op {
	case "MSELoss":
		return two(nn.NewMSELoss(plain))
	case "L1Loss":
		return two(nn.NewL1Loss(plain))
	case "SmoothL1Loss":
		return two(nn.NewSmoothL1Loss(lucid.SmoothL1LossOptions{Beta: k.p("beta")}))
	case "HuberLoss":
		return two(nn.NewHuberLoss(lucid.HuberLossOptions{Delta: k.p("delta")}))
	case "CrossEntropyLoss":
		return two(nn.NewCrossEntropyLoss(F.CrossEntropyOptions{LabelSmoothing: k.f("label_smoothing")}))
	case "NLLLoss":
		return two(nn.NewNLLLoss())
	case "BCEWithLogitsLoss":
		return two(nn.NewBCEWithLogitsLoss())
	case "KLDivLoss":
		return two(nn.NewKLDivLoss(lucid.KlDivOptions{Reduction: k.s("reduction")}))
	case "PoissonNLLLoss":
		return two(nn.NewPoissonNLLLoss())
	case "GaussianNLLLoss":
		return three(nn.NewGaussianNLLLoss())
	case "HingeEmbeddingLoss":
		return two(nn.NewHingeEmbeddingLoss(margin))
	case "MarginRankingLoss":
		return three(nn.NewMarginRankingLoss(margin))
	case "CosineEmbeddingLoss":
		return three(nn.NewCosineEmbeddingLoss(margin))
	case "TripletMarginLoss":
		return three(nn.NewTripletMarginLoss(lucid.TripletMarginLossOptions{Swap: k.b("swap")}))
	case "SoftMarginLoss":
		return two(nn.NewSoftMarginLoss())
	case "MultiMarginLoss":
		return two(nn.NewMultiMarginLoss())
	case "MultiLabelSoftMarginLoss":
		return two(nn.NewMultiLabelSoftMarginLoss())
	case "MultiLabelMarginLoss":
		return two(nn.NewMultiLabelMarginLoss())
	}
	t.Fatalf("no module %s", c.Op)
	return nil, nil
}
