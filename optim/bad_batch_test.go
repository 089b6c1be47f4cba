package optim_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// A step whose batch has a label out of range changes nothing: parameters and state stay readable, the next Step tells, and training goes
// on as if the batch had not been there.
func TestBadBatchInEagerStep(t *testing.T) {
	for _, d := range []lucid.Device{lucid.DefaultDevice(), lateDevice} {
		t.Run(d.String(), func(t *testing.T) { badBatches(t, d) })
	}
}

// late is a device that notices what it refuses after its launches ran, as a GPU does.
var late = sync.OnceValue(func() *backend.Device { return fake.NewRemote(cpu.Device) })

var lateDevice = lucid.Device{Type: "remote"}

func init() { backend.Register("remote", func(int) (*backend.Device, error) { return late(), nil }) }

func badBatches(t *testing.T, d lucid.Device) {
	x := lucid.Randn(8, 4).To(d).Eval()
	good, bad := lucid.Of([]int{0, 1, 2, 0, 1, 2, 0, 1}).To(d).Eval(), lucid.Of([]int{0, 1, 2, 0, 7, 2, 0, 1}).To(d).Eval()
	net := func(d lucid.Device) (m *nn.Sequential) {
		lucid.Seed(3)
		lucid.WithDevice(d, func() { m = nn.NewSequential(nn.NewLinear(4, 16), nn.NewReLU(), nn.NewLinear(16, 3)) })
		return m
	}
	for name, make := range map[string]func(p []*lucid.Tensor) optim.Optimizer{
		"sgd": func(p []*lucid.Tensor) optim.Optimizer {
			return optim.NewSGD(p, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
		},
		"adam": func(p []*lucid.Tensor) optim.Optimizer { return optim.NewAdam(p, optim.AdamOptions{LR: 0.1}) },
		"rms":  func(p []*lucid.Tensor) optim.Optimizer { return optim.NewRMSprop(p, optim.RMSpropOptions{LR: 0.1}) },
	} {
		for at := range 3 { // the step that fails
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				m := net(d)
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
				m = net(d)
				opt = make(nn.Parameters(m))
				if want := run(false); !slices.EqualFunc(got, want, slices.Equal) {
					t.Fatalf("training went another way:\n%v\n%v", got, want)
				}
			})
		}
	}
}

// TestBadIndexInEagerStep is the same for an index of an embedding, whose gradient is scattered: both launches refuse it. Nothing reads the
// state before the step that fails, so that the step may write over it.
func TestBadIndexInEagerStep(t *testing.T) {
	for _, d := range []lucid.Device{lucid.DefaultDevice(), lateDevice} {
		make := func() (m nn.Module, opt optim.Optimizer, step func(ids ...int) error) {
			lucid.Seed(5)
			var table *nn.Embedding
			var head *nn.Linear
			lucid.WithDevice(d, func() { table, head = nn.NewEmbedding(8, 512), nn.NewLinear(512, 3) })
			m = nn.NewModuleList(table, head)
			opt = optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 0.1})
			target := lucid.Of([]int{0, 2, 1}).To(d)
			return m, opt, func(ids ...int) error {
				opt.ZeroGrad()
				F.CrossEntropy(head.Forward(table.Forward(lucid.Of(ids).To(d))), target).Backward()
				return opt.TryStep()
			}
		}
		m, opt, step := make()
		twin, twinOpt, twinStep := make() // without the bad batch
		for range 3 {
			if err := errors.Join(step(1, 5, 7), twinStep(1, 5, 7)); err != nil {
				t.Fatal(err)
			}
		}
		lucid.Synchronize()
		if err := step(1, 9, 3); err != nil {
			t.Fatalf("%v: the failing step is asynchronous: %v", d, err)
		}
		before := state(twin, twinOpt)
		if got := state(m, opt); !slices.EqualFunc(got, before, slices.Equal) {
			t.Fatalf("%v: the failed step changed something:\n%v\n%v", d, got, before)
		}
		if err := step(1, 5, 7); !errors.Is(err, lucid.ErrIndex) || !strings.Contains(err.Error(), "step 4 changed nothing") ||
			!strings.Contains(err.Error(), "in module 0 (at bad_batch_test.go:") {
			t.Fatalf("%v: the next step says %v", d, err)
		}
		if err := errors.Join(step(1, 5, 7), twinStep(1, 5, 7)); err != nil {
			t.Fatal(err)
		}
		if got := state(m, opt); slices.EqualFunc(got, before, slices.Equal) || !slices.EqualFunc(got, state(twin, twinOpt), slices.Equal) {
			t.Errorf("%v: the good step was not taken", d)
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
