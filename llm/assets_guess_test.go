package llm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// edited is the code that BenchmarkAssetsGuesses lets a model edit.
const edited = `type Account struct {
	ID      int
	Owner   string
	Balance float64
}

// Deposit adds money to the account.
func (a *Account) Deposit(amount float64) error {
	if amount <= 0 {
		return errors.New("amount must be positive")
	}
	a.Balance += amount
	return nil
}

// Withdraw takes money from the account.
func (a *Account) Withdraw(amount float64) error {
	if amount <= 0 {
		return errors.New("amount must be positive")
	}
	if amount > a.Balance {
		return errors.New("not enough money")
	}
	a.Balance -= amount
	return nil
}

// Transfer moves money to another account.
func (a *Account) Transfer(to *Account, amount float64) error {
	if err := a.Withdraw(amount); err != nil {
		return err
	}
	return to.Deposit(amount)
}
`

const rename = "Rename Account to Konto%d in this Go code. Answer with the whole code and nothing else.\n```go\n%s```"

// BenchmarkAssetsGuesses lets one client and several edit code, and write prose, with and without guesses: tokens a second of all of them
// in alternating rounds, the best of each, and how many guesses were right. It needs the files of scripts/assets/fetch.py in LUCID_ASSETS;
// LUCID_GUESS_MODEL and LUCID_GUESS_DRAFT name others than Qwen2.5-Coder-0.5B and none.
func BenchmarkAssetsGuesses(b *testing.B) {
	dir := os.Getenv("LUCID_ASSETS")
	if dir == "" {
		b.Skip("LUCID_ASSETS is not set; see scripts/assets/fetch.py")
	}
	open := func(name string) *Model {
		m, err := Load(filepath.Join(dir, name), LoadOptions{Quantized: true})
		if err != nil {
			b.Fatal(err)
		}
		return m
	}
	name := os.Getenv("LUCID_GUESS_MODEL")
	if name == "" {
		name = "qwen2.5-coder-0.5b.gguf"
	}
	m := open(name)
	guess := &Speculate{Lookup: 16}
	if draft := os.Getenv("LUCID_GUESS_DRAFT"); draft != "" {
		guess.Draft = open(draft)
	}
	code := m.tok.Encode(edited)
	tasks := []struct {
		name       string
		ask        func(client int) string
		prediction []int
	}{
		{"edit", func(i int) string {
			return fmt.Sprintf(rename, i, edited)
		}, nil},
		{"predicted", func(i int) string {
			return fmt.Sprintf(rename, i, edited)
		}, code},
		{"prose", func(i int) string { return fmt.Sprintf("Tell a story about a lighthouse, %d ships and a storm.", i+2) }, nil},
	}
	for _, clients := range []int{1, 8, 32} {
		var batchers []*Batcher
		for _, s := range []*Speculate{{}, guess} {
			x, err := m.NewBatcher(BatcherOptions{Sequences: clients, Bytes: 4 << 30, Speculate: s})
			if err != nil {
				b.Fatal(err)
			}
			defer x.Close()
			batchers = append(batchers, x)
		}
		for _, task := range tasks {
			b.Run(fmt.Sprintf("%s/clients=%d", task.name, clients), func(b *testing.B) {
				prompts := make([][]int, clients)
				for i := range prompts {
					ids, err := m.ChatIDs([]Message{{Role: "user", Content: task.ask(i)}}, true)
					if err != nil {
						b.Fatal(err)
					}
					prompts[i] = ids
				}
				tokens := 250
				if clients > 1 {
					tokens = 64
				}
				var best [2]float64
				for range 2 + b.N {
					var text [2]string
					for k, x := range batchers {
						var rate float64
						o := Options{MaxTokens: tokens}
						if k == 1 {
							o.Prediction = task.prediction
						}
						rate, text[k] = together(b, x, prompts, o)
						best[k] = max(best[k], rate)
					}
					if text[0] != text[1] {
						b.Errorf("with guesses:\n%s\nwithout:\n%s", text[1], text[0])
					}
				}
				x := batchers[1].Stats()
				b.ReportMetric(best[0], "tokens/s-without")
				b.ReportMetric(best[1], "tokens/s-with")
				b.ReportMetric(best[1]/best[0], "ratio")
				b.ReportMetric(float64(x.Right)/float64(max(1, x.Guessed)), "right")
				b.ReportMetric(float64(x.Guessed), "guessed")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// together generates texts of all prompts and returns the tokens a second of those behind the first ones, and the texts.
func together(b *testing.B, x *Batcher, prompts [][]int, o Options) (rate float64, text string) {
	b.Helper()
	var wg, first sync.WaitGroup
	first.Add(len(prompts))
	var n atomic.Int64
	texts := make([]strings.Builder, len(prompts))
	for i, ids := range prompts {
		wg.Go(func() {
			begun := sync.OnceFunc(first.Done)
			for t, err := range x.GenerateIDs(context.Background(), ids, o) {
				if err != nil {
					b.Error(err)
				}
				begun()
				n.Add(1)
				texts[i].WriteString(t.Text)
			}
		})
	}
	first.Wait() // prompts are read
	begun, had := time.Now(), n.Load()
	wg.Wait()
	took := time.Since(begun).Seconds()
	for i := range texts {
		text += texts[i].String() + "\x00"
	}
	return float64(n.Load()-had) / took, text
}
