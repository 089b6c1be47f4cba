package serve

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lucid-go/lucid/llm"
)

// TestOfficialClients runs the scripts that ask through OpenAI's own clients, where the environment says where those are: a Python
// with the package openai in LUCID_OPENAI_PYTHON, a folder with the npm package in LUCID_OPENAI_NODE.
func TestOfficialClients(t *testing.T) {
	python, node := os.Getenv("LUCID_OPENAI_PYTHON"), os.Getenv("LUCID_OPENAI_NODE")
	if python == "" && node == "" {
		t.Skip("needs LUCID_OPENAI_PYTHON or LUCID_OPENAI_NODE")
	}
	s := New(map[string]*llm.Model{"tiny": toolModel()}, Options{Keys: []string{"secret"}})
	h := httptest.NewServer(s)
	defer s.Close()
	defer h.Close()
	scripts := filepath.Join("..", "..", "scripts", "openai_client")
	run := func(name string, args ...string) {
		out, err := exec.CommandContext(t.Context(), name, append(args, h.URL+"/v1", "secret", "tiny")...).CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
	}
	if python != "" {
		run(python, filepath.Join(scripts, "check.py"))
	}
	if node != "" {
		run("node", filepath.Join(scripts, "check.mjs"), node)
	}
}
