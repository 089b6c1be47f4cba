package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// servedProcess starts a server in a process of its own and waits until it answers.
func servedProcess(t *testing.T, dir, model, port string) *exec.Cmd {
	t.Helper()
	cmd := process(t, dir, "serve", "abc="+model, "--port", port, "--log", "none", "--sequences", "2")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // of one that was waited for nothing is left to kill
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "serving at") {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd
}

// asked sends a request whose answer is the characters behind 0.
func asked(t *testing.T, port string, stream bool) *http.Response {
	t.Helper()
	body := `{"model": "abc", "prompt": "0", "max_tokens": 60, "temperature": 0, "ignore_eos": true, "stream": false}`
	if stream {
		body = strings.Replace(body, "false", "true", 1)
	}
	a, err := http.Post("http://127.0.0.1:"+port+"/v1/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Body.Close() })
	if a.StatusCode != 200 {
		t.Fatal(a.Status)
	}
	return a
}

// TestServeKilled kills a server while it writes answers. A new one has the port at once, gives the same answers, and there is no file
// that it could have taken for one of its own. Then it is asked to stop, and does so when its answers are written.
func TestServeKilled(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	model, dir := nextByteModel(t, ""), t.TempDir()
	before := filesIn(t, model)
	answer := func() string {
		text, err := io.ReadAll(asked(t, port, false).Body)
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`"text": ?"[^}]*`).FindString(string(text))
	}
	first := servedProcess(t, dir, model, port)
	want := answer()
	if !strings.Contains(want, "123456789:;") {
		t.Fatalf("the answer is %q", want)
	}
	for range 4 { // two are written, two wait
		if _, err := asked(t, port, true).Body.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Error("a server that was killed ended well")
	}
	second := servedProcess(t, dir, model, port)
	for range 2 { // the second time from what is stored of the first
		if got := answer(); got != want {
			t.Errorf("after the kill %q, want %q", got, want)
		}
	}
	if left := filesIn(t, dir); left != "" {
		t.Errorf("left behind: %s", left)
	}
	if now := filesIn(t, model); now != before {
		t.Errorf("the model's folder has %s, had %s", now, before)
	}
	if runtime.GOOS == "windows" {
		return // no signal to ask it to stop
	}
	open := asked(t, port, true)
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(open.Body)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "data: [DONE]") {
		t.Errorf("the answer under way ends with %v: %.300s", err, text)
	}
	ended := make(chan error, 1)
	go func() { ended <- second.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("a server that was asked to stop ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the server does not stop")
	}
}

// filesIn lists a folder.
func filesIn(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if path != dir {
			list = append(list, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, " ")
}
