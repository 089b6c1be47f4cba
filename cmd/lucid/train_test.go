package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid/cmd/lucid/internal/learn"
)

const commandEnv = "LUCID_TEST_IS_COMMAND"

// TestMain lets the test binary be the command, in a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(commandEnv) == "1" {
		main()
	}
	os.Exit(m.Run())
}

// process is the command in a process of its own, in a folder of its own.
func process(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), commandEnv+"=1")
	cmd.Dir = dir
	return cmd
}

// lucidProcess runs a command line in a process of its own and returns what it printed.
func lucidProcess(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := process(t, dir, args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("lucid %s: %v\n%s", strings.Join(args, " "), err, exit.Stderr)
		}
		t.Fatal(err)
	}
	return string(out)
}

func fileBytes(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTrainDigits trains the net of the README to what the README says of it.
func TestTrainDigits(t *testing.T) {
	readme := string(fileBytes(t, "../../README.md"))
	t.Chdir(t.TempDir())
	args, want := []string{"train", "--json"}, 0.98
	if testing.Short() {
		args, want = append(args, "--epochs", "8"), 0.95
	}
	status, out, errs := lucidRun(args...)
	if status != 0 || errs != "" {
		t.Fatalf("status %d, %q", status, errs)
	}
	var got struct {
		TestAccuracy *float64 `json:"test_accuracy"`
		FinalLoss    *float64 `json:"final_loss"`
		Seconds      *float64 `json:"seconds"`
		Checkpoint   *string  `json:"checkpoint"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || strings.Count(out, "\n") != 1 {
		t.Fatalf("%v in %q", err, out)
	}
	if got.TestAccuracy == nil || got.FinalLoss == nil || got.Seconds == nil || got.Checkpoint == nil {
		t.Fatalf("a key is missing in %q", out)
	}
	t.Logf("accuracy %.4f, loss %.4f, %.1f s", *got.TestAccuracy, *got.FinalLoss, *got.Seconds)
	if *got.TestAccuracy < want || *got.FinalLoss > 0.2 || *got.Seconds <= 0 {
		t.Errorf("%s\nwant an accuracy of %v", out, want)
	}
	if svg := string(fileBytes(t, "cnn.svg")); !strings.HasPrefix(svg, "<svg ") || strings.Contains(svg, "NaN") {
		t.Errorf("the plot is %.200q", svg)
	} else {
		asPromised(t, readme, svg)
	}
	if img, err := png.Decode(bytes.NewReader(fileBytes(t, "cnn.png"))); err != nil || img.Bounds().Dx() < 500 {
		t.Errorf("the PNG plot: %v", err)
	}
	askDigit(t, *got.Checkpoint)
}

// asPromised asks that the plot names each curve that the README says it shows, and has points of it.
func asPromised(t *testing.T, readme, svg string) {
	t.Helper()
	_, rest, ok := strings.Cut(strings.Join(strings.Fields(readme), " "), "It leaves a checkpoint and a plot of ")
	list, _, end := strings.Cut(rest, ". ")
	if !ok || !end {
		t.Fatal("the README does not say what the plot shows")
	}
	curves := strings.Split(strings.ReplaceAll(list, " and ", ", "), ", ")
	if len(curves) < 3 {
		t.Errorf("the README names the curves %q", curves)
	}
	for _, curve := range curves {
		if !regexp.MustCompile(`>(test )?` + regexp.QuoteMeta(curve) + `( of a step)?<`).MatchString(svg) {
			t.Errorf("the README promises the curve %q, and the plot does not name it", curve)
		}
	}
	if strings.Count(svg, "<circle") < 2*8 || !strings.Contains(svg, "<path") {
		t.Errorf("the plot has %d points of tests, or no line", strings.Count(svg, "<circle"))
	}
}

// askDigit asks the model about the first row of the data, a zero, and in words it does not know.
func askDigit(t *testing.T, checkpoint string) {
	t.Helper()
	const zero = "0,0,5,13,9,1,0,0,0,0,13,15,10,15,5,0,0,3,15,2,0,11,8,0,0,4,12,0,0,8,8,0,0,5,8,0,0,9,8,0,0,4,11,0,1,12,7,0,0,2,14,5,10," +
		"12,0,0,0,0,6,13,10,0,0,0"
	status, out, errs := lucidRun("predict", "--json", zero)
	var got answer
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 || got.Name != "0" || got.Probability < 0.5 ||
		len(got.Classes) != 10 || got.Checkpoint != checkpoint {
		t.Errorf("status %d, %v, %q, %q", status, err, out, errs)
	}
	if status, out, _ = lucidRun("predict", zero); status != 0 || !strings.HasPrefix(out, "-> 0 ") {
		t.Errorf("status %d, %q", status, out)
	}
	if status, out, _ = lucidRun("predict", "--held", "1"); status != 0 || strings.Count(out, "\n") != 12 ||
		!strings.Contains(out, "it is ") || !strings.Contains(out, "█") {
		t.Errorf("status %d, %q", status, out)
	}
	if status, out, _ = lucidRun("predict", "--held", "2", "--json"); status != 0 ||
		json.Unmarshal([]byte(out), &got) != nil || got.Truth == "" {
		t.Errorf("status %d, %q", status, out)
	}
	if status, _, errs = lucidRun("predict", "--held", "361"); status != 2 || !strings.Contains(errs, "no held out example 361") {
		t.Errorf("status %d, %q", status, errs)
	}
	for input, want := range map[string]string{
		"1,2,3":      "got 3 numbers; the model reads 64; try: lucid predict",
		"none.png":   "there is no file none.png; try: lucid predict",
		"cnn.svg":    "got 1 numbers",
		zero + "x":   "is no number",
		zero + ",99": "got 65 numbers",
	} {
		if status, out, errs := lucidRun("predict", input); status != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("predict %s: status %d, %q, %q, want %q", input, status, out, errs, want)
		}
	}
}

// TestPipe asks for plain lines where there is no terminal.
func TestPipe(t *testing.T) {
	out := lucidProcess(t, t.TempDir(), "train", "--epochs", "2")
	if strings.ContainsAny(out, "\r\x1b█⠀") {
		t.Errorf("a pipe got what is meant for a terminal:\n%q", out)
	}
	for _, want := range []string{"epoch 1  step 22/44  loss ", "images/s", "rows: what it is", "test accuracy ",
		"checkpoint cnn.lucid, plots cnn.svg and cnn.png; try it: lucid predict"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}

// ownData writes a table with a missing field, a text and MNIST files.
func ownData(t *testing.T, dir string) {
	t.Helper()
	var table bytes.Buffer
	table.WriteString("a,\"b, quoted\",class\n9,,big\n")
	images, labels := []byte{0, 0, 8, 3, 0, 0, 0, 64, 0, 0, 0, 8, 0, 0, 0, 8}, []byte{0, 0, 8, 1, 0, 0, 0, 64}
	for i := range 64 {
		fmt.Fprintf(&table, "%d,%d,%s\n", i%10, i%7, map[bool]string{true: "big", false: "small"}[i%10 > 4])
		images = append(images, bytes.Repeat([]byte{byte(i), byte(200 * (i % 2)), 7, 0}, 16)...)
		labels = append(labels, byte(i%2))
	}
	files := map[string][]byte{"t.csv": table.Bytes(), "t.txt": bytes.Repeat([]byte("a text that goes on. "), 90)}
	for _, part := range []string{"train", "t10k"} {
		files["mnist/"+part+"-images-idx3-ubyte"], files["mnist/"+part+"-labels-idx1-ubyte"] = images, labels
	}
	if err := os.Mkdir(filepath.Join(dir, "mnist"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResume asks that a run in three processes leaves the same bytes as one that was never stopped.
func TestResume(t *testing.T) {
	small := []string{"--steps", "12", "--context", "16", "--width", "16", "--depth", "1", "--heads", "2", "--batch", "4"}
	for name, flags := range map[string][]string{
		"cnn":       {"--steps", "100"}, // 50 steps, then 20 in a second process and 30 in a third, across the ends of epochs
		"mlp":       {"--epochs", "3", "--batch", "100", "--seed", "7"},
		"gpt":       small,
		"mlp table": {"--epochs", "2", "--batch", "8", "--data", "t.csv"},
		"cnn mnist": {"--epochs", "2", "--batch", "8", "--data", "mnist"},
		"gpt text":  append([]string{"--data", "t.txt"}, small...),
	} {
		if testing.Short() && (name == "mlp" || name == "gpt" || name == "cnn mnist") {
			continue // the others have each model
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ownData(t, dir)
			model, _, _ := strings.Cut(name, " ")
			train := append([]string{"train", "--model", model}, flags...)
			lucidProcess(t, dir, append(train, "--out", "straight.lucid")...)
			first, second := "5", "4"
			if name == "cnn" {
				first, second = "50", "20"
			}
			out := lucidProcess(t, dir, append(train, "--out", "pieces.lucid", "--stop-after", first)...)
			if !strings.Contains(out, "stopped at step "+first+" of ") ||
				!strings.Contains(out, "lucid train --resume --out pieces.lucid") {
				t.Errorf("the first piece said:\n%s", out)
			}
			lucidProcess(t, dir, "train", "--resume", "--out", "pieces.lucid", "--stop-after", second)
			if out := lucidProcess(t, dir, "train", "--resume", "--out", "pieces.lucid"); !strings.Contains(out,
				"going on from pieces.lucid at step ") {
				t.Errorf("the last piece said:\n%s", out)
			}
			for _, ext := range []string{".lucid", ".svg", ".png"} {
				if !bytes.Equal(fileBytes(t, filepath.Join(dir, "straight"+ext)), fileBytes(t, filepath.Join(dir, "pieces"+ext))) {
					t.Errorf("the %s files differ", ext)
				}
			}
		})
	}
}

// TestInterrupt presses Ctrl-C in the middle of a run and goes on.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent Ctrl-C there")
	}
	dir := t.TempDir()
	cmd := process(t, dir, "train", "--steps", "120", "--out", "cut.lucid")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(pipe)
	for line := ""; !strings.HasPrefix(line, "epoch 1 "); {
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(r)
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("exit status %d, want 130", got)
	}
	if !strings.Contains(string(rest), ", saved to cut.lucid; to go on type:\n  lucid train --resume --out cut.lucid\n") {
		t.Errorf("it said:\n%s", rest)
	}
	lucidProcess(t, dir, "train", "--resume", "--out", "cut.lucid")
	lucidProcess(t, dir, "train", "--steps", "120", "--out", "straight.lucid")
	if !bytes.Equal(fileBytes(t, filepath.Join(dir, "cut.lucid")), fileBytes(t, filepath.Join(dir, "straight.lucid"))) {
		t.Error("a run that was interrupted ends elsewhere than one that was not")
	}
}

// TestModelChoice asks that data alone says what to train: a table makes a mlp, a text a gpt.
func TestModelChoice(t *testing.T) {
	dir := t.TempDir()
	ownData(t, dir)
	t.Chdir(dir)
	for data, want := range map[string]string{"t.csv": "mlp", "t.txt": "gpt", "mnist": "cnn"} {
		status, out, errs := lucidRun("train", "--data", data, "--steps", "3", "--json")
		var got summary
		if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 || got.Model != want || got.Checkpoint != want+".lucid" {
			t.Errorf("%s: status %d, %v, %s %s", data, status, err, out, errs)
		}
	}
	if status, out, _ := lucidRun("train", "--data", "t.csv", "--steps", "3", "--stop-after", "1"); status != 0 ||
		!strings.Contains(out, "lucid train --resume --model mlp\n") ||
		!strings.Contains(out, "mlp.lucid of an earlier run will be replaced") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// TestKill ends the process at any moment of a run that saves after every step: what is left must load and go on.
func TestKill(t *testing.T) {
	times := 5
	switch {
	case os.Getenv("LUCID_LONG") == "1":
		times = 200
	case testing.Short():
		times = 2
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "k.lucid")
	lucidProcess(t, dir, "train", "--model", "mlp", "--steps", "1000000", "--stop-after", "1", "--out", "k.lucid")
	before := 0
	for range times {
		cmd := process(t, dir, "train", "--resume", "--save-every", "1", "--out", "k.lucid")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300*time.Millisecond + time.Duration(rand.IntN(100_000))*time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		run, err := learn.Resume(path, func(*learn.Config) {})
		if err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		if run.Done < before {
			t.Errorf("went back from step %d to %d", before, run.Done)
		}
		before = run.Done
	}
	t.Logf("reached step %d", before)
}

// TestTrainMistakes asks that every mistake says what to type.
func TestTrainMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"iris.csv": strings.Repeat("1,2,3,a\n4,5,6,b\n", 10), "a.txt": "words",
		"junk.lucid": "junk"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder.lucid", 0o777); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := lucidRun("train", "--model", "mlp", "--steps", "2", "--out", "small.lucid"); status != 0 {
		t.Fatal(errs)
	}
	for line, want := range map[string]string{
		"train --resume --model gpt --out small.lucid": "small.lucid is of a mlp, not of a gpt; try: lucid train --resume --out " +
			"small.lucid",
		"train --resume --steps 1 --out small.lucid": "has made 2 steps already",
		"train --model tree":                         `there is no model "tree"; want one of: cnn, mlp, gpt; try: lucid train`,
		"train --out a.safetensors":                  "ends in .lucid; try: lucid train --out a.lucid",
		"train --out folder.lucid":                   "folder.lucid for --out is a folder; try: lucid train --out folder.lucid/cnn.lucid",
		"train --out no/a.lucid":                     "there is no folder no for --out; try: lucid train --out a.lucid",
		"train --epochs 3 --steps 4":                 "both say how long; try: lucid train",
		"train --resume":                             "there is no checkpoint cnn.lucid; try: lucid train",
		"train --resume --lr 1":                      "--lr cannot change while a run goes on; try: lucid train --resume",
		"train --data nowhere":                       "there is no ",
		"train --model cnn --data iris.csv": "rows have 3 numbers, which make no square image for a cnn; try: lucid train " +
			"--model mlp --data ",
		"train --model mlp --data a.txt":      "try: lucid train --model gpt --data ",
		"train --model gpt --data a.txt":      "a.txt has 5 bytes; want at least 1300; try: lucid train --model gpt",
		"train --device tpu":                  `there is no device "tpu"; want cpu, cuda or cuda:<number>; try: lucid train`,
		"train --model gpt --data .":          "is a folder; a gpt reads a text file; try: lucid train --data ",
		"train --model gpt --data no.txt":     "there is no ",
		"train --data .":                      "want one folder per class; try: lucid train --data <folder>",
		"predict --held 1 --checkpoint a x":   "--held takes a number from 1, and no input with it; try: lucid predict --held 1",
		"predict --device tpu 1":              `there is no device "tpu"; want cpu, cuda or cuda:<number>; try: lucid predict`,
		"predict --held -1":                   "about what?",
		"train --batch -1":                    "--batch is -1; want a positive number; try: lucid train --help",
		"train --model gpt --heads 5":         "heads that divide the width",
		"train --steps 30 --lr 100000":        "the loss became ",
		"predict":                             "about what?",
		"predict 1,2":                         "there is no model here; try: lucid train",
		"predict --checkpoint no.lucid 1":     "there is no checkpoint no.lucid; try: lucid train",
		"predict --length 0 --checkpoint a x": "--length is 0",
		"predict --checkpoint junk.lucid 1,2": "",
		"train --resume --out junk.lucid":     "",
	} {
		status, out, errs := lucidRun(strings.Fields(line)...)
		if want == "" && status == 1 && errs != "" {
			continue // a broken file, not a mistake in typing
		}
		if status != 2 || want == "" || !strings.Contains(errs, want) || !strings.Contains(errs, "; try: lucid") {
			t.Errorf("lucid %s: status %d, printed %q and %q; want 2 and %q", line, status, out, errs, want)
		}
	}
}
