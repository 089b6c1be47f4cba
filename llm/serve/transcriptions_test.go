package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// tinyTranscriber is a Whisper that writes the letter a until its context is full.
var tinyTranscriber = sync.OnceValue(func() *llm.Transcriber {
	dir, err := os.MkdirTemp("", "serve")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	const h, vocab = 16, 24
	w := lucid.NewStateDict()
	zeros := func(name string, sizes ...int) { w.Set("model."+name, lucid.Zeros(sizes...)) }
	norm := func(name string) {
		zeros(name+".weight", h)
		w.Set("model."+name+".bias", lucid.Ones(h))
	}
	zeros("encoder.conv1.weight", h, 8, 3)
	zeros("encoder.conv1.bias", h)
	zeros("encoder.conv2.weight", h, h, 3)
	zeros("encoder.conv2.bias", h)
	zeros("encoder.embed_positions.weight", 50, h)
	zeros("decoder.embed_positions.weight", 16, h)
	w.Set("model.decoder.embed_tokens.weight", lucid.Cat([]*lucid.Tensor{lucid.Ones(1, h), lucid.Zeros(vocab-1, h)}, 0))
	for side, parts := range map[string][]string{"encoder": {"self_attn"}, "decoder": {"self_attn", "encoder_attn"}} {
		p := side + ".layers.0."
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
	words := map[string]int{"a": 0, "<|endoftext|>": 10, "<|startoftranscript|>": 11, "<|notimestamps|>": 12}
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
	t, err := llm.LoadTranscriber(dir)
	if err != nil {
		panic(err)
	}
	return t
})

// wav is half a second of silence.
var wav = "RIFF\xa4\x3e\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00" +
	"data\x80\x3e\x00\x00" +
	strings.Repeat("\x00", 16000)

// upload posts a form; fields are names and values in turn.
func upload(t *testing.T, url, path, sound string, fields ...string) (int, string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	if sound != "" {
		f, err := form.CreateFormFile("file", "a.wav")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, sound)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		if err := form.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	form.Close()
	r, err := http.Post(url+path, form.FormDataContentType(), &b)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(data)
}

const soundPath = "/v1/audio/transcriptions"

var smallLogProb = regexp.MustCompile(`("avg_logprob":)-0\.0000[0-9]*`)

// TestTranscriptions asserts the forms of answers, and that bad requests name what is wrong.
func TestTranscriptions(t *testing.T) {
	h, s := start(t, Options{Transcribers: map[string]*llm.Transcriber{"ear": tinyTranscriber()}, MaxAudio: 1 << 16})
	for _, tt := range []struct {
		fields []string
		want   string
	}{
		{[]string{"model", "ear"}, "{\"text\":\"aaaaaa\"}\n"}, {[]string{"response_format", "text", "language", "en"}, "aaaaaa\n"},
		{[]string{"response_format", "srt", "temperature", "0"}, "1\n00:00:00,000 --> 00:00:00,500\naaaaaa\n\n"},
		{[]string{"response_format", "vtt"}, "WEBVTT\n\n00:00:00.000 --> 00:00:00.500\naaaaaa\n\n"},
		{[]string{"response_format", "verbose_json", "timestamp_granularities[]", "segment"},
			`{"duration":0.5,"language":"","segments":[{"id":0,"seek":0,"start":0,"end":0.5,"text":"aaaaaa","tokens":[0,0,0,0,0,0],` +
				`"temperature":0,"avg_logprob":-0.000,"compression_ratio":0.4,"no_speech_prob":0}],` +
				`"task":"transcribe","text":"aaaaaa"}` + "\n"},
		{[]string{"response_format", "verbose_json", "timestamp_granularities[]", "word"},
			`{"duration":0.5,"language":"","task":"transcribe","text":"aaaaaa","words":[{"word":"aaaaaa","start":0,"end":0.48}]}` + "\n"},
		{[]string{"temperature", "0.5"}, "{\"text\":\"aaaaaa\"}\n"},
	} {
		code, body := upload(t, h.URL, soundPath, wav, tt.fields...)
		if body = smallLogProb.ReplaceAllString(body, "${1}-0.000"); code != 200 || body != tt.want {
			t.Errorf("%v: %d %q", tt.fields, code, body)
		}
	}
	for _, tt := range []struct {
		sound  string
		fields []string
		code   int
		says   string
	}{
		{"", []string{"model", "ear"}, 400, "file: is missing"}, {"no sound at all", nil, 400, "WAV"},
		{wav, []string{"model", "tiny"}, 404, "model_not_found"}, {wav, []string{"response_format", "pdf"}, 400, "response_format"},
		{wav, []string{"temperature", "1.1"}, 400, "temperature"}, {wav, []string{"temperature", "NaN"}, 400, "temperature"},
		{wav, []string{"temperature", "warm"}, 400, "temperature"}, {wav, []string{"prompt", "Newton"}, 400, "startofprev"},
		{wav, []string{"surprise", "1"}, 400, "surprise"},
		{wav, []string{"language", "de"}, 400, "English"}, {wav, []string{"timestamp_granularities[]", "word"}, 400, "verbose_json"},
		{wav, []string{"timestamp_granularities[]", "letter", "response_format", "verbose_json"}, 400, "segment"},

		{wav, []string{"model", strings.Repeat("x", 5000)}, 400, "4096"}, {strings.Repeat("x", 1<<17), nil, 413, "too_large"},
		{wav, slicesOf("language", "en", 40), 400, "parts"},
	} {
		if code, body := upload(t, h.URL, soundPath, tt.sound, tt.fields...); code != tt.code || !strings.Contains(body, tt.says) {
			t.Errorf("%.60v: %d %s; want %d with %q", tt.fields, code, body, tt.code, tt.says)
		}
	}
	if code, body := upload(t, h.URL, "/v1/audio/translations", wav); code != 400 || !strings.Contains(body, "English") {
		t.Errorf("%d %s", code, body)
	}
	if code, body, _ := post(t, h.URL, soundPath, `{}`); code != 400 || !strings.Contains(body, "multipart") {
		t.Errorf("%d %s", code, body)
	}
	for range cap(s.sounds.queue) {
		s.sounds.queue <- struct{}{}
	}
	if code, _ := upload(t, h.URL, soundPath, wav); code != 429 {
		t.Error(code)
	}
	for range cap(s.sounds.queue) {
		<-s.sounds.queue
	}
	s.Close()
	if code, _ := upload(t, h.URL, soundPath, wav); code != 503 {
		t.Error(code)
	}
	h, _ = start(t, Options{})
	if code, _ := upload(t, h.URL, soundPath, wav); code != 404 {
		t.Error(code)
	}
}

func slicesOf(name, value string, n int) (out []string) {
	for range n {
		out = append(out, name, value)
	}
	return out
}
