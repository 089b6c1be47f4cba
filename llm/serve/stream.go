package serve

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/lucid-go/lucid/llm"
)

// shape is how an endpoint writes its answers.
type shape interface {
	whole(q *request, answers []answer, use usage) any
	// start is what comes before the first token of an answer, nil if nothing does.
	start(q *request, index int) any
	part(q *request, a *answer, t llm.Token) any
	count(q *request, use usage) any
}

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

// send writes one event. A client that reads nothing for too long has left.
func (o *stream) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return o.raw(data)
}

func (o *stream) raw(data []byte) error {
	_ = o.control.SetWriteDeadline(time.Now().Add(o.s.o.Stall))
	line := append(append([]byte("data: "), data...), "\n\n"...)
	if _, err := o.w.Write(line); err != nil {
		return errGone
	}
	if err := o.control.Flush(); err != nil {
		return errGone
	}
	return nil
}

func (o *stream) token(a *answer, t llm.Token) error {
	o.begin()
	if first := o.f.start(o.q, a.index); first != nil && !o.started[a.index] {
		o.started[a.index] = true
		if err := o.send(first); err != nil {
			return err
		}
	}
	return o.send(o.f.part(o.q, a, t))
}

func (o *stream) end(use usage) {
	o.begin()
	if o.q.usage {
		_ = o.send(o.f.count(o.q, use))
	}
	_ = o.raw([]byte("[DONE]"))
}

func (o *stream) failed(f *failure) { _ = o.send(f) }
