// Write makes files with our codecs for check.py to read with Python's packages.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/codec/codectest"
	"github.com/lucid-go/lucid/internal/codec/lucid"
	"github.com/lucid-go/lucid/internal/codec/npz"
	"github.com/lucid-go/lucid/internal/codec/safetensors"
	"github.com/lucid-go/lucid/internal/dtype"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: write DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.MkdirAll(in("npy"), 0o777); err != nil {
		return err
	}
	st := codectest.File(codectest.Without(dtype.Complex128))
	st.Metadata = map[string]string{"who": "lucid", "quote": "\"\\\n é"}
	all := codectest.File(dtype.All())
	all.Metadata = map[string]string{"who": "lucid"}
	c := lucid.Checkpoint{Schema: map[string]int{"model": 1}}
	c.Sections = append(c.Sections, lucid.Section{Name: "config", Kind: lucid.JSON, Data: []byte(`{"a":1}`)})
	for _, t := range all.Tensors {
		c.Add(t)
	}
	one := codec.File{Tensors: []codec.Tensor{codectest.Tensor(dtype.Float32, []int{2, 3})}}
	for _, err := range []error{
		safetensors.Write(in("sorted.safetensors"), st, safetensors.WriteOptions{}),
		safetensors.Write(in("given.safetensors"), st, safetensors.WriteOptions{KeepOrder: true}),
		safetensors.Write(in("float.safetensors"), one, safetensors.WriteOptions{}),
		npz.Write(in("stored.npz"), all, npz.WriteOptions{}),
		npz.Write(in("deflated.npz"), all, npz.WriteOptions{Deflate: true}),
		lucid.Write(in("all.lucid"), c),
	} {
		if err != nil {
			return err
		}
	}
	for _, t := range all.Tensors {
		if t.DType == dtype.BFloat16 {
			continue
		}
		if err := npz.WriteNpy(in("npy/"+t.Name+".npy"), t, npz.WriteOptions{}); err != nil {
			return err
		}
	}
	return nil
}
