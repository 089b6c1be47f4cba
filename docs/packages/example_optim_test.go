package packages_test

import (
	"fmt"
	"log"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
)

// A step: a piece of docs/packages/optim.md.
func Example_optimAStep() {
	w := lucid.New([]float32{5}, 1).RequiresGrad_(true)
	opt := optim.NewSGD([]*lucid.Tensor{w}, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
	for range 100 {
		opt.ZeroGrad()
		w.Square().Sum().Backward()
		if err := opt.Step(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%.1f\n", w.Abs().Sum().Item())
	// Output:
	// 0.0
}

// An average of the weights: a piece of docs/packages/optim.md.
func Example_optimAverage() {
	w := lucid.Zeros(1)
	mean := optim.NewEMA([]*lucid.Tensor{w}, optim.EMAOptions{Decay: new(0.5)})
	for _, v := range []float64{8, 4, 2} {
		w.Assign(v)
		if err := mean.Update(); err != nil {
			log.Fatal(err)
		}
	}
	mean.With(func() { fmt.Println(w.Detach()) })
	fmt.Println(w.Detach())
	// Output:
	// tensor([4.])
	// tensor([2.])
}
