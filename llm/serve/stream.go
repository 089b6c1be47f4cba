package serve

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/lucid-go/lucid/llm"
)

// shape is how an endpoint writes its answers: whole, or as events.
type shape interface {
	whole(q *request, answers []answer, use usage) any
	start(q *request, index int) []any // before the first token of an answer
	part(q *request, a *answer, t llm.Token) []any
	end(q *request, answers []answer, use usage) []any
}

// done is the last event of a stream, where it is no JSON.
const done = rawEvent("[DONE]")

type rawEvent string

// named is an event whose type is said outside its data too.
type named interface{ event() string }

// stream writes server-sent events.
type stream struct {
	s       *Server
	w       http.ResponseWriter
	q       *request
	f       shape
	control *http.ResponseController
	begun   bool
	started map[int]bool
}

// begin sends the headers.
func (o *stream) begin() {
	if !o.begun {
		o.begun, o.started = true, map[int]bool{}
		h := o.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("X-Accel-Buffering", "no")
		o.w.WriteHeader(http.StatusOK)
	}
}

// send writes events. A client that reads nothing for too long has left.
func (o *stream) send(events ...any) error {
	for _, v := range events {
		var line []byte
		if n, ok := v.(named); ok {
			line = append(append(append(line, "event: "...), n.event()...), '\n')
		}
		line = append(line, "data: "...)
		if raw, ok := v.(rawEvent); ok {
			line = append(line, raw...)
		} else {
			data, err := json.Marshal(v)
			if err != nil {
				return err
			}
			line = append(line, data...)
		}
		_ = o.control.SetWriteDeadline(time.Now().Add(o.s.o.Stall))
		if _, err := o.w.Write(append(line, "\n\n"...)); err != nil {
			return errGone
		}
	}
	if len(events) > 0 && o.control.Flush() != nil {
		return errGone
	}
	return nil
}

func (o *stream) token(a *answer, t llm.Token) error {
	o.begin()
	var first []any
	if !o.started[a.index] {
		o.started[a.index] = true
		first = o.f.start(o.q, a.index)
	}
	return o.send(append(first, o.f.part(o.q, a, t)...)...)
}

func (o *stream) end(answers []answer, use usage) {
	o.begin()
	_ = o.send(o.f.end(o.q, answers, use)...)
}

func (o *stream) failed(f *failure) { _ = o.send(f) }
