package tokenizer

// postProcessor puts tokens around a text.
type postProcessor interface{ process(ids []int) []int }

type postProcessors []postProcessor

func (p postProcessors) process(ids []int) []int {
	for _, one := range p {
		ids = one.process(ids)
	}
	return ids
}

// surround is a template of one text: tokens before and after it.
type surround struct{ before, after []int }

func (s surround) process(ids []int) []int {
	if len(s.before) == 0 {
		return append(ids, s.after...)
	}
	out := make([]int, 0, len(s.before)+len(ids)+len(s.after))
	return append(append(append(out, s.before...), ids...), s.after...)
}
