package main

import (
	"os"
	"strings"
	"testing"
)

// TestRunWithoutModel runs what needs no file: the model in the program, by itself and by its name.
func TestRunWithoutModel(t *testing.T) {
	t.Chdir(t.TempDir())
	line := []string{"run", "--max-tokens", "16", "--seed", "3"}
	status, out, errs := lucidRun(line...)
	told, text, ok := strings.Cut(out, "\n\n")
	if status != 0 || !ok || !strings.Contains(told, "put a .gguf file") || !strings.Contains(told, "lucid run path/to/model.gguf") {
		t.Fatalf("status %d, %q %q", status, out, errs)
	}
	if !strings.HasPrefix(text, builtinPrompt) || !strings.Contains(text, "16 tokens") {
		t.Errorf("it wrote %q", text)
	}
	_, again, _ := lucidRun(append(line, "--quiet")...)
	if first, _, _ := strings.Cut(text, "\n["); again != first+"\n" {
		t.Errorf("the same seed wrote %q, then %q", first, again)
	}
	status, named, _ := lucidRun("run", "tiny", builtinPrompt, "--max-tokens", "16", "--seed", "3", "--quiet")
	if status != 0 || builtinPrompt+named != again {
		t.Errorf("by its name: status %d, %q; want what stands behind the prompt in %q", status, named, again)
	}
	for command, want := range map[string]string{"info tiny": "1.0 million", "tokenize tiny ab --ids": "[97,98]"} {
		if status, out, errs := lucidRun(strings.Fields(command)...); status != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: status %d, %q %q", command, status, out, errs)
		}
	}
	// A file of that name comes first.
	if err := os.WriteFile("tiny", []byte("no model"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := lucidRun("run", "tiny", "a"); status != 1 || !strings.Contains(errs, `"tiny" is no .gguf file`) {
		t.Errorf("a file named tiny: status %d, %q", status, errs)
	}
}

// letters is a text without line ends behind it, and without what stands for bytes that are no characters: of several predict, which has
// the whole text, makes one.
func letters(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\ufffd", "")
}

// TestRunCheckpoint lets a model that train made write.
func TestRunCheckpoint(t *testing.T) {
	t.Chdir(t.TempDir())
	train := "train --model gpt --steps 2 --width 16 --depth 1 --heads 2 --context 16 --batch 2"
	if status, _, errs := lucidRun(strings.Fields(train)...); status != 0 {
		t.Fatal(errs)
	}
	status, out, errs := lucidRun("run", "--max-tokens", "12", "--seed", "5")
	if status != 0 || !strings.Contains(out, "left in "+gptCheckpoint) || !strings.Contains(out, "\n\n"+builtinPrompt) ||
		!strings.Contains(out, "[text: ") {
		t.Fatalf("status %d, %q %q", status, out, errs)
	}
	_, want, _ := lucidRun("predict", "--length", "12", "--seed", "5", "--checkpoint", gptCheckpoint, "So ")
	if status, out, errs := lucidRun("run", gptCheckpoint, "So ", "--max-tokens", "12", "--seed", "5", "--quiet"); status != 0 ||
		letters("So "+out) != letters(want) {
		t.Errorf("status %d, %q %q; predict writes %q", status, out, errs, want)
	}
	for line, want := range map[string]string{
		"run gpt.lucid a --top-k 3":    "--top-k does not apply to gpt.lucid",
		"run gpt.lucid a --draft tiny": "--draft does not apply to gpt.lucid",
		"run none.lucid a":             "there is no checkpoint none.lucid",
	} {
		if status, _, errs := lucidRun(strings.Fields(line)...); status != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q; want %q", line, status, errs, want)
		}
	}
}
