// Digits trains a convolutional network on handwritten digits and shows what it gets wrong.
//
//	go run ./examples/digits
//	go run ./examples/digits -epochs 20
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/data/sets"
	"github.com/lucid-go/lucid/data/transforms"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

func main() {
	epochs := flag.Int("epochs", 10, "times to go through the data")
	flag.Parse()
	if flag.NArg() > 0 || *epochs < 1 {
		fmt.Fprintln(os.Stderr, "digits: want at least one epoch and no arguments, as in: go run ./examples/digits -epochs 10")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := run(ctx, os.Stdout, *epochs); err != nil {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(1)
	}
}

// network makes ten scores, one for each digit, of images (B, 1, 8, 8).
func network() *nn.Sequential {
	pad := nn.ConvOptions{Padding: []int{1}}
	return nn.NewSequential(
		nn.NewConv2d(1, 16, []int{3}, pad), nn.NewReLU(),
		nn.NewConv2d(16, 32, []int{3}, pad), nn.NewReLU(), nn.NewMaxPool2d([]int{2}),
		nn.NewFlatten(), nn.NewDropout(0.2), nn.NewLinear(32*4*4, 10),
	)
}

// run trains, and returns the share of unseen digits it reads right.
func run(ctx context.Context, w io.Writer, epochs int) (float64, error) {
	table, err := sets.Digits()
	if err != nil {
		return 0, err
	}
	images := table.X.Div(16).Reshape(-1, 1, 8, 8) // pixels are from 0 to 16
	parts := data.RandomSplit(data.NewTensorDataset(images, table.Y), []float64{0.8, 0.2}, 0)
	// Every epoch sees each digit a little moved: the same for the same seed, whatever the number of workers.
	moved := transforms.NewDataset(parts[0], 0, transforms.RandomCrop(8, 8, transforms.RandomCropOptions{Padding: 1}))
	loader := data.NewLoader(moved, data.LoaderOptions{BatchSize: 64, Shuffle: true, Workers: 2, Seed: new(uint64(1))})

	lucid.Seed(1)
	net := network()
	opt := optim.NewAdamW(nn.Parameters(net), optim.AdamWOptions{LR: 0.003})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(net.Forward(x), y)
		loss.Backward()
		opt.Step()
		return loss
	})
	fmt.Fprint(w, nn.Summary(net, images.At(lucid.Range{Stop: 1})))
	for epoch := range epochs {
		begin, sum, seen := time.Now(), 0.0, 0
		nn.Train(net)
		for batch, err := range loader.All(ctx) {
			if err != nil {
				return 0, err
			}
			n := batch[0].Size(0)
			sum += step(batch[0], batch[1]).Item() * float64(n)
			seen += n
		}
		right, _ := test(net, parts[1])
		fmt.Fprintf(w, "epoch %2d  loss %.4f  right %.1f %%  %.0f images/s\n", epoch+1, sum/float64(seen), 100*right,
			float64(seen)/time.Since(begin).Seconds())
	}
	right, wrong := test(net, parts[1])
	for _, s := range wrong[:min(3, len(wrong))] {
		fmt.Fprintf(w, "\n%s", s)
	}
	return right, nil
}

// test returns the share read right, and pictures of those that were not.
func test(net nn.Layer, part *data.Subset) (right float64, wrong []string) {
	nn.Eval(net)
	all := part.Dataset.(*data.TensorDataset)
	batch, err := all.GetBatch(part.Indices)
	if err != nil {
		panic(err)
	}
	lucid.NoGrad(func() {
		guess, truth := lucid.ToSlice[int](net.Forward(batch[0]).ArgMax(1)), lucid.ToSlice[int](batch[1])
		for i, g := range guess {
			if g == truth[i] {
				right++
				continue
			}
			wrong = append(wrong, fmt.Sprintf("%sa %d, taken for a %d\n", picture(batch[0].At(i)), truth[i], g))
		}
		right /= float64(len(guess))
	})
	return right, wrong
}

// picture draws an image in characters.
func picture(x *lucid.Tensor) string {
	var b strings.Builder
	for i, v := range lucid.ToSlice[float64](x) {
		b.WriteString(strings.Repeat(string([]rune(" ░▒▓█")[int(v*4)]), 2))
		if i%8 == 7 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
