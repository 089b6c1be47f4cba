package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid/llm/tokenizer"
)

// Encode and decode: a piece of docs/packages/llm-tokenizer.md.
func Example_llmTokenizerEncode() {
	t, err := tokenizer.ParseJSON([]byte(`{
	"added_tokens": [{"id": 4, "content": "<end>", "special": true, "normalized": false}],
	"pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "Isolated"},
	"decoder": {"type": "Fuse"},
	"model": {"type": "BPE", "vocab": {"h": 0, "i": 1, " ": 2, "hi": 3}, "merges": [["h", "i"]]}
}`))
	if err != nil {
		panic(err)
	}
	ids := t.Encode("hi hi<end>")
	fmt.Println(ids, t.Size())
	fmt.Printf("%q\n", t.Decode(ids))
	fmt.Printf("%q\n", t.DecodeWith(ids, tokenizer.DecodeOptions{SkipSpecial: true}))

	// Text from a user: special tokens written in it are plain text.
	fmt.Println(t.EncodeWith("h<end>", tokenizer.EncodeOptions{SpecialAsText: true}))

	// Token by token, as a model generates them.
	s := t.Stream(tokenizer.DecodeOptions{})
	for _, id := range ids {
		fmt.Printf("%q ", s.Next(id))
	}
	fmt.Printf("%q\n", s.Flush())
	// Output:
	// [3 2 3 4] 5
	// "hi hi<end>"
	// "hi hi"
	// [0]
	// "hi" " " "hi" "<end>" ""
}
