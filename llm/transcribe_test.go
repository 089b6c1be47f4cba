package llm

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
)

// whisperGolden is what scripts/golden_llm/whisper.py wrote.
type whisperGolden struct {
	Config   map[string]any
	Shapes   map[string][]int
	Mel      []float32
	Encoded  []float32
	Logits   []float32
	Suppress []int
	Begin    []int
	Greedy   map[string][]int
	Beams    []beamCase
	Aligned  struct {
		Prompt, Text []int
		Heads        [][2]int
		Frames       int
		At           []int
		Sure         []float64
	}
}

// whisperFolder writes the small Whisper as a folder. change, if there is one, changes its table of tokens.
func whisperFolder(t testing.TB, change ...func(table []float32)) (g whisperGolden, dir string) {
	t.Helper()
	data, err := os.ReadFile("testdata/whisper.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	d := lucid.NewStateDict()
	for name, shape := range g.Shapes {
		values := weight(name, int(elements(shape)), 1)
		if len(change) > 0 && name == "model.decoder.embed_tokens.weight" {
			change[0](values)
		}
		d.Set(name, lucid.New(values, shape...))
	}
	if err := lucid.Save(filepath.Join(dir, "model.safetensors"), d); err != nil {
		t.Fatal(err)
	}
	tok := byteTokenizer()
	var added []any
	for i, s := range []string{"<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|translate|>", "<|transcribe|>",
		"<|notimestamps|>"} {
		added = append(added, map[string]any{"id": 256 + i, "content": s, "special": true})
	}
	for i := range 51 {
		added = append(added, map[string]any{"id": 263 + i, "content": fmt.Sprintf("<|%.2f|>", 0.02*float64(i)), "special": false})
	}
	tok["added_tokens"] = added
	writeJSON(t, filepath.Join(dir, "tokenizer.json"), tok)
	writeJSON(t, filepath.Join(dir, "config.json"), g.Config)
	writeJSON(t, filepath.Join(dir, "preprocessor_config.json"), map[string]any{"feature_size": 16, "n_fft": 400, "dither": 0.0})
	writeJSON(t, filepath.Join(dir, "generation_config.json"), map[string]any{"is_multilingual": true, "suppress_tokens": g.Suppress,
		"begin_suppress_tokens": g.Begin, "lang_to_id": map[string]int{"<|en|>": 258, "<|de|>": 259}, "max_initial_timestamp_index": 20})
	return g, dir
}

func tinyTranscriber(t testing.TB) (whisperGolden, *Transcriber) {
	t.Helper()
	g, dir := whisperFolder(t)
	w, err := LoadTranscriber(dir)
	if err != nil {
		t.Fatal(err)
	}
	return g, w
}

// chirp is the sound of the golden file.
func chirp(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		x := float64(i)
		out[i] = float32(0.4*math.Sin(0.03*x) + 0.2*math.Sin(0.00001*x*x))
	}
	return out
}

// TestWhisper compares the spectrogram, the encoder, logits and greedy tokens with transformers.
func TestWhisper(t *testing.T) {
	g, w := tinyTranscriber(t)
	lucid.NoGrad(func() {
		mel := spectrogram(chirp(16000), w.filters)
		var some []float32
		all := lucid.ToSlice[float32](mel)
		for i := 0; i < len(all); i += 5 {
			some = append(some, all[i])
		}
		if len(some) != len(g.Mel) || near(some, g.Mel) > 1e-4 {
			t.Errorf("the spectrogram is off by %g", near(some, g.Mel))
		}
		h := w.Module().Encode(mel)
		at := lucid.New([]int{0, 7, 14, 21, 28, 35, 42, 49}, 8)
		if e := near(lucid.ToSlice[float32](h.IndexSelect(1, at)), g.Encoded); e > 2e-4 {
			t.Errorf("the encoder is off by %g", e)
		}
		ids, start := lucid.New([]int{257, 258, 261, 10, 20, 30}, 1, 6), lucid.New([]int64{0}, 1)
		y := w.Module().Decode(ids, start, w.Module().NewCache(), w.Module().Cross(h))
		got := slices.Concat(lucid.ToSlice[float32](y.Narrow(1, 0, 1)), lucid.ToSlice[float32](y.Narrow(1, 5, 1)))
		if e := near(got, g.Logits); e > 2e-4 {
			t.Errorf("logits are off by %g", e)
		}
	})
	ctx := context.Background()
	cross, err := w.listen(chirp(16000), 16000)
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range g.Greedy {
		o := TranscribeOptions{Translate: mode == "plain", NoTimestamps: mode == "plain"}
		language := map[bool]string{true: "en", false: "de"}[mode == "plain"]
		prompt, task := w.prompt(language, nil, o)
		got, _, err := w.write(ctx, cross, prompt, task, &o, 0, nil)
		if i := slices.Index(want, 256); i >= 0 {
			want = want[:i]
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", mode, got, err, want)
		}
	}
}

