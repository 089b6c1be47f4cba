package model

func init() {
	families = append(families, &family{name: "mpnet", classes: []string{"MPNetModel", "MPNetForMaskedLM"}, hf: mpnetHF,
		weights: encoderSource})
}

// mpnetHF is BERT without types of tokens, with numbers added to scores by the distance of two tokens.
func mpnetHF(k *keys, c *Config) {
	k.encoderHF(c)
	c.Buckets = k.whole("relative_attention_num_buckets", 32)
	if c.Buckets < 4 || c.Buckets%2 != 0 || c.Buckets > 1024 {
		refuse("%d buckets of distances; want an even number from 4 to 1024", c.Buckets)
	}
	c.padPositions(k.whole("pad_token_id", 1))
}
