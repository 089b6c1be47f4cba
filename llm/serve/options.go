package serve

import (
	"log/slog"
	"time"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm"
)

// Options say who may ask for what. The zero value serves programs on the same machine.
type Options struct {
	// Keys are what clients send as "Authorization: Bearer …", or as X-Api-Key; none: no key is asked for.
	Keys []string
	// Hosts are the names that requests may have in their Host header, without the port. Other names are refused, so that a web page
	// cannot reach the server through a name that it made point here. nil: localhost and loopback addresses; "*" allows all.
	Hosts []string
	// Origins are the web pages that may send requests, such as https://chat.example. The server's own page always may; "*" allows all.
	Origins []string

	MaxBody   int64         // bytes of a request; 0: 4 MiB
	MaxAudio  int64         // bytes of a request with sound; 0: 32 MiB
	MaxTokens int           // the most tokens of an answer; 0: what the model's context has room for
	MaxN      int           // the most answers to one request; 0: 8
	Timeout   time.Duration // of a request, from its first byte to its last token; 0: 10 minutes
	Stall     time.Duration // how long a client may take to send its request, or to read some of the answer; 0: 30 seconds

	// Resident is the most bytes that the weights of models which NewFrom loads take together; 0: no limit.
	Resident int64

	Batcher   llm.BatcherOptions       // of each model
	Embedders map[string]*llm.Embedder // by name: what /v1/embeddings serves
	// Transcribers by name: what /v1/audio/transcriptions and /v1/audio/translations serve.
	Transcribers map[string]*llm.Transcriber
	Logger       *slog.Logger // nil: no log
	NoPage       bool         // no chat page at /
}

// Limits of Options.
const (
	maxBodyLimit = 1 << 30
	maxNLimit    = 128
)

func (o *Options) fill() {
	if o.MaxBody == 0 {
		o.MaxBody = 4 << 20
	}
	if o.MaxAudio == 0 {
		o.MaxAudio = 32 << 20
	}
	if o.MaxN == 0 {
		o.MaxN = 8
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	bad := func(name string, v any, want string) {
		fault.Throw(fault.Value, op, "%s is %v; want %s", name, v, want)
	}
	switch {
	case o.MaxBody < 1 || o.MaxBody > maxBodyLimit:
		bad("MaxBody", o.MaxBody, "1 to 2^30 bytes")
	case o.MaxAudio < 1 || o.MaxAudio > maxBodyLimit:
		bad("MaxAudio", o.MaxAudio, "1 to 2^30 bytes")
	case o.MaxN < 1 || o.MaxN > maxNLimit:
		bad("MaxN", o.MaxN, "1 to 128")
	case o.Resident < 0:
		bad("Resident", o.Resident, "a number of bytes, or 0")
	case o.MaxTokens < 0:
		bad("MaxTokens", o.MaxTokens, "a number of tokens, or 0")
	case o.Timeout < 0 || o.Stall < 0:
		bad("Timeout or Stall", min(o.Timeout, o.Stall), "a duration that is not negative")
	}
	for _, k := range o.Keys {
		if k == "" {
			bad("a key", `""`, "a text that is not empty")
		}
	}
}
