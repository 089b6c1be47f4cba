// Quickstart trains a small network to tell two spirals apart, and says how well it does on points it never saw.
//
//	go run ./examples/quickstart
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

func main() {
	steps := flag.Int("steps", 1000, "training steps")
	flag.Parse()
	if flag.NArg() > 0 || *steps < 1 {
		fmt.Fprintln(os.Stderr, "quickstart: want at least one step and no arguments, as in: go run ./examples/quickstart -steps 1000")
		os.Exit(2)
	}
	run(os.Stdout, *steps)
}

// run trains, prints the loss as it falls, and returns the share of unseen points told apart.
func run(w io.Writer, steps int) float64 {
	lucid.Seed(7)
	x, y := spirals(400, 0)
	net := newMLP(2, 64, 64, 2)
	// Compile traces one step, fuses it and replays it; parameters and Adam's moments are updated in place.
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor { return net.step(x, y, 0.01) })
	begin := time.Now()
	for i := range steps {
		loss := step(x, y)
		if i%(max(steps/10, 1)) == 0 || i == steps-1 {
			fmt.Fprintf(w, "step %4d  loss %.4f\n", i, loss.Item())
		}
	}
	fmt.Fprintf(w, "trained %d steps on %d points in %.2f s\n", steps, x.Shape()[0], time.Since(begin).Seconds())
	seen, unseen := net.accuracy(x, y), net.accuracy(spirals(400, 0.5))
	fmt.Fprintf(w, "accuracy: %.1f%% of the training points, %.1f%% of unseen points between them\n", 100*seen, 100*unseen)
	return unseen
}

// spirals makes n points on two interleaved spirals, (n, 2), and which spiral each is on, (n). Shift moves the points
// along their spiral, in units of their distance.
func spirals(n int, shift float64) (x, y *lucid.Tensor) {
	points, class := make([]float32, 0, 2*n), make([]int64, 0, n)
	for i := range n {
		c := i % 2
		r := (float64(i/2) + shift) / float64(n/2)
		angle := 3.5*math.Pi*r + math.Pi*float64(c)
		points = append(points, float32(r*math.Cos(angle)), float32(r*math.Sin(angle)))
		class = append(class, int64(c))
	}
	return lucid.New(points, n, 2), lucid.New(class, n)
}

// mlp is a stack of linear layers with tanh between them, trained by Adam.
type mlp struct {
	params []*lucid.Tensor // weight, bias, weight, bias, …
	mean   []*lucid.Tensor // running mean of each gradient
	square []*lucid.Tensor // running mean of its square
	t      *lucid.Tensor   // steps made: a tensor, so that a compiled step advances it
}

func newMLP(sizes ...int) *mlp {
	m := &mlp{t: lucid.Zeros()}
	for i, in := range sizes[:len(sizes)-1] {
		out := sizes[i+1]
		weight := lucid.Randn(out, in).Mul(1 / math.Sqrt(float64(in)))
		for _, p := range []*lucid.Tensor{weight, lucid.Zeros(out)} {
			m.params = append(m.params, p.RequiresGrad_(true))
			m.mean, m.square = append(m.mean, lucid.ZerosLike(p)), append(m.square, lucid.ZerosLike(p))
		}
	}
	return m
}

// forward maps points (n, 2) to scores (n, 2), one for each spiral.
func (m *mlp) forward(x *lucid.Tensor) *lucid.Tensor {
	for i := 0; i < len(m.params); i += 2 {
		if i > 0 {
			x = x.Tanh()
		}
		x = F.Linear(x, m.params[i], F.LinearOptions{Bias: m.params[i+1]})
	}
	return x
}

// step makes one step of Adam and returns the loss before it.
func (m *mlp) step(x, y *lucid.Tensor, rate float64) *lucid.Tensor {
	loss := F.CrossEntropy(m.forward(x), y)
	loss.Backward()
	lucid.NoGrad(func() {
		m.t.Add_(1)
		one := lucid.Scalar(1)
		fixMean, fixSquare := one.Sub(lucid.Pow(0.9, m.t)), one.Sub(lucid.Pow(0.999, m.t))
		for i, p := range m.params {
			g := p.Grad()
			m.mean[i].Mul_(0.9).Add_(g.Mul(0.1))
			m.square[i].Mul_(0.999).Add_(g.Square().Mul(0.001))
			p.Sub_(m.mean[i].Div(fixMean).Mul(rate).Div(m.square[i].Div(fixSquare).Sqrt().Add(1e-8)))
			p.ZeroGrad()
		}
	})
	return loss
}

// accuracy is the share of points whose larger score is that of their own spiral.
func (m *mlp) accuracy(x, y *lucid.Tensor) (share float64) {
	lucid.NoGrad(func() { share = m.forward(x).ArgMax(1).Eq(y).To(lucid.Float32).Mean().Item() })
	return share
}
