package backendtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/ref"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/testutil"
)

// node is a value of the graph.
type node = graph.Node

// check is something to compute: in says what its inputs are, f records it.
type check struct {
	name   string
	dtypes []dtype.DType
	in     []input
	shapes [][]int // one run for each, given to inputs without a shape of their own; nil: one run
	f      func(in []*node) []*node
	loose  bool // rounding errors may add up: sums in half types, long formulas
	exact  bool // it moves elements: every bit counts
	spare  bool // the op may accept no dtype
	fused  bool // also as an intermediate of a fused program
}

// excluded lists the ops that the suite does not compare, with the reason.
var excluded = map[string]string{
	"print": "it shows values to the user, on the host",
}

// Run holds dev against the reference device. LUCID_TEST_SHARD=k/n takes every n-th check, for several processes; coverage is
// then left to a whole run.
func Run(t *testing.T, dev *backend.Device) { run(t, dev, false) }

// RunSparse computes every check, but only with every third pair of shape and dtype and in one layout: enough for a device whose kernels
// are those of another one.
func RunSparse(t *testing.T, dev *backend.Device) { run(t, dev, true) }

func run(t *testing.T, dev *backend.Device, sparse bool) {
	if exec.Reference == nil {
		exec.Reference = ref.Device
	}
	if exec.DefaultDevice == nil {
		exec.DefaultDevice = func() *backend.Device { return dev }
	}
	s := &suite{dev: dev, seen: map[string]bool{}, sparse: sparse, half: testing.Short() && dev.Host && !sparse}
	part, parts := testutil.Shard()
	t.Run("ops", func(t *testing.T) {
		for i, c := range checks() {
			if i*7919%10007%parts != part { // neighbours have similar cost: spread them
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				if !dev.Host { // most of the time goes into compiling kernels
					t.Parallel()
				}
				s.run(t, c)
			})
		}
	})
	t.Run("coverage", func(t *testing.T) {
		if parts > 1 {
			return
		}
		for _, op := range graph.Ops() {
			if op.Kind == graph.Factor {
				continue // host devices share one kernel; residuals in package lapack and golden values check it
			}
			if ref.Device.Table[op.Name] != nil && excluded[op.Name] == "" && !s.seen[op.Name] {
				t.Errorf("no check computes %s", op.Name)
			}
		}
	})
	t.Logf("%s: %d checks, %d comparisons, %d ops, part %d of %d", dev, s.checks, s.count, len(s.seen), part, parts)
}

type suite struct {
	dev   *backend.Device
	mu    sync.Mutex
	seen  map[string]bool // ops that were computed
	count int
	// checks that ran
	checks int
	sparse bool // see RunSparse
	half   bool // shapes and dtypes have every other layout, in the short form
}

func (s *suite) run(t *testing.T, c check) {
	s.mu.Lock()
	s.checks++
	s.mu.Unlock()
	shapes := c.shapes
	if shapes == nil {
		shapes = [][]int{nil}
	}
	ran := 0
	failed := map[string]bool{}
	for i, d := range c.dtypes {
		for j, sh := range shapes {
			list := layoutsOf(sh)
			if s.sparse {
				if (i+j)%3 != 0 && ran > 0 { // once one has run
					continue
				}
				list = list[(i+j)%len(list):][:1]
			}
			var plain, rows *expected // the same numbers in all layouts but one
			for k, lay := range list {
				if s.half && (i+j+k)%2 != 0 {
					continue
				}
				e := &plain
				if lay == repeated {
					e = &rows
				}
				if *e == nil {
					*e = s.expect(c, d, sh, lay)
				}
				ok, bad := s.compare(c, *e, lay)
				if ok {
					ran++
				}
				if bad != "" && !failed[d.String()] {
					failed[d.String()] = true // the first of a dtype tells enough
					t.Errorf("%v %v %s: %s", d, sh, lay, bad)
				}
			}
		}
	}
	other := c
	other.f = func(in []*node) []*node {
		roots := c.f(in)
		validate(roots)
		return roots
	}
	for _, d := range every { // no dtype that the op takes is left out
		if slices.Contains(c.dtypes, d) || c.spare || s.sparse {
			continue
		}
		if _, bad := s.compare(other, s.expect(other, d, shapes[0], contiguous), contiguous); bad != "" {
			t.Errorf("%v %v, a dtype the check does not name: %s", d, shapes[0], bad)
		}
	}
	if ran == 0 && !c.spare {
		t.Error("no dtype is accepted")
	}
}

// layoutsOf leaves out most layouts of large shapes, which are there for long rows.
func layoutsOf(dims []int) []layout {
	n := 1
	for _, d := range dims {
		n *= d
	}
	if n > 500 {
		return []layout{contiguous, gaps}
	}
	return layouts
}

// expected is what the reference makes of the inputs of a check.
type expected struct {
	in, out []value
	err     error
}

