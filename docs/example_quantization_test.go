package docs_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tiny"
)

func Example_quantization() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "quantization")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	text := "The Rays which fall perpendicularly upon the Prism are refracted."
	full, err := tiny.Model(llm.LoadOptions{}) // float32: what is in blocks is not saved in others
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "q4.gguf")
	if err := full.Save(path, llm.SaveOptions{Format: "q4_0"}); err != nil {
		log.Fatal(err)
	}
	small, err := llm.Load(path, llm.LoadOptions{Quantized: true})
	if err != nil {
		log.Fatal(err)
	}
	a, err := full.Perplexity(ctx, text)
	if err != nil {
		log.Fatal(err)
	}
	b, err := small.Perplexity(ctx, text)
	fmt.Println(small.Info().Bytes < full.Info().Bytes, math.Abs(b-a) < 1, err)
	// Output:
	// true true <nil>
}
