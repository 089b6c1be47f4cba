package packages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// hearingModel writes a small Whisper as a Hugging Face folder. Its weights are such that it writes a and ends.
func hearingModel() (dir string) {
	dir, err := os.MkdirTemp("", "hearing")
	if err != nil {
		panic(err)
	}
	const h, vocab = 16, 24 // 0-9 letters, 10 the end, 11 the start, 12 no times, 13- times
	w := lucid.NewStateDict()
	zeros := func(name string, sizes ...int) { w.Set("model."+name, lucid.Zeros(sizes...)) }
	norm := func(name string) {
		w.Set("model."+name+".weight", lucid.Zeros(h))
		w.Set("model."+name+".bias", lucid.Ones(h))
	}
	zeros("encoder.conv1.weight", h, 8, 3)
	zeros("encoder.conv1.bias", h)
	zeros("encoder.conv2.weight", h, h, 3)
	zeros("encoder.conv2.bias", h)
	zeros("encoder.embed_positions.weight", 50, h)
	zeros("decoder.embed_positions.weight", 16, h)
	w.Set("model.decoder.embed_tokens.weight", lucid.Cat([]*lucid.Tensor{lucid.Ones(1, h), lucid.Zeros(vocab-1, h)}, 0))
	for _, side := range []string{"encoder", "decoder"} {
		p := side + ".layers.0."
		parts := []string{"self_attn"}
		if side == "decoder" {
			parts = append(parts, "encoder_attn")
		}
		for _, part := range parts {
			for _, name := range []string{"q", "k", "v", "out"} {
				zeros(p+part+"."+name+"_proj.weight", h, h)
				if name != "k" {
					zeros(p+part+"."+name+"_proj.bias", h)
				}
			}
			norm(p + part + "_layer_norm")
		}
		for _, name := range []string{"fc1", "fc2"} {
			zeros(p+name+".weight", h, h)
			zeros(p+name+".bias", h)
		}
		norm(p + "final_layer_norm")
		norm(side + ".layer_norm")
	}
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), w); err != nil {
		panic(err)
	}
	words := map[string]int{"<|endoftext|>": 10, "<|startoftranscript|>": 11, "<|notimestamps|>": 12}
	for i := range 10 {
		words[string(rune('a'+i))] = i
	}
	for i := 13; i < vocab; i++ {
		words["<|"+strconv.Itoa(i)+"|>"] = i
	}
	for name, v := range map[string]any{
		"config.json": map[string]any{"model_type": "whisper", "vocab_size": vocab, "num_mel_bins": 8, "d_model": h, "encoder_layers": 1,
			"decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": h, "decoder_ffn_dim": h,
			"max_source_positions": 50, "max_target_positions": 16, "decoder_start_token_id": 11, "eos_token_id": 10},
		"generation_config.json": map[string]any{"is_multilingual": false, "max_initial_timestamp_index": 0},
		"tokenizer.json": map[string]any{"decoder": map[string]any{"type": "Fuse"},
			"model": map[string]any{"type": "BPE", "vocab": words, "merges": []string{}}},
	} {
		data, _ := json.Marshal(v)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			panic(err)
		}
	}
	return dir
}

// Transcribe: the piece of docs/packages/llm.md.
func Example_llmTranscribe() {
	dir, ctx := hearingModel(), context.Background()
	defer os.RemoveAll(dir)
	samples := make([]float32, 8000)
	for i := range samples {
		samples[i] = float32(math.Sin(0.1 * float64(i)))
	}
	t, err := llm.LoadTranscriber(dir) // a Whisper as Hugging Face has it
	if err != nil {
		panic(err)
	}
	sound := llm.Audio{Samples: samples, Rate: 16000} // or llm.OpenWAV("talk.wav")
	text, err := t.Transcribe(ctx, sound, llm.TranscribeOptions{})
	if err != nil {
		panic(err)
	}
	for _, s := range text.Segments {
		fmt.Println(s.Start, s.End, s.Text)
	}
	// Output:
	// 0s 500ms aaaaaa
}
