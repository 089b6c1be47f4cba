package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tokenizer"
	"github.com/lucid-go/lucid/llm/tune"
)

func init() {
	add(&command{name: "run", args: "[model.gguf, folder, or tiny] [prompt] [flags]",
		short: "write text with a language model; without a prompt, chat with it; without a model, try a small one", run: runRun})
}

// defaultTokens is how long an answer gets if nothing is said.
const defaultTokens = 512

// runInput is where a chat is read from.
var runInput io.Reader = os.Stdin

// runFlags is the command line of run.
type runFlags struct {
	path    string
	prompt  string
	chat    bool // no prompt was given
	raw     bool
	quiet   bool
	system  string
	adapter string
	draft   string
	bits    int
	given   map[string]bool // flags of the command line
	load    llm.LoadOptions
	weights func(command, path string) error // sets load for a model
	o       llm.Options
}

func (r *runFlags) parse(c *command, args []string, out io.Writer) error {
	f := c.flags()
	f.IntVar(&r.o.MaxTokens, "max-tokens", defaultTokens, "the most tokens of an answer; 0: until the context is full")
	f.Float64Var(&r.o.Temperature, "temperature", 0, "how freely to write; 0: always the most probable token")
	f.IntVar(&r.o.TopK, "top-k", 0, "sample from so many of the most probable tokens; 0: all")
	f.Float64Var(&r.o.TopP, "top-p", 0, "sample from the most probable tokens that have this probability together; 0: all")
	f.Float64Var(&r.o.MinP, "min-p", 0, "sample from tokens with this share of the first one's probability; 0: all")
	f.Float64Var(&r.o.RepetitionPenalty, "repetition-penalty", 0, "makes tokens of the text less probable; 0: none")
	f.Uint64Var(&r.o.Seed, "seed", 0, "of the random numbers; 0: another one every time")
	f.StringVar(&r.draft, "draft", "", "a smaller model with the same tokens, which guesses tokens ahead: the same text, sooner")
	f.IntVar(&r.o.Speculate.Lookup, "lookup", 0, "guess that what followed the last so many tokens before follows again; 0: no guesses")
	f.IntVar(&r.o.Speculate.Tokens, "guesses", 0, "tokens to guess at a time; 0: 4")
	f.IntVar(&r.bits, "cache-bits", 0, "8: keys and values as int8, a quarter of the memory; 0: as the model computes")
	f.IntVar(&r.o.Rotate.Window, "window", 0, "let the text go on past so many tokens: older ones are dropped; 0: it ends with the context")
	f.IntVar(&r.o.Rotate.Keep, "keep", 0, "tokens at the beginning that --window never drops")
	f.BoolVar(&r.raw, "raw", false, "continue the prompt as it is, without the model's chat template")
	f.BoolVar(&r.quiet, "quiet", false, "print the text alone, without tokens per second")
	f.StringVar(&r.system, "system", "", "the system message of a chat")
	f.StringVar(&r.adapter, "adapter", "", "a folder with an adapter, as lucid tune writes it")
	r.weights = loadFlags(f, &r.load)
	if err := c.parse(f, args, 2, out); err != nil {
		return err
	}
	r.path, r.prompt, r.chat, r.given = f.Arg(0), f.Arg(1), f.NArg() == 1, map[string]bool{}
	f.Visit(func(g *flag.Flag) { r.given[g.Name] = true })
	if f.NArg() == 0 {
		r.choose(out)
	}
	if err := r.source(&r.path); err != nil {
		return err
	}
	if r.o.Seed == 0 {
		r.o.Seed = uint64(time.Now().UnixNano())
	}
	return nil
}

// source says where a model is, the one that is run or its draft, and how it is loaded: which weights stay as they are stored depends on
// the file.
func (r *runFlags) source(path *string) error {
	*path, r.load.FS = named(*path)
	return r.weights("run", *path)
}

// noModel says what to type if a model is not there.
func noModel(command, path string, err error) error {
	if _, missing := os.Stat(path); missing != nil && errors.Is(err, fs.ErrNotExist) {
		return &usageError{"lucid " + command + ": there is no model at " + path, "lucid " + command + " <model.gguf or folder>"}
	}
	return err
}

