package tune

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// golden is what scripts/golden_tune/make.py wrote.
type golden struct {
	Texts []string
	Pairs [][3]string
	DPO   []float64
	Cases map[string]struct {
		Options struct {
			R      int
			Alpha  float64         `json:"lora_alpha"`
			Target json.RawMessage `json:"target_modules"`
			DoRA   bool            `json:"use_dora"`
			RSLoRA bool            `json:"use_rslora"`
		}
		Losses []float64
		Logits []float32
	}
}

func goldens(t *testing.T) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/losses.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// begin sets the matrices A as make.py does.
func begin(a *Adapter) {
	for i, name := range a.names {
		shape := a.layers[i].A.Shape()
		lucid.NoGrad(func() { a.layers[i].A.Assign(filled(name+".lora_A.weight", shape...)) })
	}
}

func adapted(t *testing.T, m *llm.Model, o LoRAOptions) *Adapter {
	t.Helper()
	a, err := LoRA(m, o)
	if err != nil {
		t.Fatal(err)
	}
	begin(a)
	return a
}

func fit(t *testing.T, m *llm.Model, d Data, o Options) Report {
	t.Helper()
	r, err := Fit(context.Background(), m, d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func logitsOf(m *llm.Model, text string) []float32 {
	ids := m.Tokenizer().Encode(text)
	var y []float32
	lucid.NoGrad(func() { y = lucid.ToSlice[float32](m.Forward(lucid.New(ids, 1, len(ids))).Select(1, len(ids)-1)) })
	return y
}

func furthest(a, b []float32) (d float64) {
	for i := range a {
		d = max(d, math.Abs(float64(a[i]-b[i])))
	}
	return d
}

// TestGoldenLosses compares 50 steps with PyTorch and peft.
func TestGoldenLosses(t *testing.T) {
	g := goldens(t)
	for name, c := range g.Cases {
		m := tiny(t)
		o := LoRAOptions{Rank: c.Options.R, Alpha: c.Options.Alpha, DoRA: c.Options.DoRA, RSLoRA: c.Options.RSLoRA}
		o.Targets = targetsOf(m, c.Options.Target)
		adapted(t, m, o)
		r := fit(t, m, Text(g.Texts...), Options{Steps: 50, LR: 0.01, WeightDecay: 0.01, Batch: 4, InOrder: true})
		worst := 0.0
		for i, want := range c.Losses {
			worst = max(worst, math.Abs(r.Losses[i]-want))
		}
		if worst > 1e-4 || len(r.Losses) != 50 {
			t.Errorf("%s: losses differ by %v: %v, want %v", name, worst, r.Losses, c.Losses)
		}
		if d := furthest(logitsOf(m, g.Texts[0]+strings.Repeat("\x00", 9)), c.Logits); d > 2e-3 {
			t.Errorf("%s: logits after the last step differ by %v", name, d)
		}
		t.Logf("%s: losses within %.1e", name, worst)
	}
}

// TestPEFTFiles reads adapters that peft wrote, and writes one that scripts/golden_tune/check.py gives to peft.
func TestPEFTFiles(t *testing.T) {
	g := goldens(t)
	padded := g.Texts[0] + strings.Repeat("\x00", 9) // as the batch of make.py
	for name, c := range g.Cases {
		m := tiny(t)
		plain := logitsOf(m, padded)
		a, err := Load(m, "testdata/peft_"+name)
		if err != nil {
			t.Fatal(err)
		}
		with := logitsOf(m, padded)
		if d := furthest(with, c.Logits); d > 2e-5 {
			t.Errorf("%s: logits differ from peft's by %v", name, d)
		}
		dir := t.TempDir()
		if err := a.Save(filepath.Join(dir, "a")); err != nil {
			t.Fatal(err)
		}
		a.Remove()
		if d := furthest(logitsOf(m, padded), plain); d != 0 {
			t.Errorf("%s: the model is not as it was: %v", name, d)
		}
		b, err := Load(m, filepath.Join(dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		if d := furthest(logitsOf(m, padded), with); d != 0 {
			t.Errorf("%s: logits differ after saving by %v", name, d)
		}
		export(t, name, m, b, padded)
		if err := b.Fuse(); err != nil {
			t.Fatal(err)
		}
		if d := furthest(logitsOf(m, padded), with); d > 1e-5 {
			t.Errorf("%s: logits of the fused model differ by %v", name, d)
		}
		if err := m.Save(filepath.Join(dir, "fused.gguf"), llm.SaveOptions{}); err != nil {
			t.Error(err)
		}
		if err := b.Fuse(); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("fused twice: %v", err)
		}
	}
}

// export writes what check.py reads.
func export(t *testing.T, name string, m *llm.Model, a *Adapter, text string) {
	dir := os.Getenv("LUCID_PEFT")
	if dir == "" {
		return
	}
	data, _ := json.Marshal(map[string]any{"ids": m.Tokenizer().Encode(text), "logits": logitsOf(m, text)})
	err := errors.Join(os.CopyFS(filepath.Join(dir, name, "model"), os.DirFS(tinyFolder(t))), a.Save(filepath.Join(dir, name, "adapter")),
		os.WriteFile(filepath.Join(dir, name, "logits.json"), data, 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

// TestResume stops runs in the middle: what follows is bit for bit what would have followed.
func TestResume(t *testing.T) {
	data := Completions(Completion{"a", "bcd"}, Completion{"xx", "yy"}, Completion{"k", "lmno"}, Completion{"1", "23"}, Completion{"q",
		"rs"})
	for name, o := range map[string]Options{"padded": {Batch: 2}, "packed": {Batch: 1, Length: 40, Pack: true},
		"accumulated": {Accumulate: 3}} {
		o.Steps, o.LR, o.Seed, o.WarmUp, o.Schedule, o.Clip = 12, 0.01, 7, 3, "cosine", 1
		run := func(dir string, stop int, resume bool) (Report, []float32, error) {
			lucid.Seed(5)
			m := tiny(t)
			adapted(t, m, LoRAOptions{Rank: 4, Dropout: 0.2, DoRA: true})
			if resume {
				lucid.Seed(99) // must not matter
			}
			ctx, cancel := context.WithCancel(context.Background())
			o := o
			o.State, o.SaveEvery, o.Resume = filepath.Join(dir, "state.lucid"), 100, resume
			o.Progress = func(p Progress) {
				if p.Step == stop {
					cancel()
				}
			}
			r, err := Fit(ctx, m, data, o)
			return r, logitsOf(m, "abc"), err
		}
		whole, want, err := run(t.TempDir(), 0, false)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		first, _, err := run(dir, 5, false)
		if !errors.Is(err, context.Canceled) || len(first.Losses) != 5 {
			t.Fatalf("%s: %d losses, %v", name, len(first.Losses), err)
		}
		rest, got, err := run(dir, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(rest.Losses, whole.Losses) || !slices.Equal(got, want) {
			t.Errorf("%s: %v\nwhole: %v", name, rest.Losses, whole.Losses)
		}
	}
}

// TestResumeAfterKill kills a process that tunes, in the middle of a step or of a write, and goes on from its file.
func TestResumeAfterKill(t *testing.T) {
	const variable = "LUCID_TUNE_CHILD"
	data := Text("abcabcabd", "xyzxyz", "12121", "hello world")
	run := func(path string, resume bool, steps int, show bool) Report {
		lucid.Seed(5)
		m := tiny(t)
		adapted(t, m, LoRAOptions{Rank: 4, Dropout: 0.1})
		return fit(t, m, data, Options{Steps: steps, LR: 0.01, Batch: 2, State: path, SaveEvery: 1, Resume: resume,
			Progress: func(p Progress) {
				if show {
					fmt.Println("step", p.Step)
				}
			}})
	}
	if path := os.Getenv(variable); path != "" {
		run(path, false, 100000, true)
		return
	}
	path := filepath.Join(t.TempDir(), "state.lucid")
	child := exec.Command(os.Args[0], "-test.run=^TestResumeAfterKill$")
	child.Env = append(os.Environ(), variable+"="+path)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "step 6" {
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	saved, err := lucid.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	steps := saved.Get("losses").Size(0) + 4
	if steps < 10 || steps > 1000 {
		t.Fatalf("%d steps are in the file", steps-4)
	}
	whole := run(filepath.Join(t.TempDir(), "whole.lucid"), false, steps, false)
	if rest := run(path, true, steps, false); !slices.Equal(rest.Losses, whole.Losses) {
		t.Errorf("%v\nwhole: %v", rest.Losses, whole.Losses)
	}
}

// TestSameGradients asserts that packing, accumulation and checkpointing change memory, not what is learned.
func TestSameGradients(t *testing.T) {
	data := Completions(Completion{"ab", "cdefgh"}, Completion{"x", "y"}, Completion{"mm", "nnnnnnnnnnnn"}, Completion{"1", "2345"})
	losses := func(o Options) []float64 {
		m := tiny(t)
		adapted(t, m, LoRAOptions{Rank: 4, Targets: []string{"**"}})
		o.Steps, o.LR, o.InOrder = 6, 0.01, true
		return fit(t, m, data, o).Losses
	}
	want, tokens := losses(Options{Batch: 4}), 0
	for _, x := range (&encoder{m: tiny(t), length: 128}).encode(data) {
		tokens += len(x.ids) - 1
	}
	for name, o := range map[string]Options{"accumulated": {Batch: 1, Accumulate: 4}, "checkpointing": {Batch: 4, Checkpointing: true},
		"packed": {Length: tokens, Pack: true}} {
		got := losses(o)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 2e-5 {
				t.Errorf("%s: %v, want %v", name, got, want)
				break
			}
		}
	}
}

// TestLearnedTokens: tokens that nothing is learned from have no logits, which changes no gradient.
func TestLearnedTokens(t *testing.T) {
	var list []Completion
	for i := range 8 {
		list = append(list, Completion{strings.Repeat("a long prompt ", 5), strings.Repeat("xyz", i+1)})
	}
	all := func(in []*lucid.Tensor) []*lucid.Tensor { // with a target for every token
		targets := make([]int64, in[0].NumElement())
		for i := range targets {
			targets[i] = ignored
		}
		short := lucid.ToSlice[int64](in[1])
		for i, at := range lucid.ToSlice[int64](in[2]) {
			if short[i] != ignored {
				targets[at] = short[i]
			}
		}
		return append([]*lucid.Tensor{in[0], lucid.New(targets, in[0].Shape()...)}, in[3:]...)
	}
	for name, o := range map[string]Options{"padded": {Batch: 8}, "packed": {Batch: 8, Length: 100, Pack: true}} {
		losses := func(every bool) (losses []float64) {
			m := tiny(t)
			adapted(t, m, LoRAOptions{Rank: 4, Targets: []string{"**"}})
			r := &run{m: m, o: o}
			r.o.Steps, r.o.LR, r.o.InOrder = 4, 0.01, true
			r.o.fill(m.Config().Context)
			r.prepare(Completions(list...))
			for range r.o.Steps {
				b := r.next()
				if n := b.in[1].Shape(); !slices.Equal(n, []int{learnedStep}) {
					t.Fatalf("%s: targets of shape %v for %d tokens that are learned", name, n, b.targets)
				}
				if every {
					b.in = all(b.in)
				}
				losses = append(losses, r.whole(r.shared(b, b.targets)).Item())
			}
			return losses
		}
		want, got := losses(true), losses(false)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-5 {
				t.Fatalf("%s: losses %v, with all logits %v", name, got, want)
			}
		}
	}
}

// TestPreferences compares the loss dpo with PyTorch's.
func TestPreferences(t *testing.T) {
	g, plain := goldens(t), tiny(t)
	adapted(t, plain, LoRAOptions{Rank: 4, Alpha: 8, Targets: []string{"q_proj", "v_proj", "down_proj"}})
	var list []Preference
	for _, p := range g.Pairs {
		list = append(list, Preference{p[0], p[1], p[2]})
	}
	got := fit(t, plain, Preferences(list...), Options{Steps: 20, LR: 0.01, Batch: 3, Loss: "dpo", Beta: 0.3, InOrder: true}).Losses
	for i, want := range g.DPO {
		if math.Abs(got[i]-want) > 1e-4 {
			t.Fatalf("losses %v, want %v", got, g.DPO)
		}
	}
	m := tiny(t)
	adapted(t, m, LoRAOptions{Rank: 4, Targets: []string{"**"}})
	data := Preferences(Preference{"say", "yes", "no"}, Preference{"tell", "yes", "never"})
	r := fit(t, m, data, Options{Steps: 40, LR: 0.01, Batch: 2, Loss: "dpo", Validation: data})
	if math.Abs(r.First-math.Ln2) > 1e-6 { // the model is its own reference at first
		t.Errorf("the first loss is %v, want ln 2", r.First)
	}
	if r.Final > 0.3 || r.Validation[len(r.Validation)-1].Loss > 0.3 {
		t.Errorf("the loss is %v in the end; validation %v", r.Final, r.Validation)
	}
}

// TestQuantized tunes over the blocks of a GGUF file, and all weights.
func TestQuantized(t *testing.T) {
	path := filepath.Join(t.TempDir(), "q8.gguf")
	if err := tiny(t).Save(path, llm.SaveOptions{Format: "q8_0"}); err != nil {
		t.Fatal(err)
	}
	m, err := llm.Load(path, llm.LoadOptions{Quantized: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LoRA(m, LoRAOptions{DoRA: true}); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("DoRA over blocks: %v", err)
	}
	a := adapted(t, m, LoRAOptions{Targets: []string{"**"}})
	r := fit(t, m, Text("aaaaabbbbbaaaaabbbbb"), Options{Steps: 60, LR: 0.02})
	if r.Final > 0.5*r.First {
		t.Errorf("over blocks: %v from %v", r.Final, r.First)
	}
	if err := a.Fuse(); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("fused into blocks: %v", err)
	}
	full := tiny(t)
	r = fit(t, full, Text("aaaaabbbbbaaaaabbbbb"), Options{Steps: 60, LR: 0.005, Full: true})
	if r.Final > 0.5*r.First {
		t.Errorf("all weights: %v from %v", r.Final, r.First)
	}
	text := ""
	for tok := range full.Generate(context.Background(), "aaaaab", llm.Options{MaxTokens: 4}) {
		text += tok.Text
	}
	if text != "bbbb" {
		t.Errorf("the tuned model continues with %q", text)
	}
}

// TestQuantizedMemory asserts that a model in blocks is tuned without all activations in memory unless it is asked for, and that it learns
// the same.
func TestQuantizedMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "q8.gguf")
	if err := tiny(t).Save(path, llm.SaveOptions{Format: "q8_0"}); err != nil {
		t.Fatal(err)
	}
	run := func(keep bool) (losses []float64, peak int64) {
		m, err := llm.Load(path, llm.LoadOptions{Quantized: true})
		if err != nil {
			t.Fatal(err)
		}
		adapted(t, m, LoRAOptions{Rank: 4, Targets: []string{"q_proj", "v_proj"}})
		lucid.ResetPeakMemory(lucid.CPU)
		before := lucid.MemoryStats(lucid.CPU).Allocated
		o := Options{Steps: 4, LR: 0.01, Batch: 4, Length: 100, InOrder: true, KeepActivations: keep}
		losses = fit(t, m, Text(strings.Repeat("the same text again ", 40)), o).Losses
		return losses, lucid.MemoryStats(lucid.CPU).Peak - before
	}
	want, all := run(true)
	got, some := run(false)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 2e-5 {
			t.Errorf("losses %v, want %v", got, want)
			break
		}
	}
	if t.Logf("%d bytes at the most, %d with all activations", some, all); some > all*4/5 {
		t.Errorf("%d bytes at the most, %d with all activations", some, all)
	}
}

func TestSamplesAndValidation(t *testing.T) {
	m := tiny(t)
	adapted(t, m, LoRAOptions{})
	var seen []Progress
	r := fit(t, m, Text("abcabcabc"), Options{Steps: 4, Every: 2, Samples: []string{"ab"}, Sampling: llm.Options{MaxTokens: 3},
		Validation: Text("abcabc"), Progress: func(p Progress) { seen = append(seen, p) }})
	if len(seen) != 4 || seen[0].Samples != nil || len([]rune(seen[1].Samples["ab"])) == 0 || seen[3].Validation == nil ||
		len(r.Validation) != 2 {
		t.Errorf("%+v, %+v", seen, r)
	}
}
