package llm

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
)

// vocabulary is the tokenizer as a GGUF file stores it, for Save: the keys that begin with "tokenizer.".
type vocabulary struct {
	meta gguf.Metadata
	why  string // why it cannot be saved, "" if it can
}

// copyFrom takes the keys of a GGUF file.
func (v *vocabulary) copyFrom(meta *gguf.Metadata) {
	for _, key := range meta.Keys() {
		if strings.HasPrefix(key, "tokenizer.") {
			value, _ := meta.Get(key)
			v.meta.Set(key, value)
		}
	}
}

// folderVocabulary stores a tokenizer.json whole, as the format allows, and its tokens and merges as lists for programs that
// read only those.
func folderVocabulary(dir location) (v vocabulary, err error) {
	data, err := dir.in("tokenizer.json").read(1 << 28)
	if errors.Is(err, fs.ErrNotExist) {
		v.why = "the model has a tokenizer.model file and no tokenizer.json"
		return v, nil
	}
	if err != nil {
		return v, err
	}
	v.meta.Set(hfTokenizer, gguf.OfText(string(data)))
	var file struct {
		Added []struct {
			ID      int
			Content string
			Special bool
		} `json:"added_tokens"`
		Model struct {
			Type   string
			Vocab  json.RawMessage
			Merges []json.RawMessage
			Prefix string `json:"continuing_subword_prefix"`
			Unk    string `json:"unk_token"`
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return v, fault.New(fault.Format, op, "tokenizer.json: %v", err)
	}
	var ids map[string]int
	words := file.Model.Type == "WordPiece" && file.Model.Prefix == "##"
	if file.Model.Type != "BPE" && !words || json.Unmarshal(file.Model.Vocab, &ids) != nil {
		return v, nil
	}
	tokens, kinds := make([]string, 0), make([]int64, 0)
	put := func(id int, token string, kind int64) bool {
		if id < 0 || id > 1<<22 {
			return false
		}
		for len(tokens) <= id {
			tokens, kinds = append(tokens, ""), append(kinds, 5) // unused
		}
		tokens[id], kinds[id] = token, kind
		return true
	}
	for token, id := range ids {
		if !put(id, token, 1) {
			return v, nil
		}
	}
	for _, t := range file.Added {
		kind := int64(4)
		if t.Special {
			kind = 3
		}
		if !put(t.ID, t.Content, kind) {
			return v, nil
		}
	}
	if words {
		v.wordPieceVocabulary(tokens, kinds, file.Model.Unk)
		return v, nil
	}
	merges := make([]string, len(file.Model.Merges))
	for i, raw := range file.Model.Merges {
		var pair [2]string
		if json.Unmarshal(raw, &merges[i]) != nil {
			if json.Unmarshal(raw, &pair) != nil {
				return v, nil
			}
			merges[i] = pair[0] + " " + pair[1]
		}
	}
	v.meta.Set("tokenizer.ggml.model", gguf.OfText("gpt2"))
	v.meta.Set("tokenizer.ggml.tokens", gguf.OfTexts(tokens))
	v.meta.Set("tokenizer.ggml.token_type", gguf.OfInts(gguf.Int32, kinds))
	v.meta.Set("tokenizer.ggml.merges", gguf.OfTexts(merges))
	return v, nil
}
