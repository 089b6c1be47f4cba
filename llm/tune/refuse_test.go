package tune

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

func TestLoRARefuses(t *testing.T) {
	m := tiny(t)
	for _, o := range []LoRAOptions{{Rank: -1}, {Rank: 1 << 20}, {Alpha: -1}, {Alpha: math.Inf(1)}, {Dropout: 1}, {Dropout: math.NaN()},
		{Targets: []string{"no_such"}}, {Targets: []string{"q_proj", "model.*.q_proj"}}} {
		if _, err := LoRA(m, o); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	a := adapted(t, m, LoRAOptions{})
	if _, err := LoRA(m, LoRAOptions{Targets: []string{"v_proj"}}); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("a second adapter on a layer: %v", err)
	}
	if n := len(a.Layers()); n != 4 || a.NumParameters() != 2*(8*64+8*48) || a.Options().Rank != 8 {
		t.Errorf("%d layers, %d parameters, %+v", n, a.NumParameters(), a.Options())
	}
	before := logitsOf(m, "abc")
	fit(t, m, Text("abcabc"), Options{Steps: 3, LR: 0.1})
	with := logitsOf(m, "abc")
	a.SetEnabled(false)
	off := logitsOf(m, "abc")
	a.SetEnabled(true)
	if !slices.Equal(off, before) || slices.Equal(with, before) || !slices.Equal(logitsOf(m, "abc"), with) {
		t.Error("an adapter that is off changes the model, or one that is on does not")
	}
}

