package learn

import (
	"context"
	"fmt"
	"math"
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
	Confusion [][]int // examples by what they are, and what the model says; nil for texts and regressions
	R2        float64 // of a regression: 1 less the squared error over the variance of the target; 0 is no better than its mean
	MAE       float64 // of a regression: the mean error, without its sign, in units of the target
}

// Score is what a plot shows of a result: R² of a regression, else the accuracy.
func (r Result) Score(s Spec) float64 {
	if s.Target != nil {
		return r.R2
	}
	return r.Accuracy
}

// Test is the result of an evaluation, for plots.
type Test struct {
	Step        int
	Loss, Score float64
}

// maxTestBytes bounds how much of a text is tested on while a model learns, maxFinalBytes at the end of a run that was short.
const (
	maxTestBytes  = 1 << 13
	maxFinalBytes = 1 << 16
)

// Report tries the model on what was held out between two steps, and notes the result in Tests. Of a text it takes a part that costs
// little of the time of the steps since the last report.
func (t *Trainer) Report(ctx context.Context) (Result, error) {
	n, batch := min(maxTestBytes/t.window(), t.Every*t.Config.Batch/12), max(t.Config.Batch, 64)
	if n > batch {
		n -= n % batch // a batch of another size is a plan of its own
	}
	return t.evaluate(ctx, n)
}

// Evaluate tries the model on what was held out; of a text on at most 64 KiB, or a tenth of what the run has read. It changes nothing
// the next step depends on.
func (t *Trainer) Evaluate(ctx context.Context) (Result, error) {
	return t.evaluate(ctx, max(maxFinalBytes/t.window(), t.Done*t.Config.Batch/10))
}

// window returns the bytes of an example of a text.
func (t *Trainer) window() int { return max(t.Config.Context, 1) }

// evaluate tries the model on what was held out: of a text on the first examples, at most so many and at least one.
func (t *Trainer) evaluate(ctx context.Context, examples int) (Result, error) {
	test := t.task.test
	if t.Config.Text() {
		test = data.NewSubset(test, first(min(test.Len(), max(examples, 1))))
	}
	nn.Eval(t.model)
	defer nn.Train(t.model)
	s := newScorer(t.Spec, t.Config)
	loader := data.NewLoader(test, t.reading(min(max(t.Config.Batch, 64), test.Len())))
	for batch, err := range loader.All(ctx) {
		if err != nil {
			return Result{}, err
		}
		err = lucid.Try(func() {
			lucid.NoGrad(func() { s.add(t.scores(batch[0]), batch[1].Reshape(-1)) })
		})
		if err != nil {
			return Result{}, err
		}
	}
	r := s.result()
	if n := len(t.Tests); n == 0 || t.Tests[n-1].Step < t.Done {
		t.Tests = append(t.Tests, Test{t.Done, r.Loss, r.Score(t.Spec)})
	}
	return r, nil
}

// scorer adds up how a model does.
type scorer struct {
	spec         Spec
	count, right int
	loss         float64
	confusion    [][]int
	absolute     float64 // sum of errors without their signs
	squares      float64 // sum of squared errors
	truth        []float64
}

func newScorer(s Spec, c Config) *scorer {
	r := &scorer{spec: s}
	if n := s.Outputs(); !c.Text() && s.Target == nil {
		r.confusion = make([][]int, n)
		for i := range r.confusion {
			r.confusion[i] = make([]int, n)
		}
	}
	return r
}

// add takes what the model said of some examples, and what they are.
func (s *scorer) add(scores, y *lucid.Tensor) {
	if s.spec.Target != nil {
		s.addNumbers(lucid.ToSlice[float64](scores), lucid.ToSlice[float64](y))
		return
	}
	s.loss += F.CrossEntropy(scores, y, F.CrossEntropyOptions{Reduction: "sum"}).Item()
	want := lucid.ToSlice[int64](y)
	for i, g := range lucid.ToSlice[int64](scores.ArgMax(-1)) {
		s.count++
		if g == want[i] {
			s.right++
		}
		if s.confusion != nil {
			s.confusion[want[i]][g]++
		}
	}
}

// addNumbers takes predictions as the model gives them, near 0, and targets as they are.
func (s *scorer) addNumbers(guess, want []float64) {
	for i, g := range guess {
		d := s.spec.Target.value(g) - want[i]
		s.count++
		s.absolute += math.Abs(d)
		s.squares += d * d
	}
	s.truth = append(s.truth, want...)
}

func (s *scorer) result() (r Result) {
	n := float64(s.count)
	if s.spec.Target == nil {
		return Result{Accuracy: float64(s.right) / n, Loss: s.loss / n, Confusion: s.confusion}
	}
	mean, spread := 0.0, 0.0
	for _, v := range s.truth {
		mean += v / n
	}
	for _, v := range s.truth {
		spread += (v - mean) * (v - mean)
	}
	r = Result{MAE: s.absolute / n, Loss: s.squares / n / (s.spec.Target.Std * s.spec.Target.Std)}
	if spread > 0 {
		r.R2 = 1 - s.squares/spread
	}
	return r
}

// value is a prediction in units of the target.
func (t *Target) value(v float64) float64 { return v*t.Std + t.Mean }

func first(n int) []int { return data.SequentialSampler{N: n}.Indices(nil) }

func shortest(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// label is what to call the target.
func (t *Target) label() string {
	if t.Name == "" {
		return "the target"
	}
	return t.Name
}

// Summary says in a line what is trained on what.
func (t *Trainer) Summary() string {
	s := fmt.Sprintf("%s of %d parameters on %s: %d examples to learn from, %d held out", t.Config.Model, t.Parameters(), t.Spec.Name,
		t.Spec.Examples, t.Held())
	if t.Spec.Target != nil {
		s = fmt.Sprintf("%s; predicts %s, %s on average", s, t.Spec.Target.label(), shortest(t.Spec.Target.Mean))
	}
	if t.task.numbers {
		s += fmt.Sprintf("; its %d classes are numbers: --task regression predicts the number", len(t.Spec.Classes))
	}
	if n := t.task.missing; n > 0 {
		s += fmt.Sprintf("; %d fields are missing, for which the mean of their column stands", n)
	}
	return s
}