func (s *suite) expect(c check, d dtype.DType, dims []int, lay layout) *expected {
	e := &expected{in: make([]value, len(c.in))}
	for i, in := range c.in {
		e.in[i] = in.make(d, dims, lay, uint64(i))
	}
	e.out, _, e.err = s.compute(c, ref.Device, e.in, contiguous, nil)
	return e
}

// compare computes what the reference did; ok is false if the op does not take the dtype.
func (s *suite) compare(c check, e *expected, lay layout) (ok bool, bad string) {
	if e.err != nil {
		return false, refusal(e.err)
	}
	got, names, err := s.compute(c, s.dev, e.in, lay, s.seen)
	if err != nil {
		return true, "error: " + err.Error()
	}
	want := e.out
	s.mu.Lock()
	s.count++
	s.mu.Unlock()
	if len(got) != len(want) {
		return true, fmt.Sprintf("%d outputs, want %d", len(got), len(want))
	}
	for i := range got {
		if bad := got[i].differs(want[i], c); bad != "" {
			return true, fmt.Sprintf("output %d of %s: %s", i, strings.Join(names, " "), bad)
		}
	}
	return true, ""
}

// refusal accepts an error that says the dtype is not taken.
func refusal(err error) string {
	if errors.Is(err, fault.SentinelOf(fault.DType)) || errors.Is(err, fault.SentinelOf(fault.NotImplemented)) {
		return ""
	}
	return "the reference: " + err.Error()
}

// compute records the check over inputs on a device and evaluates it; names are the ops that it takes.
func (s *suite) compute(c check, dev *backend.Device, vals []value, lay layout, seen map[string]bool) (out []value,
	names []string, err error) {
	err = fault.Catch(func() {
		in := make([]*node, len(vals))
		for i, v := range vals {
			in[i] = v.store(dev, lay)
		}
		roots := c.f(in)
		if c.fused {
			for _, y := range roots[:len(roots):len(roots)] {
				roots = append(roots, fusedUse(y)...)
			}
		}
		used := opsOf(roots)
		s.mu.Lock()
		for n := range used {
			if seen != nil {
				seen[n] = true
			}
		}
		s.mu.Unlock()
		names = slices.Sorted(maps.Keys(used))
		for _, r := range roots {
			r.Ref()
			if r.Device() == nil {
				r.SetDevice(dev)
			}
		}
		if err := exec.Eval(context.Background(), roots...); err != nil {
			throw(err)
		}
		for _, r := range roots {
			v, err := exec.HostView(context.Background(), r)
			if err != nil {
				throw(err)
			}
			out = append(out, read(v))
		}
	})
	return out, names, err
}

// validate refuses dtypes that only the public functions of an op refuse: some checks bypass those.
func validate(roots []*node) {
	var idx graph.Index
	idx.PostOrder(roots, func(n *node) bool { return !n.Stored() })
	for _, n := range idx.Nodes {
		if n.Stored() || n.Op().NotInFiles != "" {
			continue
		}
		if err := fault.Catch(func() { ops.Validate(n.Op(), n.Attr(), n.Ins()) }); err != nil {
			fault.Throw(fault.DType, n.Op().Name, "%v", err)
		}
	}
}

func throw(err error) {
	var e *fault.Error
	if errors.As(err, &e) {
		panic(e)
	}
	panic(err)
}

// opsOf names the ops behind the roots that are not computed yet.
func opsOf(roots []*node) map[string]bool {
	var idx graph.Index
	idx.PostOrder(roots, func(n *node) bool { return !n.Stored() })
	used := map[string]bool{}
	for _, n := range idx.Nodes {
		if !n.Stored() {
			used[n.Op().Name] = true
		}
	}
	return used
}

// differs says how a result is not what the reference gives.
func (v value) differs(want value, c check) string {
	if v.dtype != want.dtype || !slices.Equal(v.dims, want.dims) {
		return fmt.Sprintf("%v of shape %v, want %v of shape %v", v.dtype, v.dims, want.dtype, want.dims)
	}
	tol := testutil.Tol(v.dtype, c.loose)
	for i, g := range v.elems {
		w := want.elems[i]
		same := g == w || v.dtype.IsInexact() && tol.Close(g.F, w.F) && tol.Close(g.G, w.G)
		if c.exact {
			same = bitsEqual(g.F, w.F) && bitsEqual(g.G, w.G) && g.I == w.I
		}
		if !same {
			return fmt.Sprintf("element %d is %v, want %v", i, show(g), show(w))
		}
	}
	return ""
}

func bitsEqual(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func show(s dtype.Scalar) any {
	switch s.Kind {
	case dtype.KindFloat:
		return s.F
	case dtype.KindComplex:
		return s.Complex()
	case dtype.KindUint:
		return uint64(s.I)
	}
	return s.I
}
