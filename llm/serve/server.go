package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm"
)

// Server is an http.Handler for OpenAI's API. Close it when it is not needed any more.
type Server struct {
	o         Options
	models    *residency
	embedders map[string]*embedder

	transcribers map[string]*transcriber
	sounds       slots           // of all transcribers: what is read into memory
	life         context.Context // ends with the server
	end          context.CancelFunc
	names        []string // of models that generate, sorted
	keys         [][32]byte
	mux          *http.ServeMux
	metrics      *metrics
	started      time.Time
	mu           sync.Mutex
	stopping     bool
	requests     sync.WaitGroup
}

// New returns a handler that serves models under their names; Options.Embedders and Options.Transcribers are those of other kinds.
// It panics with *lucid.Error if an option makes no sense.
func New(models map[string]*llm.Model, o Options) *Server {
	s := newServer(o)
	for name, m := range models {
		b, err := m.NewBatcher(o.Batcher)
		if err != nil {
			fault.Rethrow(op, err)
		}
		s.models.list[name] = &served{name: name, m: m, b: b, bytes: m.Bytes()}
		s.names = append(s.names, name)
	}
	return s.ready()
}

// NewFrom returns a handler that loads models when they are asked for, and frees those that are not used when Options.Resident has no
// room for another. Requests for one that is being loaded wait. The server owns the models. It panics with *lucid.Error if an option
// makes no sense.
func NewFrom(sources map[string]Source, o Options) *Server {
	s := newServer(o)
	for name, source := range sources {
		if source.Load == nil || source.Bytes < 0 {
			fault.Throw(fault.Value, op, "the source of %q has no Load, or a negative number of bytes", name)
		}
		s.models.list[name] = &served{name: name, source: source}
		s.names = append(s.names, name)
	}
	return s.ready()
}

func newServer(o Options) *Server {
	o.fill()
	return &Server{o: o, models: newResidency(o.Batcher, o.Resident), embedders: map[string]*embedder{},
		transcribers: map[string]*transcriber{}, sounds: newSlots(soundsQueue), mux: http.NewServeMux(), metrics: newMetrics(),
		started: time.Now()}
}

// addOthers adds the models that do not generate text.
func (s *Server) addOthers() {
	taken := func(name string) {
		if slices.Contains(s.names, name) || s.embedders[name] != nil {
			fault.Throw(fault.Value, op, "two models are named %q", name)
		}
	}
	for name, e := range s.o.Embedders {
		taken(name)
		s.embedders[name] = &embedder{name, e, newSlots(embedQueue)}
	}
	for name, t := range s.o.Transcribers {
		taken(name)
		s.transcribers[name] = &transcriber{name, t, newSlots(soundsQueue)}
	}
}

func (s *Server) ready() *Server {
	if len(s.names)+len(s.o.Embedders)+len(s.o.Transcribers) == 0 {
		fault.Throw(fault.Value, op, "there are no models to serve")
	}
	slices.Sort(s.names)
	s.addOthers()
	s.life, s.end = context.WithCancel(context.Background())
	for _, k := range s.o.Keys {
		s.keys = append(s.keys, sha256.Sum256([]byte(k)))
	}
	s.route()
	collect() // what loading the models took: a server stays small while it waits
	return s
}

func (s *Server) route() {
	post := func(path string, f func(w http.ResponseWriter, r *http.Request) *failure) {
		s.mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			if bad := f(w, r); bad != nil {
				bad.write(w)
			}
		})
		s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", "POST")
			fail(http.StatusMethodNotAllowed, "%.10s %s; want POST", r.Method, path).write(w)
		})
	}
	post("/v1/chat/completions", s.chatCompletions)
	post("/v1/completions", s.completions)
	post("/v1/responses", s.responses)
	post("/v1/embeddings", s.embeddings)
	post("/v1/audio/transcriptions", s.transcriptions)
	post("/v1/audio/translations", s.translations)
	s.mux.HandleFunc("GET /v1/models", s.listModels)
	s.mux.HandleFunc("GET /v1/models/{name}", s.oneModel)
	s.mux.HandleFunc("GET /health", s.health)
	s.mux.HandleFunc("GET /metrics", s.writeMetrics)
	if !s.o.NoPage {
		s.mux.HandleFunc("GET /{$}", s.page)
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(http.StatusNotFound, "there is no %.10s %.100s", r.Method, r.URL.Path).coded("unknown_url").write(w)
	})
}

