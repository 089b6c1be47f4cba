package serve

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"testing"

	"github.com/lucid-go/lucid/llm"
)

// TestPrediction asserts that an answer is the same with a prediction, right or wrong, whole and as events, and that usage and metrics say
// what became of the guesses.
func TestPrediction(t *testing.T) {
	h, _ := start(t, Options{Batcher: llm.BatcherOptions{Speculate: &llm.Speculate{}}}) // of predictions alone
	ask := func(temperature float64, more string) (text string, use usage) {
		t.Helper()
		code, body, _ := post(t, h.URL, chatPath, fmt.Sprintf(`{"messages": [{"role": "user", "content": "hi"}], "max_tokens": 60,
			"seed": 1, "grammar": "root ::= [a-z]+", "temperature": %v%s}`, temperature, more))
		var a chatAnswer
		if code != 200 {
			t.Fatalf("%d %s", code, body)
		}
		decode(t, body, &a)
		return *a.Choices[0].Message.Content, *a.Usage
	}
	for _, temperature := range []float64{0, 2} {
		want, use := ask(temperature, "")
		if use.Guesses != (guesses{}) || use.Completion != 60 {
			t.Errorf("without a prediction: %+v", use)
		}
		wrong := regexp.MustCompile(`.`).ReplaceAllString(want, "~")
		for prediction, right := range map[string]bool{want: true, wrong: false, "": false} {
			got, use := ask(temperature, `, "prediction": {"type": "content", "content": "`+prediction+`"}`)
			if got != want || use.Completion != 60 || right && use.Guesses.Right < 10 || use.Guesses.Right > 59 {
				t.Errorf("predicted %q: %q, want %q; %+v", prediction, got, want, use)
			}
		}
	}
	r, err := http.Get(h.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text := readAll(r)
	value := func(name string) int {
		n, _ := strconv.Atoi(regexp.MustCompile(name + `\{model="tiny"\} (\d+)`).FindStringSubmatch(text)[1])
		return n
	}
	if right, all := value("lucid_right_guesses"), value("lucid_guessed_tokens"); right < 20 || all < right {
		t.Errorf("%d of %d guesses were right", right, all)
	}
}
