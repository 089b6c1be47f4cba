package serve

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// request is what a client asks for, checked.
type request struct {
	model     *served
	release   func() // lets the model go
	name      string
	prompts   [][]int // ids
	n         int64
	maxTokens int64
	seed      *int64
	stream    bool
	usage     bool // stream_options.include_usage
	logprobs  bool
	top       int64
	echo      bool
	o         llm.Options

	messages   []llm.Message
	prediction string // a text that the answer may repeat in parts
	tools      llm.ToolUse
	noTools    bool            // tool_choice is none
	format     *llm.ToolFormat // nil: no tools

	instructions string // of responses, as the next two
	metadata     json.RawMessage
	textFormat   json.RawMessage
	prompt       json.RawMessage
	hasTopP      bool
	topK         int64
	dryLen       int64
	dryLast      int64
	window       int64
}

// Limits on the fields of requests. The table-driven tests go by the tables below.
const (
	maxMessages   = 2048
	maxPrompts    = 32
	maxStops      = 16
	maxStopBytes  = 256
	maxBias       = 1024
	maxName       = 256
	maxTopLogs    = 20
	maxTokenLimit = 1 << 24
	maxPrediction = 1 << 18 // bytes
)

// sampling are the fields that both kinds of completions have.
func sampling(maxN int) []field {
	return []field{
		text("model", maxName, func(q *request) *string { return &q.name }),
		whole("n", 1, int64(maxN), func(q *request) *int64 { return &q.n }),
		whole("max_tokens", 1, maxTokenLimit, func(q *request) *int64 { return &q.maxTokens }),
		number("temperature", 0, 2, func(q *request) *float64 { return &q.o.Temperature }),
		number("top_p", 0, 1, func(q *request) *float64 {
			q.hasTopP = true
			return &q.o.TopP
		}),
		whole("top_k", 0, 1<<22, func(q *request) *int64 { return &q.topK }),
		number("min_p", 0, 1, func(q *request) *float64 { return &q.o.MinP }),
		number("typical_p", 0, 1, func(q *request) *float64 { return &q.o.Typical }),
		number("xtc_probability", 0, 1, func(q *request) *float64 { return &q.o.XTC }),
		number("xtc_threshold", 0, 1, func(q *request) *float64 { return &q.o.XTCThreshold }),
		number("mirostat_tau", 0, 100, func(q *request) *float64 { return &q.o.Mirostat }),
		number("mirostat_eta", 0, 100, func(q *request) *float64 { return &q.o.MirostatRate }),
		number("repetition_penalty", 0.01, 100, func(q *request) *float64 { return &q.o.RepetitionPenalty }),
		whole("repeat_last_n", 0, 1<<24, func(q *request) *int64 { return &q.window }),
		number("presence_penalty", -2, 2, func(q *request) *float64 { return &q.o.PresencePenalty }),
		number("frequency_penalty", -2, 2, func(q *request) *float64 { return &q.o.FrequencyPenalty }),
		number("dry_multiplier", 0, 100, func(q *request) *float64 { return &q.o.DRY.Multiplier }),
		number("dry_base", 1, 100, func(q *request) *float64 { return &q.o.DRY.Base }),
		whole("dry_allowed_length", 0, 1<<24, func(q *request) *int64 { return &q.dryLen }),
		whole("dry_penalty_last_n", 0, 1<<24, func(q *request) *int64 { return &q.dryLast }),
		whole("seed", math.MinInt64, math.MaxInt64, func(q *request) *int64 {
			q.seed = new(int64)
			return q.seed
		}),
		flag("stream", func(q *request) *bool { return &q.stream }),
		flag("ignore_eos", func(q *request) *bool { return &q.o.IgnoreEnd }),
		{"stop", setStop}, {"stream_options", setStreamOptions}, {"logit_bias", setBias}, {"grammar", setGrammar},
		passed("user"), passed("metadata"), passed("safety_identifier"), passed("prompt_cache_key"), only("store", "false"),
		only("service_tier", `"auto"`, `"default"`),
	}
}

// chatFields are those of chat completions.
func chatFields(maxN int) []field {
	return append(append(sampling(maxN), toolFields()...),
		field{"messages", setMessages},
		whole("max_completion_tokens", 1, maxTokenLimit, func(q *request) *int64 { return &q.maxTokens }),
		flag("logprobs", func(q *request) *bool { return &q.logprobs }),
		whole("top_logprobs", 0, maxTopLogs, func(q *request) *int64 { return &q.top }),
		field{"response_format", setFormat},
		only("functions", "[]"), only("function_call", `"none"`, `"auto"`), only("modalities", `["text"]`), only("reasoning_effort"),
		only("audio"), field{"prediction", setPrediction}, only("web_search_options"), only("verbosity"))
}

