package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	"github.com/lucid-go/lucid/optim"
)

// The folders of testdata/releases hold what a release wrote: a model in every format, the state of its optimizer after two steps,
// the model as a function, and the results of the model before and after a third step. Every later release has to read them. A release
// adds a folder, by LUCID_WRITE_EXPORT=<its name> go test -run TestReleases; none is written again.
const releases = "testdata/releases"

type released struct {
	model *nn.Sequential
	opt   *optim.AdamW
	x, y  *lucid.Tensor
}

func newReleased() *released {
	wave := func(div float64, shape ...int) *lucid.Tensor {
		n := shape[0] * shape[1]
		return lucid.Arange(n).To(lucid.Float32).Div(div).Sin().Reshape(shape...)
	}
	r := &released{model: nn.NewSequential(nn.NewLinear(4, 6), nn.NewBatchNorm1d(6), nn.NewGELU(), nn.NewLinear(6, 2)),
		x: wave(0.9, 5, 4), y: wave(1.7, 5, 2)}
	r.opt = optim.NewAdamW(nn.Parameters(r.model), optim.AdamWOptions{LR: 0.05})
	// The gradient of a bias in front of a batch norm is 0 but for rounding, which Adam would make steps of.
	nn.Freeze(r.model, "0.bias")
	return r
}

func (r *released) step() {
	nn.Train(r.model)
	r.opt.ZeroGrad()
	r.model.Forward(r.x).Sub(r.y).Square().Mean().Backward()
	r.opt.Step()
	nn.Eval(r.model)
}

var releasedFormats = []string{".lucid", ".safetensors", ".npz"}

func writeRelease(t *testing.T, dir string) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(dir, 0o755))
	lucid.Seed(3)
	r := newReleased()
	r.step()
	r.step()
	for _, ext := range releasedFormats {
		must(lucid.Save(filepath.Join(dir, "model"+ext), nn.StateDict(r.model)))
	}
	must(lucid.Save(filepath.Join(dir, "optimizer.lucid"), r.opt.StateDict()))
	must(lucid.Export(filepath.Join(dir, "function.lucid"), r.model.Forward, lucid.OpenDims(r.x, 0)))
	results := lucid.NewStateDict()
	results.Set("before", r.model.Forward(r.x))
	r.step()
	results.Set("after", r.model.Forward(r.x))
	must(lucid.Save(filepath.Join(dir, "results.lucid"), results))
	weight := lucid.NewStateDict()
	weight.Set("weight", nn.StateDict(r.model).Get("0.weight"))
	must(lucid.Save(filepath.Join(dir, "weight.npy"), weight))
	must(lucid.Save(filepath.Join(dir, "weight.safetensors"), weight))
}

func TestReleases(t *testing.T) {
	if name := os.Getenv("LUCID_WRITE_EXPORT"); len(name) > 1 {
		if dir := filepath.Join(releases, name); os.MkdirAll(releases, 0o755) == nil {
			if _, err := os.Stat(dir); err != nil {
				writeRelease(t, dir)
			}
		}
	}
	dirs, err := os.ReadDir(releases)
	if err != nil || len(dirs) == 0 {
		t.Fatal("no files of releases", err)
	}
	for _, d := range dirs {
		t.Run(d.Name(), func(t *testing.T) { readRelease(t, filepath.Join(releases, d.Name())) })
	}
}

func readRelease(t *testing.T, dir string) {
	load := func(name string) *lucid.StateDict {
		d, err := lucid.Load(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	same := func(what string, got, want *lucid.Tensor) {
		t.Helper()
		if !lucid.AllClose(got, want, lucid.CloseOptions{RTol: new(1e-5), ATol: new(1e-6)}) {
			t.Errorf("%s: %v; want %v", what, got, want)
		}
	}
	want := load("results.lucid")
	for _, ext := range releasedFormats {
		r := newReleased()
		if err := nn.LoadStateDict(r.model, load("model"+ext)); err != nil {
			t.Fatal(err)
		}
		nn.Eval(r.model)
		same(ext, r.model.Forward(r.x).Detach(), want.Get("before"))
		if err := r.opt.LoadStateDict(load("optimizer.lucid")); err != nil {
			t.Fatal(err)
		}
		r.step()
		same(ext+" after a step", r.model.Forward(r.x).Detach(), want.Get("after"))
	}
	f, err := lucid.Import(filepath.Join(dir, "function.lucid"))
	if err != nil {
		t.Fatal(err)
	}
	x := newReleased().x
	got, err := f.Call(x)
	if err != nil {
		t.Fatal(err)
	}
	same("function", got[0], want.Get("before"))
	if got, err = f.Call(x.Narrow(0, 1, 3)); err != nil {
		t.Fatal(err)
	}
	same("function of other sizes", got[0], want.Get("before").Narrow(0, 1, 3))
	npy := load("weight.npy")
	same("npy", npy.Get(npy.Names()[0]), load("weight.safetensors").Get("weight"))
}
