package llm

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/model"
	"github.com/lucid-go/lucid/llm/tokenizer"
	"github.com/lucid-go/lucid/nn"
)

// FolderOptions say how ConvertFolder writes a model.
type FolderOptions struct {
	// DType of the weights: Float32 (the default), BFloat16 or Float16.
	DType lucid.DType
	// Tokenizer is the path of a tokenizer.json, for a file that has none inside. GGUF files of most programs have a vocabulary and no
	// tokenizer.json.
	Tokenizer string
}

// ConvertFolder writes the model of a .gguf file as a folder with config.json, model.safetensors, tokenizer.json, tokenizer_config.json
// and generation_config.json, as Hugging Face's libraries read it. The folder must not be there. What config.json has no key for is
// refused.
func ConvertFolder(ctx context.Context, from, to string, o FolderOptions) (err error) {
	caught := fault.Catch(func() { err = convertFolder(ctx, from, to, o) })
	if caught != nil {
		err = caught
	}
	return codec.InFile(err, from)
}

func convertFolder(ctx context.Context, from, to string, o FolderOptions) error {
	if !strings.HasSuffix(from, ".gguf") {
		return fault.New(fault.Value, op, "the path %q; want a .gguf file", from)
	}
	load := LoadOptions{DType: o.DType, Device: lucid.CPU}
	m, err := Load(from, load)
	if err != nil {
		return err
	}
	load.check()
	config, err := model.WriteConfig(m.Config(), load.DType.String())
	if err != nil {
		return err
	}
	words, err := m.folderTokenizer(o.Tokenizer)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return codec.IOError(op, err)
	}
	files := map[string][]byte{"config.json": config, "tokenizer.json": words}
	if files["tokenizer_config.json"], err = m.tokenizerConfig(); err != nil {
		return err
	}
	if len(m.ends) > 0 {
		if files["generation_config.json"], err = json.Marshal(map[string]any{"eos_token_id": m.ends}); err != nil {
			return err
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return codec.IOError(op, err)
		}
	}
	d := nn.StateDict(m.net)
	d.SetMetadata("format", "pt")
	return lucid.Save(filepath.Join(to, "model.safetensors"), d)
}

// folderTokenizer is the tokenizer.json of the file, or the one at path.
func (m *Model) folderTokenizer(path string) ([]byte, error) {
	if path == "" {
		text, ok := m.vocab.meta.Get(hfTokenizer)
		if s, is := text.Text(); ok && is {
			return []byte(s), nil
		}
		return nil, fault.New(fault.NotImplemented, op,
			"the file has a vocabulary and no tokenizer.json inside; FolderOptions.Tokenizer names one")
	}
	data, err := location{path: path}.read(1 << 28)
	if err != nil {
		return nil, err
	}
	t, err := tokenizer.ParseJSON(data)
	if err == nil && t.Size() > m.Config().Vocab {
		err = fault.New(fault.Value, op, "%s has %d tokens, the model %d", filepath.Base(path), t.Size(), m.Config().Vocab)
	}
	return data, err
}

func (m *Model) tokenizerConfig() ([]byte, error) {
	config := map[string]any{}
	for key, id := range map[string]int{"bos_token": m.bos, "eos_token": m.eos} {
		if token, ok := m.tok.Token(id); ok {
			config[key] = token
		}
	}
	if m.chat != "" {
		config["chat_template"] = m.chat
	}
	return json.Marshal(config)
}