// textFields are those of completions.
func textFields(maxN int) []field {
	return append(sampling(maxN),
		field{"prompt", func(q *request, raw json.RawMessage) *failure { q.prompt = raw; return nil }},
		flag("echo", func(q *request) *bool { return &q.echo }),
		field{"logprobs", func(q *request, raw json.RawMessage) *failure {
			q.logprobs = true
			return whole("logprobs", 0, maxTopLogs, func(q *request) *int64 { return &q.top }).set(q, raw)
		}},
		only("best_of", "1"), only("suffix", `""`))
}

func setStop(q *request, raw json.RawMessage) *failure {
	list := []json.RawMessage{raw}
	if raw[0] == '[' && (json.Unmarshal(raw, &list) != nil || len(list) > maxStops) {
		return wrong("stop", "want at most %d texts", maxStops)
	}
	for _, one := range list {
		t, bad := textOf("stop", one, maxStopBytes)
		if bad != nil {
			return bad
		}
		if t == "" {
			return wrong("stop", `""; want texts that are not empty`)
		}
		q.o.Stop = append(q.o.Stop, t)
	}
	return nil
}

func setStreamOptions(q *request, raw json.RawMessage) *failure {
	m, bad := objectOf("stream_options", raw, "include_usage", "include_obfuscation")
	if bad != nil {
		return bad
	}
	for key, v := range m {
		if bad := flag("stream_options."+key, func(q *request) *bool { return new(bool) }).set(q, v); bad != nil {
			return bad
		}
	}
	q.usage = string(m["include_usage"]) == "true"
	return nil
}

func setBias(q *request, raw json.RawMessage) *failure {
	var m map[string]json.RawMessage
	if raw[0] != '{' || json.Unmarshal(raw, &m) != nil || len(m) > maxBias {
		return wrong("logit_bias", "want an object of at most %d token ids", maxBias)
	}
	q.o.LogitBias = map[int]float64{}
	for key, v := range m {
		id, err := strconv.Atoi(key)
		bias := 0.0
		if bad := number("logit_bias", -100, 100, func(*request) *float64 { return &bias }).set(q, v); bad != nil {
			return bad
		}
		if err != nil || id < 0 || id >= maxTokenLimit {
			return wrong("logit_bias", "%.20q is no token id", key)
		}
		q.o.LogitBias[id] = bias
	}
	return nil
}

// setPrediction reads {"type": "content", "content": …}.
func setPrediction(q *request, raw json.RawMessage) *failure {
	m, bad := objectOf("prediction", raw, "type", "content")
	if bad != nil {
		return bad
	}
	if string(m["type"]) != `"content"` {
		return wrong("prediction.type", "%.40s; want content", m["type"])
	}
	if len(m["content"]) > 6*maxPrediction {
		return wrong("prediction.content", "%d bytes; want at most %d", len(m["content"]), maxPrediction)
	}
	if q.prediction, bad = contentOf("prediction.content", m["content"]); bad == nil && len(q.prediction) > maxPrediction {
		bad = wrong("prediction.content", "%d bytes; want at most %d", len(q.prediction), maxPrediction)
	}
	return bad
}

// predict cuts the prediction into tokens, as many as a text can have.
func (q *request) predict() {
	m := q.model.m
	ids := m.Tokenizer().EncodeWith(q.prediction, tokenizer.EncodeOptions{NoAdded: true, SpecialAsText: true})
	q.o.Prediction = ids[:min(len(ids), m.Config().Context)]
}

