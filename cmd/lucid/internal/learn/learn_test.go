package learn

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// trained makes a run of a few steps and returns how it does.
func trained(t *testing.T, c Config) (*Trainer, Result) {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Train(context.Background(), func(float64) error { return nil }); err != nil {
		t.Fatal(err)
	}
	res, err := r.Evaluate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r, res
}

// bars draws an image with a light bar across, or down.
func bars(size, at int, down bool) []byte {
	b := make([]byte, size*size)
	for i := range size {
		if down {
			b[i*size+at] = 250
		} else {
			b[at*size+i] = 250
		}
	}
	return b
}

func TestMNISTFolder(t *testing.T) {
	dir := t.TempDir()
	for part, n := range map[string]int{"train": 64, "t10k": 16} {
		images, labels := []byte{0, 0, 8, 3}, []byte{0, 0, 8, 1}
		images = binary.BigEndian.AppendUint32(images, uint32(n))
		images = binary.BigEndian.AppendUint32(images, 9)
		images = binary.BigEndian.AppendUint32(images, 9)
		labels = binary.BigEndian.AppendUint32(labels, uint32(n))
		for i := range n {
			images = append(images, bars(9, 1+i/2%7, i%2 == 1)...)
			labels = append(labels, byte(i%2))
		}
		write(t, filepath.Join(dir, part+"-images-idx3-ubyte"), images)
		write(t, filepath.Join(dir, part+"-labels-idx1-ubyte"), labels)
	}
	r, res := trained(t, Config{Model: "cnn", Data: dir, Epochs: 10, Batch: 8, Seed: 1})
	if res.Accuracy < 0.9 || !slices.Equal(r.Spec.Shape, []int{1, 9, 9}) || r.Spec.Examples != 64 ||
		!r.Spec.Inverted || r.Spec.Peak != 255 {
		t.Errorf("accuracy %v, %+v", res.Accuracy, r.Spec)
	}
	_, err := New(Config{Model: "cnn", Data: filepath.Join(dir, "train-images-idx3-ubyte")})
	if h, ok := errors.AsType[*Hint](err); !ok || h.Try != "lucid train --data "+dir {
		t.Errorf("one file of four: %v", err)
	}
}

