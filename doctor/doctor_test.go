package doctor_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/doctor"
)

func TestDoctor(t *testing.T) {
	t.Setenv("LUCID_TEST_DOCTOR", "here")
	d := doctor.Examine()
	if d.Threads < 1 || d.Cores < 1 || !strings.HasPrefix(d.CPU, runtime.GOARCH+":") || len(d.Devices) < 2 {
		t.Errorf("%+v", d)
	}
	text := d.String()
	for _, want := range []string{runtime.Version(), "cpu: ", "kernels; memory", "env       LUCID_TEST_DOCTOR=here"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	var back doctor.Diagnosis
	b, err := json.Marshal(d)
	if err != nil || json.Unmarshal(b, &back) != nil || back.String() != text {
		t.Errorf("%v: %s", err, b)
	}
	bad := doctor.Diagnosis{Variants: map[string][]string{"gemm.gemm": {}},
		Devices: []doctor.DeviceDiagnosis{{Name: "cuda", Error: "no driver"}}}.String()
	if !strings.Contains(bad, "gemm.gemm: Go code") || !strings.Contains(bad, "cuda: cannot be used: no driver") {
		t.Error(bad)
	}
}
