// Package tokenizer converts text to token ids and back, as the tokenizers of language models do. It needs no other part of
// the project.
//
// A Tokenizer is loaded from a tokenizer.json file (BPE, WordPiece, Unigram, word-level), the vocabulary of a GGUF file, a
// SentencePiece .model or a tiktoken file; Open tells them apart. Ids equal those of Hugging Face's tokenizers package. What
// a file asks for and this package does not know is an error that names it: no file is read half.
//
//	t, err := tokenizer.Open("tokenizer.json")
//	ids := t.Encode("Hello world")
//	text := t.Decode(ids)
//
// A Tokenizer is immutable and safe for concurrent use.
package tokenizer
