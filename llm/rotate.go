package llm

import (
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
)

// Rotate lets a text grow without end in bounded memory: when Window tokens are there, the model goes on with the first Keep of them and
// the newest half of the others, as if they were the prompt. Memory and the time of a token stay bounded.
type Rotate struct {
	Window int // tokens; 0: the text ends where the context is full
	Keep   int // tokens at the beginning that are never dropped, as the system message is
}

// spareTokens is the least number of tokens that may go; half of them do at a time.
const spareTokens = 8

func (r *Rotate) check() {
	if r.Window < 0 || r.Keep < 0 || r.Window == 0 && r.Keep > 0 || r.Window > 0 && r.Keep > r.Window-spareTokens {
		fault.Throw(fault.Value, op, "Rotate has a window of %d tokens and keeps %d; want at least %d tokens that may go", r.Window, r.Keep,
			spareTokens)
	}
}

// window is how many tokens a text may have; 0: as many as the context. A context that is smaller than Window may be too small for Keep.
func (r Rotate) window(context int) int {
	if r.Window == 0 {
		return 0
	}
	if r.Keep > context-spareTokens {
		fault.Throw(fault.Value, op, "Rotate.Keep is %d with a context of %d; want at least %d tokens that may go", r.Keep, context,
			spareTokens)
	}
	return min(r.Window, context)
}

// rotated is what a text goes on with if it is full, else nil.
func (r Rotate) rotated(ids []int, window int) []int {
	if window == 0 || len(ids) < window {
		return nil
	}
	half := (window - r.Keep) / 2
	return slices.Concat(ids[:r.Keep], ids[len(ids)-half:])
}
