package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/lucid-go/lucid/llm"
)

// answer is one text under way.
type answer struct {
	index  int
	text   string
	tokens []llm.Token
	finish string // of OpenAI: stop, length or tool_calls
	reader *llm.ToolReader
	calls  []llm.ToolCall
	delta  llm.ToolDelta // of the last token
	cached int           // tokens of the prompt that were there
}

// event is something that happened to one of the answers of a request.
type event struct {
	index int
	token llm.Token
	err   error
}

// finishes are the names that clients know.
var finishes = map[string]string{"end": "stop", "stop": "stop", "length": "length", "context": "length"}

// run generates all answers of a request and calls each with every token. It returns the number of tokens of prompts.
func (s *Server) run(ctx context.Context, q *request, each func(e event) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, n := make(chan event), len(q.prompts)*int(q.n)
	var writers sync.WaitGroup
	defer writers.Wait()
	for i := range n {
		o := q.o
		o.Seed = q.seedOf(i)
		writers.Go(func() {
			send := func(e event) bool {
				select {
				case events <- e:
					return true
				case <-ctx.Done():
					return false
				}
			}
			for t, err := range q.model.b.GenerateIDs(ctx, q.prompts[i/int(q.n)], o) {
				if !send(event{i, t, err}) {
					return
				}
			}
		})
	}
	for n > 0 {
		select {
		case e := <-events:
			if e.err != nil {
				cancel()
				return e.err
			}
			if e.token.Finish != "" {
				n--
			}
			if err := each(e); err != nil {
				cancel()
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// seedOf is the seed of an answer: the one asked for, and those after it, or a random one.
func (q *request) seedOf(i int) uint64 {
	if q.seed != nil {
		return uint64(*q.seed) + uint64(i)
	}
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// client names who asks, for a fair share: the key, or the address without a port.
func (s *Server) client(r *http.Request) string {
	if len(s.keys) > 0 {
		return keyOf(r)
	}
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}

// newID makes the id of an answer.
func newID(prefix string) string {
	var b [12]byte
	_, _ = rand.Read(b[:])
	return prefix + hex.EncodeToString(b[:])
}

// errGone is that the client does not read.
var errGone = errors.New("serve: the client left")

// usage counts tokens.
type usage struct {
	Prompt     int     `json:"prompt_tokens"`
	Completion int     `json:"completion_tokens"`
	Total      int     `json:"total_tokens"`
	Reused     reused  `json:"prompt_tokens_details"`
	Guesses    guesses `json:"completion_tokens_details"`
}

// reused counts tokens of prompts that were not evaluated, because an earlier text began alike.
type reused struct {
	Cached int `json:"cached_tokens"`
}

// guesses counts tokens that were guessed ahead, from the prediction of a request or by what the server has for that.
type guesses struct {
	Right  int `json:"accepted_prediction_tokens"`
	Missed int `json:"rejected_prediction_tokens"`
}

// count adds a token.
func (u *usage) count(t llm.Token) {
	u.Completion++
	u.Guesses.Missed += t.Missed
	if t.Guessed {
		u.Guesses.Right++
	}
}

// countCached counts what every answer to a prompt found there: one may have found what another had just left.
func (u *usage) countCached(answers []answer, n int) {
	for each := range slices.Chunk(answers, n) {
		least := slices.MinFunc(each, func(a, b answer) int { return cmp.Compare(a.cached, b.cached) })
		u.Reused.Cached += least.cached
	}
}

// respond generates and writes the answer in the form of a shape, whole or as events.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, q *request, f shape) *failure {
	if !s.enter() {
		return failureOf(llm.ErrClosed)
	}
	defer s.requests.Done()
	q.o.Client = s.client(r)
	ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
	defer cancel()
	use, begun := usage{}, time.Now()
	for _, p := range q.prompts {
		use.Prompt += len(p)
	}
	answers := make([]answer, len(q.prompts)*int(q.n))
	for i := range answers {
		if answers[i].index = i; q.format != nil {
			answers[i].reader = q.format.Reader()
		}
	}
	last := make([]time.Time, len(answers))
	out := &stream{s: s, w: w, q: q, f: f, control: http.NewResponseController(w)}
	err := s.run(ctx, q, func(e event) error {
		a, now := &answers[e.index], time.Now()
		if len(a.tokens) == 0 {
			a.cached = e.token.Cached
			s.metrics.first.observe(now.Sub(begun).Seconds())
		} else {
			s.metrics.between.observe(now.Sub(last[e.index]).Seconds())
		}
		last[e.index] = now
		a.take(e.token)
		use.count(e.token)
		if q.stream {
			return out.token(a, e.token)
		}
		return nil
	})
	use.Total = use.Prompt + use.Completion
	use.countCached(answers, int(q.n))
	s.metrics.tokens(use)
	switch {
	case err != nil && (errors.Is(err, errGone) || r.Context().Err() != nil):
		return nil // no one reads
	case err != nil && out.begun:
		out.failed(failureOf(err))
		return nil
	case err != nil:
		bad := failureOf(err)
		if bad.status == http.StatusInternalServerError {
			s.o.Logger.Error("generation failed", "error", err.Error())
		}
		return bad
	case q.stream:
		out.end(answers, use)
	default:
		_ = out.control.SetWriteDeadline(time.Now().Add(s.o.Stall))
		writeJSON(w, http.StatusOK, f.whole(q, answers, use))
	}
	return nil
}
