package llm

import (
	"encoding/json"
	"slices"
	"strings"
)

// ToolReader finds the calls in an answer while it is generated.
type ToolReader struct {
	f     *ToolFormat
	held  string // text that is not understood yet
	state toolState
	at    *callScanner // the call that is read
	raw   string       // what was taken for the beginning of calls, to give it back if there are none
	n     int          // calls so far
	begun bool         // something other than white space came

	harmony *harmonyReader // of answers in channels; nil: another form
}

// ToolDelta is what a piece of an answer adds.
type ToolDelta struct {
	Text  string // of the answer, outside calls
	Calls []CallDelta
}

// CallDelta is a piece of a call. The first one of a call has its ID and name.
type CallDelta struct {
	Index     int
	ID, Name  string
	Arguments string // goes behind what came before
}

type toolState int

const (
	inAnswer toolState = iota
	opened             // behind the opening mark
	inCall             // in the object of a call, or in its arguments
	between            // behind a call
)

// Reader begins an answer.
func (f *ToolFormat) Reader() *ToolReader {
	r := &ToolReader{f: f}
	if f.kind.name == "harmony" {
		r.harmony, r.held = &harmonyReader{}, f.Prefix
		return r
	}
	if f.Prefix != "" {
		r.state, r.begun, r.held = opened, true, f.kind.before
	}
	return r
}

// Next takes a piece of the answer. last: no more follows.
func (r *ToolReader) Next(text string, last bool) (d ToolDelta) {
	r.held += text
	if r.harmony != nil {
		r.channels(&d, last)
		return d
	}
	for r.step(&d, last) {
	}
	if last {
		if r.at != nil && !r.at.started { // a call that did not come
			d.Text += r.raw + string(r.at.buf)
		}
		if r.state == inAnswer || r.state == opened {
			d.Text += r.raw + r.held
		}
		r.held, r.raw, r.at = "", "", nil
	}
	if r.f.use.Required { // nothing but calls may come: it is the beginning of one for which there was no room
		d.Text = ""
	}
	return d
}

// Calls returns how many calls were found.
func (r *ToolReader) Calls() int { return r.n }

// step makes some progress with the text that is held; false: there is none to make.
func (r *ToolReader) step(d *ToolDelta, last bool) bool {
	switch r.state {
	case inAnswer:
		return r.text(d, last)
	case opened:
		return r.begin(d)
	case inCall:
		return r.call(d)
	}
	return r.behind(last)
}

// text gives text out up to the mark that opens calls.
func (r *ToolReader) text(d *ToolDelta, last bool) bool {
	k := &r.f.kind
	if trimmed := strings.TrimLeft(r.held, " \r\n\t"); k.bare && !r.begun {
		if trimmed == "" && !last {
			return false
		}
		if strings.HasPrefix(trimmed, "{") {
			r.raw = r.held[:len(r.held)-len(trimmed)]
			r.held, r.state, r.begun, r.at = trimmed, inCall, true, r.newScanner()
			return true
		}
	}
	open := strings.Index(r.held, k.open)
	for _, mark := range []string{k.begin, k.end} { // around all calls: no part of the answer
		if i := strings.Index(r.held, mark); mark != "" && i >= 0 && (open < 0 || i < open) {
			d.Text += r.held[:i]
			r.held = r.held[i+len(mark):]
			return true
		}
	}
	if i := open; i >= 0 {
		d.Text += r.held[:i]
		r.raw, r.held, r.state, r.begun = k.open, r.held[i+len(k.open):], opened, true
		return true
	}
	keep := 0
	if !last {
		keep = max(openPrefix(r.held, k.open), openPrefix(r.held, k.begin), openPrefix(r.held, k.end))
	}
	out := r.held[:len(r.held)-keep]
	r.held = r.held[len(out):]
	d.Text += out
	r.begun = r.begun || strings.TrimSpace(out) != ""
	return false
}

