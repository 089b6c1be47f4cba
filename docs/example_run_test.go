package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"sync"
	"time"

	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/grammar"
	"github.com/lucid-go/lucid/llm/tiny"
)

func Example_runModel() {
	m, err := tiny.Model() // yours: llm.Load("model.gguf", llm.LoadOptions{Quantized: true})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var text strings.Builder
	for token, err := range m.Generate(ctx, "The Rays of Light ", llm.Options{MaxTokens: 60, Temperature: 0.8, TopP: 0.95, Seed: 7}) {
		if err != nil {
			log.Fatal(err) // of the context, or of memory
		}
		text.WriteString(token.Text) // never ends inside a character
	}
	fmt.Println(text.Len() > 0)

	type answer struct {
		Color string
		Count int
	}
	schema, err := grammar.JSONSchema([]byte(`{"type": "object", "properties": {"Color": {"enum": ["red", "green", "violet"]},
	"Count": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["Color", "Count"], "additionalProperties": false}`))
	if err != nil {
		log.Fatal(err) // names what a schema may not hold
	}
	var object strings.Builder
	for token, err := range m.Generate(ctx, "The answer as JSON: ", llm.Options{Grammar: schema, MaxTokens: 100}) {
		if err != nil {
			log.Fatal(err)
		}
		object.WriteString(token.Text)
	}
	var a answer
	fmt.Println(json.Unmarshal([]byte(object.String()), &a), a.Color != "")

	b, err := m.NewBatcher(llm.BatcherOptions{Sequences: 8})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	var wait sync.WaitGroup
	texts := make([]string, 3)
	for i, prompt := range []string{"Of Colours ", "Of Glass ", "Of Water "} {
		wait.Go(func() {
			for token, err := range b.Generate(ctx, prompt, llm.Options{MaxTokens: 20}) {
				if err != nil {
					log.Print(err)
					return
				}
				texts[i] += token.Text
			}
		})
	}
	wait.Wait()
	fmt.Println(len(texts[0]) > 0, len(texts[1]) > 0, len(texts[2]) > 0)
	// Output:
	// true
	// <nil> true
	// true true true
}