func runRun(c *command, args []string, out io.Writer) error {
	r := &runFlags{}
	if err := r.parse(c, args, out); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if strings.HasSuffix(r.path, ".lucid") {
		return r.runCheckpoint(ctx, out)
	}
	m, err := llm.Load(r.path, r.load)
	if err != nil {
		return noModel("run", r.path, err)
	}
	if r.load.FS != nil {
		r.alone(out)
	}
	if r.adapter != "" {
		if _, err := tune.Load(m, r.adapter); err != nil {
			return err
		}
	}
	if r.draft != "" {
		if err := r.source(&r.draft); err != nil {
			return err
		}
		if r.o.Speculate.Draft, err = llm.Load(r.draft, r.load); err != nil {
			return noModel("run", r.draft, err)
		}
	}
	if err := lucid.Try(func() { r.o.Cache = m.NewCache(llm.CacheOptions{Bits: r.bits}) }); err != nil {
		return err
	}
	defer r.o.Cache.Free()
	switch {
	case !r.chat && (r.raw || !m.HasChat()):
		_, err = r.write(m.Generate(ctx, r.prompt, r.o), len(m.Tokenizer().Encode(r.prompt)), out)
	case !r.chat:
		_, err = r.answer(ctx, m, r.begin(r.prompt), out)
	case r.raw || !m.HasChat():
		return &usageError{"lucid run: " + r.path + " has no chat template, so it needs a prompt to continue",
			"lucid run " + r.path + ` "Once upon a time"`}
	default:
		err = r.talk(ctx, m, out)
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(out)
		return errInterrupted
	}
	return err
}

// begin starts a chat with the user's first message.
func (r *runFlags) begin(text string) (chat []llm.Message) {
	if r.system != "" {
		chat = append(chat, llm.Message{Role: "system", Content: r.system})
	}
	if text != "" {
		chat = append(chat, llm.Message{Role: "user", Content: text})
	}
	return chat
}

// talk answers messages until the input ends. A message is a line, or the lines between two that are """; /clear begins anew.
func (r *runFlags) talk(ctx context.Context, m *llm.Model, out io.Writer) error {
	lines := newChatInput(runInput, out)
	chat := r.begin("")
	fmt.Fprintln(out,
		"a line is a message, several are one between lines of \"\"\"; /clear forgets the chat; an empty line or Ctrl-D ends it")
	for {
		text, ok := nextMessage(lines)
		if !ok {
			fmt.Fprintln(out)
			return lines.err()
		}
		if strings.TrimSpace(text) == "/clear" {
			chat = r.begin("")
			r.o.Cache.Free()
			continue
		}
		chat = append(chat, llm.Message{Role: "user", Content: text})
		text, err := r.answer(ctx, m, chat, out)
		if err != nil {
			return err
		}
		chat = append(chat, llm.Message{Role: "assistant", Content: text})
	}
}

// nextMessage reads a message; false: there is none.
func nextMessage(lines chatInput) (string, bool) {
	first, ok := lines.line("> ")
	if !ok || strings.TrimSpace(first) == "" {
		return "", false
	}
	if strings.TrimSpace(first) != `"""` {
		return first, true
	}
	var list []string
	for {
		text, ok := lines.line(". ")
		if !ok || strings.TrimSpace(text) == `"""` {
			return strings.Join(list, "\n"), len(list) > 0
		}
		list = append(list, text)
	}
}

// answer generates one answer of a chat.
func (r *runFlags) answer(ctx context.Context, m *llm.Model, chat []llm.Message, out io.Writer) (string, error) {
	prompt, err := m.Prompt(chat)
	if err != nil {
		return "", err
	}
	n := len(m.Tokenizer().EncodeWith(prompt, tokenizer.EncodeOptions{NoAdded: true}))
	if r.o.Cache != nil {
		n -= min(n-1, r.o.Cache.Tokens()) // what the last message left, if the template writes it again as it was
	}
	return r.write(m.Chat(ctx, chat, r.o), n, out)
}

// write prints tokens as they come, then how fast they came: the first one takes as long as the prompt does.
func (r *runFlags) write(tokens iter.Seq2[llm.Token, error], prompt int, out io.Writer) (string, error) {
	var text strings.Builder
	n, begun, first := 0, time.Now(), time.Duration(0)
	for t, err := range tokens {
		if err != nil {
			return text.String(), err
		}
		if n++; n == 1 {
			first = time.Since(begun)
		}
		text.WriteString(t.Text)
		fmt.Fprint(out, t.Text)
	}
	fmt.Fprintln(out)
	if !r.quiet {
		fmt.Fprintf(out, "[prompt: %d tokens, %.1f tokens/s", prompt, float64(prompt)/first.Seconds())
		if n > 1 {
			fmt.Fprintf(out, "; text: %d tokens, %.1f tokens/s", n, float64(n-1)/(time.Since(begun)-first).Seconds())
		}
		fmt.Fprintln(out, "]")
	}
	return text.String(), nil
}
