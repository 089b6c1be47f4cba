package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lucid-go/lucid/llm"
)

// Limits on requests for transcriptions.
const (
	maxParts    = 32
	maxPart     = 4096 // bytes of a part that is not the sound
	soundsQueue = 8    // requests that wait for a model, each with its sound
)

// transcriber is a model that writes down sound, for one request at a time.
type transcriber struct {
	name string
	t    *llm.Transcriber
	slots
}

// transcription is what a client asks for.
type transcription struct {
	name  string
	form  string // json, text, verbose_json, srt or vtt
	sound []byte
	o     llm.TranscribeOptions
	model *transcriber

	segments bool // asked for by name
}

func (s *Server) transcriptions(w http.ResponseWriter, r *http.Request) *failure {
	return s.transcribe(w, r, &transcription{form: "json"})
}

func (s *Server) translations(w http.ResponseWriter, r *http.Request) *failure {
	return s.transcribe(w, r, &transcription{form: "json", o: llm.TranscribeOptions{Translate: true}})
}

func (s *Server) transcribe(w http.ResponseWriter, r *http.Request, q *transcription) *failure {
	if !s.enter() {
		return failureOf(llm.ErrClosed)
	}
	defer s.requests.Done()
	if len(s.transcribers) == 0 {
		return fail(http.StatusNotFound, "no model here writes down sound").coded("model_not_found")
	}
	if bad := s.sounds.take(); bad != nil { // before the sound is read
		return bad
	}
	defer s.sounds.leave()
	if bad := s.readForm(w, r, q); bad != nil {
		return bad
	}
	q.model = s.transcribers[q.name]
	names := slices.Sorted(maps.Keys(s.transcribers))
	if q.name == "" && len(names) == 1 {
		q.model = s.transcribers[names[0]]
	}
	if q.model == nil {
		return fail(http.StatusNotFound, "there is no model %.100q that writes down sound; there are %q", q.name, names).
			coded("model_not_found")
	}
	sound, err := llm.ReadWAV(bytes.NewReader(q.sound))
	if err != nil {
		return wrong("file", "%v", err)
	}
	q.sound = nil
	ctx, cancel := s.during(r)
	defer cancel()
	if err := q.model.wait(ctx); err != nil {
		return s.failed(r, err)
	}
	defer q.model.done()
	text, err := q.model.t.Transcribe(ctx, sound, q.o)
	if err != nil {
		return s.failed(r, err)
	}
	q.write(s, w, text)
	return nil
}

// readForm reads a request: a form with a file.
func (s *Server) readForm(w http.ResponseWriter, r *http.Request, q *transcription) *failure {
	large := fail(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", s.o.MaxAudio).coded("too_large")
	if r.ContentLength > s.o.MaxAudio {
		w.Header().Set("Connection", "close")
		return large
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.o.Stall))
	r.Body = http.MaxBytesReader(w, r.Body, s.o.MaxAudio)
	form, err := r.MultipartReader()
	if err != nil {
		return fail(http.StatusBadRequest, "the request is no form with a file (multipart/form-data)")
	}
	for range maxParts {
		part, err := form.NextPart()
		if err == io.EOF {
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
			switch {
			case q.sound == nil:
				return wrong("file", "is missing")
			case q.form != "verbose_json" && (q.o.Words || q.segments):
				return wrong("timestamp_granularities[]", "is for the response_format verbose_json")
			}
			return nil
		}
		var bad *failure
		if err == nil {
			bad, err = q.take(part, s.o.MaxAudio)
		}
		var tooLarge *http.MaxBytesError
		switch {
		case bad != nil:
			return bad
		case errors.As(err, &tooLarge):
			return large
		case err != nil:
			return fail(http.StatusBadRequest, "the request did not come whole")
		}
	}
	return fail(http.StatusBadRequest, "the form has more than %d parts", maxParts)
}

