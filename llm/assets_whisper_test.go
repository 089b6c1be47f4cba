package llm

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestWhisperAssets compares the tokens of a real Whisper with transformers. It needs the files of scripts/assets/fetch.py in
// LUCID_ASSETS, and in LUCID_PYTHON a Python with torch and transformers.
func TestWhisperAssets(t *testing.T) {
	dir, python := os.Getenv("LUCID_ASSETS"), os.Getenv("LUCID_PYTHON")
	if dir == "" || python == "" {
		t.Skip("LUCID_ASSETS and LUCID_PYTHON are not set; see scripts/assets/fetch.py")
	}
	speech, err := OpenWAV(filepath.Join(dir, "speech.wav"))
	if err == nil {
		speech, err = speech.Resample(soundRate)
	}
	if err != nil {
		t.Fatal(err)
	}
	// Said once, three times with pauses, and a sound that says nothing.
	pause := make([]float32, soundRate)
	again := slices.Concat(speech.Samples, pause, speech.Samples, pause, speech.Samples)
	sounds := [][]float32{speech.Samples, again, chirp(5 * soundRate)}
	folder, args := filepath.Join(dir, "whisper-base"), []string{"../scripts/assets/transcribe.py"}
	args = append(args, folder, "en")
	for i, s := range sounds {
		path := filepath.Join(t.TempDir(), string(rune('a'+i))+".f32")
		if err := os.WriteFile(path, floatBytes(s), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.Command(python, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want [][]int
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	w, err := LoadTranscriber(folder)
	if err != nil {
		t.Fatal(err)
	}
	window := 2 * w.Config().Frames * frameSteps
	for i, s := range sounds {
		cross, err := w.listen(s, window)
		if err != nil {
			t.Fatal(err)
		}
		prompt, task := w.prompt("en", nil, TranscribeOptions{})
		got, _, err := w.write(context.Background(), cross, prompt, task, &TranscribeOptions{}, 0, nil)
		t.Logf("%q", w.Tokenizer().Decode(got))
		if err != nil || !slices.Equal(got, want[i]) {
			t.Errorf("sound %d: %v, %v; want %v", i, got, err, want[i])
		}
	}
}
