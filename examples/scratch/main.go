// Scratch trains a network written with nothing but functions of tensors: no modules, no optimizer, no Backward. The gradient
// is a transform of the loss, one example is written down and mapped over all of them, and the step is compiled.
//
//	go run ./examples/scratch
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/random"
)

func main() {
	steps := flag.Int("steps", 1500, "training steps")
	flag.Parse()
	if flag.NArg() > 0 || *steps < 1 {
		fmt.Fprintln(os.Stderr, "scratch: want at least one step and no arguments, as in: go run ./examples/scratch -steps 1500")
		os.Exit(2)
	}
	run(os.Stdout, *steps)
}

// params are the layers' weights and biases: weight (out, in), bias (out), weight, …
type params []*lucid.Tensor

func newParams(key *lucid.Tensor, sizes ...int) (p params) {
	keys := random.Keys(key, len(sizes)-1)
	for i, k := range keys {
		in, out := sizes[i], sizes[i+1]
		p = append(p, random.Normal(k, []int{out, in}).Mul(1/math.Sqrt(float64(in))), lucid.Zeros(out))
	}
	return p
}

// predict maps one point (2) to one number: how sure the network is that it is inside.
func predict(p params, x *lucid.Tensor) *lucid.Tensor {
	for i := 0; i < len(p); i += 2 {
		if i > 0 {
			x = x.Tanh()
		}
		x = p[i].MatMul(x).Add(p[i+1])
	}
	return x.At(0)
}

// loss is that of all points (N, 2) and their classes (N), 0 or 1. VMap writes the loop over the points.
func loss(p params, x, y *lucid.Tensor) *lucid.Tensor {
	scores := lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { return predict(p, x) })(x)
	// log(1+exp(-s)) for points inside, log(1+exp(s)) for points outside
	return F.Softplus(scores.Mul(y.Mul(-2).Add(1))).Mean()
}

// run trains, plots what the network computes, and returns the accuracy on unseen points.
func run(w io.Writer, steps int) float64 {
	keys := random.Keys(random.Key(3), 3)
	p := newParams(keys[0], 2, 32, 32, 1)
	x, y := points(keys[1], 500)

	gradient := lucid.ValueAndGrad(func(ps []*lucid.Tensor) *lucid.Tensor { return loss(ps, x, y) })
	step := lucid.Compile(func(ps []*lucid.Tensor) (*lucid.Tensor, []*lucid.Tensor) {
		value, g := gradient(ps)
		next := make([]*lucid.Tensor, len(ps))
		for i := range ps {
			next[i] = ps[i].Sub(g[i].Mul(0.5))
		}
		return value, next
	})
	for i := range steps {
		value, next := step(p)
		p = next
		if i%max(steps/10, 1) == 0 || i == steps-1 {
			fmt.Fprintf(w, "step %4d  loss %.4f\n", i, value.Item())
		}
	}
	fmt.Fprint(w, picture(p))
	x, y = points(keys[2], 2000)
	scores := lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor { return predict(p, x) })(x)
	right := scores.Gt(0).To(lucid.Float32).Eq(y).To(lucid.Float32).Mean().Item()
	fmt.Fprintf(w, "%.1f %% of unseen points placed right\n", 100*right)
	return right
}

// points samples points of a square and says which are in a ring.
func points(key *lucid.Tensor, n int) (x, y *lucid.Tensor) {
	x = random.Uniform(key, []int{n, 2}).Mul(2).Sub(1)
	r := x.Square().Sum(1).Sqrt()
	return x.Eval(), r.Gt(0.35).LogicalAnd(r.Lt(0.8)).To(lucid.Float32).Eval()
}

// picture shows where the network sees the ring.
func picture(p params) string {
	const rows, columns = 15, 40
	grid := make([]float32, 0, 2*rows*columns)
	for i := range rows {
		for j := range columns {
			grid = append(grid, 2*float32(j)/(columns-1)-1, 2*float32(i)/(rows-1)-1)
		}
	}
	inside := lucid.ToSlice[float64](lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor {
		return predict(p, x)
	})(lucid.New(grid, rows*columns, 2)).Sigmoid())
	var b strings.Builder
	for i, v := range inside {
		b.WriteRune([]rune(" ░▒▓█")[int(v*4.999)])
		if i%columns == columns-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
