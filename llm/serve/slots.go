package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/lucid-go/lucid/llm"
)

// slots let one request of a model compute at a time, and some wait.
type slots struct {
	busy  chan struct{} // has room for the request that computes
	queue chan struct{} // has room for those that wait, and that one
}

func newSlots(queue int) slots { return slots{make(chan struct{}, 1), make(chan struct{}, queue+1)} }

// take gets into the queue, or says that it is full; leave must be called after it.
func (s *slots) take() *failure {
	select {
	case s.queue <- struct{}{}:
		return nil
	default:
		return failureOf(llm.ErrQueueFull)
	}
}

func (s *slots) leave() { <-s.queue }

// wait waits until the request may compute; done must be called after it.
func (s *slots) wait(ctx context.Context) error {
	select {
	case s.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slots) done() { <-s.busy }

// during is the context of a request: it ends with the client, with the time allowed, and with the server.
func (s *Server) during(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// failed is what a client hears of an error; nil if no one listens any more.
func (s *Server) failed(r *http.Request, err error) *failure {
	if r.Context().Err() != nil {
		return nil
	}
	if s.life.Err() != nil {
		return failureOf(llm.ErrClosed)
	}
	bad := failureOf(err)
	if bad.status == http.StatusInternalServerError {
		s.o.Logger.Error("a model failed", "error", err.Error())
	}
	return bad
}

// answer writes an answer to a client that must read it in time.
func (s *Server) answer(w http.ResponseWriter, v any) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.o.Stall))
	writeJSON(w, http.StatusOK, v)
}
