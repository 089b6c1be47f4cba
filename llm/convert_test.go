package llm

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/ggml"
)

// TestRecipes asserts which matrices have more bits, and what rows that are no whole blocks get.
func TestRecipes(t *testing.T) {
	wide, narrow, odd := []int{64, 512}, []int{64, 96}, []int{64, 33}
	for _, tt := range []struct {
		format, name string
		shape        []int
		want         ggml.Type
	}{
		{"q4_k_m", "output.weight", wide, ggml.Q6_K}, {"q4_k_m", "token_embd.weight", wide, ggml.Q4_K},
		{"q4_k_m", "blk.0.attn_v.weight", wide, ggml.Q6_K}, {"q4_k_m", "blk.2.attn_v.weight", wide, ggml.Q4_K},
		{"q4_k_m", "blk.4.ffn_down.weight", wide, ggml.Q6_K}, {"q4_k_m", "blk.5.attn_q.weight", wide, ggml.Q4_K},
		{"q4_k_m", "blk.15.ffn_down.weight", wide, ggml.Q6_K}, {"q4_k_m", "blk.5.attn_q.weight", narrow, ggml.Q5_0},
		{"q4_k_m", "blk.4.ffn_down.weight", narrow, ggml.Q8_0}, {"q4_k_m", "blk.5.attn_q.weight", odd, ggml.F16},
		{"q4_k_s", "blk.3.attn_v.weight", wide, ggml.Q5_K}, {"q4_k_s", "blk.4.attn_v.weight", wide, ggml.Q4_K},
		{"q5_k_m", "blk.0.ffn_down.weight", wide, ggml.Q6_K}, {"Q5_K_M", "blk.2.ffn_down.weight", wide, ggml.Q5_K},
		{"q5_k_s", "blk.0.attn_v.weight", wide, ggml.Q5_K}, {"q5_k_s", "blk.0.attn_v.weight", narrow, ggml.Q5_1},
		{"q4_0", "blk.0.attn_v.weight", narrow, ggml.Q4_0}, {"q4_k", "blk.0.attn_v.weight", narrow, ggml.Q8_0},
		{"q4_0", "blk.0.attn_v.weight", odd, ggml.F32}, {"q4_0", "blk.0.attn_norm.weight", []int{512}, ggml.F32},
		{"q4_0", "position_embd.weight", wide, ggml.F32}, {"q8_0", "blk.0.ffn_gate_inp.weight", wide, ggml.F32},
	} {
		r := parseFormat(tt.format)
		r.layers = 16
		if got := r.of(tt.name, tt.shape); got != tt.want {
			t.Errorf("%s: %s %v is %v, want %v", tt.format, tt.name, tt.shape, got, tt.want)
		}
	}
	r := parseFormat("q4_k_m")
	r.layers, r.tied = 16, true
	if got := r.of("token_embd.weight", wide); got != ggml.Q6_K {
		t.Errorf("an embedding that is the head is %v", got)
	}
	for _, f := range Formats() {
		parseFormat(f)
	}
}

// TestQuantizeError bounds the root mean square error of each format, relative to that of the numbers, which are normal ones. Bits are
// the same for any number of processors: blocks are fixed.
func TestQuantizeError(t *testing.T) {
	lucid.Seed(1)
	values := lucid.ToSlice[float32](lucid.Randn(512, 512))
	for kind, most := range map[ggml.Type]float64{ggml.F16: 2.3e-4, ggml.BF16: 1.9e-3, ggml.Q8_0: 5.5e-3, ggml.Q6_K: 0.0185,
		ggml.Q5_K: 0.037, ggml.Q5_1: 0.044, ggml.Q5_0: 0.046, ggml.Q4_K: 0.074, ggml.Q4_1: 0.091, ggml.Q4_0: 0.093} {
		data := quantize(kind, values)
		back := make([]float32, len(values))
		ggml.Dequantize(kind, back, data)
		var diff, all float64
		for i, v := range values {
			diff, all = diff+float64(v-back[i])*float64(v-back[i]), all+float64(v)*float64(v)
		}
		if e := math.Sqrt(diff / all); e > most || e < most/1.2 {
			t.Errorf("%v: an error of %.5f; want at most %g, and about that", kind, e, most)
		}
	}
}