// public are the paths that need no key.
func public(path string) bool {
	return path == "/health" || path == "/v1/models" || path == "/"
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun, rec := time.Now(), &recorder{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		s.metrics.done(pathOf(r.URL.Path), rec.status, time.Since(begun))
		s.o.Logger.Info("request", "method", r.Method, "path", pathOf(r.URL.Path), "status", rec.status, "remote", r.RemoteAddr,
			"seconds", time.Since(begun).Seconds())
	}()
	head := rec.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-store")
	if bad := s.refuse(rec, r); bad != nil {
		bad.write(rec)
		return
	}
	if r.Method == http.MethodOptions {
		rec.WriteHeader(http.StatusNoContent)
		return
	}
	s.mux.ServeHTTP(rec, r)
}

// refuse checks who asks.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request) *failure {
	if !s.allowedHost(r.Host) {
		return fail(http.StatusForbidden, "the host %.100q is not allowed; the server's Hosts option names those that are", r.Host).
			coded("host")
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if !s.allowedOrigin(origin, r.Host) {
			return fail(http.StatusForbidden, "the origin %.100q is not allowed; the server's Origins option names those that are", origin).
				coded("origin")
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		h.Add("Vary", "Origin")
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Api-Key")
		h.Set("Access-Control-Allow-Methods", "GET, POST")
	}
	if r.Method == http.MethodOptions || public(r.URL.Path) || len(s.keys) == 0 || s.allowedKey(r) {
		return nil
	}
	return fail(http.StatusUnauthorized, "the API key is missing or wrong").coded("invalid_api_key")
}

// allowedHost reports whether the Host header is one of this server's names. A page of another site that made its own name point
// to this address still sends its own name.
func (s *Server) allowedHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	for _, h := range s.o.Hosts {
		if h == "*" || strings.EqualFold(h, name) {
			return true
		}
	}
	if s.o.Hosts != nil {
		return false
	}
	if name == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a.IsLoopback()
}

func (s *Server) allowedOrigin(origin, host string) bool {
	if slices.Contains(s.o.Origins, "*") || slices.Contains(s.o.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host == host
}

// keyOf is the key a request came with.
func keyOf(r *http.Request) string {
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return key
	}
	return r.Header.Get("X-Api-Key")
}

// allowedKey compares with every key, in a time that does not depend on them.
func (s *Server) allowedKey(r *http.Request) bool {
	key := keyOf(r)
	sum, equal := sha256.Sum256([]byte(key)), 0
	for i := range s.keys {
		equal |= subtle.ConstantTimeCompare(sum[:], s.keys[i][:])
	}
	return equal == 1 && key != ""
}

// Shutdown refuses new requests with 503, waits for those under way until ctx ends, then ends the rest and frees the memory.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.requests.Wait()
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.end()
	s.models.close()
	<-done
	return err
}

// Close ends all requests at once.
func (s *Server) Close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.Shutdown(ctx)
}

// enter counts a request that generates; it reports false if the server is stopping.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopping {
		s.requests.Add(1)
	}
	return !s.stopping
}

// recorder remembers the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader passes the status on.
func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// pathOf is the path for logs and metrics: one of ours, or other.
func pathOf(path string) string {
	switch path {
	case "/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/embeddings", "/v1/audio/transcriptions",
		"/v1/audio/translations", "/v1/models", "/health", "/metrics", "/":
		return path
	}
	if strings.HasPrefix(path, "/v1/models/") {
		return "/v1/models/{name}"
	}
	return "other"
}
