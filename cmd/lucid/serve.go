package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/serve"
	"github.com/lucid-go/lucid/llm/tune"
)

func init() {
	add(&command{name: "serve", args: "<model.gguf or folder, or name=path>... [flags]",
		short: "serve language models with OpenAI's API, and a chat page", run: runServe})
}

// maxServed is how many models one server may have.
const maxServed = 64

// serveFlags is the command line of serve. Each flag can be set by an environment variable too, such as LUCID_SERVE_PORT.
type serveFlags struct {
	models   []string
	host     string
	port     int
	open     bool
	log      string
	adapter  string
	draft    string
	guess    llm.Speculate
	load     llm.LoadOptions
	weights  func(command, path string) error // fills in load for a model
	o        serve.Options
	stopWait time.Duration
}

func (s *serveFlags) parse(c *command, args []string, out io.Writer) error {
	f := c.flags()
	f.StringVar(&s.host, "host", "127.0.0.1", "the address to listen on")
	f.IntVar(&s.port, "port", 8080, "the port; 0: any that is free")
	keys := f.String("key", "", "keys that clients must send, separated by commas; better in LUCID_SERVE_KEY")
	f.BoolVar(&s.open, "open", false, "allow an address that others can reach without a key")
	hosts := f.String("allow-host", "", "names that requests may use for this server, separated by commas; *: all; default: loopback")
	origins := f.String("allow-origin", "", "web pages that may send requests, separated by commas, such as https://chat.example")
	f.IntVar(&s.o.Batcher.Sequences, "sequences", 8, "texts that are generated together")
	f.IntVar(&s.o.Batcher.Queue, "queue", 64, "texts that wait")
	memory := f.Int("memory-mb", 0, "load models when they are asked for, and drop those not used for the longest time when the weights\n"+
		"take more than so many MiB; 0: load all at once")
	cache := f.Int("cache-mb", 1024, "memory of keys and values of each model, in MiB")
	f.IntVar(&s.o.Batcher.Cache.Bits, "cache-bits", 0, "8: keys and values as int8, a quarter of the memory; 0: as the model computes")
	f.IntVar(&s.o.Batcher.Chunk, "chunk", 0,
		"tokens of prompts that are read in a step in which other texts go on; 0: 32 on the CPU, 64 elsewhere")
	f.StringVar(&s.draft, "draft", "", "a smaller model with the same tokens, which guesses tokens ahead while few texts are generated:\n"+
		"the same texts, sooner")
	f.IntVar(&s.guess.Lookup, "lookup", 0, "guess that what followed the last tokens of a text before follows again, by up to so\n"+
		"many of them; 0: no such guesses; without the flag 16 on the CPU, 0 elsewhere or with a draft")
	f.IntVar(&s.guess.Tokens, "guesses", 0, "tokens of a text to guess at a time; 0: as many as pay")
	f.IntVar(&s.o.MaxTokens, "max-tokens", 0, "the most tokens of an answer; 0: until the context is full")
	f.DurationVar(&s.o.Timeout, "timeout", 10*time.Minute, "the most time of a request")
	f.DurationVar(&s.stopWait, "stop-wait", 30*time.Second, "how long requests may go on when the server stops")
	f.BoolVar(&s.o.NoPage, "no-page", false, "no chat page")
	f.StringVar(&s.log, "log", "text", "form of the log on standard error: text, json or none")
	f.StringVar(&s.adapter, "adapter", "", "a folder with an adapter for the model")
	s.weights = loadFlags(f, &s.load)
	if err := fromEnvironment(f, "LUCID_SERVE_"); err != nil {
		return &usageError{"lucid serve: " + err.Error(), "lucid serve --help"}
	}
	if err := c.parse(f, args, maxServed, out); err != nil {
		return err
	}
	f.Visit(func(g *flag.Flag) {
		if g.Name == "draft" || g.Name == "lookup" || g.Name == "guesses" {
			s.o.Batcher.Speculate = &s.guess
		}
	})
	s.models = f.Args()
	split := func(list string) []string {
		return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	}
	s.o.Keys, s.o.Hosts, s.o.Origins, s.o.Batcher.Bytes = split(*keys), split(*hosts), split(*origins), int64(*cache)<<20
	s.o.Resident = int64(*memory) << 20
	if *hosts == "" {
		s.o.Hosts = nil
	}
	if err := s.weights("serve", ""); err != nil { // a mistake is told before a model is loaded
		return err
	}
	return s.check()
}

