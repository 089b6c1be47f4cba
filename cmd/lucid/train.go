package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/cmd/lucid/internal/learn"
	"github.com/lucid-go/lucid/cmd/lucid/internal/plot"
	"github.com/lucid-go/lucid/cmd/lucid/internal/progress"
)

func init() {
	add(&command{name: "train", args: "[--model cnn|mlp|gpt] [--data path] [--resume] [flags]",
		short: "train a model: with no flags, a small net on handwritten digits", run: runTrain})
}

// session is one run of the command.
type session struct {
	*trainFlags
	*learn.Trainer
	out, log io.Writer // for results, and for what happens meanwhile
	live     bool      // log is a terminal
	bar      *progress.Bar
	begin    time.Time
	first    int // step it began at
}

// errStopped ends a run that --stop-after cut short.
var errStopped = errors.New("stopped")

func runTrain(c *command, args []string, out io.Writer) (err error) {
	flags := &trainFlags{}
	if err := flags.parse(c, args, out); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	// Everything a run makes goes to its device; goroutines of the loader inherit the scope.
	failed := lucid.Try(func() {
		lucid.WithDevice(flags.device, func() { err = flags.train(ctx, out) })
	})
	if failed != nil {
		return failed
	}
	return typed("train", err)
}

// train makes the run, and makes its steps.
func (flags *trainFlags) train(ctx context.Context, out io.Writer) error {
	t, err := flags.start()
	if err != nil {
		return err
	}
	s := &session{trainFlags: flags, Trainer: t, out: out, log: out, begin: time.Now(), first: t.Done}
	if flags.json {
		s.log = os.Stderr
		if !progress.Terminal(s.log) {
			s.log = io.Discard
		}
	}
	s.live = progress.Terminal(s.log)
	return s.run(ctx)
}

// typed converts a hint into what the command line prints.
func typed(command string, err error) error {
	if h, ok := errors.AsType[*learn.Hint](err); ok {
		return &usageError{"lucid " + command + ": " + h.What, h.Try}
	}
	return err
}

func (s *session) run(ctx context.Context) error {
	fmt.Fprintln(s.log, s.Summary())
	if s.resume {
		fmt.Fprintf(s.log, "going on from %s at step %d of %d\n", s.file, s.Done, s.Total)
	} else if _, err := os.Stat(s.file); err == nil {
		fmt.Fprintf(s.log, "%s of an earlier run will be replaced; to go on with that one instead: %s\n", s.file, s.again())
	}
	s.bar = progress.New(s.log, s.live, s.Done, s.Total, s.Spec.Unit)
	if n := len(s.Tests); s.reportDue() && (n == 0 || s.Tests[n-1].Step < s.Done) { // it was stopped before its report
		if err := s.report(ctx); err != nil {
			return err
		}
	}
	err := s.Train(ctx, func(loss float64) error { return s.after(ctx, loss) })
	s.bar.Clear()
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, errStopped)
	if err != nil && !stopped {
		return err
	}
	if err := s.Save(s.file); err != nil {
		return err
	}
	if stopped {
		fmt.Fprintf(s.log, "stopped at step %d of %d, saved to %s; to go on type:\n  %s\n", s.Done, s.Total, s.file, s.again())
		if s.json {
			return errors.Join(s.printJSON(learn.Result{}, true), interrupted(ctx))
		}
		return interrupted(ctx)
	}
	return s.finish()
}

// interrupted is the error of a run that a person stopped.
func interrupted(ctx context.Context) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}

// after shows a step that was made, and saves and reports now and then.
func (s *session) after(ctx context.Context, loss float64) error {
	s.bar.Step(s.Units(), fmt.Sprintf("loss %.4f", loss))
	report := s.reportDue()
	if report {
		if err := s.report(ctx); err != nil {
			return err
		}
	}
	if every := s.saveEvery; every > 0 && s.Done%every == 0 || every == 0 && report {
		if err := s.Save(s.file); err != nil {
			return err
		}
	}
	if s.stopAfter > 0 && s.Done-s.first >= s.stopAfter && s.Done < s.Total {
		return errStopped
	}
	return nil
}

// reportDue reports whether the model is to be tried after the step it has made.
func (s *session) reportDue() bool { return s.Done > 0 && s.Done%s.Every == 0 && s.Done < s.Total }

// report says how the model does now.
func (s *session) report(ctx context.Context) error {
	r, err := s.Report(ctx)
	if err != nil {
		return err
	}
	switch {
	case s.Config().Text():
		// A byte costs about a tenth of a step.
		sample, err := s.Sample("The ", min(60, s.Every/4), 0.8, uint64(s.Done))
		if err != nil {
			return err
		}
		s.bar.Line("step %d/%d  loss %.4f  test loss %.4f  %q", s.Done, s.Total, s.Loss(s.Every), r.Loss, "The "+sample)
		return nil
	case s.Spec.Target != nil:
		s.bar.Line("epoch %d  step %d/%d  loss %.4f  test R² %.4f  MAE %.4g  %s %s/s", s.Epoch(), s.Done, s.Total, s.Loss(s.Every), r.R2,
			r.MAE, progress.Count(s.bar.Rate()), s.Spec.Unit)
		return nil
	}
	s.bar.Line("epoch %d  step %d/%d  loss %.4f  test accuracy %.2f %%  %s %s/s", s.Epoch(), s.Done, s.Total, s.Loss(s.Every),
		100*r.Accuracy, progress.Count(s.bar.Rate()), s.Spec.Unit)
	return nil
}

