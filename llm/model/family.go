package model

import (
	"slices"
	"strings"
)

// family is how files describe one kind of model. config reads what differs from common, after common was read.
type family struct {
	name       string   // in GGUF files and config.json (model_type)
	classes    []string // architectures of config.json
	hf         func(k *keys, c *Config)
	gguf       func(k *metadata, c *Config)
	interleave bool // GGUF files store rows of queries and keys so that rotating pairs are neighbours
}

var families []*family

func findFamily(match func(*family) bool) *family {
	if i := slices.IndexFunc(families, match); i >= 0 {
		return families[i]
	}
	return nil
}

// Families lists the supported families by the names that config.json and GGUF files have for them.
func Families() (names []string) {
	for _, f := range families {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}

func unknownFamily(what, name string) {
	unsupported("%s %q is not supported; want one of: %s", what, name, strings.Join(Families(), ", "))
}
