package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(map[string]kernel{"searchsorted": searchsorted, "isin": isin}) }

// searchSource is a kernel of search.cu.
func searchSource(name string, t dtype.DType, right bool) string {
	files := []string{"search"}
	if name == "isin_sorted" {
		files = []string{"key", "search"}
	}
	return kernels.Source("prelude") + "#define " + strings.ToUpper(name) + "\n" +
		fmt.Sprintf("#define T %s\n#define K %s\n#define RIGHT %v\n", ctype[t], keyOf(t), right) + kernels.Source(files...)
}

func (d *call) search(name string, t dtype.DType, right bool, total int, g args) error {
	f, err := d.kernel(fmt.Sprint(name, t, right), name, func() string { return searchSource(name, t, right) })
	if err != nil {
		return err
	}
	return d.launch(f, blocks(total, threads), 1, threads, g)
}

func searchsorted(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	per := in[1].Numel()
	if in[0].Shape.Rank() > 1 {
		per = in[1].Shape.Dim(-1)
	}
	var g args
	g.int(in[1].Numel(), in[0].Shape.Dim(-1), per)
	g.ptr(address(out[0]), address(x.views[0]), address(x.views[1]))
	return d.search("searchsorted", in[0].DType, a.(attr.Search).Right, in[1].Numel(), g)
}

// manyMembers is the size from which a set is sorted and binary-searched.
const manyMembers = 512

func isin(d *call, _ attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	total, n := in[0].Numel(), in[1].Numel()
	name, set := "isin", address(x.views[1])
	if n >= manyMembers && n <= longest && !in[0].DType.IsComplex() {
		s := &sorter{call: d, t: in[0].DType, rows: 1, n: n, step: 1, x: set}
		defer s.free()
		if err := s.scratch(n); err != nil {
			return err
		}
		if err := s.launch("make_keys", blocks(n, threads)); err != nil {
			return err
		}
		if err := s.pairs(n); err != nil {
			return err
		}
		name, set = "isin_sorted", s.keys
	}
	var g args
	g.int(total, n)
	g.ptr(address(out[0]), address(x.views[0]), set)
	return d.search(name, in[0].DType, false, total, g)
}
