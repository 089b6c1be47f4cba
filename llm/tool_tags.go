package llm

import (
	"encoding/json"
	"regexp"
	"strings"
)

// tagForm is a form whose calls are tags around names and values, and no JSON. A value that is no string in the schema of the function
// is JSON if it can be, all others are strings.
type tagForm struct {
	name  *regexp.Regexp // of the function, at the beginning
	value *regexp.Regexp // an argument: its name and its value
	end   string         // of one of several calls between the marks; "": there is one
}

var (
	glmTags = tagForm{name: regexp.MustCompile(`^\s*([^\s<]+)`),
		value: regexp.MustCompile(`(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>`)}
	coderTags = tagForm{name: regexp.MustCompile(`^\s*<function=([^>]+)>`),
		value: regexp.MustCompile(`(?s)<parameter=([^>]+)>\n?(.*?)\n?</parameter>`)}
	invokeTags = tagForm{name: regexp.MustCompile(`^\s*<invoke name="([^"]*)">`),
		value: regexp.MustCompile(`(?s)<parameter name="([^"]*)">(.*?)</parameter>`), end: "</invoke>"}
)

// tagged reads what is between the marks of calls, once it is there.
func (r *ToolReader) tagged(d *ToolDelta) bool {
	k := &r.f.kind
	body, rest, closed := strings.Cut(r.held, k.close)
	if !closed {
		return false
	}
	list := []string{body}
	if k.tags.end != "" {
		list = strings.SplitAfter(body, k.tags.end)
	}
	found := false
	for _, one := range list {
		if name, args, ok := r.callIn(one); ok {
			found = true
			if r.n++; !r.dropped() {
				d.Calls = append(d.Calls, CallDelta{Index: r.n - 1, ID: r.f.newCallID(), Name: name, Arguments: args})
			}
		}
	}
	if !found {
		d.Text += r.raw + body + k.close
	}
	r.held, r.raw, r.state = rest, "", between
	return true
}

// callIn reads one call; ok is false if there is none of a known function.
func (r *ToolReader) callIn(text string) (name, args string, ok bool) {
	form := r.f.kind.tags
	m := form.name.FindStringSubmatch(text)
	if m == nil || !r.known(m[1]) {
		return "", "", false
	}
	var out strings.Builder
	out.WriteByte('{')
	for i, v := range form.value.FindAllStringSubmatch(text[len(m[0]):], -1) {
		if i > 0 {
			out.WriteString(", ")
		}
		key, _ := json.Marshal(strings.TrimSpace(v[1]))
		out.Write(key)
		out.WriteString(": ")
		out.Write(r.valueOf(m[1], strings.TrimSpace(v[1]), v[2]))
	}
	out.WriteByte('}')
	return m[1], out.String(), true
}

// valueOf is an argument as JSON.
func (r *ToolReader) valueOf(tool, key, text string) []byte {
	for _, t := range r.f.use.Tools {
		var schema struct {
			Properties map[string]struct {
				Type any `json:"type"`
			} `json:"properties"`
		}
		if t.Name != tool || len(t.Parameters) == 0 || json.Unmarshal(t.Parameters, &schema) != nil {
			continue
		}
		if p, ok := schema.Properties[key]; ok && p.Type != nil && p.Type != "string" && json.Valid([]byte(text)) {
			return []byte(strings.TrimSpace(text))
		}
	}
	data, _ := json.Marshal(text)
	return data
}
