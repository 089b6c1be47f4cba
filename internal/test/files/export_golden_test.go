package files

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/lucid-go/lucid"
	checkpoint "github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/compile"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/schema"
	"github.com/lucid-go/lucid/internal/testutil/golden"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// throughFile exports a function and imports it again; it returns the bytes of the file, too.
func throughFile(f any, examples ...any) (*lucid.Function, []byte, error) {
	x := newExporter()
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

// exporter writes to a file in a folder of its own, which bytes removes.
type exporter struct {
	*lucid.Exporter
	path string
}

func newExporter() exporter {
	path := filepath.Join(scratch(), "f.lucid")
	return exporter{lucid.NewExporter(path), path}
}

var scratches atomic.Int64

// scratch names a folder that is not there yet, in memory where the system has such: thousands of files are synchronised.
func scratch() string {
	dir := "/dev/shm"
	if s, err := os.Stat(dir); err != nil || !s.IsDir() {
		dir = os.TempDir()
	}
	return filepath.Join(dir, fmt.Sprintf("lucid-files-%d-%d", os.Getpid(), scratches.Add(1)))
}

// bytes returns the content of the file.
func (x exporter) bytes() ([]byte, error) {
	dir := filepath.Dir(x.path)
	defer os.RemoveAll(dir)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if err := x.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(x.path)
}

// parseFunction imports a file with this content.
func parseFunction(b []byte) (*lucid.Function, error) {
	path := scratch() + ".lucid"
	defer os.Remove(path)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return nil, err
	}
	return lucid.Import(path)
}

// newFunction imports a file with these sections.
func newFunction(c checkpoint.Checkpoint) (*lucid.Function, error) {
	var b bytes.Buffer
	if err := checkpoint.Encode(&b, c); err != nil {
		return nil, err
	}
	return parseFunction(b.Bytes())
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
				if seen[c.Op]++; testing.Short() && seen[c.Op] > 3 {
					continue
				}
				switch err := exportCase(&c); {
				case err == nil:
					done++
				case errors.Is(err, lucid.ErrTrace) || errors.Is(err, errRefused):
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
func eachFunction(c *golden.Case, do func(f func([]*lucid.Tensor) []*lucid.Tensor, in []*lucid.Tensor) error) error {
	var in []*lucid.Tensor
	position := make([]int, len(c.Inputs))
	for i, g := range c.Inputs {
		if position[i] = -1; g != nil {
			position[i] = len(in)
			in = append(in, (*lucid.Tensor)(g.Array()))
		}
	}
	f := func(xs []*lucid.Tensor) []*lucid.Tensor {
		args := make([]*lucid.Tensor, len(position))
		for i, k := range position {
			if k >= 0 {
				args[i] = xs[k]
			}
		}
		out, err := lucid.Call(c.Op, args, c.Attrs)
		if err != nil {
			panic(err)
		}
		return out
	}
	if err := do(f, in); err != nil || len(c.Grads) == 0 {
		return err
	}
	return do(func(xs []*lucid.Tensor) []*lucid.Tensor {
		var vary []*lucid.Tensor
		for _, x := range xs {
			if x.DType().IsInexact() {
				vary = append(vary, x)
			}
		}
		inner := func(vs []*lucid.Tensor) []*lucid.Tensor {
			all, k := make([]*lucid.Tensor, len(xs)), 0
			for i, x := range xs {
				if all[i] = x; x.DType().IsInexact() {
					all[i] = vs[k]
					k++
				}
			}
			var ys []*lucid.Tensor
			for _, y := range f(all) {
				if y.DType().IsInexact() {
					ys = append(ys, y)
				}
			}
			return ys
		}
		var cots []*lucid.Tensor
		for _, y := range inner(vary) {
			cots = append(cots, lucid.OnesLike(y))
		}
		_, grads := lucid.VJPN(inner, vary, cots)
		return grads
	}, in)
}

// sameThroughFile compares a function with what a file makes of it.
func sameThroughFile(f func([]*lucid.Tensor) []*lucid.Tensor, in []*lucid.Tensor) error {
	var want []*lucid.Tensor
	if err := lucid.Try(func() { want = f(in) }); err != nil {
		return nil // the golden test says so
	}
	if err := tensortest.Verify(want...); err != nil {
		return err
	}
	g, _, err := throughFile(f, in)
	if errors.Is(err, lucid.ErrNotImplemented) {
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
		if !compile.SameBits((*graph.Array)(got[i]).Raw(), (*graph.Array)(want[i]).Raw()) {
			return lucid.Errorf(lucid.ErrValue, "export", "result %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}
