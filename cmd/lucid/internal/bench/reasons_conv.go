package bench

func init() {
	for name, why := range map[string]string{
		"conv3x3_nchw": "one core needs 16.9 ms where the multiply-adds alone take 15.7; PyTorch leaves out the padding's products as we do and needs 17.4. " +
			"Of ours, 4 % go to copying the input with its padding and 2 % to turning the sums; nothing is left from which a tenth could come.",
		"conv3x3_nhwc": "as conv3x3_nchw, and the result is laid out with channels first, so both operands are turned.",
	} {
		reasons[name] = why
	}
}
