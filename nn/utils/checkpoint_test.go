package utils_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/nn/utils"
)

// TestCheckpointSequential compares values, gradients, random numbers and running statistics with those of Forward.
func TestCheckpointSequential(t *testing.T) {
	build := func() *nn.Sequential {
		lucid.Seed(3)
		m := nn.NewSequential()
		for range 3 {
			m.Append(nn.NewLinear(6, 6), nn.NewBatchNorm1d(6), nn.NewTanh(), nn.NewDropout(0.3))
		}
		return m.Append(nn.NewLinear(6, 2))
	}
	lucid.Seed(1)
	x := lucid.Randn(8, 6)
	run := func(compiled bool, forward func(m *nn.Sequential, x *lucid.Tensor) *lucid.Tensor) string {
		m := build()
		lucid.Seed(9)
		step := func(x *lucid.Tensor) *lucid.Tensor {
			nn.ZeroGrad(m)
			l := forward(m, x).Square().Mean()
			l.Backward()
			return l
		}
		if compiled {
			step = lucid.Compile(step)
		}
		text := ""
		for range 3 {
			text += fmt.Sprintln(step(x).Item())
		}
		for _, p := range nn.Parameters(m) {
			text += fmt.Sprintln(lucid.ToSlice[float32](p.Grad()))
		}
		for _, b := range nn.Buffers(m) {
			text += fmt.Sprintln(b)
		}
		return text
	}
	for _, compiled := range []bool{false, true} {
		want := run(compiled, (*nn.Sequential).Forward)
		for _, segments := range []int{1, 2, 4, 13} {
			got := run(compiled, func(m *nn.Sequential, x *lucid.Tensor) *lucid.Tensor {
				return utils.CheckpointSequential(m, segments, x)
			})
			if got != want {
				t.Errorf("compiled %v, %d segments:\n%s\nwant\n%s", compiled, segments, got, want)
			}
		}
	}
	for _, segments := range []int{0, 14} {
		err := lucid.Try(func() { utils.CheckpointSequential(build(), segments, x) })
		if !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%d segments: %v", segments, err)
		}
	}
}
