package tokenizer_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

type componentCase struct {
	text string
	ids  []int
	back string
}

// TestComponents checks parts of files in combinations that no file of a well-known model has. Ids and texts are those of Hugging Face's
// tokenizers 0.23.3.
func TestComponents(t *testing.T) {
	bpe := `"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ca": 3, "aa": 4, "x": 5, "é": 6, "ab": 7},
		"merges": [["c", "a"], ["a", "a"], ["a", "b"]]}`
	for _, c := range []struct {
		name, file string
		cases      []componentCase
	}{
		{"spaces of a token hold tokens", `{"added_tokens": [{"id": 8, "content": "  ", "rstrip": true, "normalized": false}, {"id": 9, ` +
			`"content": "\n", "normalized": false}], BPE}`, []componentCase{
			{"a      b", []int{0, 8, 8, 8, 1}, "a          b"},
			{"a  \n b", []int{0, 8, 9, 1}, "a    \n b"},
		}},
		{"spaces that the token before took", `{"added_tokens": [{"id": 8, "content": "  ", "lstrip": true, "rstrip": true, ` +
			`"normalized": false}], ` +
			`BPE}`, []componentCase{
			{"a      b", []int{0, 8, 1}, "a    b"},
			{"    ", []int{8}, "  "},
		}},
		{"characters without a token", `{BPE}`, []componentCase{
			{"c a", []int{3}, "ca"},
			{"abc ab a abcabc", []int{7, 3, 1, 4, 1, 3, 1, 2}, "ab ca b aa b ca b c"},
		}},
		{"the same without bytes", `{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ca": 3, "aa": 4, "x": 5, "é": 6, ` +
			`"ab": 7}, "merges": [["c", "a"], ["a", "a"], ["a", "b"]], "byte_fallback": true}}`, []componentCase{
			{"c a", []int{3}, "ca"},
		}},
		{"matches of nothing", `{"normalizer": {"type": "Replace", "pattern": {"Regex": "x*"}, "content": "é"}, BPE}`, []componentCase{
			{"axab", []int{6, 0, 6, 0, 6, 1, 6}, "é a é a é b é"},
			{"xx", []int{6}, "é"},
			{"", []int{}, ""},
		}},
		{"a beginning that is cut off", `{"normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": ""}, ` +
			`"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": true}, ` +
			`"model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "▁b": 1, "b": 2}}}`, []componentCase{
			{"ab", []int{2}, "b"},
			{"b", []int{1}, "▁b"},
			{"ba", []int{1}, "▁b"},
		}},
		{"Nmt", `{"normalizer": {"type": "Nmt"}, "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, ` +
			`"a b": 1, "ab": 2}}}`, []componentCase{
			{"a\u0001b", []int{2}, "ab"},
			{"a​b", []int{1}, "a b"},
			{"a▁b", []int{1}, "a b"},
			{"a\tb", []int{1}, "a b"},
		}},
		{"FixedLength", `{"pre_tokenizer": {"type": "FixedLength", "length": 2}, "model": {"type": "WordLevel", ` +
			`"unk_token": "?", "vocab": {"?": 0, "éb": 1, "c": 2}}}`, []componentCase{
			{"ébébc", []int{1, 1, 2}, "éb éb c"},
			{"ébc", []int{1, 2}, "éb c"},
			{"", []int{}, ""},
		}},
		{"UnicodeScripts", `{"pre_tokenizer": {"type": "UnicodeScripts"}, "model": {"type": "WordLevel", "unk_token": "?", ` +
			`"vocab": {"?": 0, "日本テスト": 1, "ab ": 2, "ab": 3, "12": 4, "нет": 5}}}`, []componentCase{
			{"日本テストab 12", []int{1, 2, 4}, "日本テスト ab  12"},
			{"  ab нетab", []int{2, 5, 3}, "ab  нет ab"},
			{" ", []int{}, ""},
		}},
		{"BPEDecoder", `{"pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": {"type": "BPEDecoder", "suffix": "</w>"}, ` +
			`"model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "a</w>": 1, "b": 2, "c</w>": 3}}}`, []componentCase{
			{"a</w> b c</w>", []int{1, 2, 3}, "a bc"},
		}},
		{"CTC", `{"pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": {"type": "CTC", "pad_token": "<pad>", ` +
			`"word_delimiter_token": "|", "cleanup": true}, "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "a": 1, ` +
			`"b": 2, "|": 3, "<pad>": 4}}}`, []componentCase{
			{"a a <pad> a | | b b", []int{1, 1, 4, 1, 3, 3, 2, 2}, "aa b"},
		}},
	} {
		k, err := tokenizer.ParseJSON([]byte(strings.Replace(c.file, "BPE}", bpe+"}", 1)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, x := range c.cases {
			if ids := k.Encode(x.text); !slices.Equal(ids, x.ids) {
				t.Errorf("%s: %q has the ids %v, want %v", c.name, x.text, ids, x.ids)
			}
			if s := k.Decode(x.ids); s != x.back {
				t.Errorf("%s: %v is %q, want %q", c.name, x.ids, s, x.back)
			}
		}
	}
}

// TestDroppedInLongPieces takes a piece that is merged by a heap.
func TestDroppedInLongPieces(t *testing.T) {
	k, err := tokenizer.ParseJSON([]byte(`{"model": {"type": "BPE", "vocab": {"a": 0, "c": 1, "ca": 2}, "merges": [["c", "a"]]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if ids := k.Encode(strings.Repeat("c a", 40)); !slices.Equal(ids, slices.Repeat([]int{2}, 40)) {
		t.Errorf("the ids are %v", ids)
	}
}

func TestTwoTemplatesAreRefused(t *testing.T) {
	_, err := tokenizer.ParseJSON([]byte(`{"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}, "post_processor": {
		"type": "Sequence", "processors": [{"type": "BertProcessing", "sep": ["a", 0], "cls": ["a", 0]},
		{"type": "BertProcessing", "sep": ["a", 0], "cls": ["a", 0]}]}}`))
	if !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("the error is %v", err)
	}
}
