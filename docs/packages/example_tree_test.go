package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/tree"
)

func Example_treeMap() {
	type params struct{ W, B *lucid.Tensor }
	p := &params{lucid.Ones(2), lucid.Zeros(1)}
	q := tree.Map(func(t *lucid.Tensor) *lucid.Tensor { return t.Add(1) }, p)
	for _, l := range tree.Leaves(q) {
		fmt.Println(l.Path, l.Tensor)
	}
	// Output:
	// w tensor([2., 2.])
	// b tensor([1.])
}

func Example_treeStack() {
	lucid.Seed(1)
	members := []*nn.Linear{nn.NewLinear(3, 2), nn.NewLinear(3, 2)}
	x := lucid.Ones(4, 3)
	outs := lucid.VMap(func(m *nn.Linear) *lucid.Tensor { return m.Forward(x) })(tree.Stack(members))
	fmt.Println(outs.Shape(), lucid.AllClose(outs.At(1), members[1].Forward(x)))
	// Output: [2 4 2] true
}
