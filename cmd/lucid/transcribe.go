package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lucid-go/lucid/cmd/lucid/internal/progress"
	"github.com/lucid-go/lucid/llm"
)

func init() {
	add(&command{name: "transcribe", args: "<whisper folder> <sound.wav> [flags]",
		short: "write down what is said in a .wav file", run: runTranscribe})
}

// transcriptForms are the ways to print a transcript.
var transcriptForms = []string{"text", "times", "words", "srt", "json"}

func runTranscribe(c *command, args []string, out io.Writer) error {
	f := c.flags()
	var o llm.TranscribeOptions
	var load llm.LoadOptions
	f.StringVar(&o.Language, "language", "", "code of what is spoken, such as en; default: found out")
	f.BoolVar(&o.Translate, "translate", false, "write English, whatever is spoken")
	f.StringVar(&o.Prompt, "prompt", "", "text that the sound might go on from: names to expect, and how to spell")
	f.BoolVar(&o.Context, "context", false, "show the model what it wrote before")
	temperature := f.Float64("temperature", 0, "chance in the choice of tokens, 0 to 1; 0: none, and more if the text is not good")
	f.IntVar(&o.BeamSize, "beams", 0, "texts that a search keeps at a temperature of 0; 0: no search, the likeliest token comes every time")
	f.Float64Var(&o.Patience, "patience", 0, "end a search when so many times the texts it keeps ended; 0: when none better is to come")
	f.Float64Var(&o.LengthPenalty, "length-penalty", 0, "of a search: a larger one takes longer texts; 0: 1, -1: none")
	f.Uint64Var(&o.Seed, "seed", 0, "of the chance")
	form := f.String("format", "text", "text, times (a line for each segment), words (a line for each word), srt (subtitles) or json")
	weights := loadFlags(f, &load)
	if err := c.parse(f, args, 2, out); err != nil {
		return err
	}
	switch {
	case f.NArg() < 2:
		return &usageError{"lucid transcribe: want a folder with a Whisper, and a .wav file", "lucid transcribe whisper-base sound.wav"}
	case !slices.Contains(transcriptForms, *form):
		return &usageError{fmt.Sprintf("lucid transcribe: there is no --format %q; want one of %s", *form,
			strings.Join(transcriptForms, ", ")), "lucid transcribe whisper-base sound.wav --format srt"}
	}
	if *temperature != 0 {
		o.Temperatures = []float64{*temperature}
	}
	if err := weights("transcribe", f.Arg(0)); err != nil {
		return err
	}
	load.Quantized, o.Words = false, *form == "words"
	sound, err := llm.OpenWAV(f.Arg(1))
	if err != nil {
		return err
	}
	t, err := llm.LoadTranscriber(f.Arg(0), load)
	if err != nil {
		return noModel("transcribe", f.Arg(0), err)
	}
	var bar *progress.Bar
	heard := time.Duration(0)
	o.Progress = func(done, total time.Duration) {
		if bar == nil {
			bar = progress.New(out, progress.Terminal(out), 0, int((total+done-1)/max(done, 1)), "seconds")
		}
		bar.Step(int((done - heard).Seconds()), done.Round(time.Second).String())
		heard = done
	}
	ctx, stop := interruptible()
	defer stop()
	text, err := t.Transcribe(ctx, sound, o)
	if bar != nil {
		bar.Clear()
	}
	if err != nil {
		return endedBy(err)
	}
	return printTranscript(out, text, *form)
}

func printTranscript(out io.Writer, t *llm.Transcript, form string) error {
	switch form {
	case "json":
		return json.NewEncoder(out).Encode(t)
	case "text":
		fmt.Fprintln(out, t.Text)
		return nil
	}
	for i, s := range t.Segments {
		text := strings.TrimSpace(s.Text)
		for _, w := range s.Words {
			fmt.Fprintf(out, "[%s --> %s]  %s\n", clock(w.Start, "."), clock(w.End, "."), strings.TrimSpace(w.Text))
		}
		if form == "words" {
			continue
		}
		if form == "srt" {
			fmt.Fprintf(out, "%d\n%s --> %s\n%s\n\n", i+1, clock(s.Start, ","), clock(s.End, ","), text)
		} else {
			fmt.Fprintf(out, "[%s --> %s]  %s\n", clock(s.Start, "."), clock(s.End, "."), text)
		}
	}
	return nil
}

// clock is hours, minutes, seconds and thousandths.
func clock(d time.Duration, point string) string {
	ms := d.Milliseconds()
	return fmt.Sprintf("%02d:%02d:%02d%s%03d", ms/3600000, ms/60000%60, ms/1000%60, point, ms%1000)
}
