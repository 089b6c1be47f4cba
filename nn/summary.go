package nn

import (
	"fmt"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/lucid-go/lucid"
)

// Summary returns a table of the modules inside m: names, types, and how many numbers their own parameters hold. With
// inputs, it runs m's Forward on them, in evaluation mode and without gradients, and shows what each module returns.
// Unexported fields with parameters that are found nowhere else are named below.
func Summary(m Module, inputs ...*lucid.Tensor) string {
	shapes := map[Module]string{}
	if len(inputs) > 0 {
		shapes = outputs(m, inputs)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\ttype\toutput\tparameters")
	total, trained := 0, 0
	owned := map[*lucid.Tensor]bool{}
	for name, c := range NamedModules(m) {
		n := 0
		for _, p := range ownParameters(c) {
			if owned[p] {
				continue
			}
			owned[p] = true
			n += p.NumElement()
			if p.RequiresGrad() {
				trained += p.NumElement()
			}
		}
		total += n
		if name == "" {
			name = "(self)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, reflect.TypeOf(c).Elem().Name(), shapes[c], thousands(n))
	}
	w.Flush()
	fmt.Fprintf(&b, "%s parameters, %s of them trained\n", thousands(total), thousands(trained))
	if list := hidden(m); len(list) > 0 {
		fmt.Fprintf(&b, "not part of the model, because the field is not exported: %s\n", strings.Join(list, ", "))
	}
	return b.String()
}

// ownParameters returns the parameters of m that are not inside another module.
func ownParameters(m Module) (list []*lucid.Tensor) {
	var w walker
	w.tensor = func(_ string, t *lucid.Tensor, f field) {
		if len(w.open) == 1 && !isBuffer(t, f) {
			list = append(list, t)
		}
	}
	w.visit(m)
	return list
}

// outputs runs m and returns the shapes its modules gave.
func outputs(m Module, inputs []*lucid.Tensor) map[Module]string {
	shapes := map[Module]string{}
	modes := map[Module]bool{}
	for _, c := range Modules(m) {
		modes[c] = c.base().Training()
		h := RegisterForwardHook(c, func(c Module, _, out []*lucid.Tensor) []*lucid.Tensor {
			var parts []string
			for _, t := range out {
				if t != nil { // attention weights that were not asked for
					parts = append(parts, fmt.Sprint(t.Shape()))
				}
			}
			shapes[c] = strings.Join(parts, " ")
			return nil
		})
		defer h.Remove()
	}
	Eval(m)
	defer func() {
		for c, on := range modes {
			c.base().setTraining(on)
		}
	}()
	f := reflect.ValueOf(m).MethodByName("Forward")
	args := arguments(m, f, inputs)
	lucid.NoGrad(func() {
		for _, r := range f.Call(args) {
			if t, ok := r.Interface().(*lucid.Tensor); ok && t != nil && shapes[m] == "" {
				shapes[m] = fmt.Sprint(t.Shape())
			}
		}
	})
	return shapes
}

// arguments fits inputs to what Forward takes; tensors that are not given, as the state of an LSTM, are nil.
func arguments(m Module, f reflect.Value, inputs []*lucid.Tensor) (args []reflect.Value) {
	const op = "summary"
	if !f.IsValid() {
		refuse(lucid.ErrValue, op, "%T has no Forward; give no inputs", m)
	}
	t := f.Type()
	n := t.NumIn()
	if t.IsVariadic() {
		n--
	}
	if len(inputs) > n {
		refuse(lucid.ErrValue, op, "%d inputs for the Forward of %T; want at most %d", len(inputs), m, n)
	}
	for i := range n {
		if t.In(i) != tensorType {
			refuse(lucid.ErrValue, op, "argument %d of the Forward of %T is a %v, not a tensor; give no inputs", i, m, t.In(i))
		}
		var x *lucid.Tensor
		if i < len(inputs) {
			x = inputs[i]
		}
		args = append(args, reflect.ValueOf(x))
	}
	return args
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