func TestMatches(t *testing.T) {
	const name = "model.layers.3.self_attn.q_proj"
	for pattern, want := range map[string]bool{"q_proj": true, "proj": false, "**.q_proj": true, "**": true, "*.q_proj": false,
		"model.**":                   true,
		"model.layers.*.self_attn.*": true, "model.layers.3.**.q_proj": true, "model.layers.4.**": false, "*": false} {
		if matches(pattern, name) != want {
			t.Errorf("%s matches is %v", pattern, !want)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	m := tiny(t)
	ctx, data := context.Background(), Text("some text")
	try := func(want error, d Data, o Options) {
		t.Helper()
		if _, err := Fit(ctx, m, d, o); !errors.Is(err, want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	try(lucid.ErrValue, data, Options{Steps: 1}) // no adapter
	try(lucid.ErrValue, data, Options{Steps: 1, Checkpointing: true, KeepActivations: true})
	adapted(t, m, LoRAOptions{})
	for _, o := range []Options{{}, {Steps: -1}, {Steps: 1, LR: -1}, {Steps: 1, LR: math.NaN()}, {Steps: 1, Batch: -1}, {Steps: 1,
		Length: 129},
		{Steps: 1, Schedule: "other"}, {Steps: 1, Loss: "other"}, {Steps: 1, Full: true}, {Steps: 1, Resume: true}, {Steps: 1,
			Loss: "dpo"}} {
		try(lucid.ErrValue, data, o)
	}
	try(lucid.ErrValue, Data{}, Options{Steps: 1})
	try(lucid.ErrValue, Text("a"), Options{Steps: 1})
	try(lucid.ErrValue, Preferences(Preference{"a", "b", "c"}), Options{Steps: 1})
	try(lucid.ErrNotImplemented, data, Options{Steps: 1, Loss: "dpo", Pack: true})
	try(lucid.ErrValue, data, Options{Steps: 50, LR: 1e30}) // the loss is no number soon
}

// TestStateRefuses changes what a run depends on, and damages its file.
func TestStateRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.lucid")
	run := func(d Data, o Options) error {
		m := tiny(t)
		adapted(t, m, LoRAOptions{})
		o.State = path
		_, err := Fit(context.Background(), m, d, o)
		return err
	}
	if err := run(Text("abc"), Options{Steps: 2}); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{"rate": {Steps: 4, LR: 0.5}, "batch": {Steps: 4, Batch: 2}, "fewer steps": {Steps: 1}} {
		o.Resume = true
		if err := run(Text("abc"), o); !errors.Is(err, lucid.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := run(Text("abd"), Options{Steps: 4, Resume: true}); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("other data: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += max(1, len(data)/40) {
		bad := slices.Clone(data)
		bad[i] ^= 0x10
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(Text("abc"), Options{Steps: 4, Resume: true}); err == nil {
			t.Errorf("a bit at %d was changed, and the run went on", i)
		}
	}
}

// TestMasks shows which tokens are learned.
func TestMasks(t *testing.T) {
	m := tiny(t)
	learned := func(d Data, prompts bool) (list []string) {
		for _, x := range (&encoder{m: m, length: 128, prompts: prompts}).encode(d) {
			text := ""
			for i, id := range x.ids {
				if x.learn[i] {
					text += string(rune(id))
				} else {
					text += "."
				}
			}
			list = append(list, text)
		}
		return list
	}
	chat := []llm.Message{{Role: "user", Content: "a"}, {Role: "assistant", Content: "bc"}, {Role: "user", Content: "d"},
		{Role: "assistant", Content: "e"}}
	if got := learned(Chats(chat), false); !slices.Equal(got, []string{"...................bc\n...................e\n"}) {
		t.Errorf("%q", got)
	}
	if got := learned(Chats(chat), true)[0]; strings.Contains(got, "....") {
		t.Errorf("%q", got)
	}
	if got := learned(Completions(Completion{"q", "r"}), false); !slices.Equal(got, []string{"...................r\n"}) {
		t.Errorf("%q", got)
	}
	long := (&encoder{m: m, length: 4}).encode(Text("abcdefghij"))
	if len(long) != 3 || len(long[0].ids) != 5 || long[1].ids[0] != 'e' || len(long[2].ids) != 2 {
		t.Errorf("windows %v", long)
	}
}

func TestReadData(t *testing.T) {
	d, err := ReadData(strings.NewReader(`{"text": "a"}

{"messages": [{"role": "user", "content": "x"}]}
{"prompt": "p", "completion": "c"}
{"prompt": "p", "chosen": "c", "rejected": "r"}`))
	if err != nil || d.Len() != 4 || d.list[1].chat[0].Content != "x" || d.list[2].pair.Completion != "c" ||
		d.list[3].choice.Rejected != "r" {
		t.Fatalf("%+v %v", d, err)
	}
	for _, bad := range []string{`{}`, `[]`, `{"text": 1}`, `{"text": "a", "prompt": "b"}`, `{"prompt": "a"}`, `{"other": 1}`,
		`{"text": "a"`, `{"text": "a"} {"text": "b"}`, `{"text": "a"}]`,
		`{"messages": []}`, `null`, `{"messages": [{"role": "user", "content": "x", "tool": 1}]}`} {
		if _, err := ReadData(strings.NewReader(bad)); !errors.Is(err, lucid.ErrFormat) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := OpenData(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestHostileAdapters changes keys of a file that peft wrote, one at a time.
func TestHostileAdapters(t *testing.T) {
	text, err := os.ReadFile("testdata/peft_lora/adapter_config.json")
	if err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile("testdata/peft_lora/adapter_model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	m := tiny(t)
	before := logitsOf(m, "abc")
	for key, values := range map[string][]any{
		"r": {0, -1, 3, 1e9, "4", 2.5}, "peft_type": {"IA3", 1, nil}, "lora_alpha": {-1, "x"}, "lora_dropout": {1, -0.5}, "bias": {"all"},
		"target_modules": {"no_such", []string{"k_proj"}, []string{}, 5, "((", []string{"q_proj", "v_proj"}}, "use_dora": {true, "yes"},
		"rank_pattern": {map[string]int{"q_proj": 2}}, "modules_to_save": {[]string{"lm_head"}}, "fan_in_fan_out": {true},
		"layers_to_transform": {1},
		"unheard_of":          {1}, "init_lora_weights": {"pissa", "olora"}, "lora_bias": {true}, "use_qalora": {true},
	} {
		for _, v := range values {
			var config map[string]any
			if err := json.Unmarshal(text, &config); err != nil {
				t.Fatal(err)
			}
			config[key] = v
			dir := t.TempDir()
			data, _ := json.Marshal(config)
			if err := errors.Join(os.WriteFile(filepath.Join(dir, adapterConfig), data, 0o644),
				os.WriteFile(filepath.Join(dir, adapterWeights), weights, 0o644)); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(m, dir); err == nil {
				t.Errorf("%s: %v was accepted", key, v)
			}
			if !slices.Equal(logitsOf(m, "abc"), before) {
				t.Fatalf("%s: %v changed the model", key, v)
			}
		}
	}
}

func TestAdapterMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	_, err := Load(tiny(t), dir)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), adapterConfig) || strings.Contains(err.Error(), "evaluation") {
		t.Errorf("%v, want that there is no %s", err, adapterConfig)
	}
}
