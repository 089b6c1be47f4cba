package lucid_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

func TestDoctor(t *testing.T) {
	t.Setenv("LUCID_TEST_DOCTOR", "here")
	d := lucid.Doctor()
	if d.Threads < 1 || d.Cores < 1 || !strings.HasPrefix(d.CPU, runtime.GOARCH+":") || len(d.Devices) < 2 {
		t.Errorf("%+v", d)
	}
	text := d.String()
	for _, want := range []string{runtime.Version(), "cpu: ", "kernels; memory", "env       LUCID_TEST_DOCTOR=here"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	var back lucid.Diagnosis
	b, err := json.Marshal(d)
	if err != nil || json.Unmarshal(b, &back) != nil || back.String() != text {
		t.Errorf("%v: %s", err, b)
	}
	bad := lucid.Diagnosis{Variants: map[string][]string{"gemm.gemm": {}}, Devices: []lucid.DeviceDiagnosis{{Name: "cuda", Error: "no driver"}}}.String()
	if !strings.Contains(bad, "gemm.gemm: Go code") || !strings.Contains(bad, "cuda: cannot be used: no driver") {
		t.Error(bad)
	}
}
