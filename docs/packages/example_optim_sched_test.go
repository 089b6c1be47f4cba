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
