package llm

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/grammar"
)

// Options say how text is generated. The zero value takes the most probable token every time, until the model ends the text or
// its context is full.
type Options struct {
	MaxTokens int // 0: no limit but the context

	Temperature float64 // logits are divided by it; 0: the most probable token
	TopK        int     // sample from so many of the most probable tokens; 0: all
	TopP        float64 // sample from the most probable tokens that have this probability together; 0: all
	MinP        float64 // sample from tokens with at least this share of the probability of the first; 0: all
	// Typical samples from the tokens whose surprise is nearest to the expected one, and that have this probability together; 0: all.
	Typical float64
	// XTC is the probability of excluding top choices: all tokens of at least XTCThreshold but the least probable of them. 0: never.
	XTC          float64
	XTCThreshold float64 // 0: 0.1; above 0.5 no token is excluded
	// Mirostat is the surprise of a token, in bits, that mirostat 2 aims at. It needs a temperature and no other filter; 0: off.
	Mirostat     float64
	MirostatRate float64 // how fast mirostat adapts; 0: 0.1
	Seed         uint64  // of the random numbers: the same seed gives the same text

	// RepetitionPenalty divides positive logits of tokens that are in the text already, and multiplies negative ones; 0 and 1: none.
	RepetitionPenalty float64
	// PresencePenalty is subtracted from the logits of tokens that were generated, FrequencyPenalty as often as they were.
	PresencePenalty  float64
	FrequencyPenalty float64         // see PresencePenalty; 0: none
	PenaltyWindow    int             // the three penalties see so many of the last tokens; 0: all
	DRY              DRY             // penalty of tokens that continue a repetition; the zero value: none
	LogitBias        map[int]float64 // added to the logits of tokens; -Inf excludes one
	// Processors change the logits of the next token; ids are the prompt and what was generated. They run before the filters, in order,
	// and must not keep the slices.
	Processors []func(ids []int, logits []float32)
	// Grammar allows only tokens that lead to a text it describes, and ends the generation when the text is complete; nil: all tokens.
	Grammar *grammar.Grammar
	// GrammarAfter makes Grammar begin where this text was generated, each time it was; the text before it and behind what the grammar
	// describes is free. "": the grammar describes the whole text.
	GrammarAfter string
	TopLogProbs  int // Token.Top lists so many of the most probable tokens; 0: none

	Stop      []string // texts that end the generation; they are not given out
	IgnoreEnd bool     // go on past tokens that end a text
	// ShowSpecial are special tokens whose texts are given out; those of others are not.
	ShowSpecial []int
	NoAdded     bool // the prompt gets none of the tokens that the tokenizer puts before and after a text
	// SpecialAsText reads special tokens written in the prompt, or in the messages of a chat, as plain text.
	SpecialAsText bool

	// Client says whose text it is. A Batcher that has no room for all takes texts of the clients that have the fewest first.
	Client string

	// Speculate guesses tokens ahead and evaluates them together. The text is the same; it comes faster where guesses are often right.
	Speculate Speculate
	// Prediction are tokens of a text that this one may repeat in parts, such as a file that it edits: guesses are looked up there first.
	// It needs no Speculate.
	Prediction []int
	// Rotate lets a text grow past the context, or past fewer tokens.
	Rotate Rotate

	Cache *Cache // of the last generation, to continue from; nil: the prompt is evaluated whole
}

// DRY is a penalty against repeating what the text said before: a token that would make a repetition of n tokens longer loses
// Multiplier·Base^(n-Allowed) from its logit, if n is at least Allowed.
type DRY struct {
	Multiplier float64  // 0: no penalty
	Base       float64  // 0: 1.75
	Allowed    int      // length of repetitions that cost nothing; 0: 2
	Window     int      // tokens looked back; 0: all
	Breakers   []string // tokens with these texts end a repetition; nil: a line break, a colon, a quotation mark and an asterisk
}

// maxTopLogProbs is the most of Options.TopLogProbs.
const maxTopLogProbs = 1000

func (o *Options) check() {
	bad := func(name string, v any, want string) {
		fault.Throw(fault.Value, op, "%s is %v; want %s", name, v, want)
	}
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	share := func(v float64) bool { return v >= 0 && v <= 1 }
	switch {
	case o.MaxTokens < 0:
		bad("MaxTokens", o.MaxTokens, "a number of tokens, or 0 for no limit")
	case !(o.Temperature >= 0) || !finite(o.Temperature):
		bad("Temperature", o.Temperature, "a finite number that is not negative")
	case o.TopK < 0:
		bad("TopK", o.TopK, "a number of tokens, or 0 for all")
	case !share(o.TopP):
		bad("TopP", o.TopP, "a probability, or 0 for all")
	case !share(o.MinP):
		bad("MinP", o.MinP, "a share from 0 to 1")
	case !share(o.Typical):
		bad("Typical", o.Typical, "a probability, or 0 for all")
	case !share(o.XTC):
		bad("XTC", o.XTC, "a probability")
	case !share(o.XTCThreshold):
		bad("XTCThreshold", o.XTCThreshold, "a probability")
	case !(o.Mirostat >= 0) || !finite(o.Mirostat):
		bad("Mirostat", o.Mirostat, "a number of bits, or 0")
	case !(o.MirostatRate >= 0) || !finite(o.MirostatRate):
		bad("MirostatRate", o.MirostatRate, "a finite number that is not negative")
	case o.Mirostat > 0 && (o.Temperature == 0 || o.TopK != 0 || o.TopP != 0 || o.MinP != 0 || o.Typical != 0 || o.XTC != 0):
		bad("Mirostat", o.Mirostat, "a temperature, and no other filter, with it")
	case !(o.RepetitionPenalty >= 0) || !finite(o.RepetitionPenalty):
		bad("RepetitionPenalty", o.RepetitionPenalty, "a positive number, or 0 for none")
	case !finite(o.PresencePenalty):
		bad("PresencePenalty", o.PresencePenalty, "a finite number")
	case !finite(o.FrequencyPenalty):
		bad("FrequencyPenalty", o.FrequencyPenalty, "a finite number")
	case o.PenaltyWindow < 0:
		bad("PenaltyWindow", o.PenaltyWindow, "a number of tokens, or 0 for all")
	case o.TopLogProbs < 0 || o.TopLogProbs > maxTopLogProbs:
		bad("TopLogProbs", o.TopLogProbs, "0 to 1000")
	case o.GrammarAfter != "" && o.Grammar == nil:
		bad("GrammarAfter", o.GrammarAfter, "a Grammar with it")
	case slices.Contains(o.Stop, ""):
		bad("Stop", `""`, "texts that are not empty")
	case slices.Contains(o.DRY.Breakers, ""):
		bad("DRY.Breakers", `""`, "texts that are not empty")
	case !(o.DRY.Multiplier >= 0) || !finite(o.DRY.Multiplier) || o.DRY.Base != 0 && !(o.DRY.Base >= 1 && finite(o.DRY.Base)) ||
		o.DRY.Allowed < 0 || o.DRY.Window < 0:
		bad("DRY", o.DRY, "numbers that are not negative, and a Base of at least 1")
	}
	o.Speculate.check()
	o.Rotate.check()
	for id, v := range o.LogitBias {
		if id < 0 || math.IsNaN(v) || math.IsInf(v, 1) {
			bad("LogitBias", v, "a number, for an id that is not negative")
		}
	}
}
