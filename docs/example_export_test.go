package docs_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid"
)

// A function in a file: a piece of docs/export.md.
func Example_export() {
	w := lucid.New([]float32{1, 2, 3, 4}, 2, 2)
	model := func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(w).ReLU() }
	path := filepath.Join(os.TempDir(), "model.lucid")
	if err := lucid.Export(path, model, lucid.Zeros(1, 2)); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)
	f, err := lucid.Import(path) // in another program
	if err != nil {
		log.Fatal(err)
	}
	out, err := f.Call(lucid.New([]float32{1, 1}, 1, 2))
	fmt.Println(out[0], err)
	// Output:
	// tensor([[4., 6.]]) <nil>
}

// Open sizes: a piece of docs/export.md.
func Example_exportOpen() {
	scores := func(x *lucid.Tensor) *lucid.Tensor { return x.Sub(x.Mean(0)).Softmax(1).Reshape(-1) }
	path := filepath.Join(os.TempDir(), "scores.lucid")
	if err := lucid.Export(path, scores, lucid.OpenDims(lucid.Zeros(4, 3), 0)); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)
	f, err := lucid.Import(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Signatures()[0])
	out, err := f.Call(lucid.Zeros(2, 3))
	fmt.Println(out[0].Shape(), err)
	// Output:
	// (float32[-1 3]) → (float32[-1])
	// [6] <nil>
}

// A minimum of an open size: a piece of docs/export.md.
func Example_exportOpenMin() {
	last := func(x *lucid.Tensor) *lucid.Tensor { n := x.Size(0); return x.Narrow(0, max(n-5, 0), min(n, 5)).Sum(0) }
	path := filepath.Join(os.TempDir(), "last.lucid")
	if err := lucid.Export(path, last, lucid.OpenDims(lucid.Zeros(8, 2), 0)); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)
	f, err := lucid.Import(path)
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range []int{3, 5, 700} {
		out, err := f.Call(lucid.Ones(n, 2))
		fmt.Println(out[0], err)
	}
	// Output:
	// tensor([3., 3.]) <nil>
	// tensor([5., 5.]) <nil>
	// tensor([5., 5.]) <nil>
}
