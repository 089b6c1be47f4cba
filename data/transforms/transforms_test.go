package transforms_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/data/transforms"
)

// TestResize compares with the values PyTorch computed; scripts/golden/resize.py made them.
func TestResize(t *testing.T) {
	golden, err := lucid.Load("testdata/resize.npz")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, want := range golden.All() {
		number, filter, _ := strings.Cut(name, ".")
		if filter == "in" || filter == "" {
			continue
		}
		n++
		x := golden.Get(number + ".in")
		got := transforms.Resize([]int{want.Size(1), want.Size(2)}, transforms.ResizeOptions{Filter: filter})(nil, x)
		a, b := lucid.ToSlice[float64](got), lucid.ToSlice[float64](want)
		if !slices.Equal(got.Shape(), want.Shape()) {
			t.Fatalf("%s: shape %v, want %v", name, got.Shape(), want.Shape())
		}
		for i := range a {
			if math.Abs(a[i]-b[i]) > 5e-4 { // of 255; PyTorch has its weights in float32
				t.Fatalf("%s: element %d is %v, want %v", name, i, a[i], b[i])
			}
		}
		whole := transforms.Resize([]int{want.Size(1), want.Size(2)}, transforms.ResizeOptions{Filter: filter})(nil, x.To(lucid.Uint8))
		for i, v := range lucid.ToSlice[float64](whole) {
			if math.Abs(v-min(max(b[i], 0), 255)) > 0.5005 || whole.DType() != lucid.Uint8 {
				t.Fatalf("%s in uint8: element %d is %v, want %v", name, i, v, b[i])
			}
		}
	}
	if n < 25 {
		t.Errorf("%d cases", n)
	}
}

