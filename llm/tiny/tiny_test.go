package tiny_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/data/sets"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tiny"
)

// TestModel asks the model about its book: a byte is told by it in less than three bits, even where it did not learn.
func TestModel(t *testing.T) {
	m, err := tiny.Model()
	if err != nil {
		t.Fatal(err)
	}
	book, err := sets.Opticks()
	if err != nil {
		t.Fatal(err)
	}
	held := string(book[len(book)*19/20:])[:4096]
	p, err := m.Perplexity(context.Background(), held, llm.PerplexityOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.2f bits a byte", math.Log2(p))
	if !(math.Log2(p) < 3) {
		t.Errorf("%.2f bits a byte", math.Log2(p))
	}
	var text strings.Builder
	for token, err := range m.Generate(context.Background(), "the Rays of ", llm.Options{MaxTokens: 24}) {
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(token.Text)
	}
	if text.Len() != 24 || len(strings.Fields(text.String())) < 3 {
		t.Errorf("it wrote %q", text.String())
	}
}
