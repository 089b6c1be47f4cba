// Custom shows what is one's own: a layer with parameters of its own, a loss written as a formula, and a function with a
// gradient of its own. The network learns two curves, with eight of ten noisy points between them.
//
//	go run ./examples/custom
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/random"
)

func main() {
	steps := flag.Int("steps", 1200, "training steps")
	flag.Parse()
	if flag.NArg() > 0 || *steps < 1 {
		fmt.Fprintln(os.Stderr, "custom: want at least one step and no arguments, as in: go run ./examples/custom -steps 1200")
		os.Exit(2)
	}
	run(os.Stdout, *steps)
}

// Waves is a layer: sines and cosines of the input at frequencies that are learned. A module is a struct that embeds nn.Base;
// its exported tensors are parameters, found and saved by name.
type Waves struct {
	nn.Base
	Frequency *lucid.Tensor // (N)
}

// NewWaves returns a layer of n frequencies.
func NewWaves(n int) *Waves {
	return &Waves{Frequency: lucid.Arange(1, n+1).To(lucid.Float32).RequiresGrad_(true)}
}

// Forward maps (B, 1) to (B, 2N).
func (m *Waves) Forward(x *lucid.Tensor) *lucid.Tensor {
	a := x.Mul(m.Frequency)
	return lucid.Cat([]*lucid.Tensor{a.Sin(), a.Cos()}, 1)
}

// Pinball is a loss: its least value is at the curve below which a share q of the points is.
func Pinball(guess, y *lucid.Tensor, q float64) *lucid.Tensor {
	over := y.Sub(guess)
	return lucid.Maximum(over.Mul(q), over.Mul(q-1)).Mean()
}

// gentle is the identity whose gradient is cut at ±1: a function with a rule of its own.
var gentle = lucid.Custom(lucid.CustomFunc{
	Name:    "gentle",
	Forward: func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{in[0].Clone()} },
	VJP: func(in, out, cot []*lucid.Tensor) []*lucid.Tensor {
		return []*lucid.Tensor{cot[0].Clamp(-1, 1)}
	},
})

// run trains, draws, and returns the share of points between the curves.
func run(w io.Writer, steps int) float64 {
	lucid.Seed(1)
	x, y := points(400)
	net := nn.NewSequential(NewWaves(6), nn.NewLinear(12, 32), nn.NewTanh(), nn.NewLinear(32, 2))
	opt := optim.NewAdam(nn.Parameters(net), optim.AdamOptions{LR: 0.01})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		curves := gentle(net.Forward(x))[0]
		loss := Pinball(curves.At(lucid.Colon, 0), y, 0.1).Add(Pinball(curves.At(lucid.Colon, 1), y, 0.9))
		loss.Backward()
		opt.Step()
		return loss
	})
	for i := range steps {
		loss := step(x, y)
		if i%max(steps/8, 1) == 0 || i == steps-1 {
			fmt.Fprintf(w, "step %4d  loss %.4f\n", i, loss.Item())
		}
	}
	var inside float64
	lucid.NoGrad(func() {
		curves := net.Forward(x)
		low, high := curves.At(lucid.Colon, 0), curves.At(lucid.Colon, 1)
		inside = y.Ge(low).LogicalAnd(y.Le(high)).To(lucid.Float32).Mean().Item()
		fmt.Fprint(w, picture(lucid.ToSlice[float64](y), lucid.ToSlice[float64](low), lucid.ToSlice[float64](high)))
	})
	fmt.Fprintf(w, "%.0f %% of the points are between the curves\n", 100*inside)
	return inside
}

// points are noisy: most in the middle, where the noise is widest.
func points(n int) (x, y *lucid.Tensor) {
	x = lucid.Linspace(-math.Pi, math.Pi, n).Unsqueeze(1)
	noise := random.Normal(random.Key(5), []int{n}).Mul(x.Squeeze(1).Cos().Add(1.3).Mul(0.15))
	return x.Eval(), x.Squeeze(1).Sin().Mul(0.6).Add(noise).Eval()
}

func picture(y, low, high []float64) string {
	const rows, columns = 17, 72
	lines := make([][]rune, rows)
	for i := range lines {
		lines[i] = []rune(strings.Repeat(" ", columns))
	}
	mark := func(v []float64, c rune) {
		for i, e := range v {
			if r := int((1.2 - e) / 2.4 * rows); r >= 0 && r < rows {
				lines[r][i*columns/len(v)] = c
			}
		}
	}
	mark(y, '·')
	mark(low, '▁')
	mark(high, '▔')
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(string(l), " ") + "\n")
	}
	return b.String()
}
