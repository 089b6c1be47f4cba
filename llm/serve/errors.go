package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// failure is an answer that says what is wrong, in the form OpenAI's clients expect.
type failure struct {
	status int
	Error  failureBody `json:"error"`
	retry  int         // seconds after which to try again; 0: never
}

type failureBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// kinds of failures, by status.
var kinds = map[int]string{
	http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
	http.StatusTooManyRequests: "rate_limit_error", http.StatusServiceUnavailable: "overloaded_error",
	http.StatusInternalServerError: "server_error", http.StatusGatewayTimeout: "timeout_error",
}

func fail(status int, format string, args ...any) *failure {
	kind, ok := kinds[status]
	if !ok {
		kind = "invalid_request_error"
	}
	return &failure{status: status, Error: failureBody{Message: fmt.Sprintf(format, args...), Type: kind}}
}

// wrong is a 400 that names the field.
func wrong(field, format string, args ...any) *failure {
	f := fail(http.StatusBadRequest, "%s: %s", field, fmt.Sprintf(format, args...))
	f.Error.Param = &field
	return f
}

// coded sets the code that programs look at.
func (f *failure) coded(code string) *failure {
	f.Error.Code = &code
	return f
}

func (f *failure) write(w http.ResponseWriter) {
	if f.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.retry))
	}
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, f.status, f)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil { // texts and finite numbers only: cannot be
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer is no JSON"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}

// failureOf says what an error of the library is to a client.
func failureOf(err error) *failure {
	switch {
	case errors.Is(err, llm.ErrQueueFull):
		f := fail(http.StatusTooManyRequests, "the queue is full; try again later").coded("queue_full")
		f.retry = 1
		return f
	case errors.Is(err, llm.ErrClosed):
		f := fail(http.StatusServiceUnavailable, "the server is stopping").coded("stopping")
		f.retry = 5
		return f
	case errors.Is(err, context.DeadlineExceeded):
		return fail(http.StatusGatewayTimeout, "the request took longer than the server allows").coded("timeout")
	case errors.Is(err, lucid.ErrOutOfMemory), errors.Is(err, lucid.ErrValue), errors.Is(err, lucid.ErrIndex),
		errors.Is(err, lucid.ErrNotImplemented):
		return fail(http.StatusBadRequest, "%v", err)
	}
	return fail(http.StatusInternalServerError, "the model failed")
}
