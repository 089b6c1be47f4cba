package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// Stream decodes ids one at a time. It holds text back while a character is not complete, so that no part it gives out ends
// inside one. It is not safe for concurrent use.
type Stream struct {
	t     *Tokenizer
	o     DecodeOptions
	ids   []int
	shown int // ids[:shown] are given out; they stay because their text can depend on the one before
	text  string
}

// maxHeld is the number of ids without a complete character after which text is given out all the same: no character has more
// bytes, so that the ones held do not belong to any.
const maxHeld = 8

// Stream starts decoding ids one at a time.
func (t *Tokenizer) Stream(o DecodeOptions) *Stream { return &Stream{t: t, o: o} }

// Next takes an id and returns the text that is complete by it, often that of the id, sometimes "".
func (s *Stream) Next(id int) string {
	s.ids = append(s.ids, id)
	all := s.t.DecodeWith(s.ids, s.o)
	if strings.HasSuffix(all, string(utf8.RuneError)) && len(s.ids)-s.shown < maxHeld {
		return ""
	}
	return s.take(all)
}

// Flush returns what is held back; unfinished characters become U+FFFD.
func (s *Stream) Flush() string {
	return s.take(s.t.DecodeWith(s.ids, s.o))
}

// take gives out what all has beyond the text given out, and forgets ids before the last ones.
func (s *Stream) take(all string) string {
	fresh := ""
	if strings.HasPrefix(all, s.text) {
		fresh = all[len(s.text):]
	} else if len(all) > len(s.text) { // a decoder that changed its mind about old text
		fresh = strings.ToValidUTF8(all[len(s.text):], "")
	}
	// Decoders treat the beginning of a text in their own ways: what is forgotten must leave some text before what comes.
	if text := s.t.DecodeWith(s.ids[s.shown:], s.o); text != "" {
		s.ids, s.text = s.ids[s.shown:], text
	} else {
		s.text = all
	}
	s.shown = len(s.ids)
	return fresh
}
