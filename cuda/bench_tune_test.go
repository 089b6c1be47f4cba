package cuda

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tune"
)

// BenchmarkTune measures a step of LoRA (rank 8, queries and values; 4 texts of 256 tokens) of the model in the folder LUCID_MODELS, as
// bench/tune_torch.py makes it for PyTorch, and the memory of the device that the process has, by nvidia-smi.
func BenchmarkTune(b *testing.B) {
	folder := os.Getenv("LUCID_MODELS")
	if folder == "" {
		b.Skip("LUCID_MODELS names no folder")
	}
	for _, d := range []lucid.DType{lucid.BFloat16, lucid.Float32} {
		b.Run(d.String(), func(b *testing.B) {
			m, err := llm.Load(folder, llm.LoadOptions{DType: d, Device: gpu(b)})
			must(b, err)
			_, err = tune.LoRA(m, tune.LoRAOptions{})
			must(b, err)
			var texts []string
			for i := range 16 {
				texts = append(texts, strings.Repeat(string(rune('a'+i)), i+1)+strings.Repeat("some words of it ", 20)[:257-i-1])
			}
			const warm = 5
			_, err = tune.Fit(context.Background(), m, tune.Text(texts...), tune.Options{Steps: warm + b.N, Batch: 4, Length: 257,
				Every: 1 << 20, Progress: func(p tune.Progress) {
					if p.Step == warm {
						b.ResetTimer()
					}
					if p.Step == 1 || p.Step == warm+b.N {
						b.Logf("step %d: loss %.4f, %d tokens, %v", p.Step, p.Loss, p.Tokens, time.Now())
					}
				}})
			must(b, err)
			b.StopTimer()
			used, err := exec.Command("nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader").Output()
			b.Logf("%s %v", strings.TrimSpace(string(used)), err)
		})
	}
}
