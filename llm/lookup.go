package llm

// finder finds guesses in what is known: in a text that was given as a prediction, or in the text itself.
type finder struct {
	n          int // tokens that a repetition is known by, at most; 0: the text itself is not looked through
	prediction []int
	at         int // in the prediction: where the text was last
}

// find returns at most so many tokens that may follow ids, of which the first are a prompt; how many tokens before them are the same as at
// the end of ids; and whether they are of the prediction.
func (f *finder) find(ids []int, prompt, most int) (list []int, same int, predicted bool) {
	from, same := lastRepeat(ids, f.n)
	at, like := f.predicted(ids[min(prompt, len(ids)):])
	if like > 0 && (like >= same || like >= maxLookup/8) && at < len(f.prediction) {
		f.at = at - 1
		return f.prediction[at:min(at+most, len(f.prediction))], like, true
	}
	if same == 0 {
		return nil, 0, false
	}
	for i := from; len(list) < most; i++ {
		if i < len(ids) {
			list = append(list, ids[i])
		} else { // the repetition runs into itself
			list = append(list, list[i-len(ids)])
		}
	}
	return list, same, false
}

// lastRepeat finds the position before the end where the most of the last n tokens were, the last one of equal ones, and returns where they
// end.
func lastRepeat(ids []int, n int) (end, same int) {
	last := len(ids) - 1
	for i := last - 1; i >= 0 && same < n; i-- {
		if k := alike(ids[:i+1], ids, n); k > same {
			end, same = i+1, k
		}
	}
	return end, same
}

// predicted finds where in the prediction the most tokens are those at the end of a text, and returns where they end: the first position
// behind the last one, if there are equal ones. A text that is the beginning of the prediction is as good as a long one.
func (f *finder) predicted(text []int) (end, same int) {
	for k := range f.prediction {
		i := (f.at + k) % len(f.prediction)
		n := alike(f.prediction[:i+1], text, maxLookup)
		if n == len(text) && n == i+1 {
			return i + 1, maxLookup
		}
		if n > same {
			end, same = i+1, n
		}
	}
	return end, same
}

// alike is how many tokens two lists end with alike, at most n.
func alike(a, b []int, n int) (same int) {
	n = min(n, len(a), len(b))
	for same < n && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	return same
}

// mark says what became of the guesses for a token and for those behind it, and reports whether the first was right and another token
// follows.
func (t *Token) mark(guesses []int) bool {
	t.Guessed = len(guesses) > 0 && guesses[0] == t.ID
	switch {
	case !t.Guessed:
		t.Missed = len(guesses)
	case t.Finish != "":
		t.Missed = len(guesses) - 1
	}
	return t.Guessed && t.Finish == ""
}
