package learn

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/data/sets"
)

// Spec is what a model needs to know of its data; it is stored in the checkpoint.
type Spec struct {
	Name     string   `json:"name"`               // what the data is
	Shape    []int    `json:"shape"`              // (C, H, W) of an image, (F) of a row, (T) of a text
	Classes  []string `json:"classes,omitempty"`  // nil for a text
	Examples int      `json:"examples"`           // trained on
	Inverted bool     `json:"inverted,omitempty"` // images are light on dark
	Peak     float64  `json:"peak,omitempty"`     // largest value of a pixel
	Unit     string   `json:"unit"`               // what an example is, in the plural
	Target   *Target  `json:"target,omitempty"`   // of a regression: the number to predict
}

// Target is the number that a regression predicts. A model learns it less the mean, over the deviation.
type Target struct {
	Name string  `json:"name,omitempty"` // of its column
	Mean float64 `json:"mean"`           // over the examples to learn from
	Std  float64 `json:"std"`
}

// Outputs returns how many numbers a model gives for an example: scores of classes or of bytes, or the prediction.
func (s Spec) Outputs() int {
	switch {
	case s.Target != nil:
		return 1
	case s.Classes == nil:
		return 256
	}
	return len(s.Classes)
}

// task is data to train on, and data held out.
type task struct {
	Spec
	train, test data.Dataset
	mean, std   *lucid.Tensor // to bring examples near 0, as models like them; nil for a text
	workers     int
	missing     int  // fields of a table for which the mean of their column stands
	numbers     bool // classes of a table are numbers, which could be predicted as such
}

// splitSeed says which fifth is held out; it does not depend on the run's seed, so runs compare.
const splitSeed = 0

func load(c Config) (*task, error) {
	if c.Text() {
		return loadText(c)
	}
	if c.Data == "" {
		t, err := sets.Digits()
		if err != nil {
			return nil, err
		}
		return tableTask(c, "handwritten digits", t)
	}
	info, err := os.Stat(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint("lucid train --data <folder or file.csv>", "there is no %s", c.Data)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir() && hasIDX(c.Data):
		return loadMNIST(c)
	case info.IsDir():
		return loadFolder(c)
	case strings.Contains(filepath.Base(c.Data), "-ubyte"):
		return nil, hint("lucid train --data "+filepath.Dir(c.Data), "%s is one of four files; name the folder they are in", c.Data)
	case isTable(c.Data):
		return loadTable(c)
	case strings.HasSuffix(strings.TrimSuffix(strings.ToLower(c.Data), ".gz"), ".txt"):
		return nil, hint("lucid train --model gpt --data "+c.Data, "%s is a text, which a %s cannot read", c.Data, c.Model)
	}
	return nil, hint("lucid train --data <folder or file.csv>", "%s is no CSV file, and no folder of MNIST files or of images", c.Data)
}

func hasIDX(dir string) bool {
	list, _ := os.ReadDir(dir)
	return slices.ContainsFunc(list, func(e os.DirEntry) bool { return strings.Contains(e.Name(), "-ubyte") })
}

// split holds out a fifth, sampled at random, and computes the statistics of the rest.
func (k *task) split(all *data.TensorDataset, images bool) (*task, error) {
	if all.Len() < 10 {
		return nil, hint("lucid train", "%s has %d examples; want at least 10", k.Name, all.Len())
	}
	parts := data.RandomSplit(all, []float64{0.8, 0.2}, splitSeed)
	for i, to := range []*data.Dataset{&k.train, &k.test} {
		b, err := all.GetBatch(parts[i].Indices)
		if err != nil {
			return nil, err
		}
		*to = data.NewTensorDataset(b...)
	}
	if k.missing > 0 {
		k.fillMissing()
	}
	if k.Target != nil {
		k.standardiseTarget()
	}
	x := k.train.(*data.TensorDataset).Tensors[0]
	if images {
		k.scale(x.Max().Item())
		k.look(x)
	} else {
		std, mean := lucid.Std(x, lucid.VarOptions{Dim: []int{0}}), x.Mean(0)
		k.mean, k.std = mean, lucid.Where(std.Eq(0), 1, std)
	}
	k.Examples = k.train.Len()
	return k, lucid.Eval(k.mean, k.std)
}

// fillMissing puts the mean of a column, over the rows to learn from, where a field is NaN.
func (k *task) fillMissing() {
	train, test := k.train.(*data.TensorDataset), k.test.(*data.TensorDataset)
	mean := lucid.NanMean(train.Tensors[0], lucid.ReduceOptions{Dim: []int{0}})
	mean = lucid.Where(lucid.IsNaN(mean), 0, mean) // a column of nothing else
	for _, d := range []*data.TensorDataset{train, test} {
		x := d.Tensors[0]
		d.Tensors[0] = lucid.Where(lucid.IsNaN(x), mean, x)
	}
}

