package docs_test

import (
	"fmt"
	"sync"

	"github.com/lucid-go/lucid"
)

// A piece of docs/concurrency.md.
func Example_concurrencyUpdate() {
	var mu sync.Mutex
	total := lucid.Zeros(2)
	var workers sync.WaitGroup
	for i := range 8 {
		workers.Go(func() {
			part := lucid.Full([]int{2}, float64(i))
			mu.Lock()
			defer mu.Unlock()
			total.Add_(part) // without the lock, some parts may be missing
		})
	}
	workers.Wait()
	fmt.Println(total)
	// Output:
	// tensor([28., 28.])
}

// The same bits: a piece of docs/switches.md.
func Example_switchesBits() {
	x := lucid.Randn(200, 200)
	before := lucid.SetNumThreads(1)
	one := x.MatMul(x).Sum().Item()
	lucid.SetNumThreads(before)
	fmt.Println(one == x.MatMul(x).Sum().Item())

	was := lucid.SetDeterministic(true)
	fmt.Println(was, lucid.AreDeterministicAlgorithmsEnabled())
	lucid.SetDeterministic(was)
	// Output:
	// true
	// false true
}

// Memory: a piece of docs/switches.md.
func Example_switchesMemory() {
	lucid.CPU.TrackMemory(true)
	lucid.ResetPeakMemory(lucid.CPU)
	y := lucid.Ones(512, 512).CumSum(0)
	fmt.Println(lucid.Eval(y))
	largest := lucid.CPU.PeakMemoryByOp()[0]
	fmt.Println(largest.Op, largest.Bytes>>20, "MiB")
	lucid.CPU.TrackMemory(false)
	// Output:
	// <nil>
	// cumsum 1 MiB
}
