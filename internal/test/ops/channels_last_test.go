package ops

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// lastOf puts dimension 1 last, and firstOf back.
func lastOf(x *lucid.Tensor) *lucid.Tensor  { return x.MoveDim(1, -1) }
func firstOf(x *lucid.Tensor) *lucid.Tensor { return x.MoveDim(-1, 1) }

// TestChannelsLast holds convolutions and batch normalisation with channels last against those with channels first,
// gradients included.
func TestChannelsLast(t *testing.T) {
	two := 2
	near := func(t *testing.T, what string, got, want *lucid.Tensor) {
		t.Helper()
		if g, w := got.Shape(), want.Shape(); fmt.Sprint(g) != fmt.Sprint(w) {
			t.Fatalf("%s has shape %v, want %v", what, g, w)
		}
		if e := got.Sub(want).Abs().Max().Item(); !(e <= 1e-12*(1+want.Abs().Max().Item())) {
			t.Errorf("%s is off by %v", what, e)
		}
	}
	type form struct {
		name string
		in   []*lucid.Tensor
		f    func(last bool, in []*lucid.Tensor) *lucid.Tensor
	}
	r := func(sizes ...int) *lucid.Tensor { return lucid.Randn(sizes...).To(lucid.Float64).Eval() }
	lucid.Seed(3)
	for _, c := range []form{
		{"conv1d", []*lucid.Tensor{r(2, 4, 9), r(6, 4, 3), r(6)}, func(last bool, in []*lucid.Tensor) *lucid.Tensor {
			return F.Conv1d(in[0], in[1], F.ConvOptions{Bias: in[2], Stride: []int{2}, Padding: 1, ChannelsLast: last})
		}},
		{"conv2d", []*lucid.Tensor{r(2, 4, 7, 6), r(6, 2, 3, 2), r(6)}, func(last bool, in []*lucid.Tensor) *lucid.Tensor {
			return F.Conv2d(in[0], in[1], F.ConvOptions{Bias: in[2], Groups: two, Padding: "same", Dilation: []int{2, 1},
				ChannelsLast: last})
		}},
		{"conv3d", []*lucid.Tensor{r(1, 2, 4, 5, 3), r(3, 2, 2, 2, 2), r(3)}, func(last bool, in []*lucid.Tensor) *lucid.Tensor {
			return F.Conv3d(in[0], in[1], F.ConvOptions{Bias: in[2], ChannelsLast: last})
		}},
		{"batch_norm", []*lucid.Tensor{r(3, 5, 4, 2), r(5), r(5)}, func(last bool, in []*lucid.Tensor) *lucid.Tensor {
			return F.BatchNorm(in[0], F.BatchNormOptions{Weight: in[1], Bias: in[2], Training: true, ChannelsLast: last})
		}},
		{"batch_norm/eval", []*lucid.Tensor{r(3, 5, 4, 2), r(5), r(5)}, func(last bool, in []*lucid.Tensor) *lucid.Tensor {
			return F.BatchNorm(in[0], F.BatchNormOptions{RunningMean: in[1], RunningVar: in[2].Square(), ChannelsLast: last})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := r(c.f(false, c.in).Shape()...)
			run := func(last bool) (y *lucid.Tensor, grads []*lucid.Tensor) {
				out, grads := lucid.VJPN(func(in []*lucid.Tensor) []*lucid.Tensor {
					x := in[0]
					if last {
						x = lastOf(x).Contiguous()
					}
					y := c.f(last, append([]*lucid.Tensor{x}, in[1:]...))
					if last {
						y = firstOf(y)
					}
					return []*lucid.Tensor{y}
				}, c.in, []*lucid.Tensor{g})
				return out[0], grads
			}
			want, wants := run(false)
			got, gots := run(true)
			near(t, "the result", got, want)
			for i := range wants {
				near(t, fmt.Sprintf("gradient %d", i), gots[i], wants[i])
			}
			both := lucid.Compile(func(x, w, b *lucid.Tensor) *lucid.Tensor { return firstOf(c.f(true, []*lucid.Tensor{lastOf(x), w, b})) })
			near(t, "the compiled result", both(c.in[0], c.in[1], c.in[2]), want)
		})
	}
	if y := F.Conv1d(r(9, 4), r(6, 4, 3), F.ConvOptions{ChannelsLast: true}); fmt.Sprint(y.Shape()) != "[7 6]" ||
		math.IsNaN(y.Sum().Item()) {
		t.Errorf("without a batch: %v", y.Shape())
	}
	if err := lucid.Try(func() {
		F.BatchNorm(r(3, 5, 4), F.BatchNormOptions{Weight: r(5), Training: true, ChannelsLast: true})
	}); err == nil {
		t.Error("a weight for dimension 1 was taken for the last")
	}
}

// TestMaxPoolChannelsLast compares pooling with channels last with the same in the usual order: values, indices and gradients.
func TestMaxPoolChannelsLast(t *testing.T) {
	lucid.Seed(4)
	pools := []func(x *lucid.Tensor, kernel []int, o ...F.MaxPoolOptions) *lucid.Tensor{F.MaxPool1d, F.MaxPool2d, F.MaxPool3d}
	pairs := []func(x *lucid.Tensor, kernel []int, o ...F.MaxPoolOptions) (*lucid.Tensor, *lucid.Tensor){
		F.MaxPool1dWithIndices, F.MaxPool2dWithIndices, F.MaxPool3dWithIndices}
	for k, sizes := range [][]int{{2, 9, 16}, {2, 7, 9, 16}, {2, 5, 6, 7, 3}} {
		for _, o := range []F.MaxPoolOptions{{}, {Stride: []int{2}, Padding: []int{1}},
			{Stride: []int{1}, Dilation: []int{2}, CeilMode: true}} {
			for _, batch := range []bool{true, false} {
				x := lucid.Randn(sizes...)
				if !batch {
					x = x.Select(0, 1)
				}
				at := 0
				if batch {
					at = 1
				}
				first := func(x *lucid.Tensor) *lucid.Tensor { return x.MoveDim(-1, at) }
				back := func(x *lucid.Tensor) *lucid.Tensor { return x.MoveDim(at, -1) }
				last := o
				last.ChannelsLast = true
				alike(t, "values", pools[k](x, []int{3}, last), back(pools[k](first(x), []int{3}, o)))
				want, wantIndices := pairs[k](first(x), []int{3}, o)
				got, indices := pairs[k](x, []int{3}, last)
				alike(t, "values with indices", got, back(want))
				alike(t, "indices", indices, back(wantIndices))
				grad := func(pool func(x *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
					return lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor { return pool(x).Square().Sum() })(x)
				}
				alike(t, "gradients", grad(func(x *lucid.Tensor) *lucid.Tensor { return pools[k](x, []int{3}, last) }),
					grad(func(x *lucid.Tensor) *lucid.Tensor { return pools[k](first(x), []int{3}, o) }))
			}
		}
	}
	if err := lucid.Try(func() { F.MaxPool2dWithIndices(lucid.Ones(3, 4), []int{2}, F.MaxPoolOptions{ChannelsLast: true}) }); !errors.Is(
		err, lucid.ErrShapeMismatch) {
		t.Errorf("two dimensions: %v", err)
	}
}

func alike(t *testing.T, what string, got, want *lucid.Tensor) {
	t.Helper()
	if !lucid.Equal(got, want) {
		t.Errorf("%s: got\n%v\nwant\n%v", what, got, want)
	}
}
