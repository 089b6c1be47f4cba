package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm"
)

// loadFlags adds the flags of how weights are loaded. The result reads them for a model, after they were parsed: without --dtype
// matrices stay as they are stored on a CPU, and are multiplied so.
func loadFlags(f *flag.FlagSet, o *llm.LoadOptions) func(command, path string) error {
	dtype := f.String("dtype", "", "of the weights in memory: float32, bfloat16 or float16; without it matrices stay as they are\n"+
		"stored on a CPU: quantized, or of 16 bits")
	f.BoolVar(&o.Exact, "exact", false, "multiply quantized matrices with float32 activations: slower; without it\n"+
		"activations are rounded to int8")
	device := f.String("device", "cpu", deviceHelp)
	return func(command, path string) (err error) {
		if o.DType, err = parseWeights(command, *dtype); err != nil {
			return err
		}
		if o.Device, err = parseDevice(command, *device); err != nil {
			return err
		}
		st, bad := os.Stat(path)
		folder := bad == nil && st.IsDir() && !llm.IsTranscriber(path)
		o.Quantized = *dtype == "" && o.Device == lucid.CPU && (strings.HasSuffix(path, ".gguf") || folder)
		return nil
	}
}

// interruptible is a context that Ctrl-C ends; a second one ends the program at once.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// endedBy makes an error of a context one that ends the program as Ctrl-C does.
func endedBy(err error) error {
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	return err
}