// roles of messages, by the names that templates know.
var roles = map[string]string{"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}

func setMessages(q *request, raw json.RawMessage) *failure {
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil || len(list) == 0 || len(list) > maxMessages {
		return wrong("messages", "want a list of 1 to %d messages", maxMessages)
	}
	for i, one := range list {
		at := "messages[" + strconv.Itoa(i) + "]"
		if len(one) == 0 || string(one) == "null" {
			return wrong(at, "null; want an object")
		}
		m, bad := objectOf(at, one, "role", "content", "name", "tool_calls", "tool_call_id", "refusal", "annotations", "audio",
			"function_call")
		if bad != nil {
			return bad
		}
		message, bad := messageOf(at, m)
		if bad != nil {
			return bad
		}
		q.messages = append(q.messages, message)
	}
	return nil
}

// messageOf reads a message. Clients send back what an answer was, with the fields that are null in it.
func messageOf(at string, m map[string]json.RawMessage) (one llm.Message, bad *failure) {
	maps.DeleteFunc(m, func(_ string, raw json.RawMessage) bool { return string(raw) == "null" })
	role := ""
	if len(m["role"]) > 0 {
		if role, bad = textOf(at+".role", m["role"], maxName); bad != nil {
			return one, bad
		}
	}
	if one.Role = roles[role]; one.Role == "" {
		return one, wrong(at+".role", "%.40q; want system, developer, user, assistant or tool", role)
	}
	for _, key := range []string{"refusal", "audio", "function_call"} {
		if len(m[key]) > 0 {
			return one, wrong(at+"."+key, "is not supported; leave it out")
		}
	}
	if raw := m["annotations"]; len(raw) > 0 && string(raw) != "[]" {
		return one, wrong(at+".annotations", "is not supported; leave it out")
	}
	if len(m["name"]) > 0 {
		if one.Name, bad = nameOf(at+".name", m["name"]); bad != nil {
			return one, bad
		}
	}
	if raw := m["tool_call_id"]; len(raw) > 0 {
		if one.ToolCallID, bad = textOf(at+".tool_call_id", raw, maxName); bad != nil {
			return one, bad
		}
	}
	if (one.Role == "tool") != (one.ToolCallID != "") {
		return one, wrong(at+".tool_call_id", "want it in messages of tools, and in no others")
	}
	if raw := m["tool_calls"]; len(raw) > 0 {
		if one.ToolCalls, bad = messageCalls(at+".tool_calls", raw); bad != nil {
			return one, bad
		}
		if one.Role != "assistant" {
			return one, wrong(at+".tool_calls", "with the role %s; want assistant", role)
		}
	}
	if len(m["content"]) == 0 && len(one.ToolCalls) > 0 {
		return one, nil
	}
	one.Content, bad = contentOf(at+".content", m["content"])
	return one, bad
}

// messageCalls reads the calls of an assistant's message.
func messageCalls(at string, raw json.RawMessage) (calls []llm.ToolCall, bad *failure) {
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil || len(list) > maxTools {
		return nil, wrong(at, "want a list of at most %d calls", maxTools)
	}
	for i, one := range list {
		at := at + "[" + strconv.Itoa(i) + "]"
		m, bad := objectOf(at, one, "id", "type", "function", "index")
		if bad != nil {
			return nil, bad
		}
		var c llm.ToolCall
		if len(m["id"]) == 0 || len(m["function"]) == 0 || len(m["type"]) > 0 && string(m["type"]) != `"function"` {
			return nil, wrong(at, "want an id, the type function and a function")
		}
		if c.ID, bad = textOf(at+".id", m["id"], maxName); bad != nil {
			return nil, bad
		}
		if m, bad = objectOf(at+".function", m["function"], "name", "arguments"); bad != nil {
			return nil, bad
		}
		if c.Name, bad = nameOf(at+".function.name", m["name"]); bad != nil {
			return nil, bad
		}
		if c.Arguments, bad = argumentsOf(at+".function.arguments", m["arguments"]); bad != nil {
			return nil, bad
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// argumentsOf reads the arguments of a call, JSON within a text.
func argumentsOf(at string, raw json.RawMessage) (string, *failure) {
	if len(raw) == 0 {
		return "", wrong(at, "is missing")
	}
	text, bad := textOf(at, raw, maxBodyLimit)
	if bad != nil {
		return "", bad
	}
	if text == "" {
		text = "{}"
	}
	if problem := scan([]byte(text)); problem != "" || !json.Valid([]byte(text)) || strings.TrimSpace(text)[0] != '{' {
		return "", wrong(at, "want a JSON object as a text")
	}
	return text, nil
}

// contentOf is a text, or a list of parts that are texts.
func contentOf(name string, raw json.RawMessage) (string, *failure) {
	if len(raw) == 0 || raw[0] != '[' {
		if len(raw) == 0 {
			return "", wrong(name, "is missing")
		}
		return textOf(name, raw, maxBodyLimit)
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil || len(parts) > maxMessages {
		return "", wrong(name, "want a text, or at most %d parts", maxMessages)
	}
	var all strings.Builder
	for i, one := range parts {
		at := name + "[" + strconv.Itoa(i) + "]"
		var part struct {
			Type string
		}
		if json.Unmarshal(one, &part) != nil || !slices.Contains([]string{"text", "input_text", "output_text"}, part.Type) {
			return "", wrong(at+".type", "%.40q is not supported; want text", part.Type)
		}
		keys := []string{"type", "text"}
		if part.Type == "output_text" { // as an answer was
			keys = append(keys, "annotations", "logprobs")
		}
		m, bad := objectOf(at, one, keys...)
		if bad != nil {
			return "", bad
		}
		if len(m["text"]) == 0 {
			return "", wrong(at+".text", "is missing")
		}
		t, bad := textOf(at+".text", m["text"], maxBodyLimit)
		if bad != nil {
			return "", bad
		}
		all.WriteString(t)
	}
	return all.String(), nil
}

// promptsOf reads the prompt of a completion: a text, ids, or a list of either.
func (q *request) promptsOf() *failure {
	if len(q.prompt) == 0 {
		return wrong("prompt", "is missing")
	}
	tok := q.model.m.Tokenizer()
	one := func(raw json.RawMessage) *failure {
		var list []*int // null is no id
		var ids []int
		switch {
		case len(raw) > 0 && raw[0] == '"':
			t, bad := textOf("prompt", raw, maxBodyLimit)
			if bad != nil {
				return bad
			}
			if err := lucid.Try(func() { ids = tok.EncodeWith(t, tokenizer.EncodeOptions{}) }); err != nil {
				return wrong("prompt", "%v", err)
			}
		case len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil || slices.Contains(list, nil):
			return wrong("prompt", "want a text, a list of token ids, or a list of either")
		}
		for _, id := range list {
			ids = append(ids, *id)
		}
		q.prompts = append(q.prompts, ids)
		return nil
	}
	var list []json.RawMessage
	if q.prompt[0] != '[' || json.Unmarshal(q.prompt, &list) != nil || len(list) == 0 || list[0][0] != '"' && list[0][0] != '[' {
		return one(q.prompt)
	}
	if len(list) > maxPrompts {
		return wrong("prompt", "%d prompts; want at most %d", len(list), maxPrompts)
	}
	for _, raw := range list {
		if bad := one(raw); bad != nil {
			return bad
		}
	}
	return nil
}

// begin finds the model, loads it if that is needed, and fills in what fields left open. The caller releases the model.
func (s *Server) begin(ctx context.Context, q *request) *failure {
	switch {
	case q.name == "" && len(s.names) == 1:
		q.name = s.names[0]
	case s.embedders[q.name] != nil:
		return wrong("model", "%q embeds texts and does not generate them", q.name).coded("model_does_not_generate")
	}
	if !slices.Contains(s.names, q.name) {
		return fail(http.StatusNotFound, "there is no model %.100q; there are %q", q.name, s.names).coded("model_not_found")
	}
	if bad := s.complete(q); bad != nil {
		return bad
	}
	model, release, err := s.models.acquire(ctx, q.name)
	if err != nil {
		return s.failureOfLoad(q.name, err)
	}
	if model.b.Full() { // before the prompt is written and cut into tokens
		release()
		return failureOf(llm.ErrQueueFull)
	}
	q.model, q.release = model, release
	return nil
}

// complete fills in what fields left open.
func (s *Server) complete(q *request) *failure {
	if q.hasTopP && q.o.TopP == 0 { // of the API: the first token only; of the library: no limit
		q.o.TopP = 1e-9
	}
	q.o.TopK, q.o.PenaltyWindow, q.o.DRY.Allowed, q.o.DRY.Window = int(q.topK), int(q.window), int(q.dryLen), int(q.dryLast)
	if q.logprobs {
		q.o.TopLogProbs = int(q.top)
	} else if q.top > 0 {
		return wrong("top_logprobs", "%d without logprobs", q.top)
	}
	if s.o.MaxTokens > 0 && (q.maxTokens == 0 || q.maxTokens > int64(s.o.MaxTokens)) {
		if q.maxTokens > 0 {
			return wrong("max_tokens", "%d; the server allows %d", q.maxTokens, s.o.MaxTokens)
		}
		q.maxTokens = int64(s.o.MaxTokens)
	}
	q.o.MaxTokens = int(q.maxTokens)
	return nil
}
