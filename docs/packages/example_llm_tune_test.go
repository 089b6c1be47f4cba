package packages_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tune"
)

// randomModel is alphabetModel with weights that say nothing.
func randomModel() (dir string) {
	dir = alphabetModel()
	path := filepath.Join(dir, "model.safetensors")
	w, err := lucid.Load(path)
	if err != nil {
		panic(err)
	}
	g := lucid.With{Generator: lucid.NewGenerator(1)}
	for name, t := range w.All() {
		if t.Dim() == 2 {
			w.Set(name, g.Randn(t.Shape()...).Mul(0.1))
		}
	}
	if err := lucid.Save(path, w); err != nil {
		panic(err)
	}
	return dir
}

// An adapter: the piece of docs/packages/llm-tune.md.
func Example_llmTune() {
	dir, ctx := randomModel(), context.Background()
	defer os.RemoveAll(dir)
	m, err := llm.Load(dir)
	if err != nil {
		panic(err)
	}
	adapter, err := tune.LoRA(m, tune.LoRAOptions{Rank: 4, Targets: []string{"q_proj", "**.down_proj"}})
	if err != nil {
		panic(err)
	}
	report, err := tune.Fit(ctx, m, tune.Text("the quick brown fox"), tune.Options{Steps: 40, LR: 0.02})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Final < report.First)
	if err := adapter.Save(filepath.Join(dir, "adapter")); err != nil { // as Hugging Face's peft does
		panic(err)
	}
	adapter.Remove() // the model is as it was
	again, err := tune.Load(m, filepath.Join(dir, "adapter"))
	if err != nil {
		panic(err)
	}
	fmt.Println(again.Fuse()) // into the weights, which llm.Model.Save can save
	// Output:
	// true
	// <nil>
}
