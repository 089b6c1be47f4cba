package lucid

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/dtype"
)

const killEnv = "LUCID_CODEC_SAVE_LOOP"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(killEnv); path != "" {
		saveLoop(path)
	}
	os.Exit(m.Run())
}

// saveLoop saves for ever, each time another content and length.
func saveLoop(path string) {
	for i := 0; ; i++ {
		data := make([]byte, 1<<20+i%7*100_000)
		for k := range data {
			data[k] = byte(i)
		}
		c := Checkpoint{}
		c.Add(codec.Tensor{Name: "w", DType: dtype.Uint8, Shape: []int{len(data)}, Data: data})
		if err := Write(path, c); err != nil {
			os.Stdout.WriteString("failed: " + err.Error() + "\n")
			os.Exit(1)
		}
		if i == 0 {
			os.Stdout.WriteString("saving\n")
		}
	}
}

// A process killed while it saves leaves a whole file, every time.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	times := 10
	switch {
	case os.Getenv("LUCID_LONG") == "1":
		times = 200
	case testing.Short():
		times = 3
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "c.lucid")
	midway := 0
	for range times {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), killEnv+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		time.Sleep(time.Duration(rand.IntN(15000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		if line != "saving\n" {
			t.Fatalf("the saving process said %q", line)
		}
		c, err := Read(path, codec.Limits{})
		if err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		for _, b := range c.Sections[0].Data {
			if b != c.Sections[0].Data[0] {
				t.Fatal("two saves mixed")
			}
		}
		left, _ := filepath.Glob(filepath.Join(dir, codec.TempPrefix+"*"))
		if len(left) > 1 {
			t.Errorf("%d temporary files: the saves before did not delete what they found", len(left))
		}
		midway += len(left)
		all, _ := os.ReadDir(dir)
		for _, e := range all {
			if e.Name() != "c.lucid" && !strings.HasPrefix(e.Name(), codec.TempPrefix) {
				t.Errorf("stray file %s", e.Name())
			}
		}
	}
	if midway == 0 && times >= 200 {
		t.Error("no kill fell into a save: the test shows nothing")
	}
	t.Logf("%d of %d kills fell into a save", midway, times)
}
