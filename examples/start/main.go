// Start is docs/quickstart.md as one program: it trains a small network, saves it, loads it again, and serves it.
//
//	go run ./examples/start
//	curl -d '[[0.2, 0.1], [0.9, 0.9]]' localhost:8080
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

func main() {
	address := flag.String("addr", "localhost:8080", "where to listen")
	path := flag.String("model", filepath.Join(os.TempDir(), "circle.safetensors"), "where the model is saved")
	flag.Parse()
	model, right := train()
	fmt.Printf("%.1f %% of the points are placed right\n", 100*right)
	if err := lucid.Save(*path, nn.StateDict(model)); err != nil {
		log.Fatal(err)
	}
	h, err := load(*path) // as another program would
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("saved to %s, listening on http://%s\n", *path, *address)
	s := &http.Server{Addr: *address, Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second}
	log.Fatal(s.ListenAndServe())
}

func newModel() *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(2, 32), nn.NewTanh(), nn.NewLinear(32, 1))
}

// train teaches a network which points of a square are inside a circle, and returns its accuracy.
func train() (model *nn.Sequential, right float64) {
	lucid.Seed(1)
	model = newModel()
	opt := optim.NewAdam(nn.Parameters(model), optim.AdamOptions{LR: 0.01})
	inside := func(x *lucid.Tensor) *lucid.Tensor { return x.Square().Sum(1).Lt(0.5).To(lucid.Float32).Unsqueeze(1) }

	step := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.BinaryCrossEntropyWithLogits(model.Forward(x), inside(x))
		loss.Backward()
		opt.Step()
		return loss
	})
	for i := range 1000 {
		loss := step(lucid.Rand(256, 2).Mul(2).Sub(1)) // points from -1 to 1
		if i%200 == 0 {
			fmt.Printf("step %4d  loss %.3f\n", i, loss.Item())
		}
	}

	nn.Eval(model)
	lucid.NoGrad(func() {
		x := lucid.Rand(4096, 2).Mul(2).Sub(1)
		right = model.Forward(x).Gt(0).To(lucid.Float32).Eq(inside(x)).To(lucid.Float32).Mean().Item()
	})
	return model, right
}

// load reads a model and returns it behind HTTP: points come as JSON, probabilities go back.
func load(path string) (http.Handler, error) {
	state, err := lucid.Load(path)
	if err != nil {
		return nil, err
	}
	model := newModel()
	if err := nn.LoadStateDict(model, state); err != nil {
		return nil, err
	}
	nn.Eval(model)
	predict := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return model.Forward(x).Sigmoid().Squeeze(1) })

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var points [][2]float32
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&points); err != nil || len(points) == 0 {
			http.Error(w, "want points, as in [[0.2, 0.1]]", http.StatusBadRequest)
			return
		}
		var flat []float32
		for _, p := range points {
			flat = append(flat, p[:]...)
		}
		var answer []float32
		lucid.NoGrad(func() { answer = lucid.ToSlice[float32](predict(lucid.New(flat, len(points), 2))) })
		json.NewEncoder(w).Encode(answer)
	}), nil
}
