package learn

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
)

// manyClasses is the number of different targets up to which they are classes, whatever they look like.
const manyClasses = 20

// loadTable reads a CSV file. Its target is a class, or a number to predict: as the configuration says, else as it looks.
func loadTable(c Config) (*task, error) {
	t, err := readTable(c, c.Task == Regression)
	if c.Task == "" && c.Model == "mlp" && (err != nil || looksNumeric(t)) {
		// Too many classes are an error too. If the targets are no numbers after all, what was found first holds.
		if numeric, again := readTable(c, true); again == nil {
			t, err = numeric, nil
		}
	}
	if errors.Is(err, lucid.ErrFormat) {
		return nil, hint("lucid train --model mlp --data <file.csv>", "%s", strings.TrimPrefix(err.Error(), "lucid: read_csv: "))
	}
	if err != nil {
		return nil, err
	}
	return tableTask(c, filepath.Base(c.Data), t)
}

func readTable(c Config, numeric bool) (*data.Table, error) {
	o := data.CSVOptions{Missing: new(math.NaN()), LabelName: c.Target, Numeric: numeric}
	if n, err := strconv.Atoi(c.Target); err == nil {
		if n < 1 {
			return nil, hint("lucid train --target 1", "--target is %d; columns are counted from 1", n)
		}
		o.LabelName, o.Label = "", new(n-1)
	}
	return data.ReadCSV(c.Data, o)
}

// looksNumeric reports whether targets that were read as classes are numbers to predict: more than a few, and either no whole numbers
// or hardly ever the same twice.
func looksNumeric(t *data.Table) bool {
	n := len(t.Classes)
	return n > manyClasses && allNumbers(t.Classes) && (n > t.X.Size(0)/2 || slices.ContainsFunc(t.Classes, func(s string) bool {
		v, _ := strconv.ParseFloat(s, 64)
		return v != math.Trunc(v)
	}))
}

func allNumbers(names []string) bool {
	return !slices.ContainsFunc(names, func(s string) bool {
		v, err := strconv.ParseFloat(s, 64)
		return err != nil || math.IsNaN(v) || math.IsInf(v, 0)
	})
}

// tableTask has the rows of a table as examples; for a cnn they are square images.
func tableTask(c Config, name string, t *data.Table) (*task, error) {
	n, f := t.X.Size(0), t.X.Size(1)
	k := &task{Spec: Spec{Name: name, Shape: []int{f}, Classes: t.Classes, Unit: "rows"}, missing: t.Missing}
	switch classes := len(t.Classes); {
	case t.Classes == nil:
		k.Target = &Target{Name: t.Label}
	case classes < 2:
		return nil, hint("lucid train --model mlp --data <file.csv>",
			"%s: all %d rows are of the class %q; want at least two", name, n, t.Classes[0])
	case classes > manyClasses && classes > n/2:
		return nil, hint("lucid train --model mlp --data <file.csv> --target <column>",
			"%s: the class has %d different values in %d rows; want a column of few, the last or one named label, class or target", name,
			classes, n)
	default:
		k.numbers = c.Model == "mlp" && c.Data != "" && c.Task == "" && classes > manyClasses && allNumbers(t.Classes)
	}
	x := t.X
	if side := int(math.Sqrt(float64(f))); c.Model == "cnn" || c.Data == "" {
		if side*side != f {
			return nil, hint("lucid train --model mlp --data "+c.Data, "rows have %d numbers, which make no square image for a cnn", f)
		}
		k.Shape, k.Unit = []int{1, side, side}, "images"
		x = x.Reshape(n, 1, side, side)
	}
	return k.split(data.NewTensorDataset(x, t.Y), k.Unit == "images")
}

// standardiseTarget finds the mean and the deviation of the target over the examples to learn from, in float64: prices and times are
// large numbers close together. Examples keep their targets as they are; the loss brings them near 0.
func (k *task) standardiseTarget() {
	y := lucid.ToSlice[float64](k.train.(*data.TensorDataset).Tensors[1])
	var sum, squares float64
	for _, v := range y {
		sum += v
	}
	k.Target.Mean = sum / float64(len(y))
	for _, v := range y {
		squares += (v - k.Target.Mean) * (v - k.Target.Mean)
	}
	if k.Target.Std = math.Sqrt(squares / float64(len(y))); k.Target.Std < 1e-12*math.Abs(k.Target.Mean) || k.Target.Std == 0 {
		k.Target.Std = 1 // all the same
	}
}
