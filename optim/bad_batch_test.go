package optim_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// A step whose batch has a label out of range changes nothing: parameters and state stay readable, the next Step tells, and training goes
// on as if the batch had not been there.
func TestBadBatchInEagerStep(t *testing.T) {
	x := lucid.Randn(8, 4).Eval()
	good, bad := lucid.Of([]int{0, 1, 2, 0, 1, 2, 0, 1}), lucid.Of([]int{0, 1, 2, 0, 7, 2, 0, 1})
	for name, make := range map[string]func(p []*lucid.Tensor) optim.Optimizer{
		"sgd": func(p []*lucid.Tensor) optim.Optimizer {
			return optim.NewSGD(p, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
		},
		"adam": func(p []*lucid.Tensor) optim.Optimizer { return optim.NewAdam(p, optim.AdamOptions{LR: 0.1}) },
		"rms":  func(p []*lucid.Tensor) optim.Optimizer { return optim.NewRMSprop(p, optim.RMSpropOptions{LR: 0.1}) },
	} {
		for at := range 3 { // the step that fails
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				lucid.Seed(3)
				m := nn.NewSequential(nn.NewLinear(4, 16), nn.NewReLU(), nn.NewLinear(16, 3))
				opt := make(nn.Parameters(m))
				step := func(y *lucid.Tensor) (*lucid.Tensor, error) {
					opt.ZeroGrad()
					loss := F.CrossEntropy(m.Forward(x), y)
					loss.Backward()
					return loss, opt.TryStep()
				}
				run := func(withBad bool) (values [][]float64) {
					for i := range 4 {
						if withBad && i == at {
							before := state(m, opt)
							if _, err := step(bad); err != nil {
								t.Fatalf("the failing step is asynchronous: %v", err)
							}
							if got := state(m, opt); !slices.EqualFunc(got, before, slices.Equal) {
								t.Fatalf("the failed step changed something:\n%v\n%v", got, before)
							}
							_, err := step(good)
							if !errors.Is(err, lucid.ErrIndex) || !strings.Contains(err.Error(), fmt.Sprintf("step %d ", at+1)) ||
								!strings.Contains(err.Error(), "7") {
								t.Fatalf("the next step says %v", err)
							}
							if got := state(m, opt); !slices.EqualFunc(got, before, slices.Equal) {
								t.Fatal("the step that told of the failure was taken")
							}
						}
						loss, err := step(good)
						if err != nil {
							t.Fatal(err)
						}
						values = append(values, []float64{loss.Item()})
					}
					return append(values, state(m, opt)...)
				}
				got := run(true)
				lucid.Seed(3)
				m = nn.NewSequential(nn.NewLinear(4, 16), nn.NewReLU(), nn.NewLinear(16, 3))
				opt = make(nn.Parameters(m))
				if want := run(false); !slices.EqualFunc(got, want, slices.Equal) {
					t.Fatalf("training went another way:\n%v\n%v", got, want)
				}
			})
		}
	}
}

// state reads all parameters and the optimizer's state.
func state(m nn.Module, opt optim.Optimizer) (values [][]float64) {
	for _, p := range nn.Parameters(m) {
		values = append(values, lucid.ToSlice[float64](p.To(lucid.Float64)))
	}
	d := opt.StateDict()
	for _, name := range d.Names() {
		values = append(values, lucid.ToSlice[float64](d.Get(name).To(lucid.Float64)))
	}
	return values
}