// take reads one part of a form.
func (q *transcription) take(part *multipart.Part, most int64) (*failure, error) {
	name := part.FormName()
	if name == "file" {
		if q.sound != nil {
			return wrong("file", "is there twice"), nil
		}
		data, err := io.ReadAll(io.LimitReader(part, most))
		q.sound = append([]byte{}, data...)
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(part, maxPart+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPart || !utf8.Valid(data) {
		return wrong(clip(name, 100), "want a text of at most %d bytes", maxPart), nil
	}
	value := string(data)
	switch name {
	case "model":
		q.name = value
	case "language":
		q.o.Language = value
	case "response_format":
		if q.form = value; !slices.Contains([]string{"json", "text", "verbose_json", "srt", "vtt"}, value) {
			return wrong(name, "%.40q; want json, text, verbose_json, srt or vtt", value), nil
		}
	case "prompt":
		q.o.Prompt = value
	case "temperature":
		v, err := strconv.ParseFloat(value, 64)
		if value != "" && (err != nil || !(v >= 0 && v <= 1)) {
			return wrong(name, "%.40q; want 0 to 1", value), nil
		}
		if v > 0 { // otherwise the model finds one
			q.o.Temperatures = []float64{v}
		}
	case "timestamp_granularities[]":
		switch value {
		case "word":
			q.o.Words = true
		case "segment":
			q.segments = true
		default:
			return wrong(name, "%.40q; want word or segment", value), nil
		}
	default:
		return wrong(clip(name, 100), "there is no such field, or it is not supported"), nil
	}
	return nil, nil
}

type segmentAnswer struct {
	ID               int     `json:"id"`
	Seek             int     `json:"seek"` // hundredths of a second
	Start            float64 `json:"start"`
	End              float64 `json:"end"`
	Text             string  `json:"text"`
	Tokens           []int   `json:"tokens"`
	Temperature      float64 `json:"temperature"`
	AvgLogProb       float64 `json:"avg_logprob"`
	CompressionRatio float64 `json:"compression_ratio"`
	NoSpeechProb     float64 `json:"no_speech_prob"`
}

type wordAnswer struct {
	Word  string  `json:"word"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

func (q *transcription) write(s *Server, w http.ResponseWriter, t *llm.Transcript) {
	switch q.form {
	case "json":
		s.answer(w, map[string]any{"text": t.Text})
		return
	case "verbose_json":
		task := "transcribe"
		if q.o.Translate {
			task = "translate"
		}
		answer := map[string]any{"task": task, "language": t.Language, "duration": t.Duration.Seconds(), "text": t.Text}
		list, words := []segmentAnswer{}, []wordAnswer{}
		for i, g := range t.Segments {
			for _, v := range g.Words {
				words = append(words, wordAnswer{strings.TrimSpace(v.Text), v.Start.Seconds(), v.End.Seconds()})
			}
			list = append(list, segmentAnswer{i, int(g.Part / (10 * time.Millisecond)), g.Start.Seconds(), g.End.Seconds(), g.Text,
				g.Tokens, g.Temperature, g.AvgLogProb, g.CompressionRatio, g.NoSpeechProb})
		}
		if q.o.Words {
			answer["words"] = words
		}
		if q.segments || !q.o.Words {
			answer["segments"] = list
		}
		s.answer(w, answer)
		return
	}
	var b strings.Builder
	switch q.form {
	case "text":
		b.WriteString(t.Text + "\n")
	case "vtt":
		b.WriteString("WEBVTT\n\n")
	}
	for i, g := range t.Segments {
		text := strings.TrimSpace(g.Text)
		switch q.form {
		case "srt":
			fmt.Fprintf(&b, "%d\n%s --> %s\n%s\n\n", i+1, clock(g.Start, ","), clock(g.End, ","), text)
		case "vtt":
			fmt.Fprintf(&b, "%s --> %s\n%s\n\n", clock(g.Start, "."), clock(g.End, "."), text)
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.o.Stall))
	_, _ = io.WriteString(w, b.String())
}

// clock is hours, minutes, seconds and thousandths, as subtitles have them.
func clock(d time.Duration, point string) string {
	ms := d.Milliseconds()
	return fmt.Sprintf("%02d:%02d:%02d%s%03d", ms/3600000, ms/60000%60, ms/1000%60, point, ms%1000)
}
