package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data/sets"
)

func body(row []float32) string {
	b, _ := json.Marshal(map[string]any{"pixels": row})
	return string(b)
}

// TestServe asks many questions at once and one by one: the answers agree, and the model was run less often than asked.
func TestServe(t *testing.T) {
	model, right, err := train(200)
	if err != nil || right < 0.95 {
		t.Fatalf("%.3f right, %v", right, err)
	}
	digits, err := sets.Digits()
	if err != nil {
		t.Fatal(err)
	}
	rows, truth := lucid.ToSlice[float32](digits.X), lucid.ToSlice[int](digits.Y)
	b := newBatcher(model, pixels, 16, 256, 20*time.Millisecond)
	defer b.close()
	s := httptest.NewServer(handler(b))
	defer s.Close()
	ask := func(i int) (p prediction) {
		r, err := http.Post(s.URL+"/predict", "application/json", strings.NewReader(body(rows[i*pixels:(i+1)*pixels])))
		if err != nil {
			t.Error(err)
			return p
		}
		defer r.Body.Close()
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.StatusCode != 200 {
			t.Errorf("status %d, %v", r.StatusCode, err)
		}
		return p
	}
	const n = 100
	together := make([]prediction, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { together[i] = ask(i) })
	}
	wait.Wait()
	if q, runs := b.questions.Load(), b.batches.Load(); q != n || runs >= n/2 {
		t.Errorf("%d questions in %d batches", q, runs)
	}
	good := 0
	for i, p := range together[:20] {
		if alone := ask(i); alone.Digit != p.Digit || alone.Probability-p.Probability > 1e-5 || p.Probability-alone.Probability > 1e-5 {
			t.Errorf("digit %d: %+v together, %+v alone", i, p, alone)
		}
		if p.Digit == truth[i] {
			good++
		}
	}
	if good < 18 {
		t.Errorf("%d of 20 right", good)
	}
	r, err := http.Get(s.URL + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if !strings.Contains(string(text), `"questions":120`) {
		t.Errorf("stats: %s", text)
	}
}

func TestRefused(t *testing.T) {
	b := newBatcher(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Zeros(x.Size(0), 10) }, pixels, 4, 4, 0)
	defer b.close()
	h := handler(b)
	zeros := body(make([]float32, pixels))
	for text, want := range map[string]int{
		"":                                     400,
		"[]":                                   400,
		`{"pixels":[1,2]}`:                     400,
		`{"pixels":["x"]}`:                     400,
		`{"image":[]}`:                         400,
		"null":                                 400,
		`{"pixels":null}`:                      400,
		zeros + "{}":                           400,
		zeros + " 1":                           400,
		zeros + "]":                            400,
		strings.Replace(zeros, "0", "null", 1): 400,
		strings.Replace(zeros, "0", "NaN", 1):  400,
		strings.Replace(zeros, "0", "1e39", 1): 400,
		strings.Replace(zeros, "0", "-1", 1):   400,
		strings.Replace(zeros, "0", "17", 1):   400,
		zeros + "\n":                           200,
		`{"pixels":[` + strings.Repeat("1,", 1<<14) + "1]}": 413,
		zeros: 200,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/predict", strings.NewReader(text)))
		if w.Code != want || want != 200 && !strings.Contains(w.Body.String(), `"error":`) {
			t.Errorf("%.30q: status %d, %s; want %d", text, w.Code, w.Body, want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/predict", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: status %d", w.Code)
	}
	none := newBatcher(func(x *lucid.Tensor) *lucid.Tensor { return lucid.Full([]int{x.Size(0), 10}, math.NaN()) }, pixels, 4, 4, 0)
	defer none.close()
	w = httptest.NewRecorder()
	handler(none).ServeHTTP(w, httptest.NewRequest("POST", "/predict", strings.NewReader(zeros)))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "no score") {
		t.Errorf("scores that are NaN: status %d, %q", w.Code, w.Body)
	}
	broken := newBatcher(func(x *lucid.Tensor) *lucid.Tensor { return x.MatMul(lucid.Zeros(3, 3)) }, pixels, 4, 4, 0)
	defer broken.close()
	w = httptest.NewRecorder()
	handler(broken).ServeHTTP(w, httptest.NewRequest("POST", "/predict", strings.NewReader(body(make([]float32, pixels)))))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "matmul") {
		t.Errorf("a broken model: status %d, %s", w.Code, w.Body)
	}
}

// TestBounds fills the queue, leaves, and closes: no client waits for ever, and no goroutine is left.
func TestBounds(t *testing.T) {
	before := runtime.NumGoroutine()
	hold, entered := make(chan struct{}), make(chan struct{}, 16)
	b := newBatcher(func(x *lucid.Tensor) *lucid.Tensor {
		entered <- struct{}{}
		<-hold
		return x
	}, 1, 1, 2, 0)
	row := []float32{1}
	results := make(chan error, 3)
	ask := func(ctx context.Context) { _, err := b.ask(ctx, row); results <- err }
	go ask(context.Background()) // the model holds this one
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	go ask(ctx) // these wait
	go ask(context.Background())
	for len(b.queue) < 2 {
		time.Sleep(time.Millisecond)
	}
	if _, err := b.ask(context.Background(), row); !errors.Is(err, errBusy) {
		t.Errorf("a full queue: %v", err)
	}
	cancel()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("who left got %v", err)
	}
	close(hold)
	b.close()
	for range 2 {
		if err := <-results; err != nil {
			t.Errorf("who was waiting at the end got %v", err)
		}
	}
	if n := b.questions.Load(); n != 2 {
		t.Errorf("%d questions were computed; one had left", n)
	}
	if _, err := b.ask(context.Background(), row); !errors.Is(err, errClosed) {
		t.Errorf("after close: %v", err)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
}

// TestShutdown stops a server while a question is under way: it is answered.
func TestShutdown(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	address := free.Addr().String()
	free.Close()
	entered := make(chan struct{}, 1)
	b := newBatcher(func(x *lucid.Tensor) *lucid.Tensor {
		entered <- struct{}{}
		time.Sleep(100 * time.Millisecond)
		return lucid.Zeros(x.Size(0), 10)
	}, pixels, 4, 4, 0)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, address, b) }()
	answered := make(chan error, 1)
	go func() {
		var last error
		for range 100 { // until it listens
			r, err := http.Post(fmt.Sprintf("http://%s/predict", address), "application/json",
				strings.NewReader(body(make([]float32, pixels))))
			if last = err; err == nil {
				r.Body.Close()
				if r.StatusCode != 200 {
					last = fmt.Errorf("status %d", r.StatusCode)
				}
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		answered <- last
	}()
	select {
	case <-entered:
	case err := <-answered: // another program has the address now, say
		stop()
		t.Fatal(err, <-ended)
	}
	stop()
	if err := errors.Join(<-answered, <-ended); err != nil {
		t.Error(err)
	}
}