// TestConvert asserts that a GGUF file is converted as the model saved in that format is, and a folder too.
func TestConvert(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	folder := folder(t, goldens(t).Cases["llama"])
	m, err := Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(dir, name+".gguf") }
	for _, format := range []string{"f32", "q8_0", "q4_k_m"} {
		if err := m.Save(path(format), SaveOptions{Format: format}); err != nil {
			t.Fatal(err)
		}
	}
	same := func(a, b string) {
		t.Helper()
		x, err := gguf.Open(a, gguf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		y, err := gguf.Open(b, gguf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer y.Close()
		for _, info := range x.Infos() {
			p, _ := x.Data(info.Name)
			q, _ := y.Data(info.Name)
			if other, _ := y.Info(info.Name); other.Type != info.Type || !slices.Equal(p, q) {
				t.Errorf("%s: %v, want %v", info.Name, other.Type, info.Type)
			}
		}
		if len(x.Infos()) != len(y.Infos()) || x.Metadata().Int("general.file_type", -1) != y.Metadata().Int("general.file_type", -1) {
			t.Error("other tensors, or another file type")
		}
	}
	steps := 0
	o := ConvertOptions{Format: "q4_k_m", Progress: func(done, total int) { steps = total - done }}
	if err := Convert(ctx, path("f32"), path("a"), o); err != nil || steps != 0 {
		t.Fatal(err, steps)
	}
	same(path("q4_k_m"), path("a"))
	if err := Convert(ctx, folder, path("b"), o); err != nil {
		t.Fatal(err)
	}
	same(path("q4_k_m"), path("b"))
	if err := Convert(ctx, path("q8_0"), path("c"), ConvertOptions{}); err != nil {
		t.Fatal(err)
	}
	same(path("q8_0"), path("c"))
	if err := Convert(ctx, folder, path("d"), ConvertOptions{}); err != nil {
		t.Fatal(err)
	}
	same(path("f32"), path("d"))
	if _, err := Load(path("a")); err != nil {
		t.Error(err)
	}
	if err := Convert(ctx, encoderFolder(t, "bert", ""), path("e"), ConvertOptions{Format: "q8_0"}); err != nil {
		t.Error(err)
	}
	if _, err := LoadEmbedder(path("e")); err != nil {
		t.Error(err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	for _, from := range []string{path("f32"), folder} {
		if err := Convert(stopped, from, path("x"), ConvertOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", from, err)
		}
	}
	if err := Convert(ctx, path("f32"), path("f32"), o); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("onto itself: %v", err)
	}
	if err := Convert(ctx, path("f32"), "x.bin", o); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("another ending: %v", err)
	}
	if err := Convert(ctx, path("f32"), path("x"), ConvertOptions{Format: "q9"}); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("another format: %v", err)
	}
	if err := Convert(ctx, "none.gguf", path("x"), o); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestPerplexityOptions asserts that windows and progress are as asked for.
func TestPerplexityOptions(t *testing.T) {
	m, ctx, calls := tiny(t), context.Background(), 0
	text := "0123456789abcdefghij"
	last := 0.0
	got, err := m.Perplexity(ctx, text, PerplexityOptions{Window: 8, Progress: func(done, total int, p float64) {
		calls, last = calls+1, p
		if total != 20 || done > total {
			t.Errorf("%d of %d", done, total)
		}
	}})
	if err != nil || calls != 3 || last != got {
		t.Errorf("%v %v, %d calls, last %v", got, err, calls, last)
	}
	if whole, err := m.Perplexity(ctx, text); err != nil || whole == got {
		t.Errorf("%v %v; want another number with one window", whole, err)
	}
	for _, n := range []int{1, -1, 1000} {
		if _, err := m.Perplexity(ctx, text, PerplexityOptions{Window: n}); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("a window of %d: %v", n, err)
		}
	}
}

// TestConvertFolder asserts that a GGUF file becomes a folder of the same model, or is refused.
func TestConvertFolder(t *testing.T) {
	ctx, g := context.Background(), goldens(t)
	for name, c := range g.Cases {
		m, err := Load(folder(t, c))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		file, to := filepath.Join(dir, "m.gguf"), filepath.Join(dir, "folder")
		if err := m.Save(file, SaveOptions{}); err != nil {
			continue // of families that the format has no words for
		}
		err = ConvertFolder(ctx, file, to, FolderOptions{})
		if !slices.Contains([]string{"llama", "llama_bias", "llama_linear", "qwen2", "qwen2_yarn", "qwen3"}, name) {
			if err == nil {
				t.Errorf("%s was converted: does its config.json say all?", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back, err := Load(to)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := generated(t, back, g.Prompt, Options{MaxTokens: 8}); !slices.Equal(got, c.Greedy[:8]) || back.HasChat() != m.HasChat() {
			t.Errorf("%s: tokens %v, want %v", name, got, c.Greedy[:8])
		}
		if err := ConvertFolder(ctx, file, to, FolderOptions{}); !errors.Is(err, os.ErrExist) {
			t.Errorf("onto a folder that is there: %v", err)
		}
	}
	if err := ConvertFolder(ctx, "x", "y", FolderOptions{}); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
}
