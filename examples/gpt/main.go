// Gpt trains a small transformer to write, one character after the other, like the book it reads.
//
//	go run ./examples/gpt
//	go run ./examples/gpt -steps 2000 -width 128 -depth 4
//	go run ./examples/gpt -text my.txt -prompt "Once "
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/data/sets"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

type options struct {
	steps, width, depth, heads, context int
	text, prompt                        string
}

func main() {
	var o options
	flag.IntVar(&o.steps, "steps", 300, "training steps")
	flag.IntVar(&o.width, "width", 64, "width of the layers")
	flag.IntVar(&o.depth, "depth", 2, "number of blocks")
	flag.IntVar(&o.heads, "heads", 4, "heads of the attention")
	flag.IntVar(&o.context, "context", 64, "characters the model sees")
	flag.StringVar(&o.text, "text", "", "a file to learn from; default: Newton's Opticks")
	flag.StringVar(&o.prompt, "prompt", "The ", "what to write on from")
	flag.Parse()
	if flag.NArg() > 0 || min(o.steps, o.width, o.depth, o.heads, o.context) < 1 || o.width%o.heads != 0 || o.prompt == "" {
		fmt.Fprintln(os.Stderr,
			"gpt: want positive numbers, heads that divide the width, and a prompt, as in: go run ./examples/gpt -width 64 -heads 4")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "gpt:", err)
		os.Exit(1)
	}
}

// gpt maps characters (B, T) to scores of the one after each, (B, T, V).
type gpt struct {
	nn.Base
	Tokens, Positions *nn.Embedding
	Blocks            []*block
	Norm              *nn.LayerNorm
	Head              *nn.Linear
}

func newGPT(o options, alphabet int) *gpt {
	m := &gpt{
		Tokens: nn.NewEmbedding(alphabet, o.width), Positions: nn.NewEmbedding(o.context, o.width),
		Norm: nn.NewLayerNorm([]int{o.width}), Head: nn.NewLinear(o.width, alphabet),
	}
	for range o.depth {
		m.Blocks = append(m.Blocks, &block{
			Norm1: nn.NewLayerNorm([]int{o.width}), Norm2: nn.NewLayerNorm([]int{o.width}),
			QKV: nn.NewLinear(o.width, 3*o.width), Out: nn.NewLinear(o.width, o.width),
			Up: nn.NewLinear(o.width, 4*o.width), Down: nn.NewLinear(4*o.width, o.width), heads: o.heads,
		})
	}
	lucid.NoGrad(func() {
		m.Tokens.Weight.Mul_(0.1)
		m.Positions.Weight.Mul_(0.1)
	})
	return m
}

// Forward adds what a character is and where it stands, then lets the blocks look around.
func (m *gpt) Forward(x *lucid.Tensor) *lucid.Tensor {
	h := m.Tokens.Forward(x).Add(m.Positions.Weight.At(lucid.Range{Stop: x.Size(1)}))
	for _, b := range m.Blocks {
		h = b.Forward(h)
	}
	return m.Head.Forward(m.Norm.Forward(h))
}

// block is attention to what came before, then two linear layers; each is added to what came in.
type block struct {
	nn.Base
	Norm1, Norm2 *nn.LayerNorm
	QKV          *nn.Linear `nn:"qkv"`
	Out          *nn.Linear
	Up, Down     *nn.Linear
	heads        int
}

// Forward maps (B, T, C) to the same.
func (b *block) Forward(x *lucid.Tensor) *lucid.Tensor {
	B, T, C := x.Size(0), x.Size(1), x.Size(2)
	qkv := b.QKV.Forward(b.Norm1.Forward(x)).Reshape(B, T, 3, b.heads, C/b.heads).Permute(2, 0, 3, 1, 4)
	a := F.ScaledDotProductAttention(qkv.At(0), qkv.At(1), qkv.At(2), F.ScaledDotProductAttentionOptions{IsCausal: true})
	x = x.Add(b.Out.Forward(a.Transpose(1, 2).Reshape(B, T, C)))
	return x.Add(b.Down.Forward(F.GELU(b.Up.Forward(b.Norm2.Forward(x)))))
}

// run trains and prints what the model writes meanwhile; it returns the last loss.
func run(ctx context.Context, w io.Writer, o options) (loss float64, err error) {
	text, err := read(o.text)
	if err != nil {
		return 0, err
	}
	alphabet, tokens := encode(text)
	d := data.NewTextDataset(tokens, o.context, 1)
	if d.Len() == 0 {
		return 0, fmt.Errorf("the text has %d characters; want more than %d", len(text), o.context)
	}
	lucid.Seed(1)
	net := newGPT(o, len(alphabet))
	opt := optim.NewAdamW(nn.Parameters(net), optim.AdamWOptions{LR: 0.003})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(net.Forward(x).Flatten(0, 1), y.Flatten())
		loss.Backward()
		opt.Step()
		return loss
	})
	fmt.Fprintf(w, "%d parameters, %d characters of %d kinds\n", nn.NumParameters(net), len(text), len(alphabet))
	loader := data.NewLoader(d, data.LoaderOptions{BatchSize: 16,
		Sampler: data.RandomSampler{N: d.Len(), Replacement: true, NumSamples: 16 * o.steps}, Seed: new(uint64(1))})
	begin, i := time.Now(), 0
	for batch, err := range loader.All(ctx) {
		if err != nil {
			return loss, err
		}
		loss = step(batch[0], batch[1]).Item()
		if i++; i%max(o.steps/5, 1) == 0 || i == o.steps {
			fmt.Fprintf(w, "step %4d/%d  loss %.3f  %.0f characters/s  %q\n", i, o.steps, loss,
				float64(16*o.context*i)/time.Since(begin).Seconds(), o.prompt+net.write(o, alphabet, 40))
		}
	}
	fmt.Fprintf(w, "\n%s\n", o.prompt+net.write(o, alphabet, 300))
	return loss, nil
}

func read(path string) (string, error) {
	if path == "" {
		b, err := sets.Opticks()
		return string(b), err
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

// encode numbers the bytes that occur.
func encode(text string) (alphabet string, tokens []byte) {
	seen := []byte(text)
	slices.Sort(seen)
	alphabet = string(slices.Compact(seen))
	for i := range len(text) {
		tokens = append(tokens, byte(strings.IndexByte(alphabet, text[i])))
	}
	return alphabet, tokens
}

// write draws characters one by one. The window is always full length, so that one compiled function does for all.
func (m *gpt) write(o options, alphabet string, n int) string {
	window := make([]int64, o.context)
	forward := lucid.Compile(m.Forward)
	text := o.prompt
	lucid.NoGrad(func() {
		for range n {
			seen := text[max(0, len(text)-o.context):]
			for i := range len(seen) {
				window[i] = int64(max(strings.IndexByte(alphabet, seen[i]), 0))
			}
			scores := forward(lucid.New(window, 1, o.context)).At(0, len(seen)-1)
			next := lucid.Multinomial(scores.Div(0.8).Softmax(-1), 1)
			text += string(alphabet[int(next.Item())])
		}
	})
	return text[len(o.prompt):]
}
