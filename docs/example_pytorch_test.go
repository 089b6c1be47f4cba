package docs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

type Net struct {
	nn.Base
	Body *nn.Sequential
	Head *nn.Linear
}

func NewNet() *Net {
	return &Net{
		Body: nn.NewSequential(nn.NewLinear(2, 32), nn.NewReLU(), nn.NewDropout(0.1)),
		Head: nn.NewLinear(32, 2, nn.LinearOptions{NoBias: true}),
	}
}

func (n *Net) Forward(x *lucid.Tensor) *lucid.Tensor { return n.Head.Forward(n.Body.Forward(x)) }

type run struct {
	model  *Net
	opt    *optim.AdamW
	rate   *sched.CosineAnnealingLR
	loader *data.Loader
}

func newRun(x, y *lucid.Tensor) *run {
	r := &run{model: NewNet(), loader: data.NewLoader(data.NewTensorDataset(x, y), data.LoaderOptions{BatchSize: 16, Shuffle: true})}
	r.opt = optim.NewAdamW(nn.Parameters(r.model), optim.AdamWOptions{LR: 0.01})
	r.rate = sched.NewCosineAnnealingLR(r.opt, sched.CosineAnnealingLROptions{TMax: 10})
	return r
}

func (r *run) save(path string) error {
	d := lucid.NewStateDict()
	d.Merge("model.", nn.StateDict(r.model))
	d.Merge("optim.", r.opt.StateDict())
	d.Merge("rate.", r.rate.StateDict())
	d.Merge("loader.", r.loader.StateDict())
	d.Set("random", lucid.GetRNGState())
	return lucid.Save(path, d) // a name ending in .lucid: a checksum on every byte
}

func (r *run) load(path string) error {
	d, err := lucid.Load(path)
	if err != nil {
		return err
	}
	lucid.SetRNGState(d.Get("random"))
	return errors.Join(
		nn.LoadStateDict(r.model, d.Prefix("model.")), r.opt.LoadStateDict(d.Prefix("optim.")),
		r.rate.LoadStateDict(d.Prefix("rate.")), r.loader.LoadStateDict(d.Prefix("loader.")))
}

// epoch makes the steps left of an epoch, and calls after with the number of each.
func (r *run) epoch(after func(step int) error) error {
	step := 0
	for batch, err := range r.loader.All(context.Background()) {
		if err != nil {
			return err
		}
		r.opt.ZeroGrad()
		F.CrossEntropy(r.model.Forward(batch[0]), batch[1]).Backward()
		step++
		r.opt.Step()
		if err := after(step); err != nil {
			return err
		}
	}
	r.rate.Step()
	return nil
}

// decoder is one block of a language model that keeps what it computed of earlier tokens.
type decoder struct {
	nn.Base
	Tokens, Positions *nn.Embedding
	QKV, Out          *nn.Linear
	Keys, Values      *lucid.Tensor `nn:",buffer,transient"` // (1, H, longest text, D)
}

func newDecoder(words, longest, size, heads int) *decoder {
	return &decoder{
		Tokens: nn.NewEmbedding(words, size), Positions: nn.NewEmbedding(longest, size),
		QKV: nn.NewLinear(size, 3*size), Out: nn.NewLinear(size, words),
		Keys: lucid.Zeros(1, heads, longest, size/heads), Values: lucid.Zeros(1, heads, longest, size/heads),
	}
}

// Forward gives the scores of the word behind the last of ids (1, T), the first of which is at position start, a 0-d tensor.
func (m *decoder) Forward(ids, start *lucid.Tensor) *lucid.Tensor {
	T, H, D := ids.Size(1), m.Keys.Size(1), m.Keys.Size(3)
	at := start.Add(lucid.Arange(T))
	x := m.Tokens.Forward(ids).Add(m.Positions.Forward(at))
	qkv := m.QKV.Forward(x).Reshape(1, T, 3, H, D).Permute(2, 0, 3, 1, 4)
	m.Keys.SetAt(qkv.At(1), lucid.Colon, lucid.Colon, at)
	m.Values.SetAt(qkv.At(2), lucid.Colon, lucid.Colon, at)
	seen := lucid.Arange(m.Keys.Size(2)).Unsqueeze(0).Le(at.Unsqueeze(1)) // (T, longest): itself and what came before
	y := F.ScaledDotProductAttention(qkv.At(0), m.Keys, m.Values, F.ScaledDotProductAttentionOptions{AttnMask: seen})
	return m.Out.Forward(x.Add(y.Transpose(1, 2).Reshape(1, T, H*D)).At(0, -1))
}

// Autograd: a piece of docs/tutorial-pytorch.md.
func Example_pytorchAutograd() {
	w := lucid.New([]float32{1, -2}, 2).RequiresGrad_(true)
	loss := w.Square().Sum()
	loss.Backward()
	fmt.Println(w.Grad())
	// Output:
	// tensor([ 2., -4.])
}

