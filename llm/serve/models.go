package serve

import (
	"maps"
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
	list := []modelInfo{}
	for _, names := range [][]string{slices.Sorted(maps.Keys(s.embedders)), s.names, slices.Sorted(maps.Keys(s.transcribers))} {
		for _, name := range names {
			list = append(list, s.info(name))
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

func (s *Server) oneModel(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !slices.Contains(s.names, name) && s.embedders[name] == nil && s.transcribers[name] == nil {
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
