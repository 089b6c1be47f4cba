package transforms

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// controlPrograms are functions with control flow of x, a vector, and n, a number of rounds.
var controlPrograms = map[string]func(x, n *lucid.Tensor) *lucid.Tensor{
	"while": func(x, n *lucid.Tensor) *lucid.Tensor {
		type state struct{ I, X *lucid.Tensor }
		end := lucid.While(func(s state) *lucid.Tensor { return s.I.Lt(n) },
			func(s state) state { return state{s.I.Add(1), s.X.Mul(1.5).Sub(x.Sin())} }, state{lucid.ZerosLike(n), x})
		return end.X.Add(x)
	},
	"swap": func(x, n *lucid.Tensor) *lucid.Tensor { // parts of the state change roles
		type state struct{ I, A, B *lucid.Tensor }
		end := lucid.While(func(s state) *lucid.Tensor { return s.I.Lt(n) },
			func(s state) state { return state{s.I.Add(1), s.B, s.A} }, state{lucid.ZerosLike(n), x, x.Mul(10)})
		return end.A.Sub(end.B.Mul(3))
	},
	"cond": func(x, n *lucid.Tensor) *lucid.Tensor {
		return lucid.Cond(x.Sum().Gt(n), func(x *lucid.Tensor) *lucid.Tensor { return x.Exp().Add(n) },
			func(x *lucid.Tensor) *lucid.Tensor { return x.Neg() }, x).Mul(2)
	},
	"nested": func(x, n *lucid.Tensor) *lucid.Tensor {
		type state struct{ I, X *lucid.Tensor }
		end := lucid.While(func(s state) *lucid.Tensor { return s.I.Lt(n) }, func(s state) state {
			y := lucid.Cond(s.X.Sum().Gt(0), func(x *lucid.Tensor) *lucid.Tensor { return x.Sub(2) },
				func(x *lucid.Tensor) *lucid.Tensor { return x.Add(3) }, s.X)
			return state{s.I.Add(1), y}
		}, state{lucid.ZerosLike(n), x})
		return end.X
	},
	"scan": func(x, n *lucid.Tensor) *lucid.Tensor {
		sum, all := lucid.Scan(func(c, y *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
			c = c.Mul(0.5).Add(y)
			return c, c.Square()
		}, n, x)
		return all.Add(sum)
	},
}

// TestControlRecorded: a recording decides by itself, and gives what launches one by one give, for any number of rounds.
func TestControlRecorded(t *testing.T) {
	for name, f := range controlPrograms {
		t.Run(name, func(t *testing.T) {
			put := func(x *lucid.Tensor) *lucid.Tensor { return x }
			dev, faults := fake.New(cpu.Device)
			onGPU := os.Getenv("LUCID_TEST_DEVICE") != ""
			if !onGPU {
				target := &tensortest.Target{Dev: dev}
				put = target.Put
			}
			c := lucid.Compile(f)
			for round := range 12 {
				x := lucid.New([]float32{1, -2, 3, float32(round) - 5}, 4)
				n := lucid.Scalar(float32(round % 5))
				want := lucid.ToSlice[float32](f(x, n))
				got := lucid.ToSlice[float32](c(put(x).Eval(), put(n).Eval()))
				if !onGPU && !slices.Equal(got, want) || onGPU && !near(got, want) {
					t.Fatalf("round %d: %v, want %v", round, got, want)
				}
			}
			if e := lucid.Explain(c).String(); !strings.Contains(e, "control flow decides on the device") {
				t.Errorf("it was not recorded:\n%s", e)
			}
			if n := faults.Decisions(); !onGPU && name != "scan" && n == 0 {
				t.Error("no recording decided anything")
			}
		})
	}
}

func near(x, y []float32) bool {
	for i := range y {
		if d := x[i] - y[i]; !(d*d <= 1e-8*(1+y[i]*y[i])) {
			return false
		}
	}
	return len(x) == len(y)
}
