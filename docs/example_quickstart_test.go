package docs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

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

// The whole of docs/quickstart.md.
func Example_quickstart() {
	model, right := train()
	fmt.Println(right > 0.97)
	err := lucid.Save("circle.safetensors", nn.StateDict(model)) // PyTorch reads it too
	defer os.Remove("circle.safetensors")
	handler, loadErr := load("circle.safetensors")
	if err != nil || loadErr != nil {
		fmt.Println(err, loadErr)
		return
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader("[[0.2, 0.1], [0.9, 0.9]]")))
	var p []float64
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p[0] > 0.9, p[1] < 0.1)
	// Output:
	// step    0  loss 0.714
	// step  200  loss 0.181
	// step  400  loss 0.084
	// step  600  loss 0.083
	// step  800  loss 0.074
	// true
	// true true
}