// TestTranscribe asserts that a sound of some windows is written down, with times that do not fall.
func TestTranscribe(t *testing.T) {
	_, w := tinyTranscriber(t)
	ctx, calls := context.Background(), 0
	sound := Audio{chirp(40000), 16000}
	got, err := w.Transcribe(ctx, sound, TranscribeOptions{Progress: func(done, total time.Duration) {
		if calls++; total != 2500*time.Millisecond || done > total {
			t.Errorf("%v of %v", done, total)
		}
	}})
	if err != nil || calls == 0 || got.Duration != 2500*time.Millisecond || !slices.Contains(w.Languages(), got.Language) {
		t.Fatalf("%+v, %v", got, err)
	}
	last := time.Duration(0)
	for _, s := range got.Segments {
		if s.Start < last || s.End < s.Start || s.End > got.Duration {
			t.Errorf("a segment from %v to %v behind %v", s.Start, s.End, last)
		}
		last = s.Start
	}
	again, err := w.Transcribe(ctx, sound, TranscribeOptions{Language: got.Language})
	if err != nil || again.Text != got.Text {
		t.Errorf("%q, then %q, %v", got.Text, again.Text, err)
	}
	plain, err := w.Transcribe(ctx, sound, TranscribeOptions{Language: "en", NoTimestamps: true})
	if err != nil || len(plain.Segments) > 3 {
		t.Errorf("%+v, %v", plain, err)
	}
	before := lucid.Explain(w.step).Traces
	if _, err := w.Transcribe(ctx, Audio{chirp(5000), 8000}, TranscribeOptions{Language: "de"}); err != nil {
		t.Error(err)
	}
	if n := lucid.Explain(w.step).Traces; n != before {
		t.Errorf("%d traces, then %d", before, n)
	}
	if none, err := w.Transcribe(ctx, Audio{nil, 16000}, TranscribeOptions{}); err != nil || none.Text != "" {
		t.Errorf("of no sound: %+v, %v", none, err)
	}
	if _, err := w.Transcribe(ctx, sound, TranscribeOptions{Language: "xx"}); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	if _, err := w.Transcribe(ctx, Audio{sound.Samples, 0}, TranscribeOptions{}); !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := w.Transcribe(stopped, sound, TranscribeOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSegments cuts texts at their times.
func TestSegments(t *testing.T) {
	_, w := tinyTranscriber(t)
	at := func(hundredths int) int { return 263 + hundredths/2 }
	for _, tt := range []struct {
		ids  []int
		n    int
		want string
		used int
	}{
		{[]int{at(0), 'a', 'b', at(40), at(40), 'c', at(80)}, 16000, "0.00-0.40 ab, 0.40-0.80 c", 16000},
		{[]int{at(10), 'a', at(40), at(50), 'b', at(60), at(60), 'c'}, 16000, "0.10-0.40 a, 0.50-0.60 b", 9600},
		{[]int{at(10), 'a', at(40), at(50), 'b'}, 8000, "0.10-0.40 a", 8000},
		{[]int{at(0), 'a'}, 16000, "0.00-1.00 a", 16000},
		{[]int{'a', 'b'}, 16000, "0.00-1.00 ab", 16000},
		{nil, 16000, "", 16000},
		{[]int{at(0), ' ', at(20)}, 16000, "", 16000},
	} {
		list, used := w.segments(tt.ids, 0, tt.n, 16000)
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprintf("%.2f-%.2f %s", s.Start.Seconds(), s.End.Seconds(), s.Text))
		}
		if s := strings.Join(got, ", "); s != tt.want || used != tt.used {
			t.Errorf("%v: %q, used %d; want %q, %d", tt.ids, s, used, tt.want, tt.used)
		}
	}
}

