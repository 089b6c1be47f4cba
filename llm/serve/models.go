package serve

import (
	"net/http"
	"slices"
)

type modelInfo struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Owner   string `json:"owned_by"`
}

func (s *Server) info(name string) modelInfo {
	return modelInfo{name, "model", s.started.Unix(), "lucid"}
}

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) {
	list := make([]modelInfo, len(s.names))
	for i, name := range s.names {
		list[i] = s.info(name)
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

func (s *Server) oneModel(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !slices.Contains(s.names, name) {
		fail(http.StatusNotFound, "there is no model %.100q", name).coded("model_not_found").write(w)
		return
	}
	writeJSON(w, http.StatusOK, s.info(name))
}

// health is 200 while requests are taken.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	stopping := s.stopping
	s.mu.Unlock()
	if stopping {
		w.Header().Set("Retry-After", "5")
		writeJSON(w, http.StatusServiceUnavailable, map[string]string{"status": "stopping"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// embeddings are refused: the models here are decoders that were not trained to embed.
func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) *failure {
	fields, bad := s.body(w, r)
	if bad != nil {
		return bad
	}
	q := &request{}
	table := []field{text("model", maxName, func(q *request) *string { return &q.name }), passed("input"), passed("encoding_format"),
		passed("dimensions"), passed("user")}
	if bad := q.fill(fields, table); bad != nil {
		return bad
	}
	if bad := s.begin(r.Context(), q); bad != nil {
		return bad
	}
	defer q.release()
	return wrong("model", "%q generates text and does not embed it", q.model.name).coded("model_does_not_embed")
}