// TestImageFolder trains on dark bars on light ground, and asks about a light one on dark ground.
func TestImageFolder(t *testing.T) {
	dir := t.TempDir()
	draw := func(path string, at int, down, dark bool) {
		img := image.NewGray(image.Rect(0, 0, 12, 12))
		for i, v := range bars(12, at, down) {
			if dark {
				v = 255 - v
			}
			img.SetGray(i%12, i/12, color.Gray{v})
		}
		write(t, path, nil)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 50 {
		draw(filepath.Join(dir, "across", fmt.Sprint(i, ".png")), 1+i%10, false, true)
		draw(filepath.Join(dir, "down", fmt.Sprint(i, ".png")), 1+i%10, true, true)
	}
	r, res := trained(t, Config{Model: "cnn", Data: dir, Epochs: 8, Batch: 8, Seed: 1})
	if res.Accuracy < 0.9 || r.Spec.Inverted || !slices.Equal(r.Spec.Classes, []string{"across", "down"}) {
		t.Errorf("accuracy %v, %+v", res.Accuracy, r.Spec)
	}
	path := filepath.Join(t.TempDir(), "c.lucid")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	p, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	ask := filepath.Join(t.TempDir(), "ask.png")
	draw(ask, 5, true, false)
	if c, inverted, err := p.Image(ask); err != nil || !inverted || c[0].Name != "down" {
		t.Errorf("%v, %v, %v", c, inverted, err)
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("size,weight,class\n")
	for i := range 200 {
		fmt.Fprintf(&b, "%d,%d,%s\n", 1000+i%10, i%7, map[bool]string{true: "big", false: "small"}[i%10 > 4])
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	write(t, path, []byte(b.String()))
	r, res := trained(t, Config{Model: "mlp", Data: path, Epochs: 20, Batch: 16, Seed: 1})
	if res.Accuracy < 0.9 || !slices.Equal(r.Spec.Shape, []int{2}) {
		t.Errorf("accuracy %v, %+v", res.Accuracy, r.Spec)
	}
	if total := res.Confusion[0][0] + res.Confusion[0][1] + res.Confusion[1][0] + res.Confusion[1][1]; total != 40 {
		t.Errorf("%d examples held out", total)
	}
}

// TestTableMistakes asks that tables a model cannot learn from are refused in words, and that missing fields do not stop it.
func TestTableMistakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	var numbers, holes strings.Builder
	for i := range 100 {
		fmt.Fprintf(&numbers, "%d,%d,%v\n", i, i%3, 0.37*float64(i))
		field := fmt.Sprint(i % 10)
		if i%9 == 0 {
			field = []string{"", "NA", "?"}[i/9%3]
		}
		fmt.Fprintf(&holes, "%s,%d,,%t\n", field, i%10, i%10 > 4)
	}
	for text, want := range map[string]string{
		strings.Repeat("1,2,x\n", 20): `all 20 rows are of the class "x"; want at least two`,
		numbers.String():              "the class has 100 different values in 100 rows",
		"1,2,x\n1,2\n":                "wrong number of fields",
		"":                            "has no rows",
		"1,2,x\n1,two,y\n":            `line 2: field 2 is "two"; want a number`,
		"1,2,x\n1,2,\n":               "line 2: the label is empty",
	} {
		write(t, path, []byte(text))
		_, err := New(Config{Model: "mlp", Data: path, Task: Classes})
		if h, ok := errors.AsType[*Hint](err); !ok || !strings.Contains(h.What, want) || !strings.HasPrefix(h.Try, "lucid train") {
			t.Errorf("%.20q: %v; want %s", text, err, want)
		}
	}
	write(t, path, []byte(holes.String()))
	r, res := trained(t, Config{Model: "mlp", Data: path, Epochs: 20, Batch: 16, Seed: 1})
	if res.Accuracy < 0.9 || !strings.Contains(r.Summary(), "112 fields are missing") {
		t.Errorf("accuracy %v: %s", res.Accuracy, r.Summary())
	}
}

// TestText asks that a transformer learns a text that repeats, and writes on from a prompt.
func TestText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.txt")
	write(t, path, []byte(strings.Repeat("abcdefghij", 400)))
	r, res := trained(t, Config{Model: "gpt", Data: path, Steps: 80, Batch: 8, Context: 12, Width: 32, Depth: 1,
		Heads: 2, LR: 0.01, Seed: 1})
	if res.Accuracy < 0.95 || res.Confusion != nil {
		t.Errorf("accuracy %v", res.Accuracy)
	}
	if got, err := r.Sample("fgh", 12, 0, 1); err != nil || got != "ijabcdefghij" {
		t.Errorf("%q, %v", got, err)
	}
	out := filepath.Join(t.TempDir(), "c.lucid")
	if err := r.Save(out); err != nil {
		t.Fatal(err)
	}
	p, err := Load(out)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Complete("fghijabcdefghijabcdefg", 5, 0.5, 3); err != nil || got != "hijab" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestForged changes what a checkpoint says of itself: it must be refused, not followed.
func TestForged(t *testing.T) {
	r, err := New(Config{Model: "mlp", Steps: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "c.lucid")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	d, err := lucid.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	text := d.Metadata()[metaKey]
	for _, c := range [][2]string{
		{`"version":2`, `"version":3`},
		{`"model":"mlp"`, `"model":"cnn","x":"mlp"`},
		{`"model":"mlp"`, `"model":"gpt","width":4000,"depth":200,"heads":3`},
		{`"shape":[1,8,8]`, `"shape":[1,80000,80000]`},
		{`"shape":[1,8,8]`, `"shape":[-1,8,8]`},
		{`"shape":[1,8,8]`, `"shape":[]`},
		{`"classes":["0",`, `"classes":[`},
		{`"batch":64`, `"batch":-3`},
		{`{`, `[`},
	} {
		forged := strings.Replace(text, c[0], c[1], 1)
		if forged == text {
			t.Fatalf("%s is not in %s", c[0], text)
		}
		d.SetMetadata(metaKey, forged)
		if err := lucid.Save(path, d); err != nil {
			t.Fatal(err)
		}
		_, loadErr := Load(path)
		_, resumeErr := Resume(path, func(*Config) {})
		if resumeErr == nil || loadErr == nil && c[0] != `"batch":64` {
			t.Errorf("%s: load %v, resume %v", c[1], loadErr, resumeErr)
		}
	}
	d.SetMetadata(metaKey, strings.Replace(text, `"done":0`, `"done":7`, 1))
	if err := lucid.Save(path, d); err != nil {
		t.Fatal(err)
	}
	if _, err := Resume(path, func(*Config) {}); err == nil {
		t.Error("seven steps without losses were taken")
	}
}

// TestPrintable keeps what a model writes from steering the terminal.
func TestPrintable(t *testing.T) {
	if got := printable([]byte("a\x1b[2Jb\xffc\n\x9bé")); got != "a\ufffd[2Jb\ufffdc\n\ufffdé" {
		t.Errorf("%q", got)
	}
}

// TestDevice trains on another device than the CPU, saves, and goes on there and on the CPU: parameters and batches are where
// they should be, and the numbers agree.
func TestDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.lucid")
	other := lucid.Device{Type: "ref"}
	c := Config{Model: "mlp", Steps: 6, Batch: 8, Seed: 1}
	train := func(run *Trainer, steps int) {
		t.Helper()
		stop := errors.New("enough")
		n := 0
		err := run.Train(context.Background(), func(float64) error {
			if n++; n == steps {
				return stop
			}
			return nil
		})
		if err != nil && !errors.Is(err, stop) {
			t.Fatal(err)
		}
	}
	lucid.WithDevice(other, func() {
		run, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range nn.Parameters(run.model) {
			if p.Device() != other {
				t.Fatalf("a parameter is on %v", p.Device())
			}
		}
		train(run, 3)
		if err := run.Save(path); err != nil {
			t.Fatal(err)
		}
		if run, err = Resume(path, func(*Config) {}); err != nil {
			t.Fatal(err)
		}
		train(run, 3)
		if p := nn.Parameters(run.model)[0]; run.Done != 6 || p.Device() != other {
			t.Errorf("%d steps, on %v", run.Done, p.Device())
		}
	})
	row := strings.TrimSuffix(strings.Repeat("3,0,9,1,", 16), ",")
	var answers [2][]Class
	for i, device := range []lucid.Device{lucid.CPU, other} {
		lucid.WithDevice(device, func() {
			p, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if answers[i], err = p.Row(row); err != nil {
				t.Fatal(err)
			}
		})
	}
	if a, b := answers[0][0], answers[1][0]; a.Name != b.Name || math.Abs(a.Probability-b.Probability) > 1e-5 {
		t.Errorf("one device says %v, the other %v", a, b)
	}
	here, err := Resume(path, func(*Config) {})
	if err != nil {
		t.Fatal(err)
	}
	train(here, 3)
	if p := nn.Parameters(here.model)[0]; p.Device() != lucid.CPU || here.Done != 6 {
		t.Errorf("%d steps, on %v", here.Done, p.Device())
	}
}

// TestHostileCheckpoint writes checkpoints whose text promises models of any size: they are refused before memory is taken for them.
func TestHostileCheckpoint(t *testing.T) {
	classes := make([]string, 1<<12) // each costs the race detector time; the shapes promise enough
	for name, m := range map[string]meta{
		"wide rows":     {Config: Config{Model: "mlp"}, Spec: Spec{Shape: []int{1 << 24}, Classes: classes}},
		"flat images":   {Config: Config{Model: "cnn"}, Spec: Spec{Shape: []int{1, 4, 1 << 22}, Classes: classes}},
		"large images":  {Config: Config{Model: "cnn"}, Spec: Spec{Shape: []int{4, 4096, 4096}, Classes: classes[:10]}},
		"deep gpt":      {Config: Config{Model: "gpt", Width: 4096, Depth: 256, Heads: 1, Context: 8192}, Spec: Spec{Shape: []int{8192}}},
		"negative":      {Config: Config{Model: "mlp"}, Spec: Spec{Shape: []int{-1}, Classes: classes[:2]}},
		"no shape":      {Config: Config{Model: "cnn"}, Spec: Spec{Classes: classes[:2]}},
		"no model":      {Config: Config{Model: "tree"}},
		"steps ahead":   {Config: Config{Model: "mlp"}, Spec: Spec{Shape: []int{64}, Classes: classes[:10]}, Done: 1 << 60},
		"version ahead": {Version: 99, Config: Config{Model: "mlp"}, Spec: Spec{Shape: []int{64}, Classes: classes[:10]}},
	} {
		if m.Version == 0 {
			m.Version = formatVersion
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		d := lucid.NewStateDict()
		d.SetMetadata(metaKey, string(text))
		d.Set("model.1.weight", lucid.Zeros(2))
		path := filepath.Join(t.TempDir(), "h.lucid")
		if err := lucid.Save(path, d); err != nil {
			t.Fatal(err)
		}
		lucid.ResetPeakMemory(lucid.CPU)
		if _, err := Load(path); err == nil {
			t.Errorf("%s: loaded", name)
		} else {
			t.Logf("%s: %.120v", name, err)
		}
		if _, err := Resume(path, func(*Config) {}); err == nil {
			t.Errorf("%s: resumed", name)
		}
		if peak := lucid.MemoryStats(lucid.CPU).Peak; peak > 1<<28 {
			t.Errorf("%s: took %d bytes", name, peak)
		}
	}
}