// check refuses what would open the server to others by mistake.
func (s *serveFlags) check() error {
	a, err := netip.ParseAddr(s.host)
	loopback := s.host == "localhost" || err == nil && a.IsLoopback()
	switch {
	case len(s.models) == 0:
		return &usageError{"lucid serve: which model? give a .gguf file, or a folder with config.json", "lucid serve model.gguf"}
	case s.adapter != "" && len(s.models) > 1:
		return &usageError{"lucid serve: --adapter is for one model", "lucid serve model.gguf --adapter folder"}
	case s.draft != "" && len(s.models) > 1:
		return &usageError{"lucid serve: --draft is for one model", "lucid serve model.gguf --draft small.gguf"}
	case s.port < 0 || s.port > 65535:
		return &usageError{fmt.Sprintf("lucid serve: the port %d; want 0 to 65535", s.port), "lucid serve --help"}
	case s.log != "text" && s.log != "json" && s.log != "none":
		return &usageError{fmt.Sprintf("lucid serve: there is no --log %q; want text, json or none", s.log), "lucid serve --help"}
	case !loopback && len(s.o.Keys) == 0 && !s.open:
		return &usageError{"lucid serve: everyone who reaches " + s.host + " could use the models; set a key, or say --open",
			"LUCID_SERVE_KEY=secret lucid serve model.gguf --host " + s.host}
	}
	if !loopback && s.o.Hosts == nil && len(s.o.Keys) > 0 { // a key is what a web page does not have
		s.o.Hosts = []string{"*"}
	}
	return nil
}

// fromEnvironment sets flags by variables: the prefix and the name in capitals, with _ for -.
func fromEnvironment(f *flag.FlagSet, prefix string) (err error) {
	f.VisitAll(func(g *flag.Flag) {
		name := prefix + strings.ToUpper(strings.ReplaceAll(g.Name, "-", "_"))
		if v, ok := os.LookupEnv(name); ok && err == nil {
			if bad := f.Set(g.Name, v); bad != nil {
				err = fmt.Errorf("%s: %w", name, bad)
			}
		}
	})
	return err
}

// parseWeights reads --dtype; "" is float32.
func parseWeights(command, name string) (lucid.DType, error) {
	types := map[string]lucid.DType{"": lucid.Float32, "float32": lucid.Float32, "bfloat16": lucid.BFloat16, "float16": lucid.Float16}
	d, known := types[name]
	if !known {
		return d, &usageError{fmt.Sprintf("lucid %s: there is no --dtype %q; want float32, bfloat16 or float16", command, name),
			"lucid " + command + " --help"}
	}
	return d, nil
}

func runServe(c *command, args []string, out io.Writer) error {
	s := &serveFlags{}
	if err := s.parse(c, args, out); err != nil {
		return err
	}
	switch s.log {
	case "text":
		s.o.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	case "json":
		s.o.Logger = slog.New(slog.NewJSONHandler(os.Stderr, nil))
	}
	start, err := s.prepare()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	return s.serve(ctx, start, out)
}

