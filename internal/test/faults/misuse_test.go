package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// concurrently runs f in n goroutines for a while; a panic that is no *lucid.Error, or an error that says "internal", fails the test.
func concurrently(t *testing.T, n int, f func(r *rand.Rand)) {
	t.Helper()
	end := time.Now().Add(300 * time.Millisecond)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("goroutine %d panicked: %v", i, p)
				}
			}()
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for time.Now().Before(end) {
				if err := lucid.Try(func() { f(r) }); err != nil {
					t.Errorf("%v", err)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestOneTensorManyGoroutines assigns, changes, reads, prints and differentiates one tensor from several goroutines at once: who reads
// sees one of the values it was given, whole.
func TestOneTensorManyGoroutines(t *testing.T) {
	x := lucid.Full([]int{1000}, 1.0)
	whole := func(v []float32) {
		for _, e := range v {
			if e != v[0] {
				panic(fmt.Sprintf("a value that was never whole: %v and %v", v[0], e))
			}
		}
	}
	step := lucid.Compile(func() *lucid.Tensor { return x.Assign(x.Mul(0.5).Add(1)).Add(0) })
	concurrently(t, 4, func(r *rand.Rand) {
		switch r.IntN(9) {
		case 0:
			x.Assign(float64(r.IntN(100)))
		case 1:
			x.Add_(1)
		case 2:
			whole(lucid.ToSlice[float32](x))
		case 3:
			_ = x.String()
		case 4:
			whole(lucid.ToSlice[float32](x.Mul(2).Add(x.Mul(0))))
		case 5:
			whole(lucid.ToSlice[float32](lucid.Grad(func(y *lucid.Tensor) *lucid.Tensor { return y.Square().Sum() })(x)))
		case 6:
			whole(lucid.ToSlice[float32](step()))
		case 7:
			x.SetAt(3, lucid.Colon)
			x.IsContiguous()
		case 8:
			_ = lucid.EvalAsync(x.Add(1))
			whole(lucid.ToSlice[float32](x.Clone()))
		}
	})
}

// TestOneModelManyGoroutines trains one model from several goroutines, plainly and compiled, while others ask and save it.
func TestOneModelManyGoroutines(t *testing.T) {
	model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewBatchNorm1d(8), nn.NewReLU(), nn.NewDropout(0.5), nn.NewLinear(8, 3))
	opt := optim.NewAdam(nn.Parameters(model), optim.AdamOptions{LR: 0.01})
	y := lucid.New([]int64{0, 1, 2, 0}, 4)
	train := func() *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(model.Forward(lucid.Randn(4, 4)), y)
		loss.Backward()
		opt.Step()
		return loss
	}
	compiled := lucid.Compile(func() *lucid.Tensor { return train() })
	concurrently(t, 4, func(r *rand.Rand) {
		switch r.IntN(5) {
		case 0:
			train().Item()
		case 1:
			compiled().Item()
		case 2:
			lucid.NoGrad(func() { model.Forward(lucid.Randn(2, 4)).Sum().Item() })
		case 3:
			nn.StateDict(model).Get("0.weight").Sum().Item()
			opt.StateDict()
		case 4:
			lucid.Seed(uint64(r.IntN(3)))
			lucid.SetRNGState(lucid.GetRNGState())
		}
	})
}

// TestCancelledBefore gives contexts that are over to everything that takes one: an error that is the context's, at once, and the
// tensors can be computed afterwards.
func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := lucid.Ones(1 << 20).Add(1)
	if err := lucid.EvalContext(ctx, x); !errors.Is(err, context.Canceled) {
		t.Errorf("EvalContext: %v", err)
	}
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Mul(2).Sum() })
	lucid.WithContext(ctx, func() {
		for what, g := range map[string]func(){
			"Item": func() { x.Sum().Item() }, "ToSlice": func() { lucid.ToSlice[float32](x) }, "compiled": func() { f(x).Item() },
			"Stride": func() { x.Add(1).Stride() },
			"Eval":   func() { x.Eval() }, "values": func() { lucid.Nonzero(x).Shape() },
		} {
			if err := lucid.Try(g); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := lucid.Eval(x); !errors.Is(err, context.Canceled) {
			t.Errorf("Eval: %v", err)
		}
	})
	if got := f(x).Item(); got != 4<<20 {
		t.Errorf("afterwards the sum is %v", got)
	}
}
