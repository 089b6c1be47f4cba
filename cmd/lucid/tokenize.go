package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

func init() {
	add(&command{name: "tokenize", args: "<model.gguf, folder or tokenizer.json> [text] [flags]",
		short: "print the tokens of a text, or the text of tokens", run: runTokenize})
}

// maxInput is how many bytes of a text are read from the input.
const maxInput = 1 << 28

func runTokenize(c *command, args []string, out io.Writer) error {
	f := c.flags()
	asIDs := f.Bool("ids", false, "print ids alone, as a JSON array")
	count := f.Bool("count", false, "print how many tokens there are")
	plain := f.Bool("plain", false, "add no tokens before and after the text")
	asText := f.Bool("special-as-text", false, "read special tokens that are written in the text as plain text")
	decode := f.String("decode", "", "ids, separated by blanks or commas: print their text instead")
	if err := c.parse(f, args, 2, out); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return &usageError{"lucid tokenize: which tokenizer? give a model, or a tokenizer.json", `lucid tokenize model.gguf "a text"`}
	}
	t, err := openTokenizer(f.Arg(0))
	if err != nil {
		return noModel("tokenize", f.Arg(0), err)
	}
	if *decode != "" {
		ids, err := parseIDs(*decode)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, t.Decode(ids))
		return nil
	}
	text := f.Arg(1)
	if f.NArg() == 1 {
		data, err := io.ReadAll(io.LimitReader(runInput, maxInput+1))
		if err != nil {
			return err
		}
		if len(data) > maxInput {
			return fmt.Errorf("the text is longer than %d bytes", maxInput)
		}
		text = string(data)
	}
	var ids []int
	if err := lucid.Try(func() {
		ids = t.EncodeWith(text, tokenizer.EncodeOptions{NoAdded: *plain, SpecialAsText: *asText})
	}); err != nil {
		return err
	}
	switch {
	case *count:
		fmt.Fprintln(out, len(ids))
	case *asIDs:
		return json.NewEncoder(out).Encode(ids)
	default:
		for _, id := range ids {
			token, _ := t.Token(id)
			fmt.Fprintf(out, "%7d  %q\n", id, token)
		}
	}
	return nil
}

func parseIDs(list string) (ids []int, err error) {
	for _, s := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" ,[]\t\n", r) }) {
		id, err := strconv.Atoi(s)
		if err != nil {
			return nil, &usageError{fmt.Sprintf("lucid tokenize: %.20q is no id", s), `lucid tokenize model.gguf --decode "1 2 3"`}
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// openTokenizer opens the tokenizer of a model, also of the one in the program.
func openTokenizer(path string) (*tokenizer.Tokenizer, error) {
	if path, from := named(path); from != nil {
		return tokenizer.OpenFS(from, path)
	}
	return tokenizer.Open(path)
}
