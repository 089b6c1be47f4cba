package llm

import (
	"regexp"
	"strings"
)

// Answers of gpt-oss are messages in channels: <|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>….
// What is in the channel final, or in commentary for no function, is the answer; analysis is the model's own. A message for
// functions.name is a call.

// harmonyMarks are the special tokens of the form.
var harmonyMarks = []string{"<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>"}

// harmonyReader is where an answer in channels is.
type harmonyReader struct {
	inBody bool
	shown  bool // the body is part of the answer
	call   *callScanner
}

var harmonyTo = regexp.MustCompile(`to=functions\.([^\s<]+)`)

// channels reads the text that is held.
func (r *ToolReader) channels(d *ToolDelta, last bool) {
	for r.channel(d, last) {
	}
	if last {
		if h := r.harmony; !h.inBody && !strings.Contains(r.held, "<|") && r.n == 0 { // a template that begins the answer in its channel
			d.Text += r.held
		}
		r.held = ""
	}
}

// channel makes some progress; false: there is none to make.
func (r *ToolReader) channel(d *ToolDelta, last bool) bool {
	h := r.harmony
	if !h.inBody {
		head, rest, found := strings.Cut(r.held, "<|message|>")
		if !found {
			return false
		}
		_, name, _ := strings.Cut(head, "<|channel|>")
		r.held, h.inBody, h.call = rest, true, nil
		h.shown = !strings.HasPrefix(name, "analysis")
		if m := harmonyTo.FindStringSubmatch(head); m != nil {
			if h.shown = false; r.known(m[1]) {
				h.call = &callScanner{name: m[1], plain: true}
				if r.n++; !r.dropped() {
					d.Calls = append(d.Calls, CallDelta{Index: r.n - 1, ID: r.f.newCallID(), Name: m[1]})
				}
			}
		}
		return true
	}
	at, mark := -1, ""
	for _, m := range harmonyMarks {
		if i := strings.Index(r.held, m); i >= 0 && (at < 0 || i < at) {
			at, mark = i, m
		}
	}
	body := r.held
	switch {
	case at >= 0:
		body = r.held[:at]
	case !last:
		keep := 0
		for _, m := range harmonyMarks {
			keep = max(keep, openPrefix(r.held, m))
		}
		body = r.held[:len(r.held)-keep]
	}
	r.held = r.held[len(body):]
	if h.shown {
		d.Text += body
	}
	if h.call != nil {
		h.call.read(strings.TrimLeft(body, "\n"))
		if more := h.call.arguments(); more != "" && !r.dropped() {
			d.add(CallDelta{Index: r.n - 1, Arguments: more})
		}
	}
	if at < 0 {
		return false
	}
	if h.inBody = false; mark != "<|channel|>" && mark != "<|start|>" {
		r.held = strings.TrimPrefix(r.held, mark)
	}
	return true
}
