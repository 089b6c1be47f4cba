package tune

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm"
)

// Limits on a file of examples.
const (
	maxLine     = 1 << 26
	maxExamples = 1 << 24
	maxMessages = 1 << 12
)

// ReadData reads examples, one JSON object a line, told apart by their keys: text; messages; prompt and completion; prompt, chosen and
// rejected. Other keys are refused.
func ReadData(r io.Reader) (d Data, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		s, err := parseLine(line)
		if err != nil {
			return Data{}, fault.New(fault.Format, op, "line %d: %v", n, err)
		}
		if len(d.list) == maxExamples {
			return Data{}, fault.New(fault.OutOfMemory, op, "more than %d examples", maxExamples)
		}
		d.list = append(d.list, s)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return Data{}, fault.New(fault.OutOfMemory, op, "line %d has more than %d bytes", n, maxLine)
	} else if err != nil {
		return Data{}, codec.IOError(op, err)
	}
	return d, nil
}

// OpenData is ReadData of a file.
func OpenData(path string) (Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return Data{}, codec.IOError(op, err)
	}
	defer f.Close()
	d, err := ReadData(f)
	return d, codec.InFile(err, path)
}

func parseLine(line []byte) (s source, err error) {
	var o struct {
		Text       *string `json:"text"`
		Prompt     *string `json:"prompt"`
		Completion *string `json:"completion"`
		Chosen     *string `json:"chosen"`
		Rejected   *string `json:"rejected"`
		Messages   []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return s, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return s, errors.New("there is something behind the object; want one object a line")
	}
	given := func(ps ...*string) (n int) {
		for _, p := range ps {
			if p != nil {
				n++
			}
		}
		return n
	}
	n := given(o.Text, o.Prompt, o.Completion, o.Chosen, o.Rejected)
	switch {
	case n == 1 && o.Text != nil && o.Messages == nil:
		return source{text: *o.Text}, nil
	case n == 0 && len(o.Messages) > 0 && len(o.Messages) <= maxMessages:
		for _, m := range o.Messages {
			s.chat = append(s.chat, llm.Message{Role: m.Role, Content: m.Content})
		}
		return s, nil
	case n == 2 && given(o.Prompt, o.Completion) == 2 && o.Messages == nil:
		return source{pair: &Completion{*o.Prompt, *o.Completion}}, nil
	case n == 3 && given(o.Prompt, o.Chosen, o.Rejected) == 3 && o.Messages == nil:
		return source{choice: &Preference{*o.Prompt, *o.Chosen, *o.Rejected}}, nil
	}
	return s, fault.New(fault.Format, op,
		"want text; or messages; or prompt and completion; or prompt, chosen and rejected, and nothing else")
}