// prepare loads the models, or finds out how large they are if they are loaded when they are asked for. It returns what makes the
// server.
func (s *serveFlags) prepare() (start func() *serve.Server, err error) {
	if s.draft != "" {
		s.draft, s.load.FS = named(s.draft)
		if err := s.weights("serve", s.draft); err != nil {
			return nil, err
		}
		if s.guess.Draft, err = llm.Load(s.draft, s.load); err != nil {
			return nil, noModel("serve", s.draft, err)
		}
	}
	models, sources := map[string]*llm.Model{}, map[string]serve.Source{}
	s.o.Embedders, s.o.Transcribers = map[string]*llm.Embedder{}, map[string]*llm.Transcriber{}
	seen := map[string]bool{"": true}
	for _, arg := range s.models {
		name, path, ok := strings.Cut(arg, "=")
		if !ok {
			path = arg
			name = strings.TrimSuffix(filepath.Base(filepath.Clean(path)), ".gguf")
		}
		if seen[name] {
			return nil, &usageError{fmt.Sprintf("lucid serve: two models are named %q", name), "lucid serve a=one.gguf b=two.gguf"}
		}
		seen[name] = true
		path, s.load.FS = named(path)
		if err := s.weights("serve", path); err != nil {
			return nil, err
		}
		if other, err := s.loadOther(name, path); other || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		if s.o.Resident == 0 {
			if models[name], err = s.loadOne(path, s.load); err != nil {
				return nil, err
			}
			continue
		}
		if sources[name], err = s.source(path, s.load); err != nil {
			return nil, err
		}
	}
	return func() *serve.Server {
		if s.o.Resident == 0 {
			return serve.New(models, s.o)
		}
		return serve.NewFrom(sources, s.o)
	}, nil
}

// loadOther loads a model that does not generate text; false: it is one that does.
func (s *serveFlags) loadOther(name, path string) (other bool, err error) {
	if llm.IsTranscriber(path) {
		s.o.Transcribers[name], err = llm.LoadTranscriber(path, s.load)
		return true, err
	}
	if info, bad := llm.Describe(path, s.load); bad == nil && info.Embeds {
		s.o.Embedders[name], err = llm.LoadEmbedder(path, s.load)
		return true, err
	}
	return false, nil
}

// source describes a model that is loaded when it is asked for.
func (s *serveFlags) source(path string, load llm.LoadOptions) (serve.Source, error) {
	info, err := llm.Describe(path, load)
	if err != nil {
		return serve.Source{}, noModel("serve", path, err)
	}
	bytes := info.Bytes
	if !load.Quantized { // as they will be in memory
		bytes = info.Parameters * int64(load.DType.Size())
	}
	return serve.Source{Bytes: bytes, Load: func() (*llm.Model, error) { return s.loadOne(path, load) }}, nil
}

// loadOne loads a model, with the adapter.
func (s *serveFlags) loadOne(path string, load llm.LoadOptions) (*llm.Model, error) {
	m, err := llm.Load(path, load)
	if err != nil {
		return nil, noModel("serve", path, err)
	}
	if s.adapter != "" {
		if _, err := tune.Load(m, s.adapter); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// spareProcessor gives the runtime one processor more than kernels use, and returns what takes it back. While kernels hold all
// processors of the runtime, no goroutine waits for the network: connections are looked at once in ten milliseconds. On the one that is
// left a thread waits for them, and the system wakes it at once.
func spareProcessor() (restore func()) {
	processors := runtime.GOMAXPROCS(0)
	threads := lucid.SetNumThreads(lucid.GetNumThreads())
	runtime.GOMAXPROCS(processors + 1)
	return func() {
		runtime.GOMAXPROCS(processors)
		lucid.SetNumThreads(threads)
	}
}

// serve answers until ctx ends; then requests under way may end.
func (s *serveFlags) serve(ctx context.Context, start func() *serve.Server, out io.Writer) error {
	defer spareProcessor()()
	listener, err := net.Listen("tcp", net.JoinHostPort(s.host, strconv.Itoa(s.port)))
	if err != nil {
		return err
	}
	var server *serve.Server
	if err := lucid.Try(func() { server = start() }); err != nil {
		return errors.Join(err, listener.Close())
	}
	web := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
	fmt.Fprintf(out, "serving at http://%s; API at http://%s/v1; Ctrl-C stops it\n", listener.Addr(), listener.Addr())
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err := <-failed:
		server.Close()
		return err
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.Background(), s.stopWait)
	defer cancel()
	err = server.Shutdown(wait)
	return errors.Join(err, web.Shutdown(wait))
}
