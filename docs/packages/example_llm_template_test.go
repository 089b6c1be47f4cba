package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid/llm/template"
)

// Render: a piece of docs/packages/llm-template.md.
func Example_llmTemplateRender() {
	t, err := template.Parse(`{% for m in messages %}
<|{{ m.role }}|>{{ m.content | trim }}
{% endfor %}
{% if add_generation_prompt %}<|assistant|>{% endif %}`)
	if err != nil {
		panic(err)
	}
	text, err := t.Render(map[string]any{
		"messages":              []map[string]string{{"role": "system", "content": "Be brief."}, {"role": "user", "content": " Hi "}},
		"add_generation_prompt": true,
	}, template.Options{})
	fmt.Println(text, err)

	// Objects whose order counts, such as the schema of a tool, come from JSON or are built as a Dict.
	tool, _ := template.FromJSON([]byte(`{"name": "now", "arguments": {"zone": "UTC"}}`))
	show, _ := template.Parse("{{ tool | tojson }}")
	text, _ = show.Render(map[string]any{"tool": tool}, template.Options{})
	fmt.Println(text)
	// Output:
	// <|system|>Be brief.
	// <|user|>Hi
	// <|assistant|> <nil>
	// {"name": "now", "arguments": {"zone": "UTC"}}
}
