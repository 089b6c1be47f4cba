package learn

import (
	"context"
	"fmt"
	"strconv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Result is how a model does on what was held out.
type Result struct {
	Accuracy  float64 // share of classes, or of next bytes, it gets right
	Loss      float64
	Confusion [][]int // examples by what they are, and what the model says; nil for texts
}

// maxTestBytes bounds how much of a text is tested on.
const maxTestBytes = 1 << 13

// Evaluate tries the model on what was held out. It changes nothing the next step depends on.
func (t *Trainer) Evaluate(ctx context.Context) (r Result, err error) {
	n := t.Spec.Outputs()
	test := t.task.test
	if t.Config.Text() {
		test = data.NewSubset(test, first(min(test.Len(), maxTestBytes/t.Config.Context)))
	} else {
		r.Confusion = make([][]int, n)
		for i := range r.Confusion {
			r.Confusion[i] = make([]int, n)
		}
	}
	nn.Eval(t.model)
	defer nn.Train(t.model)
	count, right := 0, 0
	loader := data.NewLoader(test, t.reading(max(t.Config.Batch, 64)))
	for batch, err := range loader.All(ctx) {
		if err != nil {
			return r, err
		}
		var guess, want []int64
		err := lucid.Try(func() {
			lucid.NoGrad(func() {
				y := batch[1].Reshape(-1)
				scores := t.scores(batch[0])
				r.Loss += F.CrossEntropy(scores, y, F.CrossEntropyOptions{Reduction: "sum"}).Item()
				guess, want = lucid.ToSlice[int64](scores.ArgMax(-1)), lucid.ToSlice[int64](y)
			})
		})
		if err != nil {
			return r, err
		}
		for i, g := range guess {
			count++
			if g == want[i] {
				right++
			}
			if r.Confusion != nil {
				r.Confusion[want[i]][g]++
			}
		}
	}
	r.Accuracy, r.Loss = float64(right)/float64(count), r.Loss/float64(count)
	return r, nil
}

func first(n int) []int { return data.SequentialSampler{N: n}.Indices(nil) }

func shortest(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// Summary says in a line what is trained on what.
func (t *Trainer) Summary() string {
	s := fmt.Sprintf("%s of %d parameters on %s: %d examples to learn from, %d held out", t.Config.Model, t.Parameters(), t.Spec.Name,
		t.Spec.Examples, t.Held())
	if n := t.task.missing; n > 0 {
		s += fmt.Sprintf("; %d fields are missing, for which the mean of their column stands", n)
	}
	return s
}
