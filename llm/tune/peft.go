package tune

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm"
)

// Files of an adapter as Hugging Face's peft has them.
const (
	adapterConfig  = "adapter_config.json"
	adapterWeights = "adapter_model.safetensors"
	peftPrefix     = "base_model.model."
	maxConfig      = 1 << 20
)

// Save writes the adapter as a folder that peft reads: adapter_config.json and adapter_model.safetensors.
func (a *Adapter) Save(dir string) error {
	if c := a.m.Config(); c.Renamed() {
		return fault.New(fault.NotImplemented, op, "saving an adapter of %s, whose layers peft has under other names", c.Family)
	}
	targets := map[string]bool{}
	for _, name := range a.names {
		targets[name[strings.LastIndexByte(name, '.')+1:]] = true
	}
	// Short names stand for all layers that end with them: where fewer have an adapter, peft needs the whole names.
	list := slices.Clone(a.names)
	short := func() (all []string) {
		for name := range a.m.Module().Linears() {
			if targets[name[strings.LastIndexByte(name, '.')+1:]] {
				all = append(all, name)
			}
		}
		return all
	}()
	if slices.Equal(short, a.names) {
		list = nil
		for name := range targets {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	config := map[string]any{"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": a.o.Rank, "lora_alpha": a.o.Alpha,
		"lora_dropout": a.o.Dropout, "use_dora": a.o.DoRA, "use_rslora": a.o.RSLoRA, "target_modules": list, "bias": "none",
		"fan_in_fan_out": false, "inference_mode": true,
		"base_model_name_or_path": a.m.Info().Name}
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return codec.IOError(op, err)
	}
	d := lucid.NewStateDict()
	d.SetMetadata("format", "pt")
	for i, name := range a.names {
		for j, p := range a.layers[i].parameters() {
			d.Set(peftPrefix+name+"."+parameterNames[j], p.Detach())
		}
	}
	if err := lucid.Save(filepath.Join(dir, adapterWeights), d); err != nil {
		return err
	}
	return codec.WriteAtomic(filepath.Join(dir, adapterConfig), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// known are keys of adapter_config.json that are read. Those below change nothing at their usual values, and others are refused.
var known = []string{"peft_type", "r", "lora_alpha", "lora_dropout", "use_dora", "use_rslora", "target_modules", "bias",
	"fan_in_fan_out"}

// harmless are keys that say where an adapter comes from, or how it was begun.
var harmless = []string{"task_type", "inference_mode", "base_model_name_or_path", "auto_mapping", "revision", "peft_version",
	"ensure_weight_tying", "qalora_group_size", "runtime_config", "loftq_config", "eva_config", "corda_config", "lora_ga_config",
	"megatron_core", "ephemeral_gpu_offload"}

// Load reads an adapter that Save or peft wrote, and adds it to a model.
func Load(m *llm.Model, dir string) (a *Adapter, err error) {
	caught := lucid.Try(func() {
		var text []byte
		if text, err = readSmall(filepath.Join(dir, adapterConfig)); err != nil {
			return
		}
		o := readConfig(m, text)
		var d *lucid.StateDict
		if d, err = lucid.Load(filepath.Join(dir, adapterWeights)); err != nil {
			return
		}
		a = &Adapter{m: m, o: o}
		a.attach()
		if bad := a.take(d); bad != nil {
			a.Remove()
			err = bad
		}
	})
	if caught != nil {
		err = caught
	}
	if err != nil {
		return nil, codec.InFile(err, dir)
	}
	return a, nil
}

// take copies the weights of a file, all of which must be used.
func (a *Adapter) take(d *lucid.StateDict) error {
	left := map[string]bool{}
	for _, name := range d.Names() {
		left[name] = true
	}
	for i, name := range a.names {
		for j, p := range a.layers[i].parameters() {
			key := peftPrefix + name + "." + parameterNames[j]
			t := d.Get(key)
			switch {
			case t == nil:
				return fault.New(fault.Format, op, "the tensor %q is missing", key)
			case fmt.Sprint(t.Shape()) != fmt.Sprint(p.Shape()):
				return fault.New(fault.Shape, op, "%q has shape %v; the model wants %v", key, t.Shape(), p.Shape())
			case !t.DType().IsFloat():
				return fault.New(fault.DType, op, "%q is %v; want a floating dtype", key, t.DType())
			}
			lucid.NoGrad(func() { p.Assign(t.To(lucid.Float32).To(p.Device())) })
			delete(left, key)
		}
	}
	for name := range left {
		return fault.New(fault.Format, op, "the tensor %q belongs to no layer that target_modules names", name)
	}
	return nil
}

func refuse(format string, args ...any) { fault.Throw(fault.Format, op, format, args...) }

// readSmall reads a file of at most maxConfig bytes, and one more of a larger one.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, codec.IOError(op, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	return data, codec.IOError(op, err)
}

// readConfig reads adapter_config.json. What would change the result and is not known is refused.
func readConfig(m *llm.Model, data []byte) (o LoRAOptions) {
	var all map[string]json.RawMessage
	if len(data) > maxConfig || json.Unmarshal(data, &all) != nil {
		refuse("%s is no JSON object of at most %d bytes", adapterConfig, maxConfig)
	}
	for key, raw := range all {
		text := string(raw)
		idle := text == "null" || text == "false" || text == "{}" || text == "[]"
		if key == "init_lora_weights" { // other ways to begin change the weights of the model, too
			idle = idle || slices.Contains([]string{"true", `"gaussian"`, `"orthogonal"`, `"eva"`}, text)
		}
		if !slices.Contains(known, key) && !slices.Contains(harmless, key) && !idle {
			fault.Throw(fault.NotImplemented, op, "%s: %s is %.100s, which is not supported", adapterConfig, key, text)
		}
	}
	var c struct {
		Type    string          `json:"peft_type"`
		Rank    int             `json:"r"`
		Alpha   float64         `json:"lora_alpha"`
		Dropout float64         `json:"lora_dropout"`
		DoRA    bool            `json:"use_dora"`
		RSLoRA  bool            `json:"use_rslora"`
		Bias    string          `json:"bias"`
		FanIn   bool            `json:"fan_in_fan_out"`
		Targets json.RawMessage `json:"target_modules"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		refuse("%s: %v", adapterConfig, err)
	}
	switch {
	case c.Type != "LORA":
		fault.Throw(fault.NotImplemented, op, "%s: peft_type is %q; want LORA", adapterConfig, c.Type)
	case c.Bias != "none" && c.Bias != "":
		fault.Throw(fault.NotImplemented, op, "%s: bias is %q; want none", adapterConfig, c.Bias)
	case c.FanIn:
		fault.Throw(fault.NotImplemented, op, "%s: fan_in_fan_out is true", adapterConfig)
	case c.Rank < 1 || c.Rank > maxRank:
		refuse("%s: r is %d; want 1 to %d", adapterConfig, c.Rank, maxRank)
	}
	o = LoRAOptions{Rank: c.Rank, Alpha: c.Alpha, Dropout: c.Dropout, DoRA: c.DoRA, RSLoRA: c.RSLoRA, Targets: targetsOf(m, c.Targets)}
	o.fill()
	return o
}

// targetsOf reads target_modules: a list of names, a regular expression of whole names, or all-linear.
func targetsOf(m *llm.Model, raw json.RawMessage) (list []string) {
	if json.Unmarshal(raw, &list) == nil && list != nil {
		return list
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		refuse("%s: target_modules is %.100s; want a list or a text", adapterConfig, string(raw))
	}
	pattern, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		refuse("%s: target_modules: %v", adapterConfig, err)
	}
	for name := range m.Module().Linears() {
		if text == "all-linear" && name != "lm_head" || pattern.MatchString(name) {
			list = append(list, name)
		}
	}
	return list
}
