//go:build gpu

package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestTrainCUDA trains on a GPU, stops, and goes on there and on the CPU.
func TestTrainCUDA(t *testing.T) {
	if text, err := gpuDoctor(); err != nil {
		if strings.Contains(os.Getenv("LUCID_REQUIRE"), "cuda") {
			t.Fatal(text)
		}
		t.Skip("SKIP: ", err)
	}
	t.Chdir(t.TempDir())
	if status, out, errs := lucidRun("train", "--device", "cuda", "--stop-after", "100"); status != 0 {
		t.Fatalf("status %d, %s %s", status, out, errs)
	}
	first := fileBytes(t, "cnn.lucid")
	for _, device := range []string{"cuda", "cpu"} {
		if err := os.WriteFile("cnn.lucid", first, 0o666); err != nil {
			t.Fatal(err)
		}
		status, out, errs := lucidRun("train", "--resume", "--device", device, "--json")
		var got summary
		if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 || got.TestAccuracy == nil {
			t.Fatalf("%s: status %d, %v, %s %s", device, status, err, out, errs)
		}
		t.Logf("%s: accuracy %.4f in %.1f s", got.Device, *got.TestAccuracy, got.Seconds)
		if *got.TestAccuracy < 0.98 {
			t.Errorf("%s: %s", device, out)
		}
	}
}
