package packages_test

import (
	"bytes"
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/profiler"
)

// A profile: a piece of docs/packages/profiler.md.
func Example_profilerAProfile() {
	lucid.Seed(1)
	x, w := lucid.Randn(64, 64), lucid.Randn(64, 64)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).Add(1).Tanh() })
	f(x).Eval() // traced, and its memory reserved
	p := profiler.Profile(func() { f(x).Eval() })
	for _, row := range p.ByName() {
		fmt.Println(row.Name, row.Calls)
	}
	var trace bytes.Buffer // a file, for ui.perfetto.dev
	fmt.Println(p.WriteTrace(&trace), p.Busy() <= p.Wall)
	// Output:
	// matmul+add+tanh 1
	// <nil> true
}
