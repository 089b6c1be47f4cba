package packages_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Tensors and ops: a piece of docs/packages/lucid.md.
func Example_lucidTensorsAndOps() {
	x := lucid.With{DType: lucid.Float64}.Arange(6).Reshape(2, 3)
	top, index := x.MaxIndices(1)
	fmt.Println(top, index)
	fmt.Println(lucid.Einsum("ij,kj->ik", x, x).At(0, 1).Item())
	// Output:
	// tensor([2., 5.], dtype=float64) tensor([2, 2])
	// 14
}

// Transforms of functions: a piece of docs/packages/lucid.md.
func Example_lucidTransformsOfFunctions() {
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Sin().Sum() }
	h := lucid.Hessian(f)(lucid.Zeros(2).Add(1.5))
	fmt.Printf("%.4f\n", h.At(0, 0).Item())
	// Output:
	// -0.9975
}

// Files: a piece of docs/packages/lucid.md.
func Example_lucidFiles() {
	path := filepath.Join(os.TempDir(), "weights.safetensors")
	d := lucid.NewStateDict()
	d.Set("weight", lucid.Ones(2, 3))
	d.SetMetadata("made by", "me")
	if err := lucid.Save(path, d); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)
	f, err := lucid.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	kind, shape, _ := f.Info("weight") // nothing is read yet
	w, err := f.Tensor("weight")
	fmt.Println(kind, shape, w.Sum().Item(), err)
	// Output:
	// float32 [2 3] 6 <nil>
}

// Memory: a piece of docs/packages/lucid.md.
func Example_lucidMemory() {
	old := lucid.SetMemoryLimit(lucid.CPU, lucid.MemoryStats(lucid.CPU).Allocated+1<<20)
	x := lucid.Ones(1 << 20).Exp() // 4 MiB; nothing is computed yet
	fmt.Println(errors.Is(lucid.Eval(x), lucid.ErrOutOfMemory))
	lucid.SetMemoryLimit(lucid.CPU, old)
	fmt.Println(lucid.Eval(x)) // and the program goes on
	// Output:
	// true
	// <nil>
}

// Errors: a piece of docs/packages/lucid.md.
func Example_lucidErrors() {
	scores, target := lucid.Zeros(2, 3), lucid.New([]int64{1, 7}, 2)
	loss := F.CrossEntropy(scores, target) // nothing is computed yet
	err := lucid.Eval(loss)
	var e *lucid.Error
	if errors.As(err, &e) {
		fmt.Println(e.Op, e.Value, e.Size, filepath.Base(e.At))
	}
	fmt.Println(errors.Is(err, lucid.ErrIndex))
	// Output:
	// cross_entropy 7 3 example_lucid_test.go:72
	// true
}

// What a compiled function sees: a piece of docs/packages/lucid.md.
func Example_lucidWhatACompiledFunctionSees() {
	model := nn.NewSequential(nn.NewLinear(4, 4), nn.NewDropout(0.5))
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return model.Forward(x) }, lucid.CompileOptions{Name: "f"})
	x := lucid.Ones(1, 4)
	f(x)
	model.Layers[1].(*nn.Dropout).P = 0
	f(x)
	model.Append(nn.NewTanh())
	f(x)
	fmt.Println(lucid.Equal(f(x), model.Forward(x)))
	for _, why := range lucid.Explain(f).Reasons {
		fmt.Println(why)
	}
	// Output:
	// true
	// first call
	// field Layers.1.P of a module went from 0.5 to 0
	// field Layers of a module was assigned
}
