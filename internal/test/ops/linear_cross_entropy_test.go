package ops

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// TestLinearCrossEntropyOfNoFeatures: without features the logits are the bias, or zeros, as in PyTorch.
func TestLinearCrossEntropyOfNoFeatures(t *testing.T) {
	x, target := lucid.Zeros(3, 0), lucid.New([]int64{0, 4, 2}, 3)
	if loss := F.LinearCrossEntropy(x, lucid.Zeros(5, 0), target).Item(); math.Abs(loss-math.Log(5)) > 1e-6 {
		t.Errorf("of zeros: %v; want log 5", loss)
	}
	bias := lucid.New([]float32{1, 0, 0, 0, 2}, 5)
	want := F.CrossEntropy(bias.Unsqueeze(0).BroadcastTo(3, 5), target)
	got := F.LinearCrossEntropy(x, lucid.Zeros(5, 0), target, F.LinearCrossEntropyOptions{LinearBias: bias})
	if !lucid.AllClose(got, want) {
		t.Errorf("of a bias: %v; want %v", got, want)
	}
}
