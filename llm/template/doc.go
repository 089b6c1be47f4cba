// Package template renders the chat templates of language models: the part of Jinja that they use, with the settings that
// they are written for (blocks on lines of their own leave no trace, loops have break and continue, tojson keeps the order of
// keys).
//
// A template is a stranger's program. It can reach nothing but the values it is given; steps, nesting and output are bounded;
// a tag that is not understood is an error when the template is parsed, a filter or test when it is reached.
//
//	t, err := template.Parse(source)
//	prompt, err := t.Render(map[string]any{"messages": messages, "add_generation_prompt": true}, template.Options{})
package template
