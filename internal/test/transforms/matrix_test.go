package transforms

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
)

// The transform matrix: every op of Ops, on PyTorch's inputs in double precision, under every transform and their
// compositions. LUCID_LONG=1 takes all cases instead of a sample.

// matrixCheck is one column of the matrix: "" if it holds.
type matrixCheck struct {
	name string
	run  func(c *matrixCase) string
}

// nativeChecks are for inputs in the dtypes PyTorch was given.
var nativeChecks = []matrixCheck{{"vmap", (*matrixCase).vmap}, {"compile", (*matrixCase).compile}}

var matrixChecks = []matrixCheck{
	{"gradient", (*matrixCase).gradient},
	{"second", (*matrixCase).second},
	{"vmap", (*matrixCase).vmap},
	{"vmap_grad", (*matrixCase).vmapGrad},
	{"compile", (*matrixCase).compile},
	{"compile_grad", (*matrixCase).compileGrad},
	{"checkpoint", (*matrixCase).checkpoint},
}

// matrixScore is what the checks of one op came to.
type matrixScore struct {
	cases, failed, waived int
	smooth                int // cases whose gradient met finite differences
	wants                 bool
	refused               int
}

func TestMatrix(t *testing.T) {
	t.Run("double", func(t *testing.T) { testMatrix(t, matrixCases(t, true), matrixChecks) })
	t.Run("native", func(t *testing.T) { testMatrix(t, matrixCases(t, false), nativeChecks) })
	t.Run("waivers", func(t *testing.T) {
		if testutil.Raced {
			return // the sample is too small to have them all, or every case that is refused
		}
		for k := range matrixWaived {
			if _, used := waiversUsed.Load(k); !used {
				t.Errorf("no case needs the waiver %s any more", k)
			}
		}
	})
}

func testMatrix(t *testing.T, cases map[string][]*matrixCase, checks []matrixCheck) {
	var mu sync.Mutex
	total := matrixScore{}
	t.Run("ops", func(t *testing.T) {
		for _, op := range lucid.Ops() {
			t.Run(op.Name, func(t *testing.T) {
				if !matrixRandom[op.Name] {
					t.Parallel()
				}
				s := runMatrix(t, op, cases[op.Name], checks)
				mu.Lock()
				total.cases += s.cases
				total.smooth += s.smooth
				total.failed += s.failed
				total.waived += s.waived
				mu.Unlock()
			})
		}
	})
	t.Logf("%d ops, %d cases, %d with finite differences, %d checks failed, %d waived",
		len(lucid.Ops()), total.cases, total.smooth, total.failed, total.waived)
}

func runMatrix(t *testing.T, op lucid.Op, cases []*matrixCase, checks []matrixCheck) (s matrixScore) {
	if len(cases) == 0 {
		t.Errorf("%s has no case: add one to matrix_cases_test.go", op.Name)
	}
	switch {
	case testutil.Raced:
		cases = sampleCases(cases, 4)
	case testing.Short() && matrixReads[op.Name] == "":
		cases = sampleCases(cases, 6)
	case !testutil.Long():
		cases = sampleCases(cases, 12)
	}
	for _, c := range cases {
		s.cases++
		for _, k := range checks {
			bad := c.guarded(k)
			key := c.waiver(k.name)
			switch {
			case bad == "":
			case key != "":
				waiversUsed.Store(key, true)
				s.waived++
			default:
				if s.failed++; s.failed <= 6 {
					t.Errorf("%s: %s %v %v: %s", k.name, c.name, c.shapes(), c.attrs, bad)
				}
			}
		}
		if c.smooth {
			s.smooth++
		}
		s.wants = s.wants || c.differentiable
		s.refused += c.refused
	}
	if matrixReads[op.Name] != "" && s.refused < 2 && !testutil.Raced {
		t.Errorf("%s reads values, but no case was refused inside VMap and Compile", op.Name)
	}
	if s.wants && s.smooth == 0 && !testutil.Raced && matrixWaived[op.Name+"/gradient"] == "" {
		t.Errorf("gradient: no case of %s met finite differences", op.Name)
	}
	return s
}

// guarded runs a check and returns a panic as its result.
func (c *matrixCase) guarded(k matrixCheck) (bad string) {
	defer func() {
		if r := recover(); r != nil {
			bad = fmt.Sprintf("panic: %v", r)
		}
	}()
	return k.run(c)
}

// waiver names the waiver of a check for the case, "" if there is none. A third part is for cases whose name has it; | is or.
func (c *matrixCase) waiver(check string) string {
	key := c.op + "/" + check
	named := func(part string) bool { return strings.Contains(c.name, part) }
	for k := range matrixWaived {
		if parts, ok := strings.CutPrefix(k, key+"/"); k == key || ok && slices.ContainsFunc(strings.Split(parts, "|"), named) {
			return k
		}
	}
	return ""
}

// waiversUsed holds the waivers that a case needed.
var waiversUsed sync.Map

// sampleCases picks cases that differ in kind: ranks, sizes zero, dtypes, attributes; those with gradients first.
func sampleCases(all []*matrixCase, n int) []*matrixCase {
	sorted := append([]*matrixCase(nil), all...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].grads && !sorted[j].grads })
	var out []*matrixCase
	seen := map[string]bool{}
	for _, level := range []func(c *matrixCase) string{(*matrixCase).kind, (*matrixCase).attrKind} {
		for _, c := range sorted {
			if k := level(c); len(out) < n && !seen[k] {
				seen[k] = true
				seen[c.attrKind()] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// rng is a generator fixed by the case.
func (c *matrixCase) rng(salt uint64) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, b := range []byte(c.op + c.name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(h, salt))
}
