// Serve trains a small network and answers questions about digits over HTTP. Questions that come together are computed together.
//
//	go run ./examples/serve
//	curl -d '{"pixels":[0,0,5,13,9,1,0,0,0,0,13,15,10,15,5,0,0,3,15,2,0,11,8,0,0,4,12,0,0,8,8,0,
//	  0,5,8,0,0,9,8,0,0,4,11,0,1,12,7,0,0,2,14,5,10,12,0,0,0,0,6,13,10,0,0,0]}' localhost:8080/predict
//
// Everything has a bound: the size of a body, the time a request may take, the questions that wait. Ctrl-C answers what was asked,
// then ends.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data/sets"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

const (
	pixels  = 64
	maxBody = 1 << 14 // bytes of a request
)

func main() {
	address := flag.String("addr", "localhost:8080", "where to listen")
	steps := flag.Int("steps", 300, "training steps before it serves")
	most := flag.Int("batch", 64, "questions computed together, at most")
	queue := flag.Int("queue", 1024, "questions that may wait; more are refused")
	wait := flag.Duration("wait", 2*time.Millisecond, "that a question waits for others")
	flag.Parse()
	if flag.NArg() > 0 || *steps < 1 || *most < 1 || *queue < 1 || *wait < 0 {
		fmt.Fprintln(os.Stderr, "serve: want positive numbers and no arguments, as in: go run ./examples/serve -addr localhost:8080")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Printf("training for %d steps …\n", *steps)
	model, right, err := train(*steps)
	if err == nil {
		fmt.Printf("%.1f %% of the digits it learned from are read right; listening on http://%s\n", 100*right, *address)
		err = serve(ctx, *address, newBatcher(model, pixels, *most, *queue, *wait))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// train makes a network and returns it compiled: rows (B, 64) of pixels from 0 to 16 to scores (B, 10).
func train(steps int) (model func(x *lucid.Tensor) *lucid.Tensor, right float64, err error) {
	digits, err := sets.Digits()
	if err != nil {
		return nil, 0, err
	}
	lucid.Seed(1)
	x := digits.X.Div(16).Eval()
	net := nn.NewSequential(nn.NewLinear(pixels, 64), nn.NewReLU(), nn.NewLinear(64, 10))
	opt := optim.NewAdam(nn.Parameters(net), optim.AdamOptions{LR: 0.01})
	step := lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(net.Forward(x), y)
		loss.Backward()
		opt.Step()
		return loss
	})
	for range steps {
		at := lucid.RandInt(0, x.Size(0), 128)
		step(x.At(at), digits.Y.At(at))
	}
	nn.Eval(net)
	lucid.NoGrad(func() { right = net.Forward(x).ArgMax(1).Eq(digits.Y).To(lucid.Float32).Mean().Item() })
	return lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return net.Forward(x.Div(16)) }), right, nil
}

// serve answers until the context is done, then finishes what was asked.
func serve(ctx context.Context, address string, b *batcher) error {
	defer b.close()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: handler(b), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.Shutdown(last) // waits for the answers under way; the batcher is closed after it
}

func handler(b *batcher) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST /predict", func(w http.ResponseWriter, r *http.Request) { predict(b, w, r) })
	m.HandleFunc("GET /stats", func(w http.ResponseWriter, r *http.Request) {
		q, n := b.questions.Load(), b.batches.Load()
		reply(w, http.StatusOK, map[string]any{"questions": q, "batches": n, "mean_batch": float64(q) / float64(max(n, 1)),
			"waiting": len(b.queue)})
	})
	return m
}

// prediction is the answer to a question.
type prediction struct {
	Digit       int     `json:"digit"`
	Probability float64 `json:"probability"`
}

func predict(b *batcher, w http.ResponseWriter, r *http.Request) {
	row, err := readPixels(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, "the body has more than %d bytes", maxBody)
		return
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, `want {"pixels": [64 numbers from 0 to 16]}: %v`, err)
		return
	}
	scores, err := b.ask(r.Context(), row)
	switch {
	case errors.Is(err, errBusy), errors.Is(err, errClosed):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "%v", err)
	case err != nil && r.Context().Err() != nil: // the client has left
	case err != nil:
		refuse(w, http.StatusInternalServerError, "%v", err)
	default:
		p := best(scores)
		if math.IsNaN(p.Probability) { // no number of JSON
			refuse(w, http.StatusInternalServerError, "the network has no score for these pixels")
			return
		}
		reply(w, http.StatusOK, p)
	}
}

// readPixels reads the one JSON value of a body. What the decoder lets pass is refused here: null stands for 0 in a list of
// numbers, and more may follow the value.
func readPixels(body io.Reader) ([]float32, error) {
	var in struct {
		Pixels []*float32 `json:"pixels"`
	}
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		if err == nil {
			err = errors.New("there is more behind the object")
		}
		return nil, err
	}
	if len(in.Pixels) != pixels {
		return nil, fmt.Errorf("got %d pixels; want %d, row by row", len(in.Pixels), pixels)
	}
	row := make([]float32, pixels)
	for i, p := range in.Pixels {
		if p == nil || !(*p >= 0 && *p <= 16) {
			return nil, fmt.Errorf("pixel %d is not from 0 to 16", i)
		}
		row[i] = *p
	}
	return row, nil
}

// best is the class with the highest score and its share of all, by softmax.
func best(scores []float32) (p prediction) {
	for i, s := range scores {
		if s > scores[p.Digit] {
			p.Digit = i
		}
	}
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(float64(s - scores[p.Digit]))
	}
	p.Probability = 1 / sum
	return p
}

func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	reply(w, status, map[string]string{"error": fmt.Sprintf(format, args...)})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // an error means that the client has gone
}
