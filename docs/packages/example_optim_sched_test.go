package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

// Once an epoch: a piece of docs/packages/optim-sched.md.
func Example_optimSchedOnceAnEpoch() {
	w := lucid.Zeros(1).RequiresGrad_(true)
	opt := optim.NewSGD([]*lucid.Tensor{w}, optim.SGDOptions{LR: 1})
	rate := sched.NewExponentialLR(opt, 0.5)
	for range 3 {
		rate.Step()
	}
	fmt.Println(opt.ParamGroups()[0].LR())
	// Output:
	// 0.125
}

// As functions of the step: a piece of docs/packages/optim-sched.md.
func Example_optimSchedFunctions() {
	w := lucid.Zeros(1).RequiresGrad_(true)
	opt := optim.NewSGD([]*lucid.Tensor{w}, optim.SGDOptions{LR: 1})
	warm := sched.LinearSchedule(0, 0.1, 2)
	rate := sched.JoinSchedules([]sched.Func{warm, sched.CosineDecay(0.1, 4, 0)}, []int{2})
	sched.Attach(opt, rate)
	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := w.Mul(x).Sum()
		loss.Backward()
		opt.Step()
		return loss
	})
	for range 4 {
		step(lucid.Ones(1))
		fmt.Printf("%.2f ", opt.ParamGroups()[0].LR())
	}
	fmt.Printf("and at the end %.2f\n", rate.At(6))
	// Output:
	// 0.00 0.05 0.10 0.09 and at the end 0.00
}