// A module: a piece of docs/tutorial-pytorch.md.
func Example_pytorchAModule() {
	m := NewNet()
	fmt.Println(nn.StateDict(m).Names())
	fmt.Println(nn.NumParameters(m))
	// Output:
	// [body.0.weight body.0.bias head.weight]
	// 160
}

// The loop: a piece of docs/tutorial-pytorch.md.
func Example_pytorchTheLoop() {
	lucid.Seed(1)
	x := lucid.Randn(256, 2)
	y := x.Sum(1).Gt(0).To(lucid.Int64)
	loader := data.NewLoader(data.NewTensorDataset(x, y), data.LoaderOptions{BatchSize: 32, Shuffle: true})

	model := NewNet()
	opt := optim.NewAdamW(nn.Parameters(model), optim.AdamWOptions{LR: 0.02})
	schedule := sched.NewCosineAnnealingLR(opt, sched.CosineAnnealingLROptions{TMax: 20})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor { // leave Compile out and it is eager
		opt.ZeroGrad()
		loss := F.CrossEntropy(model.Forward(x), y)
		loss.Backward()
		opt.Step()
		return loss
	})
	var first, last float64
	for epoch := range 20 {
		for batch, err := range loader.All(context.Background()) {
			if err != nil {
				log.Fatal(err)
			}
			last = step(batch[0], batch[1]).Item()
			if epoch == 0 && first == 0 {
				first = last
			}
		}
		schedule.Step()
	}
	fmt.Println(last < first/3)
	// Output:
	// true
}

// State dicts, both ways: a piece of docs/tutorial-pytorch.md.
func Example_pytorchStateDictsBothWays() {
	path := filepath.Join(os.TempDir(), "from-pytorch.safetensors")
	if err := lucid.Save(path, nn.StateDict(NewNet())); err != nil { // stands in for the line of Python
		log.Fatal(err)
	}
	defer os.Remove(path)
	state, err := lucid.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	state.Delete("head.weight")
	err = nn.LoadStateDict(NewNet(), state)
	fmt.Println(err)
	fmt.Println(nn.LoadStateDict(NewNet(), state, nn.LoadOptions{NotStrict: true}))
	// Output:
	// lucid: load_state_dict: the state does not fit the module; missing: head.weight
	// <nil>
}

// Files of PyTorch: the piece of docs/tutorial-pytorch.md.
func Example_pytorchFiles() {
	checkpoint := filepath.Join("..", "internal", "codec", "torch", "testdata", "archive.pt")
	d, err := lucid.Load(checkpoint) // a .pt file: {"module": model.state_dict(), "epoch": 3, …}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Get("module.weight"), d.Metadata()["epoch"])
	// Output:
	// tensor([[0.0000, 0.2500, 0.5000],
	//         [0.7500, 1.0000, 1.2500]]) 3
}

// Checkpoints: a piece of docs/tutorial-pytorch.md.
func Example_pytorchCheckpoints() {
	lucid.Seed(1)
	x := lucid.Randn(64, 2)
	y := x.Sum(1).Gt(0).To(lucid.Int64)
	path := filepath.Join(os.TempDir(), "run.lucid")
	defer os.Remove(path)

	first := newRun(x, y)
	err := first.epoch(func(step int) error {
		if step == 3 { // in the middle of an epoch
			return first.save(path)
		}
		return nil
	})
	second := newRun(x, y)
	err = errors.Join(err, second.load(path), second.epoch(func(int) error { return nil }))
	fmt.Println(err, lucid.Equal(first.model.Head.Weight, second.model.Head.Weight))
	// Output:
	// <nil> true
}

// Writing text with a cache: a piece of docs/tutorial-pytorch.md.
func Example_pytorchCache() {
	lucid.Seed(1)
	m := newDecoder(50, 32, 16, 2)
	step := lucid.Compile(m.Forward)
	lucid.NoGrad(func() {
		text := lucid.New([]int64{3, 1, 4, 1, 5}, 1, 5)
		scores := step(text, lucid.Scalar(0)) // the prompt at once
		for n := 5; n < 12; n++ {
			next := scores.ArgMax(-1).Reshape(1, 1)
			scores = step(next, lucid.Scalar(n)) // then one by one
			text = lucid.Cat([]*lucid.Tensor{text, next}, 1)
		}
		again := newDecoder(50, 32, 16, 2)
		if err := nn.LoadStateDict(again, nn.StateDict(m)); err != nil {
			log.Fatal(err)
		}
		fmt.Println(text.Shape(), lucid.AllClose(scores, again.Forward(text, lucid.Scalar(0)))) // as if read at once
	})
	fmt.Println(lucid.Explain(step).Traces)
	// Output:
	// [1 12] true
	// 2
}
