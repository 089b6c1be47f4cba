package nn_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// wrongs are tensors that may be passed by mistake instead of x.
func wrongs(x *lucid.Tensor) map[string]*lucid.Tensor {
	s := x.Shape()
	with := func(shape []int) *lucid.Tensor { return lucid.With{DType: x.DType()}.Zeros(shape...) }
	w := map[string]*lucid.Tensor{
		"a dimension more": x.Detach().Unsqueeze(0), "a scalar": with(nil), "a long vector": with([]int{7}),
		"six dimensions": with([]int{1, 2, 1, 2, 1, 2}),
		"bools":          x.Detach().Gt(0), "whole numbers": lucid.With{DType: lucid.Int32}.Ones(s...),
		"complex": lucid.With{DType: lucid.Complex64}.Ones(s...), "double": x.Detach().To(lucid.Float64),
	}
	for d := range s {
		for _, n := range []int{0, 1, s[d] + 1} {
			shape := slices.Clone(s)
			shape[d] = n
			w[fmt.Sprint("size ", d, " is ", n)] = with(shape)
		}
	}
	if len(s) > 0 {
		w["a dimension less"] = with(s[1:])
	}
	return w
}

// mistake runs f and what it returns, and reports a panic that is no error of lucid's.
func mistake(f func() []*lucid.Tensor) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(error); !ok || !errors.As(e, new(*lucid.Error)) {
				err = fmt.Errorf("%T: %v", r, r)
			}
		}
	}()
	for _, y := range f() {
		if y == nil {
			continue
		}
		if e := lucid.Eval(y); e != nil && !errors.As(e, new(*lucid.Error)) {
			return e
		}
	}
	return nil
}

// Whatever tensor stands in place of the right one, a module or function computes something or says in a typed error
// what is wrong: nothing crashes.
func TestWrongTensors(t *testing.T) {
	for _, file := range []string{"modules", "sequences", "losses", "functional"} {
		most := map[string]int{}
		for _, c := range readParity(t, file) {
			if most[c.Op]++; most[c.Op] > 3 || testing.Short() && most[c.Op] > 1 {
				continue
			}
			for i, x := range c.inputs {
				for what, wrong := range wrongs(x) {
					d := *c
					d.inputs = slices.Clone(c.inputs)
					d.inputs[i] = wrong
					err := mistake(func() []*lucid.Tensor { return d.plainRun(t) })
					if err != nil {
						t.Errorf("%s: input %d is wrong: %s, %v: %v", c.description, i, what, wrong.Shape(), err)
					}
				}
			}
		}
	}
}

// plainRun computes a case forward.
func (c *parityCase) plainRun(t *testing.T) []*lucid.Tensor {
	if f, ok := functions[c.Op]; ok {
		got, err := c.call(reflect.ValueOf(f), c.Args, c.Kwargs)
		if err != nil {
			t.Fatal(err)
		}
		return tensors(got)
	}
	got, err := c.call(reflect.ValueOf(modules[c.Op]), c.Args, c.Kwargs)
	if err != nil {
		t.Fatal(err)
	}
	m := got[0].Interface().(nn.Module)
	nn.SetTraining(m, c.Train)
	return c.forward(t, m)()
}

// perturbed returns v with one of its numbers or words replaced, in all ways.
func perturbed(v any) (list []any) {
	switch v := v.(type) {
	case float64:
		list = append(list, -1.0, 0.0)
		if v == float64(int(v)) {
			list = append(list, v+1)
		}
	case string:
		if v != "inf" && v != "-inf" {
			list = append(list, "nonsense")
		}
	case []any:
		for i := range v {
			for _, w := range perturbed(v[i]) {
				c := slices.Clone(v)
				c[i] = w
				list = append(list, c)
			}
		}
		list = append(list, append(slices.Clone(v), v...), []any{})
	}
	return list
}

// Whatever number stands in place of the right one, a module is made and computes, or says in a typed error what is
// wrong; an unknown word is always an error.
func TestWrongOptions(t *testing.T) {
	lucid.SetMemoryLimit(lucid.CPU, 1<<28)
	defer lucid.SetMemoryLimit(lucid.CPU, 0)
	for _, file := range []string{"modules", "sequences", "losses", "functional"} {
		most := map[string]int{}
		for _, c := range readParity(t, file) {
			if most[c.Op]++; most[c.Op] > 12 || testing.Short() && most[c.Op] > 2 {
				continue
			}
			try := func(what string, d parityCase, word bool) {
				refused := false
				err := mistake(func() []*lucid.Tensor {
					defer func() {
						if r := recover(); r != nil {
							refused = true
							panic(r)
						}
					}()
					return d.plainRun(t)
				})
				if err != nil {
					t.Errorf("%s: %s: %v", c.description, what, err)
				}
				if word && !refused {
					t.Errorf("%s: %s was taken", c.description, what)
				}
			}
			for i, a := range c.Args {
				for _, w := range perturbed(a) {
					d := *c
					d.Args = slices.Clone(c.Args)
					d.Args[i] = w
					try(fmt.Sprintf("argument %d is %v", i, w), d, w == "nonsense")
				}
			}
			for k, v := range c.Kwargs {
				for _, w := range perturbed(v) {
					d := *c
					d.Kwargs = maps.Clone(c.Kwargs)
					d.Kwargs[k] = w
					try(fmt.Sprintf("%s is %v", k, w), d, w == "nonsense")
				}
			}
		}
	}
}
