// Package tune teaches a language model something new: low-rank adapters (LoRA, DoRA) over a frozen model, quantized or not, or
// all of its weights.
//
//	adapter, err := tune.LoRA(m, tune.LoRAOptions{Rank: 8})
//	report, err := tune.Fit(ctx, m, tune.Text("…"), tune.Options{Steps: 200, LR: 1e-4})
//	err = adapter.Save("my-adapter") // files that Hugging Face's peft reads
//
// A model must not generate while it is tuned, but for the samples that Fit itself writes.
package tune

// op names the package in errors.
const op = "tune"
