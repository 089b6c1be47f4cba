package checklist

// A row is a line added to a file of the tree: text, put before the first occurrence of before.
type row struct{ path, before, text string }

// A command runs in the copy of the tree.
type command []string

// A list is one checklist: its heading in CONTRIBUTING.md, the rows it adds, the commands that regenerate, and the tests that
// must pass then. The files it adds are those of testdata/name, with their paths in the tree.
type list struct {
	name, heading string
	rows          []row
	generate      []command
	tests         []command
}

var (
	doors    = command{"go", "generate", "./internal/gen/doors"}
	modules  = command{"go", "generate", "./internal/gen/modules"}
	coverage = command{"go", "generate", "./internal/lint"}
)

var lists = []list{
	{name: "elementwise", heading: "An elementwise op",
		rows: []row{
			{"internal/gen/doors/families.go", `"unary", "transcendental"`, `"signed_square", `},
			{"internal/backend/backendtest/elementwise.go", `{"abs", ops.Abs,`, `{"signed_square", ops.SignedSquare, -3, 3}, `},
			{"internal/backend/cuda/expr.go", `"relu": "`, `"signed_square": "hf", `},
			{"internal/backend/cuda/kernels/functions.cu", "template <class T> DEV T op_relu(",
				"template <class T> DEV T op_signed_square(T x) { return x * (x < T(0) ? -x : x); }\n"},
		},
		generate: []command{doors, coverage},
		tests: []command{
			{"go", "test", ".", "-run", "^TestSignedSquare$"},
			{"go", "test", "./internal/gen/doors", "./internal/graph", "./internal/export"},
			{"go", "test", "./internal/lint", "-run", "TestKernels|TestCoverage|TestElementwiseDTypes|TestPassesAskRoles"},
			{"go", "test", "./internal/backend/cuda", "-run", "Coverage"},
			{"go", "test", "-short", "./internal/backend/cpu", "-run", "TestConformance/ops/signed_square"},
		}},
	{name: "reduction", heading: "A reduction with a CUDA kernel",
		rows: []row{
			{"internal/gen/doors/families.go", `"reduce", "extrema"`, `"sum_squares", `},
			{"internal/backend/backendtest/rows.go", `{"count_nonzero", func`,
				"{\"sum_squares\", func(x *node, a axes) *node { return ops.SumSquares(x, ops.DimsOptions{Dim: a.dims}) }, true},\n\t\t"},
			{"internal/backend/cuda/reduce.go", `"sum": {"Sum", `, `"sum_squares": {"SumSquares", "hf"}, `},
			{"internal/backend/cuda/kernels/reduce_ops.cu", "template <class R> struct Count {", `template <class R> struct SumSquares {
    typedef R A;
    static DEV A none() { return 0; }
    static DEV void add(A &a, R v, i64, double) { a += v * v; }
    static DEV void merge(A &a, A b) { a += b; }
    static DEV R done(A a, i64, double) { return a; }
};
`},
		},
		generate: []command{doors, coverage},
		tests: []command{
			{"go", "test", ".", "-run", "^TestSumSquares$"},
			{"go", "test", "./internal/gen/doors", "./internal/graph", "./internal/export"},
			{"go", "test", "./internal/lint", "-run", "TestKernels|TestCoverage"},
			{"go", "test", "./internal/backend/cuda", "-run", "Coverage|TestSumSquares"},
			{"go", "test", "-short", "./internal/backend/cpu", "-run", "TestConformance/ops/sum_squares"},
		}},
	{name: "module", heading: "A module",
		generate: []command{modules},
		tests: []command{
			{"go", "test", "./nn", "-run", "^TestChannelScale$"},
			{"go", "test", "./internal/gen/modules"},
			{"go", "test", "./internal/lint", "-run", "TestModulesAreTested"},
		}},
	{name: "format", heading: "A file format",
		tests: []command{
			{"go", "test", "-short", "./internal/codec/flat"},
			{"go", "test", "./internal/lint", "-run", "TestLayers|TestPackageDocs"},
		}},
}
