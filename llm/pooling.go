package llm

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/gguf"
	"github.com/lucid-go/lucid/internal/fault"
)

// poolings are the ways to make one vector of those of tokens.
var poolings = []string{"mean", "cls", "max", "last"}

// embedderFiles is what files say of how texts are embedded.
type embedderFiles struct {
	pooling string
	pooled  bool   // they say how
	unit    bool   // vectors are scaled to length 1
	limit   int    // the most tokens; 0: the model's positions
	prompt  string // put before texts
}

// readModules reads what sentence-transformers writes. Without it, vectors are means of length 1.
func readModules(dir location) (f embedderFiles, err error) {
	f = embedderFiles{pooling: "mean", unit: true}
	var modules []struct{ Path, Type string }
	if err := dir.in("modules.json").readJSON(&modules); err != nil {
		return f, err
	}
	if modules != nil {
		f.unit = false
	}
	for _, m := range modules {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer":
			if m.Path != "" {
				return f, fault.New(fault.NotImplemented, op, "modules.json: the network is in the folder %q; want the same folder", m.Path)
			}
		case "Normalize":
			f.unit = true
		case "Pooling":
			if m.Path != path.Base(m.Path) || m.Path == ".." {
				return f, fault.New(fault.Format, op, "modules.json: %q is no folder inside the model's", m.Path)
			}
			if f.pooling, err = readPoolingFile(dir.in(m.Path, "config.json")); err != nil {
				return f, err
			}
			f.pooled = true
		default:
			return f, fault.New(fault.NotImplemented, op, "modules.json: a module %.100q; want Transformer, Pooling and Normalize", m.Type)
		}
	}
	return f, f.readSettings(dir)
}

// readSettings reads the most tokens and the prompt.
func (f *embedderFiles) readSettings(dir location) error {
	var s struct {
		Max   int  `json:"max_seq_length"`
		Lower bool `json:"do_lower_case"`
	}
	if err := dir.in("sentence_bert_config.json").readJSON(&s); err != nil {
		return err
	}
	if s.Lower {
		return fault.New(fault.NotImplemented, op, "sentence_bert_config.json: do_lower_case; tokenizer.json says how texts are normalised")
	}
	if s.Max < 0 {
		return fault.New(fault.Format, op, "sentence_bert_config.json: max_seq_length is %d", s.Max)
	}
	f.limit = s.Max
	var p struct {
		Prompts map[string]string
		Default string `json:"default_prompt_name"`
	}
	if err := dir.in("config_sentence_transformers.json").readJSON(&p); err != nil {
		return err
	}
	prompt, there := p.Prompts[p.Default]
	if p.Default != "" && !there {
		return fault.New(fault.Format, op, "config_sentence_transformers.json: there is no prompt %.100q", p.Default)
	}
	if p.Default != "" {
		f.prompt = prompt
	}
	return nil
}

// readPoolingFile reads the pooling of sentence-transformers: a flag for each way, or, in newer files, its name.
func readPoolingFile(file location) (string, error) {
	if _, err := file.stat(); errors.Is(err, fs.ErrNotExist) {
		// Packages that flatten folders lose this file: refused, because means where the first token was meant are wrong vectors.
		return "", codec.IOError(op, err)
	}
	var config map[string]any
	if err := file.readJSON(&config); err != nil {
		return "", err
	}
	names := map[string]string{"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max",
		"pooling_mode_lasttoken": "last"}
	var found []string
	for key, v := range config {
		on, _ := v.(bool)
		mode, _ := v.(string)
		switch {
		case key == "pooling_mode":
			found = append(found, strings.TrimSuffix(mode, "token"))
		case strings.HasPrefix(key, "pooling_mode_") && on:
			found = append(found, names[key])
			if names[key] == "" {
				return "", fault.New(fault.NotImplemented, op, "the pooling %q; want one of %q", key, poolings)
			}
		case key == "include_prompt" && !on:
			return "", fault.New(fault.NotImplemented, op, "a pooling that leaves out the tokens of the prompt")
		}
	}
	if len(found) != 1 || !slices.Contains(poolings, found[0]) {
		return "", fault.New(fault.NotImplemented, op, "the poolings %q; want one of %q", found, poolings)
	}
	return found[0], nil
}

// readPooling reads a GGUF file, which has no words for the rest.
func readPooling(meta *gguf.Metadata, arch string) (f embedderFiles, err error) {
	f = embedderFiles{pooling: "mean", unit: true}
	_, f.pooled = meta.Get(arch + ".pooling_type")
	switch n := meta.Int(arch+".pooling_type", 1); n {
	case 0, 1: // none is said; the vectors of tokens are not asked for here
	case 2:
		f.pooling = "cls"
	case 3:
		f.pooling = "last"
	default:
		return f, fault.New(fault.NotImplemented, op, "%s.pooling_type is %d; want 1 (mean), 2 (cls) or 3 (last)", arch, n)
	}
	return f, nil
}