// Config is the configuration of the run, which the flags began.
func (s *session) Config() learn.Config { return s.Trainer.Config }

// finish tells the results.
func (s *session) finish() error {
	r, err := s.Evaluate(context.Background())
	if err != nil {
		return err
	}
	if err := s.drawPlots(); err != nil {
		return err
	}
	if s.live {
		fmt.Fprint(s.log, "loss\n", plot.Braille(s.losses(), min(64, max(progress.Columns(s.log)-12, 8)), 8))
	}
	if s.Config().Text() {
		sample, err := s.Sample("The ", min(400, max(60, s.Done)), 0.8, 1)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.log, "a sample:\n%s\n\n", "The "+sample)
	} else if r.Confusion != nil && len(s.Spec.Classes) <= 20 {
		fmt.Fprintln(s.log, "rows: what it is; columns: what the model says")
		plot.Confusion(s.log, s.Spec.Classes, r.Confusion)
	}
	score := fmt.Sprintf("test accuracy %.2f %%", 100*r.Accuracy)
	if s.Spec.Target != nil {
		score = fmt.Sprintf("test R² %.4f, mean absolute error %.4g", r.R2, r.MAE)
	}
	fmt.Fprintf(s.log, "%s, loss %.4f, after %d steps in %.1f s\n", score, s.Loss(s.Every), s.Done, time.Since(s.begin).Seconds())
	fmt.Fprintf(s.log, "checkpoint %s, plots %s and %s; try it: %s\n", s.file, s.sibling(".svg"), s.sibling(".png"), s.tryIt())
	if s.json {
		return s.printJSON(r, false)
	}
	return nil
}

func (s *session) tryIt() string {
	line := self() + " predict --checkpoint " + s.file
	switch {
	case s.Config().Text():
		return line + ` "The colours"`
	case len(s.Spec.Shape) == 3:
		return line + " --held 1"
	}
	return line + " 1,2,3…"
}

// sibling is the name of a file next to the checkpoint.
func (s *session) sibling(ext string) string {
	return strings.TrimSuffix(s.file, filepath.Ext(s.file)) + ext
}

func (s *session) losses() []float64 {
	y := make([]float64, len(s.Losses))
	for i, v := range s.Losses {
		y[i] = float64(v)
	}
	return y
}

func (s *session) drawPlots() error {
	r := plot.Run{Title: s.Config().Model + " on " + s.Spec.Name, Loss: s.losses(), Score: "test accuracy", Share: true}
	if s.Spec.Target != nil {
		r.Score, r.Share = "test R²", false
	}
	for _, t := range s.Tests {
		r.Tests = append(r.Tests, plot.Test(t))
	}
	for ext, draw := range map[string]func(w io.Writer, r plot.Run) error{".svg": plot.SVG, ".png": plot.PNG} {
		var b bytes.Buffer
		if err := draw(&b, r); err != nil {
			return err
		}
		if err := os.WriteFile(s.sibling(ext), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// summary is what --json prints.
type summary struct {
	Task         string   `json:"task"`              // classes, regression or text
	TestAccuracy *float64 `json:"test_accuracy"`     // null if the run was stopped, or is a regression
	TestR2       *float64 `json:"test_r2,omitempty"` // of a regression
	TestMAE      *float64 `json:"test_mae,omitempty"`
	TestLoss     *float64 `json:"test_loss"`
	FinalLoss    float64  `json:"final_loss"`
	Seconds      float64  `json:"seconds"`
	Checkpoint   string   `json:"checkpoint"`
	Plot         string   `json:"plot,omitempty"`
	PlotPNG      string   `json:"plot_png,omitempty"`
	Device       string   `json:"device"`
	Model        string   `json:"model"`
	Data         string   `json:"data"`
	Parameters   int      `json:"parameters"`
	Steps        int      `json:"steps"`
	TotalSteps   int      `json:"total_steps"`
	Stopped      bool     `json:"stopped"`
}

func (s *session) printJSON(r learn.Result, stopped bool) error {
	j := summary{FinalLoss: s.Loss(s.Every), Seconds: time.Since(s.begin).Seconds(), Checkpoint: s.file, Model: s.Config().Model,
		Data: s.Spec.Name, Parameters: s.Parameters(), Steps: s.Done, TotalSteps: s.Total, Stopped: stopped, Device: s.device.String()}
	switch {
	case s.Config().Text():
		j.Task = "text"
	case s.Spec.Target != nil:
		j.Task = learn.Regression
	default:
		j.Task = learn.Classes
	}
	if !stopped {
		j.TestLoss, j.Plot, j.PlotPNG = &r.Loss, s.sibling(".svg"), s.sibling(".png")
		if j.Task == learn.Regression {
			j.TestR2, j.TestMAE = &r.R2, &r.MAE
		} else {
			j.TestAccuracy = &r.Accuracy
		}
	}
	return json.NewEncoder(s.out).Encode(j)
}
