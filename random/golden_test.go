package random_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/random"
)

type goldenTensor struct {
	DType string
	Shape []int
	Data  string
}

type goldenCase struct {
	Op     string
	Seed   json.Number
	Attrs  map[string]json.RawMessage
	Output goldenTensor
}

// values decodes the numbers; words are the raw elements.
func (g goldenTensor) values(t *testing.T) (lucid.DType, []complex128) {
	d, ok := dtype.Parse(g.DType)
	if !ok {
		t.Fatalf("dtype %q", g.DType)
	}
	raw, err := base64.StdEncoding.DecodeString(g.Data)
	if err != nil {
		t.Fatal(err)
	}
	buf := dtype.Bytes(make([]uint64, len(raw)/8+2))
	copy(buf, raw)
	out := make([]complex128, len(raw)/d.Size())
	for i := range out {
		out[i] = d.Get(buf, i).Complex()
	}
	return d, out
}

func (g goldenTensor) tensor(t *testing.T) *lucid.Tensor {
	d, v := g.values(t)
	return lucid.New(v, g.Shape...).To(d)
}

func (c goldenCase) into(t *testing.T, name string, v any) bool {
	raw, ok := c.Attrs[name]
	if !ok {
		return false
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return true
}

// operand is a number or a tensor, nil if it is missing.
func (c goldenCase) operand(t *testing.T, name string) any {
	raw, ok := c.Attrs[name]
	if !ok {
		return nil
	}
	if raw[0] == '{' {
		var g goldenTensor
		c.into(t, name, &g)
		return g.tensor(t)
	}
	if !strings.ContainsAny(string(raw), ".e") {
		var i int
		c.into(t, name, &i)
		return i
	}
	var f float64
	c.into(t, name, &f)
	return f
}

func (c goldenCase) run(t *testing.T) *lucid.Tensor {
	var seed uint64
	if _, err := fmt.Sscan(c.Seed.String(), &seed); err != nil {
		t.Fatal(err)
	}
	key := random.Key(seed)
	var sizes []int
	c.into(t, "shape", &sizes)
	var d lucid.DType
	var name string
	if c.into(t, "dtype", &name) {
		d, _ = dtype.Parse(name)
	}
	integer := func(name string) *int {
		var i int
		if c.into(t, name, &i) {
			return &i
		}
		return nil
	}
	switch c.Op {
	case "key":
		return key
	case "split":
		return random.Split(key, *integer("num"))
	case "bits":
		return random.Bits(key, sizes, *integer("width"))
	case "uniform":
		return random.Uniform(key, sizes, random.UniformOptions{Low: c.operand(t, "low"), High: c.operand(t, "high"), DType: d})
	case "normal":
		return random.Normal(key, sizes, random.NormalOptions{Loc: c.operand(t, "loc"), Scale: c.operand(t, "scale"), DType: d})
	case "laplace":
		return random.Laplace(key, sizes, random.LaplaceOptions{Loc: c.operand(t, "loc"), Scale: c.operand(t, "scale"), DType: d})
	case "gumbel":
		return random.Gumbel(key, sizes, random.Options{DType: d})
	case "truncated_normal":
		return random.TruncatedNormal(key, c.operand(t, "lower"), c.operand(t, "upper"), sizes, random.Options{DType: d})
	case "randint":
		return random.RandInt(key, c.operand(t, "low"), c.operand(t, "high"), sizes, random.Options{DType: d})
	case "bernoulli":
		return random.Bernoulli(key, c.operand(t, "p"), sizes)
	case "categorical":
		return random.Categorical(key, c.operand(t, "logits").(*lucid.Tensor),
			random.CategoricalOptions{Axis: integer("axis"), NumSamples: door.Or(integer("num_samples"), 0), Shape: sizes})
	case "permutation":
		axis := 0
		c.into(t, "axis", &axis)
		return random.Permutation(key, c.operand(t, "x"), axis)
	}
	t.Fatalf("unknown op %s", c.Op)
	return nil
}

// ulps is how far a result may be from MLX's, in units of the dtype's last place at the number's size (at least 1/8):
// bits, uniform numbers and integers are the same; erfinv, erf and log differ by their rounding.
func ulps(op string, d lucid.DType) float64 {
	switch op {
	case "normal", "laplace", "gumbel", "truncated_normal":
		if d.IsHalf() {
			return 2
		}
		return 16
	}
	return 0
}

// TestGolden compares with what MLX draws for the same keys.
func TestGolden(t *testing.T) {
	raw, err := os.ReadFile("../internal/testutil/golden/testdata/random.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []goldenCase }
	dec := json.NewDecoder(z)
	dec.UseNumber()
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	worst := map[string]float64{}
	for i, c := range file.Cases {
		t.Run(fmt.Sprintf("%s/%d", c.Op, i), func(t *testing.T) {
			got := c.run(t)
			d, want := c.Output.values(t)
			if !slices.Equal(got.Shape(), c.Output.Shape) {
				t.Fatalf("shape %v, want %v", got.Shape(), c.Output.Shape)
			}
			position := c.Op == "categorical" || c.Op == "permutation" && got.DType() == lucid.Int64 // MLX has uint32
			if got.DType() != d && !position {
				t.Fatalf("dtype %v, want %v", got.DType(), d)
			}
			unit := map[lucid.DType]float64{lucid.Float16: 1.0 / (1 << 10), lucid.BFloat16: 1.0 / (1 << 7), lucid.Float32: 1.0 / (1 << 23),
				lucid.Complex64: 1.0 / (1 << 23)}[d]
			for j, v := range lucid.ToSlice[complex128](got) {
				if v == want[j] {
					continue
				}
				for _, p := range [][2]float64{{real(v), real(want[j])}, {imag(v), imag(want[j])}} {
					off := math.Abs(p[0]-p[1]) / (unit * math.Max(math.Abs(p[1]), 0.125))
					worst[c.Op+" "+d.String()] = max(worst[c.Op+" "+d.String()], off)
					if !(off <= ulps(c.Op, d)) {
						t.Errorf("element %d is %v, want %v (%.1f ulp)", j, v, want[j], off)
					}
				}
			}
		})
	}
	t.Logf("%d cases; largest differences in ulp: %v", len(file.Cases), worst)
}
