package lucid

import (
	"bytes"
	"errors"
	"testing"

	"github.com/lucid-go/lucid/internal/codec"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/schema"
	"github.com/lucid-go/lucid/internal/testutil/golden"
)

// verifyAll checks the graph behind tensors: what holds of every graph, and that every op takes its operands as a
// graph from a file would have to.
func verifyAll(ts []*Tensor) error {
	return graph.Verify(peekAll(ts), func(n *graph.Node) error {
		if _, item := n.IsTupleItem(); item || n.IsConst() || n.Op().NotInFiles != "" {
			return nil
		}
		return Try(func() { ops.Validate(n.Op(), n.Attr(), n.Ins()) })
	})
}

// throughFile gives the function that Import would, without the file.
func throughFile(f any, examples ...any) (*Function, []byte, error) {
	x := NewExporter("")
	if err := x.Add(f, examples...); err != nil {
		return nil, nil, err
	}
	b, err := x.bytes()
	if err != nil {
		return nil, nil, err
	}
	g, err := parseFunction(b)
	return g, b, err
}

func (x *Exporter) bytes() ([]byte, error) {
	c, err := x.checkpoint()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = checkpoint.Encode(&b, c)
	return b.Bytes(), err
}

func parseFunction(b []byte) (*Function, error) {
	c, err := checkpoint.Parse(b, codec.Limits{})
	if err != nil {
		return nil, err
	}
	return newFunction(c)
}

// TestExportGolden writes every op of the golden files to a file, and its gradient, and compares bits.
func TestExportGolden(t *testing.T) {
	for _, family := range golden.Families() {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			seen, bad, skipped, done := map[string]int{}, 0, 0, 0
			for _, c := range golden.Read(t, family) {
				if schema.Lookup(c.Op) == nil || golden.Waived(family, c) != "" {
					continue
				}
				if seen[c.Op]++; testing.Short() && seen[c.Op] > 5 {
					continue
				}
				switch err := exportCase(&c); {
				case err == nil:
					done++
				case errors.Is(err, ErrTrace) || errors.Is(err, errRefused):
					skipped++ // it reads values while it is recorded, or draws
				default:
					if bad++; bad < 20 {
						t.Errorf("%s %s %v: %v", c.Op, c.Name, c.Attrs, err)
					}
				}
			}
			t.Logf("%d through a file, %d not exportable", done, skipped)
		})
	}
}

var errRefused = errors.New("refused")

func exportCase(c *golden.Case) error { return eachFunction(c, sameThroughFile) }

// eachFunction calls do with the case as a function, then with its gradient.
func eachFunction(c *golden.Case, do func(f func([]*Tensor) []*Tensor, in []*Tensor) error) error {
	var in []*Tensor
	position := make([]int, len(c.Inputs))
	for i, g := range c.Inputs {
		if position[i] = -1; g != nil {
			position[i] = len(in)
			in = append(in, (*Tensor)(g.Array()))
		}
	}
	f := func(xs []*Tensor) []*Tensor {
		args := make([]*Tensor, len(position))
		for i, k := range position {
			if k >= 0 {
				args[i] = xs[k]
			}
		}
		out, err := Call(c.Op, args, c.Attrs)
		if err != nil {
			throw(c.Op, err)
		}
		return out
	}
	if err := do(f, in); err != nil || len(c.Grads) == 0 {
		return err
	}
	return do(func(xs []*Tensor) []*Tensor {
		var vary []*Tensor
		for _, x := range xs {
			if x.DType().IsInexact() {
				vary = append(vary, x)
			}
		}
		inner := func(vs []*Tensor) []*Tensor {
			all, k := make([]*Tensor, len(xs)), 0
			for i, x := range xs {
				if all[i] = x; x.DType().IsInexact() {
					all[i] = vs[k]
					k++
				}
			}
			var ys []*Tensor
			for _, y := range f(all) {
				if y.DType().IsInexact() {
					ys = append(ys, y)
				}
			}
			return ys
		}
		var cots []*Tensor
		for _, y := range inner(vary) {
			cots = append(cots, OnesLike(y))
		}
		_, grads := VJPN(inner, vary, cots)
		return grads
	}, in)
}

// sameThroughFile compares a function with what a file makes of it.
func sameThroughFile(f func([]*Tensor) []*Tensor, in []*Tensor) error {
	var want []*Tensor
	if err := Try(func() { want = f(in) }); err != nil {
		return nil // the golden test says so
	}
	if err := verifyAll(want); err != nil {
		return err
	}
	g, _, err := throughFile(f, in)
	if errors.Is(err, ErrNotImplemented) {
		return errRefused
	}
	if err != nil {
		return err
	}
	got, err := g.Call(in...)
	if err != nil {
		return err
	}
	for i := range want {
		if !compile.SameBits(got[i].array().Raw(), want[i].array().Raw()) {
			return Errorf(ErrValue, "export", "result %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}
