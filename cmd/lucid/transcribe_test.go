package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid/llm"
)

func TestPrintTranscript(t *testing.T) {
	text := &llm.Transcript{Text: "Hello. There.", Language: "en", Segments: []llm.Segment{
		{Start: 0, End: 1500 * time.Millisecond, Text: " Hello."},
		{Start: 61 * time.Second, End: time.Hour + 20*time.Millisecond, Text: " There."}}}
	for form, want := range map[string]string{
		"text":  "Hello. There.\n",
		"times": "[00:00:00.000 --> 00:00:01.500]  Hello.\n[00:01:01.000 --> 01:00:00.020]  There.\n",
		"srt":   "1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n2\n00:01:01,000 --> 01:00:00,020\nThere.\n\n",
	} {
		var b bytes.Buffer
		if err := printTranscript(&b, text, form); err != nil || b.String() != want {
			t.Errorf("%s: %q, %v", form, b.String(), err)
		}
	}
	var b bytes.Buffer
	if err := printTranscript(&b, text, "json"); err != nil || !strings.Contains(b.String(), `"Language":"en"`) {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestTranscribeMistakes(t *testing.T) {
	sound := filepath.Join(t.TempDir(), "a.wav")
	wav := "RIFF\x28\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00" +
		"data\x04\x00\x00\x00abcd"
	if err := os.WriteFile(sound, []byte(wav), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"transcribe"}, 2, "try: lucid transcribe"}, {[]string{"transcribe", "a", "none.wav"}, 1, "none.wav"},
		{[]string{"transcribe", "a", sound, "--format", "pdf"}, 2, "srt"},
		{[]string{"transcribe", "a", sound, "--beams", "many"}, 2, "beams"},
		{[]string{"transcribe", "none", sound}, 2, "there is no model at none"},
		{[]string{"transcribe", nextByteModel(t, ""), sound}, 1, "want whisper"},
	} {
		if status, _, errs := lucidRun(tt.args...); status != tt.status || !strings.Contains(errs, tt.says) {
			t.Errorf("%v: status %d, %q; want %d with %q", tt.args, status, errs, tt.status, tt.says)
		}
	}
}
