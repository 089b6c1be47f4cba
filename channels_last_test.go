package lucid

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// lastOf puts dimension 1 last, and firstOf back.
func lastOf(x *Tensor) *Tensor  { return x.MoveDim(1, -1) }
func firstOf(x *Tensor) *Tensor { return x.MoveDim(-1, 1) }

// TestChannelsLast holds convolutions and batch normalisation with channels last against those with channels first,
// gradients included.
func TestChannelsLast(t *testing.T) {
	two := 2
	near := func(t *testing.T, what string, got, want *Tensor) {
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
		in   []*Tensor
		f    func(last bool, in []*Tensor) *Tensor
	}
	r := func(sizes ...int) *Tensor { return Randn(sizes...).To(Float64).Eval() }
	Seed(3)
	for _, c := range []form{
		{"conv1d", []*Tensor{r(2, 4, 9), r(6, 4, 3), r(6)}, func(last bool, in []*Tensor) *Tensor {
			return Conv1d(in[0], in[1], in[2], ConvOptions{Stride: []int{2}, Padding: 1, ChannelsLast: last})
		}},
		{"conv2d", []*Tensor{r(2, 4, 7, 6), r(6, 2, 3, 2), r(6)}, func(last bool, in []*Tensor) *Tensor {
			return Conv2d(in[0], in[1], in[2], ConvOptions{Groups: &two, Padding: "same", Dilation: []int{2, 1}, ChannelsLast: last})
		}},
		{"conv3d", []*Tensor{r(1, 2, 4, 5, 3), r(3, 2, 2, 2, 2), r(3)}, func(last bool, in []*Tensor) *Tensor {
			return Conv3d(in[0], in[1], in[2], ConvOptions{ChannelsLast: last})
		}},
		{"batch_norm", []*Tensor{r(3, 5, 4, 2), r(5), r(5)}, func(last bool, in []*Tensor) *Tensor {
			y, _, _ := BatchNorm(in[0], nil, nil, in[1], in[2], BatchNormOptions{Training: true, ChannelsLast: last})
			return y
		}},
		{"batch_norm/eval", []*Tensor{r(3, 5, 4, 2), r(5), r(5)}, func(last bool, in []*Tensor) *Tensor {
			y, _, _ := BatchNorm(in[0], in[1], in[2].Square(), nil, nil, BatchNormOptions{ChannelsLast: last})
			return y
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := r(c.f(false, c.in).Shape()...)
			run := func(last bool) (y *Tensor, grads []*Tensor) {
				out, grads := VJPN(func(in []*Tensor) []*Tensor {
					x := in[0]
					if last {
						x = lastOf(x).Contiguous()
					}
					y := c.f(last, append([]*Tensor{x}, in[1:]...))
					if last {
						y = firstOf(y)
					}
					return []*Tensor{y}
				}, c.in, []*Tensor{g})
				return out[0], grads
			}
			want, wants := run(false)
			got, gots := run(true)
			near(t, "the result", got, want)
			for i := range wants {
				near(t, fmt.Sprintf("gradient %d", i), gots[i], wants[i])
			}
			both := Compile(func(x, w, b *Tensor) *Tensor { return firstOf(c.f(true, []*Tensor{lastOf(x), w, b})) })
			near(t, "the compiled result", both(c.in[0], c.in[1], c.in[2]), want)
		})
	}
	if y := Conv1d(r(9, 4), r(6, 4, 3), nil, ConvOptions{ChannelsLast: true}); fmt.Sprint(y.Shape()) != "[7 6]" || math.IsNaN(y.Sum().Item()) {
		t.Errorf("without a batch: %v", y.Shape())
	}
	if err := Try(func() {
		BatchNorm(r(3, 5, 4), nil, nil, r(5), nil, BatchNormOptions{Training: true, ChannelsLast: true})
	}); err == nil {
		t.Error("a weight for dimension 1 was taken for the last")
	}
}

// TestMaxPoolChannelsLast compares pooling with channels last with the same in the usual order: values, places and gradients.
func TestMaxPoolChannelsLast(t *testing.T) {
	Seed(4)
	pools := []func(x *Tensor, kernel []int, o ...MaxPoolOptions) (*Tensor, *Tensor){MaxPool1d, MaxPool2d, MaxPool3d}
	for k, sizes := range [][]int{{2, 9, 16}, {2, 7, 9, 16}, {2, 5, 6, 7, 3}} {
		for _, o := range []MaxPoolOptions{{}, {Stride: []int{2}, Padding: []int{1}, ReturnIndices: true}, {Stride: []int{1}, Dilation: []int{2}, CeilMode: true, ReturnIndices: true}} {
			for _, batch := range []bool{true, false} {
				x := Randn(sizes...)
				if !batch {
					x = x.Select(0, 1)
				}
				at := 0
				if batch {
					at = 1
				}
				first := func(x *Tensor) *Tensor { return x.MoveDim(-1, at) }
				back := func(x *Tensor) *Tensor { return x.MoveDim(at, -1) }
				last := o
				last.ChannelsLast = true
				want, wantPlaces := pools[k](first(x), []int{3}, o)
				got, places := pools[k](x, []int{3}, last)
				alike(t, "values", got, back(want))
				if (places == nil) != (wantPlaces == nil) {
					t.Fatalf("places %v and %v", places, wantPlaces)
				}
				if places != nil {
					alike(t, "places", places, back(wantPlaces))
				}
				grad := func(pool func(x *Tensor) *Tensor) *Tensor {
					return Grad(func(x *Tensor) *Tensor { return pool(x).Square().Sum() })(x)
				}
				alike(t, "gradients", grad(func(x *Tensor) *Tensor { y, _ := pools[k](x, []int{3}, last); return y }),
					grad(func(x *Tensor) *Tensor { y, _ := pools[k](first(x), []int{3}, o); return y }))
			}
		}
	}
	if err := Try(func() { MaxPool2d(Ones(3, 4), []int{2}, MaxPoolOptions{ChannelsLast: true}) }); !errors.Is(err, ErrShapeMismatch) {
		t.Errorf("two dimensions: %v", err)
	}
}

func alike(t *testing.T, what string, got, want *Tensor) {
	t.Helper()
	if !Equal(got, want) {
		t.Errorf("%s: got\n%v\nwant\n%v", what, got, want)
	}
}