func TestResizeShorterSide(t *testing.T) {
	for _, c := range []struct {
		h, w, n, most int
		want          []int
	}{
		{10, 20, 5, 0, []int{5, 10}}, {20, 10, 5, 0, []int{10, 5}}, {7, 10, 3, 0, []int{3, 4}},
		{10, 100, 10, 50, []int{5, 50}}, {8, 8, 4, 0, []int{4, 4}},
	} {
		got := transforms.Resize([]int{c.n}, transforms.ResizeOptions{MaxSize: c.most})(nil, lucid.Zeros(1, c.h, c.w)).Shape()[1:]
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// ramp is an image whose pixel at row y, column x is 10y+x.
func ramp(h, w int) *lucid.Tensor {
	v := make([]uint8, h*w)
	for i := range v {
		v[i] = uint8(10*(i/w) + i%w)
	}
	return lucid.New(v, 1, h, w)
}

func ints(x *lucid.Tensor) string { return fmt.Sprint(lucid.ToSlice[int](x)) }

func TestGeometry(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, c := range map[string]struct {
		t    transforms.Transform
		want string
	}{
		"crop":         {transforms.Crop(1, 2, 2, 1), "[12 22]"},
		"center":       {transforms.CenterCrop(1, 2), "[11 12]"},
		"center, odd":  {transforms.CenterCrop(2, 1), "[2 12]"}, // 0.5 and 1.5 round to the even neighbour
		"center, tall": {transforms.CenterCrop(5, 1), "[0 2 12 22 0]"},
		"flip":         {transforms.RandomHorizontalFlip(1), "[3 2 1 0 13 12 11 10 23 22 21 20]"},
		"flip, never":  {transforms.RandomHorizontalFlip(0), "[0 1 2 3 10 11 12 13 20 21 22 23]"},
		"upside down":  {transforms.RandomVerticalFlip(1), "[20 21 22 23 10 11 12 13 0 1 2 3]"},
		"pad":          {transforms.Compose(transforms.Crop(0, 0, 1, 1), transforms.Pad(1, 7)), "[7 7 7 7 0 7 7 7 7]"},
		"all of it":    {transforms.RandomCrop(3, 4), "[0 1 2 3 10 11 12 13 20 21 22 23]"},
		"choice":       {transforms.RandomChoice(transforms.Crop(0, 0, 1, 1)), "[0]"},
		"apply":        {transforms.RandomApply(1, transforms.Crop(0, 1, 1, 1)), "[1]"},
		"do not apply": {transforms.RandomApply(0, transforms.Crop(9, 9, 1, 1)), "[0 1 2 3 10 11 12 13 20 21 22 23]"},
	} {
		if got := ints(c.t(r, ramp(3, 4))); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestRandomPositions asks that every position can come up, and that flips come up as often as asked.
func TestRandomPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	seen := map[string]int{}
	crop := transforms.RandomCrop(2, 2)
	for range 300 {
		seen[ints(crop(r, ramp(3, 4)))]++
	}
	if len(seen) != 6 {
		t.Errorf("of 6 positions %d came up", len(seen))
	}
	padded := transforms.RandomCrop(3, 3, transforms.RandomCropOptions{Padding: 1, Mode: "reflect"})
	if got := padded(r, ramp(2, 2)).Shape(); !slices.Equal(got, []int{1, 3, 3}) {
		t.Error(got)
	}
	if got := transforms.RandomCrop(5, 5, transforms.RandomCropOptions{PadIfNeeded: true})(r,
		ramp(3, 4)).Shape(); !slices.Equal(got, []int{1, 5, 5}) {
		t.Error(got)
	}
	flips, flip := 0, transforms.RandomHorizontalFlip(0.3)
	for range 2000 {
		if ints(flip(r, ramp(1, 2))) == "[1 0]" {
			flips++
		}
	}
	if flips < 500 || flips > 700 {
		t.Errorf("%d of 2000 flipped, want 600", flips)
	}
	sized := transforms.RandomResizedCrop(6, 5)
	for range 50 {
		if got := sized(r, lucid.Ones(3, 1+r.IntN(40), 1+r.IntN(40))); !slices.Equal(got.Shape(), []int{3, 6, 5}) ||
			math.Abs(got.Mean().Item()-1) > 1e-6 {
			t.Fatal(got)
		}
	}
}

func TestColours(t *testing.T) {
	x := lucid.New([]uint8{0, 255, 51, 102, 255, 0}, 3, 1, 2)
	y := transforms.Compose(transforms.ToTensor(), transforms.Normalize([]float64{0.5, 0, 1}, []float64{0.5, 1, 2}))(nil, x)
	want := []float64{-1, 1, 0.2, 0.4, 0, -0.5}
	for i, v := range lucid.ToSlice[float64](y) {
		if math.Abs(v-want[i]) > 1e-6 {
			t.Errorf("element %d is %v, want %v", i, v, want[i])
		}
	}
	if got := ints(transforms.Grayscale(1)(nil, x)); got != "[59 136]" { // 0.587·51+0.114·255, 0.2989·255+0.587·102
		t.Error(got)
	}
	if got := transforms.Grayscale(3)(nil, x).Shape(); !slices.Equal(got, []int{3, 1, 2}) {
		t.Error(got)
	}
	r := rand.New(rand.NewPCG(2, 2))
	same := transforms.ColorJitter(transforms.ColorJitterOptions{})
	if got := ints(same(r, x)); got != ints(x) {
		t.Errorf("no jitter changed colours: %v", got)
	}
	jitter := transforms.ColorJitter(transforms.ColorJitterOptions{Brightness: 0.5, Contrast: 0.5, Saturation: 0.5})
	if a, b := jitter(r, x), jitter(r, x); ints(a) == ints(b) || a.DType() != lucid.Uint8 {
		t.Error("two jitters are the same")
	}
}

// TestWorkers asks that random images depend on seed, epoch and example alone.
func TestWorkers(t *testing.T) {
	d := transforms.NewDataset(data.NewTensorDataset(lucid.Arange(0, 24*64).Reshape(24, 1, 8, 8), lucid.Arange(0, 24)), 0,
		transforms.Compose(
			transforms.RandomCrop(6, 6), transforms.RandomHorizontalFlip(0.5), transforms.RandomVerticalFlip(0.5),
			transforms.RandomResizedCrop(4, 4)))
	read := func(workers int) (epochs [2]string) {
		l := data.NewLoader(d, data.LoaderOptions{BatchSize: 5, Shuffle: true, Workers: workers, Seed: new(uint64(3))})
		for e := range epochs {
			for b, err := range l.All(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				epochs[e] += fmt.Sprint(lucid.ToSlice[float32](b[0]), lucid.ToSlice[int](b[1]))
			}
		}
		return epochs
	}
	want := read(0)
	if want[0] == want[1] {
		t.Error("two epochs are the same")
	}
	for _, n := range []int{1, 4} {
		if read(n) != want {
			t.Errorf("%d workers make other images", n)
		}
	}
}

func TestRefused(t *testing.T) {
	image := lucid.Zeros(3, 4, 4)
	for name, c := range map[string]struct {
		f    func()
		kind error
	}{
		"filter":        {func() { transforms.Resize([]int{3}, transforms.ResizeOptions{Filter: "hermite"}) }, lucid.ErrValue},
		"three sizes":   {func() { transforms.Resize([]int{1, 2, 3}) }, lucid.ErrValue},
		"no size":       {func() { transforms.Resize(nil) }, lucid.ErrValue},
		"size 0":        {func() { transforms.Resize([]int{0, 3}) }, lucid.ErrValue},
		"huge":          {func() { transforms.Resize([]int{1 << 20, 1}) }, lucid.ErrValue},
		"long":          {func() { transforms.Resize([]int{1 << 10})(nil, lucid.Zeros(1, 1, 100)) }, lucid.ErrValue},
		"no pixels":     {func() { transforms.Resize([]int{2})(nil, lucid.Zeros(1, 0, 4)) }, lucid.ErrShapeMismatch},
		"crop outside":  {func() { transforms.Crop(2, 0, 3, 1)(nil, image) }, lucid.ErrIndex},
		"crop too wide": {func() { transforms.RandomCrop(5, 5)(rand.New(rand.NewPCG(1, 1)), image) }, lucid.ErrShapeMismatch},
		"vector":        {func() { transforms.CenterCrop(1, 1)(nil, lucid.Zeros(4)) }, lucid.ErrShapeMismatch},
		"probability":   {func() { transforms.RandomHorizontalFlip(2) }, lucid.ErrValue},
		"no choice":     {func() { transforms.RandomChoice() }, lucid.ErrValue},
		"integers":      {func() { transforms.Normalize([]float64{0}, []float64{1})(nil, image.To(lucid.Uint8)) }, lucid.ErrDType},
		"deviation 0":   {func() { transforms.Normalize([]float64{0}, []float64{0}) }, lucid.ErrValue},
		"two means":     {func() { transforms.Normalize([]float64{0, 0}, []float64{1})(nil, image) }, lucid.ErrShapeMismatch},
		"gray":          {func() { transforms.Grayscale(2) }, lucid.ErrValue},
		"scale": {func() {
			transforms.RandomResizedCrop(2, 2, transforms.RandomResizedCropOptions{Scale: [2]float64{1, 0.5}})
		}, lucid.ErrValue},
	} {
		if err := lucid.Try(c.f); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
	d := transforms.NewDataset(data.NewTensorDataset(image), 1, transforms.ToTensor())
	if _, err := d.Get(0); !errors.Is(err, lucid.ErrIndex) {
		t.Errorf("a tensor that is not there: %v", err)
	}
}
