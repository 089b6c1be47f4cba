package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRegression trains on a table with a number to predict, as a person would, and asks about rows with negative numbers.
func TestRegression(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("a,b,y\n")
	for i := range 300 {
		x, z := i%21-10, i*5%17-8
		fmt.Fprintf(&b, "%d,%d,%g\n", x, z, 0.5*float64(x)-2.25*float64(z)+100)
	}
	if err := os.WriteFile("t.csv", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out, errs := lucidRun("train", "--data", "t.csv", "--epochs", "60", "--json")
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 {
		t.Fatalf("status %d, %v, %s %s", status, err, out, errs)
	}
	if r2, _ := got["test_r2"].(float64); got["task"] != "regression" || r2 < 0.98 || got["test_mae"] == nil ||
		got["test_accuracy"] != nil {
		t.Error(out)
	}
	svg := string(fileBytes(t, "mlp.svg"))
	for _, want := range []string{">test R²<", ">test loss<", ">mlp on t.csv<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in the plot", want)
		}
	}
	for _, row := range []string{"-5,3", "-5 3", "-5;3", "-5, 3"} {
		status, out, errs = lucidRun("predict", "--json", row)
		var answer estimated
		if err := json.Unmarshal([]byte(out), &answer); err != nil || status != 0 || answer.Target != "y" ||
			answer.Checkpoint != "mlp.lucid" || answer.Value < 85 || answer.Value > 97 { // 90.75
			t.Errorf("%q: status %d, %v, %q %q", row, status, err, out, errs)
		}
	}
	if status, out, _ = lucidRun("predict", "-5,3"); status != 0 || !strings.HasPrefix(out, "y 9") && !strings.HasPrefix(out, "y 8") {
		t.Errorf("status %d, %q", status, out)
	}
	if status, out, _ = lucidRun("predict", "--held", "1"); status != 0 || !strings.HasPrefix(out, "it is ") ||
		strings.Count(out, "\n") != 2 {
		t.Errorf("status %d, %q", status, out)
	}
	if status, out, errs = lucidRun("train", "--data", "t.csv", "--epochs", "2", "--target", "1", "--task", "regression"); status != 0 ||
		!strings.Contains(out, "predicts a, ") || !strings.Contains(out, "test R² ") || strings.Contains(out, "accuracy") {
		t.Errorf("status %d, %s %s", status, out, errs)
	}
	for line, want := range map[string]string{
		"train --resume --task classes --out mlp.lucid": "--task cannot change while a run goes on",
		"train --data t.csv --target z":                 `no column is named "z"`,
		"train --task regression":                       "--task and --target are for a CSV file",
		"predict a.png":                                 "the model reads rows of numbers, not images",
		"predict 1,2,3":                                 "got 3 numbers; the model reads 2",
		"predict -1e38,3e38":                            "",
	} {
		status, out, errs := lucidRun(strings.Fields(line)...)
		if status != 2 && want != "" || !strings.Contains(errs, want) {
			t.Errorf("lucid %s: status %d, printed %q and %q; want %q", line, status, out, errs, want)
		}
	}
}

// TestRunnable asks what go run is told to run: the folder in a clone, the package where a module has it, a version elsewhere.
func TestRunnable(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("clone/go.mod", "module github.com/lucid-go/lucid\n")
	write("clone/cmd/lucid/main.go", "package main\n")
	write("clone/docs/a.md", "")
	write("user/go.mod", "module example.com/user\n\nrequire (\n\tgithub.com/lucid-go/lucid v0.1.0\n)\n")
	write("other/go.mod", "module example.com/other\n")
	write("other/cmd/lucid/main.go", "package main\n")
	write("none/a.txt", "")
	const program = "github.com/lucid-go/lucid/cmd/lucid"
	for folder, want := range map[string]string{"clone": "./cmd/lucid", "clone/docs": program, "user": program, "other": program + "@",
		"none": program + "@"} {
		t.Chdir(filepath.Join(dir, folder))
		got := runnable()
		if got != want && !(strings.HasSuffix(want, "@") && strings.HasPrefix(got, want+"latest")) {
			t.Errorf("in %s: %s, want %s", folder, got, want)
		}
		if line := withGPU("train --device cuda"); line != "go run -tags gpu "+got+" train --device cuda" {
			t.Error(line)
		}
	}
}
