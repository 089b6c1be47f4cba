package golden

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	F "github.com/lucid-go/lucid/nn/functional"
)

// indexCase is a program of reads and writes by index, and what NumPy made of it (scripts/golden_index).
type indexCase struct {
	X     indexArray
	Steps [][]json.RawMessage
	Out   []indexArray // nil: refused
}

// indexArray is a shape and values.
type indexArray [2][]int64

func (a indexArray) dims() []int {
	d := []int{}
	for _, n := range a[0] {
		d = append(d, int(n))
	}
	return d
}

func part[T any](raw json.RawMessage) (v T) {
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	return v
}

func indicesOf(raw json.RawMessage) (list []any) {
	for _, r := range part[[][]json.RawMessage](raw) {
		switch part[string](r[0]) {
		case "new":
			list = append(list, lucid.NewAxis)
		case "ellipsis":
			list = append(list, lucid.Ellipsis)
		case "int":
			list = append(list, part[int](r[1]))
		case "range":
			g := lucid.Range{Stop: lucid.End, Step: 1}
			if s := part[*int](r[3]); s != nil {
				g.Step = *s
			}
			if g.Step < 0 {
				g.Start = lucid.End
			}
			if s := part[*int](r[1]); s != nil {
				g.Start = *s
			}
			if s := part[*int](r[2]); s != nil {
				g.Stop = *s
			}
			if g.Stop == 0 && (g.Step > 0 || g.Start == 0) { // empty: refused but for Range{}
				g = lucid.Range{}
			}
			list = append(list, g)
		default:
			t := lucid.New(part[[]int64](r[2]), part[[]int](r[1])...)
			if part[string](r[0]) == "mask" {
				t = t.Ne(0)
			}
			list = append(list, t)
		}
	}
	return list
}

func viewOf(x *lucid.Tensor, kind string, raw json.RawMessage) *lucid.Tensor {
	switch kind {
	case "permute":
		return x.Permute(part[[]int](raw)...)
	case "expand":
		return x.Expand(part[[]int](raw)...)
	case "diagonal":
		v := part[[]int](raw)
		return lucid.Diagonal(x, lucid.DiagonalOptions{Offset: v[0], Dim1: &v[1], Dim2: &v[2]})
	}
	return x.At(indicesOf(raw)...)
}

func (c *indexCase) run() (out []*lucid.Tensor) {
	x := lucid.New(c.X[1], c.X.dims()...)
	var views []*lucid.Tensor
	for _, s := range c.Steps {
		kind := part[string](s[0])
		if kind == "at" {
			out = append(out, x.At(indicesOf(s[1])...))
			continue
		}
		if kind == "view" {
			views = append(views, viewOf(x, part[string](s[1]), s[2]))
			continue
		}
		target := x
		if k, ok := strings.CutPrefix(kind, "view_"); ok {
			kind, target = k, views[len(views)-1]
		}
		var v any
		if s[2][0] == '[' {
			a := part[indexArray](s[2])
			v = lucid.New(a[1], a.dims()...)
		} else {
			v = part[int64](s[2])
		}
		write := map[string]func(any, ...any) *lucid.Tensor{"set": target.SetAt, "add": target.AddAt, "mul": target.MulAt,
			"max": target.MaxAt, "min": target.MinAt}[kind]
		write(v, indicesOf(s[1])...)
	}
	return append(append(out, x), views...)
}

// TestIndexNumPy compares reads and writes by index with NumPy's.
func TestIndexNumPy(t *testing.T) {
	f, err := os.Open("testdata/index.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []indexCase }
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) < 400 {
		t.Fatalf("%d cases", len(all.Cases))
	}
	for i, c := range all.Cases {
		var got []indexArray
		err := lucid.Try(func() {
			for _, y := range c.run() {
				a := indexArray{[]int64{}, lucid.ToSlice[int64](y)}
				for _, n := range y.Shape() {
					a[0] = append(a[0], int64(n))
				}
				got = append(got, a)
			}
		})
		switch {
		case (err != nil) != (c.Out == nil):
			t.Errorf("case %d %s: %v; NumPy refuses it: %v", i, c.Steps, err, c.Out == nil)
		case err == nil && !slices.EqualFunc(got, c.Out, func(a, b indexArray) bool {
			return slices.Equal(a[0], b[0]) && slices.Equal(a[1], b[1])
		}):
			t.Errorf("case %d %s of %v: %v; NumPy gives %v", i, c.Steps, c.X, fmt.Sprint(got), c.Out)
		}
	}
}

