package nn_test

import (
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestOwnResults: in-place forms write what a module computed, also where its last step only rearranged that.
func TestOwnResults(t *testing.T) {
	x, one := lucid.Randn(2, 3, 4), lucid.Randn(3, 4)
	first, all := nn.RNNOptions{BatchFirst: true}, []int{3, 2}
	softmax := nn.NewAdaptiveLogSoftmaxWithLoss(4, 6, []int{2})
	results := map[string]func() []*lucid.Tensor{
		"gru":       func() []*lucid.Tensor { y, h := nn.NewGRU(4, 2, first).Forward(x, nil); return []*lucid.Tensor{y, h} },
		"gru alone": func() []*lucid.Tensor { y, h := nn.NewGRU(4, 2).Forward(one, nil); return []*lucid.Tensor{y, h} },
		"padded": func() []*lucid.Tensor {
			y, h := nn.NewRNN(4, 2, first).ForwardPadded(x, lucid.New([]int64{3, 2}, 2), nil)
			return []*lucid.Tensor{y, h}
		},
		"attention": func() []*lucid.Tensor {
			y, w := nn.NewMultiheadAttention(4, 2).Forward(x, x, x)
			return []*lucid.Tensor{y, w}
		},
		"attention alone": func() []*lucid.Tensor {
			y, w := nn.NewMultiheadAttention(4, 2).Forward(one, one, one)
			return []*lucid.Tensor{y, w}
		},
		"instance norm": func() []*lucid.Tensor { return []*lucid.Tensor{nn.NewInstanceNorm1d(3).Forward(one)} },
		"unpacked": func() []*lucid.Tensor {
			p := nn.PackPaddedSequence(x, all, nn.PackPaddedSequenceOptions{BatchFirst: true})
			y, _ := nn.PadPackedSequence(p, nn.PadPackedSequenceOptions{BatchFirst: true})
			return []*lucid.Tensor{y}
		},
		"softmax": func() []*lucid.Tensor {
			y, l := softmax.Forward(one.At(0), lucid.Scalar(3))
			return []*lucid.Tensor{y, l}
		},
	}
	for name, f := range results {
		for _, compiled := range []bool{false, true} {
			g := f
			if compiled {
				g = lucid.Compile(f)
			}
			for i, y := range g() {
				if err := lucid.Try(func() { y.Mul_(2).Eval() }); err != nil {
					t.Errorf("%s, compiled %v, result %d: %v", name, compiled, i, err)
				}
			}
		}
	}
}