// TestTranscriberRefused asserts that damaged folders are refused.
func TestTranscriberRefused(t *testing.T) {
	_, dir := whisperFolder(t)
	for _, tt := range []struct {
		file, key string
		value     any
	}{
		{"config.json", "model_type", "bert"}, {"config.json", "d_model", 33}, {"config.json", "encoder_layers", 3},
		{"config.json", "decoder_attention_heads", 5}, {"config.json", "vocab_size", 1 << 30}, {"config.json", "surprise", 1},
		{"config.json", "decoder_start_token_id", -1}, {"config.json", "activation_function", "mish"}, {"config.json", "num_mel_bins", 80},
		{"preprocessor_config.json", "hop_length", 80}, {"generation_config.json", "suppress_tokens", []int{1 << 20}},
		{"generation_config.json", "no_timestamps_token_id", 1 << 20},
		{"generation_config.json", "lang_to_id", map[string]int{"<|x|>": -5}},
		{"generation_config.json", "max_initial_timestamp_index", -1}, {"generation_config.json", "alignment_heads", [][2]int{{2, 0}}},
		{"generation_config.json", "alignment_heads", make([][2]int, 1000)},
		{"preprocessor_config.json", "dither", 0.5},
	} {
		path := filepath.Join(dir, tt.file)
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(old, &m); err != nil {
			t.Fatal(err)
		}
		m[tt.key] = tt.value
		writeJSON(t, path, m)
		if _, err := LoadTranscriber(dir); err == nil {
			t.Errorf("%s with %s %v was accepted", tt.file, tt.key, tt.value)
		}
		if err := os.WriteFile(path, old, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, generates := Load(dir)
	_, embeds := LoadEmbedder(dir)
	for _, err := range []error{generates, embeds} {
		if err == nil || !strings.Contains(err.Error(), "LoadTranscriber") {
			t.Error(err)
		}
	}
	if _, err := LoadTranscriber(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := LoadTranscriber(dir, LoadOptions{Quantized: true}); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Error(err)
	}
}

// wavOf is a file with samples of so many bits.
func wavOf(kind, channels, rate, bits int, data []byte) []byte {
	var b bytes.Buffer
	le := binary.LittleEndian
	b.WriteString("RIFF")
	b.Write(le.AppendUint32(nil, uint32(36+len(data))))
	b.WriteString("WAVEfmt ")
	b.Write(le.AppendUint32(nil, 16))
	for _, v := range []int{kind, channels} {
		b.Write(le.AppendUint16(nil, uint16(v)))
	}
	b.Write(le.AppendUint32(nil, uint32(rate)))
	b.Write(le.AppendUint32(nil, uint32(rate*channels*bits/8)))
	b.Write(le.AppendUint16(nil, uint16(channels*bits/8)))
	b.Write(le.AppendUint16(nil, uint16(bits)))
	b.WriteString("LIST\x03\x00\x00\x00abc\x00data") // a chunk of odd length before the samples
	b.Write(le.AppendUint32(nil, uint32(len(data))))
	b.Write(data)
	return b.Bytes()
}

// TestWAV reads every form, and refuses what is none.
func TestWAV(t *testing.T) {
	f32 := func(v ...float32) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	f64 := binary.LittleEndian.AppendUint64(nil, math.Float64bits(-0.25))
	for _, tt := range []struct {
		kind, channels, bits int
		data                 []byte
		want                 []float32
	}{
		{1, 1, 16, []byte{0, 0x40, 0, 0xc0}, []float32{0.5, -0.5}}, {1, 2, 16, []byte{0, 0x40, 0, 0xc0}, []float32{0}},
		{1, 1, 8, []byte{192, 64}, []float32{0.5, -0.5}}, {1, 1, 24, []byte{0, 0, 0x40, 0, 0, 0xc0}, []float32{0.5, -0.5}},
		{1, 1, 32, []byte{0, 0, 0, 0x40}, []float32{0.5}}, {3, 1, 32, f32(0.75, float32(math.NaN())), []float32{0.75, 0}},
		{3, 1, 64, f64, []float32{-0.25}}, {1, 1, 16, []byte{0, 0x40, 1}, []float32{0.5}},
	} {
		a, err := ReadWAV(bytes.NewReader(wavOf(tt.kind, tt.channels, 8000, tt.bits, tt.data)))
		if err != nil || a.Rate != 8000 || !slices.Equal(a.Samples, tt.want) {
			t.Errorf("%+v: %+v, %v", tt, a, err)
		}
	}
	good := wavOf(1, 1, 8000, 16, []byte{1, 2, 3, 4})
	for i := range good {
		if a, err := parseWAV(good[:i]); err == nil && len(a.Samples) > 0 {
			t.Errorf("%d bytes of %d were accepted", i, len(good))
		}
		bad := bytes.Clone(good)
		bad[i] ^= 0xff
		_, _ = parseWAV(bad) // must not panic
	}
	for name, b := range map[string][]byte{"no file": []byte("hello, this is no sound"), "ADPCM": wavOf(2, 1, 8000, 4, nil),
		"no channels": wavOf(1, 0, 8000, 16, nil), "65 channels": wavOf(1, 65, 8000, 16, nil), "no rate": wavOf(1, 1, 0, 16, nil),
		"a huge rate": wavOf(1, 1, 1<<30, 16, nil), "12 bits": wavOf(1, 1, 8000, 12, nil), "floats of 16 bits": wavOf(3, 1, 8000, 16, nil),
		"no samples": good[:36]} {
		if _, err := parseWAV(b); !errors.Is(err, lucid.ErrFormat) && !errors.Is(err, lucid.ErrNotImplemented) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := OpenWAV("none.wav"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestResample asserts that a tone stays a tone of the same height, and that one too high for the new rate is gone.
func TestResample(t *testing.T) {
	tone := func(hertz float64, rate, n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(math.Sin(2 * math.Pi * hertz * float64(i) / float64(rate)))
		}
		return out
	}
	for _, from := range []int{8000, 11025, 22050, 44100, 48000, 16001} {
		a, err := Audio{tone(1000, from, from/2), from}.Resample(16000)
		if err != nil || a.Rate != 16000 || len(a.Samples) < 7999 || len(a.Samples) > 8001 {
			t.Fatalf("%d: %v, %d samples", from, err, len(a.Samples))
		}
		want := tone(1000, 16000, len(a.Samples))
		for i := 200; i < len(want)-200; i++ {
			if math.Abs(float64(a.Samples[i]-want[i])) > 2e-3 {
				t.Errorf("%d: sample %d is %v, want %v", from, i, a.Samples[i], want[i])
				break
			}
		}
	}
	a, err := Audio{tone(12000, 48000, 24000), 48000}.Resample(16000)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range a.Samples[200 : len(a.Samples)-200] {
		if math.Abs(float64(v)) > 2e-3 {
			t.Fatalf("a tone of 12 kHz is still there: %v", v)
		}
	}
	for _, rates := range [][2]int{{0, 16000}, {16000, 0}, {1 << 30, 16000}, {-1, 16000}} {
		if _, err := (Audio{[]float32{1}, rates[0]}).Resample(rates[1]); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%v: %v", rates, err)
		}
	}
}

// FuzzWAV looks for panics and untyped errors.
func FuzzWAV(f *testing.F) {
	f.Add(wavOf(1, 2, 8000, 16, []byte{1, 2, 3, 4}))
	f.Add(wavOf(3, 1, 44100, 32, []byte{1, 2, 3, 4}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := parseWAV(b); err != nil && !errors.Is(err, lucid.ErrFormat) && !errors.Is(err, lucid.ErrNotImplemented) {
			t.Fatal(err)
		}
	})
}
