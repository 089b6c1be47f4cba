package serve

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Bounds on what is parsed, checked on the bytes before anything is allocated for it.
const (
	maxDepth  = 32
	maxValues = 1 << 18
)

// body reads a request. It is bounded before it is read, and scanned before it is parsed.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (map[string]json.RawMessage, *failure) {
	large := fail(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", s.o.MaxBody).coded("too_large")
	if r.ContentLength > s.o.MaxBody {
		w.Header().Set("Connection", "close")
		return nil, large
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.o.Stall))
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.o.MaxBody))
	if err != nil {
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			return nil, large
		}
		return nil, fail(http.StatusBadRequest, "the request did not come whole")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if bad := scan(data); bad != "" {
		return nil, fail(http.StatusBadRequest, "the request %s", bad)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		return nil, fail(http.StatusBadRequest, "the request is no JSON object")
	}
	return fields, nil
}

// scan says what is wrong with JSON text that is nested too deeply, has too many values, or is no UTF-8.
func scan(data []byte) string {
	if !utf8.Valid(data) {
		return "is no UTF-8"
	}
	depth, values, inside := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return "is nested more than " + strconv.Itoa(maxDepth) + " deep"
			}
			values++
		case c == '}' || c == ']':
			depth--
		case c == ',':
			values++
		}
		if values > maxValues {
			return "has more than " + strconv.Itoa(maxValues) + " values"
		}
	}
	return ""
}

// field is one row of the table of a request's fields.
type field struct {
	name string
	set  func(q *request, raw json.RawMessage) *failure
}

// whole is an integer within bounds.
func whole(name string, least, most int64, at func(q *request) *int64) field {
	return field{name, func(q *request, raw json.RawMessage) *failure {
		v, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || v < least || v > most {
			return wrong(name, "%.40s; want an integer from %d to %d", raw, least, most)
		}
		*at(q) = v
		return nil
	}}
}

// number is a finite number within bounds.
func number(name string, least, most float64, at func(q *request) *float64) field {
	return field{name, func(q *request, raw json.RawMessage) *failure {
		v, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || math.IsNaN(v) || v < least || v > most || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
			return wrong(name, "%.40s; want a number from %v to %v", raw, least, most)
		}
		*at(q) = v
		return nil
	}}
}

func flag(name string, at func(q *request) *bool) field {
	return field{name, func(q *request, raw json.RawMessage) *failure {
		switch string(raw) {
		case "true":
			*at(q) = true
		case "false":
			*at(q) = false
		default:
			return wrong(name, "%.40s; want true or false", raw)
		}
		return nil
	}}
}

// text is a string of bounded length.
func text(name string, most int, at func(q *request) *string) field {
	return field{name, func(q *request, raw json.RawMessage) (bad *failure) {
		*at(q), bad = textOf(name, raw, most)
		return bad
	}}
}

func textOf(name string, raw json.RawMessage, most int) (v string, bad *failure) {
	if raw[0] != '"' {
		return "", wrong(name, "%.40s; want a text", raw)
	}
	if len(raw) > 6*most+2 {
		return "", wrong(name, "a text of %d bytes; want at most %d", len(raw), most)
	}
	if json.Unmarshal(raw, &v) != nil || len(v) > most {
		return "", wrong(name, "a text of %d bytes; want at most %d", len(v), most)
	}
	return v, nil
}

// only accepts some values that change nothing here, and refuses others by name.
func only(name string, values ...string) field {
	return field{name, func(_ *request, raw json.RawMessage) *failure {
		if !slices.Contains(values, string(raw)) {
			return wrong(name, "%.40s is not supported; leave it out", raw)
		}
		return nil
	}}
}

// any accepts what says nothing about the answer.
func passed(name string) field {
	return field{name, func(*request, json.RawMessage) *failure { return nil }}
}

// objectOf parses an object whose keys are all known.
func objectOf(name string, raw json.RawMessage, keys ...string) (map[string]json.RawMessage, *failure) {
	var m map[string]json.RawMessage
	if raw[0] != '{' || json.Unmarshal(raw, &m) != nil {
		return nil, wrong(name, "%.40s; want an object", raw)
	}
	for key := range m {
		if !slices.Contains(keys, key) {
			return nil, wrong(name, "%.40q is not supported; want some of %q", key, keys)
		}
	}
	return m, nil
}

// fill reads fields by a table; null is as if a field were not there.
func (q *request) fill(fields map[string]json.RawMessage, table []field) *failure {
	known := map[string]bool{}
	for _, f := range table {
		known[f.name] = true
		if raw := fields[f.name]; len(raw) > 0 && string(raw) != "null" {
			if bad := f.set(q, raw); bad != nil {
				return bad
			}
		}
	}
	for name := range fields {
		if !known[name] {
			return wrong(clip(name, 100), "there is no such field, or it is not supported")
		}
	}
	return nil
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}
