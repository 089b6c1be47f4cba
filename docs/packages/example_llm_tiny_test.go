package packages_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tiny"
)

func Example_llmTiny() {
	// of your own: //go:embed small.gguf above var models embed.FS
	inside, err := llm.Load(tiny.Path, llm.LoadOptions{FS: tiny.FS, Quantized: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(inside.Info().Tokens, "tokens")

	m, err := tiny.Model()
	if err != nil {
		panic(err)
	}
	var text strings.Builder
	for token, err := range m.Generate(context.Background(), "The Rays of Light ", llm.Options{MaxTokens: 40, Temperature: 0.8, Seed: 1}) {
		if err != nil {
			panic(err)
		}
		text.WriteString(token.Text)
	}
	fmt.Println(text.Len() > 0) // or text.String()
	// Output:
	// 256 tokens
	// true
}