// TestWriteRefuses checks that what a tensor cannot hold is not written to it.
func TestWriteRefuses(t *testing.T) {
	bytes, ints, floats, half := lucid.New([]uint8{1, 2}, 2), lucid.New([]int64{1, 2}, 2), lucid.New([]float32{1, 2}, 2),
		lucid.New([]float32{1, 2}, 2).To(lucid.Float16)
	wave, mask, at := lucid.New([]complex64{1i, 2}, 2), lucid.New([]bool{true, false}, 2), lucid.New([]int64{0, 1}, 2)
	cases := map[string]func(){
		"a byte of 300":          func() { bytes.SetAt(300, 0) },
		"a byte of 300, masked":  func() { bytes.MaskedFill(mask, 300) },
		"an int of NaN":          func() { ints.IndexFill(0, at, math.NaN()) },
		"a half of 1e10":         func() { half.MaskedFill(mask, 1e10) },
		"a half of -1e10, whole": func() { lucid.FullLike(half, -1e10) },
		"a float of 2i":          func() { floats.MaskedFill(mask, 2i) },
		"padding with -1e10":     func() { F.Pad(half, []int{1, 1}, F.PadOptions{Value: -1e10}) },
		"a complex tensor":       func() { floats.SetAt(wave, lucid.Colon) },
		"assigned complex":       func() { floats.Assign(wave) },
		"floats among ints":      func() { ints.Scatter(0, at, floats) },
		"wide floats in half":    func() { half.IndexAdd(0, at, floats) },
		"too many for the mask":  func() { floats.Clone().SetAt([]float32{1, 2}, mask).Item() },
		"two values, one true":   func() { lucid.ToSlice[float32](floats.Clone().SetAt(lucid.New([]float32{1, 2}, 2), mask)) },
		"two values, none true": func() {
			lucid.ToSlice[float32](floats.Clone().SetAt(lucid.New([]float32{1, 2}, 2), mask.LogicalAnd(false)))
		},
	}
	for name, f := range cases {
		if lucid.Try(f) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	bytes.SetAt(-1, 0) // wraps, as in PyTorch
	half.SetAt(math.NaN(), 0)
	floats.Scatter(0, at, half)
	if got := lucid.ToSlice[uint8](bytes); got[0] != 255 {
		t.Errorf("bytes are %v", got)
	}
}

// TestInPlaceKeeps checks that in-place forms keep a tensor's shape and dtype, or refuse.
func TestInPlaceKeeps(t *testing.T) {
	for name, c := range map[string]struct {
		f    func()
		want error
	}{
		"more dims":      {func() { lucid.Ones(1).Add_(lucid.Ones(3)) }, lucid.ErrShapeMismatch},
		"0-d":            {func() { lucid.Ones().Mul_(lucid.Ones(1)) }, lucid.ErrShapeMismatch},
		"ints by floats": {func() { lucid.New([]int64{1}, 1).Add_(1.5) }, lucid.ErrDType},
		"ints divided":   {func() { lucid.New([]int64{1}, 1).Div_(2) }, lucid.ErrDType},
		"real by 1i":     {func() { lucid.Ones(2).Mul_(1i) }, lucid.ErrDType},
		"bools by ints":  {func() { lucid.New([]bool{true}, 1).Add_(1) }, lucid.ErrDType},
		"masked":         {func() { lucid.Ones(1).MaskedFill_(lucid.New([]bool{true, false}, 2), 0) }, lucid.ErrShapeMismatch},
		"by name": {func() { tensortest.Must(lucid.Call("add_", []*lucid.Tensor{lucid.Ones(1), lucid.Ones(3)}, nil)) },
			lucid.ErrShapeMismatch},
	} {
		if err := lucid.Try(c.f); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	x := lucid.New([]float32{1, 2}, 2)
	x.Add_(lucid.New([]float64{0.5, 0.5}, 2))
	x.Sub_(lucid.New([]int64{1, 1}, 2))
	if x.DType() != lucid.Float32 || x.At(1).Item() != 1.5 {
		t.Errorf("%v", x)
	}
}
