package serve

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"

	"github.com/lucid-go/lucid/llm"
)

// Limits on requests for embeddings.
const (
	maxInputs      = 2048    // texts, as OpenAI's
	maxInputTokens = 1 << 18 // of all texts
	embedQueue     = 64      // requests that wait for a model
)

// embedder is a model that embeds, for one request at a time.
type embedder struct {
	name string
	e    *llm.Embedder
	slots
}

// embedding is what a client asks for.
type embedding struct {
	name       string
	input      json.RawMessage
	encoding   string
	dimensions int64
	model      *embedder
	ids        [][]int
	tokens     int
}

// fields is the table of a request.
func (q *embedding) fields() []field {
	return []field{
		text("model", maxName, func(*request) *string { return &q.name }),
		{"input", func(_ *request, raw json.RawMessage) *failure { q.input = raw; return nil }},
		{"encoding_format", func(_ *request, raw json.RawMessage) *failure {
			q.encoding = string(raw)
			if q.encoding != `"float"` && q.encoding != `"base64"` {
				return wrong("encoding_format", "%.40s; want float or base64", raw)
			}
			return nil
		}},
		whole("dimensions", 1, 1<<20, func(*request) *int64 { return &q.dimensions }),
		passed("user"),
	}
}

func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) *failure {
	fields, bad := s.body(w, r)
	if bad != nil {
		return bad
	}
	q := &embedding{}
	if bad := (&request{}).fill(fields, q.fields()); bad != nil {
		return bad
	}
	if bad := s.beginEmbedding(q); bad != nil {
		return bad
	}
	if !s.enter() {
		return failureOf(llm.ErrClosed)
	}
	defer s.requests.Done()
	if bad := q.model.take(); bad != nil {
		return bad
	}
	defer q.model.leave()
	ctx, cancel := s.during(r)
	defer cancel()
	if err := q.model.wait(ctx); err != nil {
		return s.failed(r, err)
	}
	defer q.model.done()
	if bad := q.read(); bad != nil {
		return bad
	}
	vectors, err := q.model.e.EmbedIDs(ctx, q.ids, llm.EmbedOptions{})
	if err != nil {
		return s.failed(r, err)
	}
	s.answer(w, q.answer(vectors))
	return nil
}

// beginEmbedding finds the model.
func (s *Server) beginEmbedding(q *embedding) *failure {
	q.model = s.embedders[q.name]
	names := slices.Sorted(maps.Keys(s.embedders))
	switch {
	case q.name == "" && len(names) == 1:
		q.model = s.embedders[names[0]]
	case slices.Contains(s.names, q.name):
		return wrong("model", "%q generates text and does not embed it", q.name).coded("model_does_not_embed")
	case q.model == nil:
		return fail(http.StatusNotFound, "there is no model %.100q that embeds; there are %q", q.name, names).coded("model_not_found")
	}
	if size := q.model.e.Size(); q.dimensions != 0 && q.dimensions != int64(size) {
		return wrong("dimensions", "%d; vectors of %q have %d elements", q.dimensions, q.model.name, size)
	}
	if len(q.input) == 0 {
		return wrong("input", "is missing")
	}
	return nil
}

// read makes ids of the input: a text, ids, or a list of either.
func (q *embedding) read() *failure {
	var list []json.RawMessage
	if q.input[0] != '[' || json.Unmarshal(q.input, &list) != nil || len(list) == 0 || list[0][0] != '"' && list[0][0] != '[' {
		return q.add(q.input)
	}
	if len(list) > maxInputs {
		return wrong("input", "%d texts; want at most %d", len(list), maxInputs)
	}
	for _, raw := range list {
		if bad := q.add(raw); bad != nil {
			return bad
		}
	}
	return nil
}

// add takes one text, or the ids of one.
func (q *embedding) add(raw json.RawMessage) *failure {
	var ids []int
	var list []*int // null is no id
	switch {
	case raw[0] == '"':
		t, bad := textOf("input", raw, maxBodyLimit)
		if bad != nil {
			return bad
		}
		if t == "" {
			return wrong("input", `""; want texts that are not empty`)
		}
		var err error
		if ids, err = q.model.e.Tokens(t, llm.EmbedOptions{}); err != nil {
			return wrong("input", "%v", err)
		}
	case raw[0] != '[' || json.Unmarshal(raw, &list) != nil || slices.Contains(list, nil) || len(list) == 0:
		return wrong("input", "want a text, a list of token ids, or a list of either")
	}
	for _, id := range list {
		ids = append(ids, *id)
	}
	if q.tokens += len(ids); q.tokens > maxInputTokens {
		return wrong("input", "more than %d tokens", maxInputTokens)
	}
	q.ids = append(q.ids, ids)
	return nil
}

type embeddingItem struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"` // numbers, or their bytes as base64
}

type embeddingAnswer struct {
	Object string          `json:"object"`
	Data   []embeddingItem `json:"data"`
	Model  string          `json:"model"`
	Usage  embeddingUsage  `json:"usage"`
}

type embeddingUsage struct {
	Prompt int `json:"prompt_tokens"`
	Total  int `json:"total_tokens"`
}

func (q *embedding) answer(vectors [][]float32) embeddingAnswer {
	a := embeddingAnswer{Object: "list", Model: q.model.name, Usage: embeddingUsage{q.tokens, q.tokens}}
	for i, v := range vectors {
		item := embeddingItem{Object: "embedding", Index: i, Embedding: v}
		if q.encoding == `"base64"` {
			item.Embedding = base64.StdEncoding.EncodeToString(floatBytes(v))
		}
		a.Data = append(a.Data, item)
	}
	return a
}

// floatBytes is little-endian, as clients expect it.
func floatBytes(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
