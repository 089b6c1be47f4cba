package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/quant"
)

// LearnedOptions are those of QuantizeLearned; the zero value is GPTQ in MLX's default format.
type LearnedOptions struct {
	quant.Options        // the format of all layers
	Method        string // gptq (the default) or awq
	// Recipe, if it is not nil, gives the format of a layer by its name in the module, and false for one that stays.
	Recipe func(name string, m Module) (o quant.Options, ok bool)
	// Rows is how many rows of the inputs of a layer AWQ looks at; 0: 512.
	Rows int
}

// QuantizeLearned is Quantize with levels that are chosen for typical inputs. calibrate runs the module on some: a few thousand rows
// are enough. It is called once, and must not run the module compiled. Every Linear that it reached is quantized by quant.GPTQ or
// quant.AWQ; embeddings, and layers that it did not reach, are rounded to the nearest level. It returns how many layers it replaced.
func QuantizeLearned(m Module, o LearnedOptions, calibrate func()) int {
	const op = "quantize_learned"
	if o.Method != "" && o.Method != "gptq" && o.Method != "awq" {
		refuse(lucid.ErrValue, op, "the method %q; want gptq or awq", o.Method)
	}
	if o.Rows < 0 {
		refuse(lucid.ErrValue, op, "%d rows; want a positive number", o.Rows)
	}
	if o.Rows == 0 {
		o.Rows = 512
	}
	recipe := o.Recipe
	if recipe == nil {
		recipe = func(string, Module) (quant.Options, bool) { return o.Options, true }
	}
	seen := o.watch(m, recipe, calibrate)
	return quantizeInside(m, recipe, func(l *Linear, f quant.Options) *QuantizedLinear {
		c := seen[l]
		if c == nil || c.sum == nil {
			return NewQuantizedLinear(l, f)
		}
		return o.learned(l, f, c.sum)
	})
}

// calibration is what was seen of the inputs of a layer: Σ xᵀ·x for GPTQ, some rows for AWQ.
type calibration struct{ sum *lucid.Tensor }

// watch runs the module and looks at the inputs of the layers that are to be quantized.
func (o *LearnedOptions) watch(m Module, recipe func(string, Module) (quant.Options, bool), run func()) map[*Linear]*calibration {
	seen := map[*Linear]*calibration{}
	for name, part := range NamedModules(m) {
		l, ok := part.(*Linear)
		if !ok || seen[l] != nil {
			continue
		}
		if _, wanted := recipe(name, l); !wanted {
			continue
		}
		c := &calibration{}
		seen[l] = c
		h := RegisterForwardPreHook(l, func(_ Module, in []*lucid.Tensor) []*lucid.Tensor {
			lucid.NoGrad(func() { o.look(c, in[0]) })
			return nil
		})
		defer h.Remove()
	}
	lucid.NoGrad(run)
	return seen
}

// look adds the inputs of one call.
func (o *LearnedOptions) look(c *calibration, in *lucid.Tensor) {
	x := in.Detach().To(lucid.Float32).Reshape(-1, in.Size(-1))
	if o.Method == "awq" {
		have := 0
		if c.sum != nil {
			have = c.sum.Size(0)
		}
		if x = x.Narrow(0, 0, min(x.Size(0), o.Rows-have)); x.Size(0) == 0 {
			return
		}
		if c.sum != nil {
			x = lucid.Cat([]*lucid.Tensor{c.sum, x}, 0)
		}
		c.sum = x.Clone().Eval()
		return
	}
	g := x.Transpose(0, 1).MatMul(x)
	if c.sum != nil {
		g = c.sum.Add(g)
	}
	c.sum = g.Eval()
}

// learned quantizes a layer for what was seen.
func (o *LearnedOptions) learned(l *Linear, f quant.Options, sum *lucid.Tensor) *QuantizedLinear {
	q := &QuantizedLinear{Bias: l.Bias, Options: f}
	if o.Method == "awq" {
		q.Divisor, q.Weight, q.Scales, q.Biases = quant.AWQ(l.Weight, sum, quant.AWQOptions{Options: f})
	} else {
		q.Weight, q.Scales, q.Biases = quant.GPTQ(l.Weight, sum, quant.GPTQOptions{Options: f})
	}
	return q
}