// scale says the largest value of a pixel.
func (k *task) scale(most float64) {
	k.Peak = max(most, 1e-6)
	k.mean, k.std = lucid.Zeros(1), lucid.Full([]int{1}, k.Peak)
}

// look finds out whether images are light on dark, by their edges.
func (k *task) look(x *lucid.Tensor) {
	x = x.At(lucid.Range{Stop: min(x.Size(0), 1000)}).To(lucid.Float32)
	k.Inverted = borderOf(x).Item() < 0.5*k.Peak
}

// borderOf returns the mean of the first and last rows of images (…, H, W).
func borderOf(x *lucid.Tensor) *lucid.Tensor {
	return x.At(lucid.Ellipsis, 0, lucid.Colon).Mean().Add(x.At(lucid.Ellipsis, -1, lucid.Colon).Mean()).Div(2)
}

func loadMNIST(c Config) (*task, error) {
	train, test, err := data.MNIST(c.Data)
	if err != nil {
		return nil, err
	}
	if train.Len() == 0 || test.Len() == 0 {
		return nil, hint("lucid train", "%s has no images", c.Data)
	}
	h, w := train.Tensors[0].Size(1), train.Tensors[0].Size(2)
	classes := int(max(train.Tensors[1].Max().Item(), test.Tensors[1].Max().Item())) + 1
	k := &task{Spec: Spec{Name: filepath.Base(c.Data), Shape: []int{1, h, w}, Unit: "images", Examples: train.Len()}}
	for i := range classes {
		k.Classes = append(k.Classes, strconv.Itoa(i))
	}
	if test.Tensors[0].Size(1) != h || test.Tensors[0].Size(2) != w {
		return nil, lucid.Errorf(lucid.ErrShapeMismatch, "train", "%s: images to train on are %v, to test %v", c.Data,
			train.Tensors[0].Shape(), test.Tensors[0].Shape())
	}
	k.train, k.test = train, test
	k.scale(255)
	k.look(train.Tensors[0])
	return k, nil
}

func loadFolder(c Config) (*task, error) {
	d, err := data.NewImageFolder(c.Data)
	if errors.Is(err, lucid.ErrFormat) {
		return nil, hint("lucid train --data <folder>", "%v", err)
	}
	if err != nil {
		return nil, err
	}
	if d.Len() < 10 || len(d.Classes) < 2 {
		return nil, hint("lucid train", "%s has %d images in %d folders; want at least 10, and a folder per class", c.Data,
			d.Len(), len(d.Classes))
	}
	parts := data.RandomSplit(d, []float64{0.8, 0.2}, splitSeed)
	k := &task{Spec: Spec{Name: filepath.Base(c.Data), Shape: d.Shape(), Classes: d.Classes, Unit: "images", Examples: parts[0].Len()}}
	k.train, k.test, k.workers = parts[0], parts[1], 2
	k.scale(255)
	first, err := parts[0].Get(0)
	if err != nil {
		return nil, err
	}
	k.look(first[0].Unsqueeze(0))
	return k, nil
}

// maxText bounds a text, of which every byte becomes part of many windows.
const maxText = 1 << 31

func readText(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, hint("lucid train --model gpt --data <file.txt>", "there is no %s", path)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, hint("lucid train --data "+path, "%s is a folder; a gpt reads a text file", path)
	case info.Size() > maxText:
		return nil, hint("lucid train --model gpt --data <file.txt>", "%s has %d bytes; want at most %d", path, info.Size(), maxText)
	}
	return os.ReadFile(path)
}

func loadText(c Config) (t *task, err error) {
	k := &task{Spec: Spec{Name: "Newton's Opticks", Shape: []int{c.Context}, Unit: "bytes"}}
	var text []byte
	if c.Data == "" {
		text, err = sets.Opticks()
	} else {
		k.Name = filepath.Base(c.Data)
		text, err = readText(c.Data)
	}
	if err != nil {
		return nil, err
	}
	if len(text) < 20*(c.Context+1) {
		return nil, hint("lucid train --model gpt", "%s has %d bytes; want at least %d", k.Name, len(text), 20*(c.Context+1))
	}
	cut := len(text) * 9 / 10 // a text cannot be cut into random windows: they would overlap
	k.train = data.NewTextDataset(text[:cut], c.Context, max(c.Context/4, 1))
	k.test = data.NewTextDataset(text[cut:], c.Context, c.Context)
	k.Examples = k.train.Len()
	return k, nil
}
