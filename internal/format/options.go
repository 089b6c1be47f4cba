package format

import "math"

// Options steer how values are printed. The zero value is not the default; start from Default.
// Negative numbers count as zero.
type Options struct {
	Precision int   // digits after the point
	Threshold int   // more elements than this are summarised
	EdgeItems int   // elements printed at each end of a summarised dimension
	LineWidth int   // columns after which lines break
	SciMode   *bool // scientific notation: nil decides by the values
}

// Default returns the options printing starts with.
func Default() Options {
	return Options{Precision: 4, Threshold: 1000, EdgeItems: 3, LineWidth: 80}
}

// Profile returns a named set of options: "default", "short" (fewer digits and edge items) or "full" (never
// summarises).
func Profile(name string) (Options, bool) {
	o := Default()
	switch name {
	case "default":
	case "short":
		o.Precision, o.EdgeItems = 2, 2
	case "full":
		o.Threshold = math.MaxInt
	default:
		return Options{}, false
	}
	return o, true
}

// mostDigits is how many digits behind the point a float64 can have; more are zeros that take memory.
const mostDigits = 1074

// clean lifts negative fields to zero and cuts digits that say nothing, so that nothing downstream has to ask.
func (o Options) clean() Options {
	o.Precision = min(max(o.Precision, 0), mostDigits)
	o.Threshold = max(o.Threshold, 0)
	o.EdgeItems = max(o.EdgeItems, 0)
	o.LineWidth = max(o.LineWidth, 0)
	return o
}