// openPrefix is how many bytes at the end of text may be the beginning of a mark.
func openPrefix(text, mark string) int {
	for n := min(len(mark)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}

// begin looks at what follows the opening mark: an object, an array of them, or a name.
func (r *ToolReader) begin(d *ToolDelta) bool {
	trimmed := strings.TrimLeft(r.held, " \r\n\t")
	switch {
	case trimmed == "":
		return false
	case r.f.kind.tags != nil:
		return r.tagged(d)
	case r.f.kind.list && trimmed[0] == '[' || trimmed[0] == '{' && r.f.kind.arguments != "":
		if trimmed[0] == '[' {
			trimmed = strings.TrimLeft(trimmed[1:], " \r\n\t")
		}
		if trimmed == "" {
			return false
		}
		r.raw += r.held[:len(r.held)-len(trimmed)]
		r.held, r.state, r.at = trimmed, inCall, r.newScanner()
		return true
	}
	name, rest, found := strings.Cut(trimmed, "{") // Mistral's newer form: name[ARGS]{…}, perhaps with [CALL_ID] between
	if !found && len(trimmed) < maxToolName && (r.f.kind.list || r.f.kind.named != "") {
		return false
	}
	name = r.f.kind.nameIn(name)
	if !found || !r.known(strings.TrimSpace(name)) || !(r.f.kind.list || r.f.kind.named != "") {
		d.Text += r.raw
		r.raw, r.state = "", inAnswer
		return true
	}
	r.held, r.state, r.at = "{"+rest, inCall, r.newScanner()
	r.at.name, r.at.plain = strings.TrimSpace(name), true
	return true
}

// nameIn is the name of a function in what is between the opening mark and the arguments.
func (k *toolKind) nameIn(head string) string {
	if k.before != "" || k.begin != "" {
		head = strings.TrimPrefix(strings.TrimSpace(head), k.before)
		head, _, _ = strings.Cut(strings.TrimSuffix(head+"\n", k.named+"\n"), strings.TrimSuffix(k.named, "\n"))
		if k.name == "kimi" { // functions.name:0
			head, _, _ = strings.Cut(head, ":")
		}
		return strings.TrimSpace(head)
	}
	head, _, _ = strings.Cut(head, "[")
	return strings.TrimSpace(head)
}

// maxToolName bounds the name of a tool that is waited for.
const maxToolName = 256

func (r *ToolReader) known(name string) bool {
	return slices.ContainsFunc(r.f.use.Tools, func(t Tool) bool { return t.Name == name })
}

func (r *ToolReader) newScanner() *callScanner {
	return &callScanner{keys: []string{"arguments", "parameters"}}
}

// call reads on in a call.
func (r *ToolReader) call(d *ToolDelta) bool {
	s := r.at
	n := s.read(r.held)
	r.held = r.held[n:]
	if !s.started && s.ready() && r.known(s.name) {
		s.started = true
		if r.n++; !r.dropped() {
			d.Calls = append(d.Calls, CallDelta{Index: r.n - 1, ID: r.f.newCallID(), Name: s.name})
		}
	}
	if s.started && !r.dropped() {
		if more := s.arguments(); more != "" {
			d.add(CallDelta{Index: r.n - 1, Arguments: more})
		}
	}
	switch {
	case s.started && (s.done || s.failed):
		r.state, r.at, r.raw = between, nil, ""
		return true
	case s.done || s.failed: // no call of a tool
		d.Text += r.raw + string(s.buf)
		r.state, r.at, r.raw = inAnswer, nil, ""
		return true
	}
	return false
}

// dropped reports whether the call that is read is one too many.
func (r *ToolReader) dropped() bool { return r.f.use.Single && r.n > 1 }

// add joins pieces of one call.
func (d *ToolDelta) add(c CallDelta) {
	if n := len(d.Calls); n > 0 && d.Calls[n-1].Index == c.Index {
		d.Calls[n-1].Arguments += c.Arguments
		return
	}
	d.Calls = append(d.Calls, c)
}

// behind skips what separates calls.
func (r *ToolReader) behind(last bool) bool {
	k := &r.f.kind
	r.held = strings.TrimLeft(r.held, " \r\n\t")
	for _, skip := range []string{strings.TrimSpace(k.fence), k.close, "]", ",", ";"} {
		if skip == "" || skip == "]" && !k.list || skip == "," && !k.list || skip == ";" && !k.bare {
			continue
		}
		if rest, ok := strings.CutPrefix(r.held, skip); ok {
			r.held = rest
			return true
		}
		if strings.HasPrefix(skip, r.held) && !last {
			return false // it may still come
		}
	}
	switch {
	case r.held == "":
		return false
	case r.held[0] == '{' && (k.bare || k.list):
		r.state, r.at = inCall, r.newScanner()
	default:
		r.state = inAnswer
	}
	return true
}

// callScanner reads the object of a call byte by byte.
type callScanner struct {
	keys    []string // of the arguments
	plain   bool     // the object is the arguments
	buf     []byte
	depth   int
	quoted  bool
	escaped bool
	from    int    // where the string or the value at depth 1 begins
	key     string // at depth 1, "" before it is complete
	name    string
	args    [2]int // the arguments in buf; the second is 0 while they go on
	sent    int
	started bool
	done    bool
	failed  bool
}

// ready reports whether the name is known and the arguments have begun.
func (s *callScanner) ready() bool { return s.name != "" && (s.plain || s.args[0] > 0) && !s.failed }

// arguments returns what is new of them.
func (s *callScanner) arguments() string {
	from, to := s.args[0], s.args[1]
	if to == 0 {
		to = len(s.buf)
	}
	if from < len(s.buf) && s.buf[from] == '"' { // JSON within a JSON text: whole or not at all
		var text string
		if s.args[1] == 0 || s.sent > 0 || json.Unmarshal(s.buf[from:to], &text) != nil {
			return ""
		}
		s.sent = to
		return text
	}
	from = max(from, s.sent)
	if from >= to {
		return ""
	}
	s.sent = to
	return string(s.buf[from:to])
}

// read takes bytes up to the end of the object and returns how many it took.
func (s *callScanner) read(text string) int {
	for i := range len(text) {
		if s.done || s.failed {
			return i
		}
		s.byte(text[i])
	}
	return len(text)
}

func (s *callScanner) byte(c byte) {
	at := len(s.buf)
	s.buf = append(s.buf, c)
	if at == 0 && c != '{' {
		s.failed = true
		return
	}
	switch {
	case s.quoted && s.escaped:
		s.escaped = false
	case s.quoted && c == '\\':
		s.escaped = true
	case s.quoted && c == '"':
		if s.quoted = false; s.depth == 1 && !s.plain {
			s.text(at + 1)
			s.closed(at + 1)
		}
	case s.quoted:
	case c == '"':
		s.value(at)
		s.quoted = true
	case c == '{' || c == '[':
		s.value(at)
		s.depth++
	case c == '}' || c == ']':
		switch s.depth--; s.depth {
		case 0:
			s.end(at)
			s.done = true
			if s.plain {
				s.args[1] = at + 1
			}
		case 1:
			s.closed(at + 1)
		}
	case c == ',' && s.depth == 1:
		s.end(at)
		s.key = ""
	case s.depth == 1 && c != ':' && c != ' ' && c != '\n' && c != '\r' && c != '\t':
		s.value(at)
	}
}

// value notes where a value of the object begins.
func (s *callScanner) value(at int) {
	if s.depth != 1 || s.plain {
		return
	}
	if s.key == "" || s.from < 0 {
		s.from = at
		if s.key != "" && slices.Contains(s.keys, s.key) && s.args[0] == 0 {
			s.args[0] = at
		}
	}
}

// text is that a string at depth 1 ended: a key, or the name.
func (s *callScanner) text(end int) {
	var text string
	if json.Unmarshal(s.buf[s.from:end], &text) != nil {
		s.failed = true
		return
	}
	if s.key == "" {
		s.key, s.from = text, -1
		s.failed = text == ""
	} else if s.key == "name" {
		s.name = text
	}
}

// closed is that a string, object or array at depth 1 ended.
func (s *callScanner) closed(end int) {
	if s.args[0] > 0 && s.args[1] == 0 && end > s.args[0] && !s.plain {
		s.args[1] = end
	}
}

// end is that a value at depth 1 is complete.
func (s *callScanner) end(at int) {
	if s.args[0] > 0 && s.args[1] == 0 && !s.plain {
		for at > 0 && strings.IndexByte(" \n\r\t", s.buf[at-1]) >= 0 {
			at--
		}
		s.args[1] = at
	}
}
