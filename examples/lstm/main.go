// Lstm learns to continue a wave it has seen some of, and plots its forecast next to the true wave.
//
//	go run ./examples/lstm
//	go run ./examples/lstm -steps 1000 -hidden 64
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/nn/utils"
	"github.com/lucid-go/lucid/optim"
)

func main() {
	steps := flag.Int("steps", 300, "training steps")
	hidden := flag.Int("hidden", 32, "numbers the network remembers")
	flag.Parse()
	if flag.NArg() > 0 || *steps < 1 || *hidden < 1 {
		fmt.Fprintln(os.Stderr, "lstm: want positive numbers and no arguments, as in: go run ./examples/lstm -steps 300 -hidden 32")
		os.Exit(2)
	}
	run(os.Stdout, *steps, *hidden)
}

// forecaster says, after each number of a sequence, which comes next.
type forecaster struct {
	nn.Base
	Memory *nn.LSTM
	Head   *nn.Linear
}

// Forward maps sequences (B, T, 1) and the memory before them to the numbers after each, (B, T, 1), and the memory after them.
func (m *forecaster) Forward(x, h, c *lucid.Tensor) (next, hn, cn *lucid.Tensor) {
	y, hn, cn := m.Memory.Forward(x, h, c)
	return m.Head.Forward(y), hn, cn
}

const length = 48 // of a sequence in training

// run trains, draws, and returns the mean square of the forecast's error.
func run(w io.Writer, steps, hidden int) float64 {
	lucid.Seed(1)
	r := rand.New(rand.NewPCG(1, 1))
	net := &forecaster{Memory: nn.NewLSTM(1, hidden, nn.RNNOptions{BatchFirst: true}), Head: nn.NewLinear(hidden, 1)}
	opt := optim.NewAdam(nn.Parameters(net), optim.AdamOptions{LR: 0.01})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		guess, _, _ := net.Forward(x, nil, nil)
		loss := F.MSELoss(guess, y)
		loss.Backward()
		utils.ClipGradNorm(nn.Parameters(net), 1)
		opt.Step()
		return loss
	})
	for i := range steps {
		x, y := batch(r, 16)
		loss := step(x, y)
		if i%max(steps/10, 1) == 0 || i == steps-1 {
			fmt.Fprintf(w, "step %4d  loss %.5f\n", i, loss.Item())
		}
	}
	truth := wave(r, 2*length)
	guess := net.forecast(truth[:length], length)
	fmt.Fprintf(w, "\nseen, then its forecast (*) on the truth (·):\n%s", picture(truth, guess))
	sum := 0.0
	for i, g := range guess[:length/2] {
		sum += math.Pow(g-float64(truth[length+i]), 2)
	}
	return sum / (length / 2)
}

// forecast feeds the network what was seen, then its own answers.
func (m *forecaster) forecast(seen []float32, n int) (out []float64) {
	lucid.NoGrad(func() {
		y, h, c := m.Forward(lucid.New(seen, 1, len(seen), 1), nil, nil)
		next := y.At(0, -1, 0)
		one := lucid.Compile(m.Forward)
		for range n {
			out = append(out, next.Item())
			y, h, c = one(next.Reshape(1, 1, 1), h, c)
			next = y.At(0, 0, 0)
		}
	})
	return out
}

// wave makes a sum of two sines: always the same two periods, at random strengths and phases.
func wave(r *rand.Rand, n int) []float32 {
	a, b := 0.3+0.4*r.Float64(), 0.2+0.2*r.Float64()
	p, q := 2*math.Pi*r.Float64(), 2*math.Pi*r.Float64()
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(a*math.Sin(2*math.Pi*float64(i)/12+p) + b*math.Sin(2*math.Pi*float64(i)/19+q))
	}
	return v
}

// batch makes sequences and, for each number of them, the one after it.
func batch(r *rand.Rand, n int) (x, y *lucid.Tensor) {
	var from, to []float32
	for range n {
		v := wave(r, length+1)
		from, to = append(from, v[:length]...), append(to, v[1:]...)
	}
	return lucid.New(from, n, length, 1), lucid.New(to, n, length, 1)
}

func picture(truth []float32, guess []float64) string {
	const rows = 13
	at := func(v float64) int { return min(max(int((1-v)/2*rows), 0), rows-1) }
	lines := make([][]rune, rows)
	for i := range lines {
		lines[i] = []rune(strings.Repeat(" ", len(truth)))
	}
	for x, v := range truth {
		lines[at(float64(v))][x] = '·'
	}
	for i, v := range guess {
		lines[at(v)][len(truth)-len(guess)+i] = '*'
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(string(l), " ") + "\n")
	}
	return b.String()
}
