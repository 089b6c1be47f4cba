package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// prices is a table whose target is a linear function of two columns, far from 0.
func prices(rows int) string {
	var b strings.Builder
	b.WriteString("rooms,price,age\n")
	for i := range rows {
		rooms, age := float64(i%9), float64(i*7%31)
		fmt.Fprintf(&b, "%g,%g,%g\n", rooms, 200000+12345.5*rooms-321*age, age)
	}
	return b.String()
}

// TestRegression asks that a column of many different numbers is predicted as a number, that R² and the error say so, and that a
// checkpoint answers with it.
func TestRegression(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	write(t, path, []byte(prices(400)))
	r, res := trained(t, Config{Model: "mlp", Data: path, Target: "price", Epochs: 60, Seed: 1})
	if res.R2 < 0.99 || res.MAE > 3000 || res.Accuracy != 0 || res.Confusion != nil {
		t.Errorf("%+v", res)
	}
	if s := r.Spec; s.Target == nil || s.Target.Name != "price" || s.Outputs() != 1 || s.Classes != nil ||
		math.Abs(s.Target.Mean-244000) > 4000 {
		t.Errorf("%+v, %+v", s, s.Target)
	}
	if !strings.Contains(r.Summary(), "predicts price, 2.4") {
		t.Error(r.Summary())
	}
	file := filepath.Join(t.TempDir(), "c.lucid")
	if err := r.Save(file); err != nil {
		t.Fatal(err)
	}
	p, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Number("4,15")
	if want := 200000 + 12345.5*4 - 321*15; err != nil || !p.Regression() || math.Abs(got-want) > 6000 {
		t.Errorf("%v, want %v: %v", got, want, err)
	}
	if h, err := p.Held(2); err != nil || h.Number == nil || h.Classes != nil || h.Truth == "" {
		t.Errorf("%+v, %v", h, err)
	}
	again, err := Resume(file, func(c *Config) { c.Epochs = 61 })
	if err != nil || again.Done != r.Done || len(again.Tests) != len(r.Tests) || again.Tests[0] != r.Tests[0] {
		t.Fatalf("%v", err)
	}
	write(t, path, []byte(prices(399)+"1,2,3\n"))
	if _, err := Resume(file, func(*Config) {}); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("another target: %v", err)
	}
}

// TestTaskChoice asks which tables are classes and which are numbers to predict.
func TestTaskChoice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	column := func(rows int, f string, every int) string {
		var b strings.Builder
		for i := range rows {
			fmt.Fprintf(&b, "%d,"+f+"\n", i%10, i%every)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text       string
		task       string
		regression bool
		says       string
	}{
		"few whole numbers":           {text: column(100, "%d", 5)},
		"few fractions":               {text: column(100, "%d.5", 5)},
		"many whole numbers":          {text: column(100, "%d", 100), regression: true},
		"many fractions, often":       {text: column(300, "%d.5", 30), regression: true},
		"whole numbers, often":        {text: column(300, "%d", 30), says: "its 30 classes are numbers: --task regression predicts"},
		"whole numbers, often, asked": {text: column(300, "%d", 30), task: Regression, regression: true},
		"few, asked":                  {text: column(100, "%d", 5), task: Regression, regression: true},
		"names":                       {text: column(100, "c%d", 5)},
		"fractions as classes":        {text: column(300, "%d.5", 30), task: Classes},
	} {
		write(t, path, []byte(c.text))
		r, err := New(Config{Model: "mlp", Data: path, Task: c.task})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if (r.Spec.Target != nil) != c.regression || !strings.Contains(r.Summary(), c.says) ||
			c.says == "" && strings.Contains(r.Summary(), "--task") {
			t.Errorf("%s: %s", name, r.Summary())
		}
	}
	for want, c := range map[string]Config{
		`there is no task "guess"`:       {Model: "mlp", Data: path, Task: "guess"},
		"are for a CSV file":             {Model: "mlp", Task: Regression},
		"a cnn learns classes":           {Model: "cnn", Data: path, Task: Regression},
		"columns are counted from 1":     {Model: "mlp", Data: path, Target: "0"},
		"the label is in column 6 of 2":  {Model: "mlp", Data: path, Target: "7"},
		`no column is named "price"`:     {Model: "mlp", Data: path, Target: "price"},
		`the label is "c0"; want a numb`: {Model: "mlp", Data: path, Task: Regression},
	} {
		write(t, path, []byte(column(100, "c%d", 5)))
		_, err := New(c)
		if h, ok := errors.AsType[*Hint](err); !ok || !strings.Contains(h.What, want) || !strings.HasPrefix(h.Try, "lucid train") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestVersionOne brings back a checkpoint as the first version wrote it: without tests.
func TestVersionOne(t *testing.T) {
	r, _ := trained(t, Config{Model: "mlp", Steps: 2, Seed: 1})
	path := filepath.Join(t.TempDir(), "c.lucid")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	now, err := lucid.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	old := lucid.NewStateDict()
	for name, x := range now.All() {
		if name != "tests" {
			old.Set(name, x)
		}
	}
	old.SetMetadata(metaKey, strings.Replace(now.Metadata()[metaKey], `"version":2`, `"version":1`, 1))
	if err := lucid.Save(path, old); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err != nil {
		t.Error(err)
	}
	back, err := Resume(path, func(c *Config) { c.Steps = 3 })
	if err != nil || back.Done != 2 || len(back.Tests) != 0 {
		t.Fatalf("%v", err)
	}
	for name, x := range map[string]*lucid.Tensor{"none": nil, "of float32": lucid.Zeros(1, 3),
		"ahead":    lucid.New([]float64{3, 0, 0}, 1, 3),
		"too many": lucid.New([]float64{1, 0, 0, 1, 0, 0, 2, 0, 0}, 3, 3), "at no step": lucid.New([]float64{math.NaN(), 0, 0}, 1, 3),
		"twice": lucid.New([]float64{1, 0, 0, 1, 0, 0}, 2, 3)} {
		d := lucid.NewStateDict()
		d.SetMetadata(metaKey, now.Metadata()[metaKey])
		for key, v := range old.All() {
			d.Set(key, v)
		}
		if x != nil {
			d.Set("tests", x)
		}
		if err := lucid.Save(path, d); err != nil {
			t.Fatal(err)
		}
		if _, err := Resume(path, func(*Config) {}); !errors.Is(err, lucid.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTextShare asks that reports of a short run on a text try the model on a small part of what is held out, and the end on all of it.
func TestTextShare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.txt")
	write(t, path, bytes.Repeat([]byte("abcdefghij"), 4000))
	r, err := New(Config{Model: "gpt", Data: path, Steps: 60, Batch: 8, Context: 16, Width: 16, Depth: 1, Heads: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	forward := r.scores
	r.scores = func(x *lucid.Tensor) *lucid.Tensor {
		seen += x.Size(0)
		return forward(x)
	}
	if _, err := r.Report(context.Background()); err != nil {
		t.Fatal(err)
	}
	// Six steps of eight windows go forward and back, which is three times the work of going forward.
	if tenth := 6 * 8 * 3 / 10; r.Every != 6 || seen < 1 || seen > tenth {
		t.Errorf("a report every %d steps takes %d windows; want at most %d", r.Every, seen, tenth)
	}
	seen = 0
	if _, err := r.Evaluate(context.Background()); err != nil || seen != r.Held() {
		t.Errorf("the end takes %d of %d windows, %v", seen, r.Held(), err)
	}
}
