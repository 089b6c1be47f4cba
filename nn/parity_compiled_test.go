package nn_test

import (
	"reflect"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// once runs a case forward and backward, compiled or not, and returns outputs, gradients and buffers.
func (c *parityCase) once(t *testing.T, compiled bool) []*lucid.Tensor {
	for i, in := range c.Inputs { // inputs of its own
		c.inputs[i] = fill(in.Kind, in.Shape, seedOf(c.Seed, "in", i), in.Data)
		if in.Grad {
			c.inputs[i].RequiresGrad_(true)
		}
	}
	var m nn.Module
	forward := func() []*lucid.Tensor {
		got, err := c.call(reflect.ValueOf(functions[c.Op]), c.Args, c.Kwargs)
		if err != nil {
			t.Fatal(err)
		}
		return tensors(got)
	}
	if f, ok := modules[c.Op]; ok {
		got, err := c.call(reflect.ValueOf(f), c.Args, c.Kwargs)
		if err != nil {
			t.Fatal(err)
		}
		m = got[0].Interface().(nn.Module)
		c.load(t, m)
		forward = c.forward(t, m)
	}
	step := func(one *lucid.Tensor) []*lucid.Tensor {
		for _, x := range c.inputs {
			x.ZeroGrad()
		}
		if m != nil {
			nn.ZeroGrad(m)
		}
		out := forward()
		total := one
		for i, y := range out {
			if y.RequiresGrad() {
				total = total.Add(y.Mul(fill("g", c.Out[i], seedOf(c.Seed, "cot", i), nil)).Sum())
			}
		}
		if total != one {
			total.Backward()
		}
		return out
	}
	if compiled {
		step = lucid.Compile(step)
	}
	var out []*lucid.Tensor
	for range 2 { // the second time the trace is replayed
		out = step(lucid.Ones())
	}
	for i, y := range out {
		out[i] = y.Detach()
	}
	for _, x := range c.inputs {
		out = append(out, x.Grad())
	}
	if m != nil {
		for _, p := range nn.Parameters(m) {
			out = append(out, p.Grad())
		}
		out = append(out, nn.Buffers(m)...)
	}
	return out
}

// Every module and function compiled, with its backward pass, gives the bits of the plain run, at the first call and
// when it is replayed; buffers move alike.
func TestParityCompiled(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred traces")
	}
	for _, file := range []string{"modules", "sequences", "losses", "functional", "wrappers"} {
		cases := map[string][]*parityCase{}
		for _, c := range readParity(t, file) {
			if _, f := functions[c.Op]; f && file == "wrappers" {
				continue // these read values
			}
			cases[c.Op] = append(cases[c.Op], c)
		}
		for op, list := range cases {
			for k, c := range list {
				if op == "one_hot" && c.Kwargs["num_classes"] == nil || op == "CTCLoss" && len(c.Inputs[1].Shape) == 1 {
					continue // a size depends on values
				}
				eager, compiled := c.once(t, false), c.once(t, true)
				if len(eager) != len(compiled) {
					t.Fatalf("%s: %d tensors and %d", op, len(eager), len(compiled))
				}
				for i := range eager {
					a, b := eager[i], compiled[i]
					if (a == nil) != (b == nil) || a != nil && !lucid.Equal(a, b) {
						t.Errorf("%s, case %d: tensor %d differs:\n%v\n%v", c.description, k, i, a, b)
						break
					}
				}
			}
		}
	}
}
