package lucid_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
)

// A function and its weights go to a file, and run from there without their source.
func ExampleExport() {
	dir, _ := os.MkdirTemp("", "export")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.lucid")

	w := lucid.New([]float32{1, 2, 3, 4}, 2, 2)
	model := func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).ReLU() }
	if err := lucid.Export(path, model, lucid.Zeros(1, 2)); err != nil {
		fmt.Println(err)
	}

	f, err := lucid.Import(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Signatures()[0])
	out, err := f.Call(lucid.New([]float32{1, -1}, 1, 2))
	fmt.Println(out[0], err)
	// Output:
	// (float32[1 2]) → (float32[1 2])
	// tensor([[0., 0.]]) <nil>
}

// One file can hold several functions, and several signatures of each.
func ExampleNewExporter() {
	dir, _ := os.MkdirTemp("", "export")
	defer os.RemoveAll(dir)
	x := lucid.NewExporter(filepath.Join(dir, "model.lucid"))
	square := func(x *lucid.Tensor) *lucid.Tensor { return x.Square() }
	for _, batch := range []int{1, 8} {
		if err := x.AddNamed("square", square, lucid.Zeros(batch)); err != nil {
			fmt.Println(err)
		}
	}
	if err := x.AddNamed("slope", lucid.Grad(square), lucid.Zeros()); err != nil {
		fmt.Println(err)
	}
	if err := x.Close(); err != nil {
		fmt.Println(err)
	}
	f, _ := lucid.Import(filepath.Join(dir, "model.lucid"))
	for _, s := range f.Signatures() {
		fmt.Println(s)
	}
	slope, _ := f.Named("slope")
	out, _ := slope.Call(lucid.Scalar(float32(3)))
	fmt.Println(out[0].Item())
	// Output:
	// square(float32[1]) → (float32[1])
	// square(float32[8]) → (float32[8])
	// slope(float32[]) → (float32[])
	// 6
}

// What is recorded and not computed yet can be looked at.
func ExampleDump() {
	x := lucid.New([]float32{1, 2}, 2)
	fmt.Print(lucid.Dump(x.Mul(2).Sum()))
	// Output:
	// %0 = stored float32 [2]
	// %1 = const(float32 2) float32 []
	// %2 = mul(%0, %1) float32 [2]
	// %3 = sum(%2, {Axes:[0] Keep:false}) float32 []
	// return %3
}

// A training step goes to a file with its parameters and the state of its optimizer; what is imported trains on by itself.
func ExampleExporter_Name() {
	dir, _ := os.MkdirTemp("", "export")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "step.lucid")

	w := lucid.Zeros(1).RequiresGrad_(true)
	opt := optim.NewSGD([]*lucid.Tensor{w}, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
	step := func(x, y *lucid.Tensor) *lucid.Tensor {
		loss := x.Mul(w).Sub(y).Square().Mean()
		loss.Backward()
		opt.Step()
		opt.ZeroGrad()
		return loss.Detach()
	}
	x, y := lucid.New([]float32{1, 2}, 2), lucid.New([]float32{3, 6}, 2)
	e := lucid.NewExporter(path)
	e.Name("w", w)
	if err := e.Add(step, x, y); err != nil {
		fmt.Println(err)
	}
	if err := e.Close(); err != nil {
		fmt.Println(err)
	}

	f, err := lucid.Import(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 200 {
		if _, err := f.Call(x, y); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Printf("%.2f, was %.0f\n", f.State().Get("w").Item(), w.Item())
	// Output:
	// 3.00, was 0
}
