package serve

import (
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"net/http"
	"strings"
)

//go:embed page.html
var pageText string

// policy lets the page run its own script and style, and talk to its own server; nothing else.
var policy = func() string {
	sum := func(tag string) string {
		_, rest, _ := strings.Cut(pageText, "<"+tag+">")
		inside, _, _ := strings.Cut(rest, "</"+tag+">")
		h := sha256.Sum256([]byte(inside))
		return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
	}
	return "default-src 'none'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
		"script-src " + sum("script") + "; style-src " + sum("style")
}()

// page is a small chat.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	_, _ = w.Write([]byte(pageText))
}
