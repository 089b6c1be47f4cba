package golden

import (
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// The policies of the Python framework Lucid: "use the autocast dtype", "keep the input's", "force float32". Ours are
// PyTorch's where the two differ, for the reasons below.
const (
	ampListHalf = `abs acos add affine_grid asin atan bilinear conv1d conv2d conv3d conv_transpose1d conv_transpose2d
		conv_transpose3d cos cosh cube div embedding embedding_bag erf erfinv grid_sample interpolate_bilinear
		interpolate_trilinear linear matmul maximum mean minimum mul neg prod reciprocal rk_combine rsqrt sigmoid silu
		sin sinh sqrt square sub sum tan tanh`
	ampListKeep = `alpha_dropout avg_pool1d avg_pool2d avg_pool3d bitwise_not broadcast_to ceil clamp complex concatenate conj
		contiguous cummax cummin cumprod cumsum diagonal dot drop_block drop_path dropout feature_dropout flip floor
		fold gather hardsigmoid hardswish imag index_scatter interpolate_nearest_2d interpolate_nearest_3d leaky_relu
		masked_fill max max_pool1d max_pool2d max_pool3d meshgrid min mm norm outer pad permute real relu relu6 repeat
		rk_error_norm roll round sign split stack tile to trace tri unfold var view where`
	ampListFloat32 = `batch_norm batch_norm_eval binary_cross_entropy binary_cross_entropy_with_logits cbrt cross_entropy elu exp
		gelu gelu_exact global_response_norm group_norm huber_loss layer_norm log log2 log_softmax mish mse_loss
		nll_loss normalize pow rms_norm rotary_pos_embedding rpow_scalar scaled_dot_product_attention selu softmax
		softplus`
)

// ampElsewhere lists the ops whose policy is another one, and why.
var ampElsewhere = []struct{ policy, why, names string }{
	{"keep", "it gains nothing by being rounded: what it is given decides", `abs atan cos cube embedding embedding_bag erf grid_sample
		interpolate_bilinear interpolate_trilinear mean neg rk_combine sigmoid silu sin sqrt tanh`},
	{"keep", "a float32 operand, such as a residual or a loss, would lose its bits", "add div maximum minimum mul square sub"},
	{"float32", "a half overflows or loses what counts, and PyTorch forces float32",
		`acos asin cosh erfinv prod reciprocal rsqrt sinh sum tan
		cumprod cumsum norm trace`},
	{"half", "it is a product of matrices", "dot mm"},
	{"half", "kernels keep scores and sums in float32 whatever they are given", "scaled_dot_product_attention"},
	{"keep", "statistics and slopes are computed in float32 inside, and the result goes to a product in half types",
		"batch_norm batch_norm_eval elu gelu mish selu"},
}

// TestAMPPolicies pins the policy of every op that Lucid's table names.
func TestAMPPolicies(t *testing.T) {
	want := map[string]string{}
	for policy, names := range map[string]string{"half": ampListHalf, "keep": ampListKeep, "float32": ampListFloat32} {
		for _, n := range strings.Fields(names) {
			want[n] = policy
		}
	}
	if len(want) < 130 {
		t.Fatalf("the table has %d ops", len(want))
	}
	for _, e := range ampElsewhere {
		for _, n := range strings.Fields(e.names) {
			if want[n] == e.policy || want[n] == "" {
				t.Errorf("%s is no exception: the table says %q", n, want[n])
			}
			want[n] = e.policy
		}
	}
	for n, policy := range want {
		s := tensortest.Schema(n)
		if s == nil {
			t.Errorf("%s is no op", n)
			continue
		}
		if got := s.AMP; got != policy {
			t.Errorf("%s is %s under Autocast, want %s", n, got, policy)
		}
	}
}

// TestAMPWidens checks ops that want one dtype of their operands: under Autocast the half one of two is widened, as in PyTorch.
func TestAMPWidens(t *testing.T) {
	x, index := lucid.Ones(2, 3), lucid.Zeros(1, 3).To(lucid.Int64)
	half := lucid.Ones(1, 3).To(lucid.Float16)
	image, grid := lucid.Ones(1, 1, 2, 2).To(lucid.Float16), lucid.Zeros(1, 2, 2, 2)
	lucid.Autocast(lucid.Float16, func() {
		for name, y := range map[string]*lucid.Tensor{
			"scatter_add to half": lucid.ScatterAdd(x.To(lucid.Float16), 0, index, half.To(lucid.Float32)),
			"scatter_add of half": lucid.ScatterAdd(x, 0, index, half),
			"index_copy":          lucid.IndexCopy(x.To(lucid.Float16), 0, lucid.Zeros(1).To(lucid.Int64), half.To(lucid.Float32)),
			"index_put":           lucid.IndexPut(x, half.At(0), []*lucid.Tensor{lucid.Zeros(1).To(lucid.Int64)}),
			"grid_sample":         F.GridSample(image, grid),
			"pow":                 lucid.Pow(lucid.Full([]int{1}, 300).To(lucid.Float16), 2),
		} {
			if y.DType() != lucid.Float32 {
				t.Errorf("%s: %v", name, y.DType())
			}
		}
		if got := lucid.Pow(lucid.Full([]int{}, 300).To(lucid.Float16), 2).Item(); got != 90000 {
			t.Errorf("300 squared: %v", got)
		}
	})
	if err := lucid.Try(func() { lucid.IndexPut(x, half.At(0), []*lucid.Tensor{lucid.Zeros(1).To(lucid.Int64)}) }); err == nil {
		t.Error("index_put of two dtypes outside Autocast")
	}
}
