// Package llm loads language models from the files people have, and generates text with them.
//
//	m, err := llm.Load("model.gguf") // or a folder with config.json, safetensors and tokenizer.json
//	for token, err := range m.Generate(ctx, "Once upon a time", llm.Options{MaxTokens: 100}) {
//		fmt.Print(token.Text)
//	}
//
// Weights are converted to float32 when they are loaded, those of quantized GGUF files too, so that tokens equal those of Hugging
// Face's transformers on the same weights. LoadOptions.DType asks for less memory. Package llm/model has the modules.
//
// LoadEmbedder reads encoders, which make vectors of texts; LoadTranscriber reads Whisper, which writes down what is said.
package llm
