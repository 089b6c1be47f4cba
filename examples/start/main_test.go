package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// TestStart goes the way of the program: train, save, load, ask.
func TestStart(t *testing.T) {
	model, right := train()
	if right < 0.97 {
		t.Errorf("%.3f of the points are placed right", right)
	}
	path := filepath.Join(t.TempDir(), "circle.safetensors")
	if err := lucid.Save(path, nn.StateDict(model)); err != nil {
		t.Fatal(err)
	}
	h, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body)))
		return w
	}
	var got []float64
	if w := ask("[[0.2, 0.1], [0.9, 0.9]]"); w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &got) != nil || len(got) != 2 ||
		got[0] < 0.9 || got[1] > 0.1 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, bad := range []string{"", "[]", "[1]", "{}"} {
		if w := ask(bad); w.Code != http.StatusBadRequest {
			t.Errorf("%q: %d", bad, w.Code)
		}
	}
	if _, err := load(path + "x"); err == nil {
		t.Error("a model that is not there was loaded")
	}
}
