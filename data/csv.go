package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

const (
	maxCSVColumns = 1 << 20
	maxCSVField   = 1 << 16
	maxCSVClasses = 1 << 16
)

// CSVOptions say how a table is read; the zero value finds out by itself.
type CSVOptions struct {
	Comma   rune // between fields; 0: comma, semicolon or tab, whichever the first line has most of
	Label   *int // the column with the class, counted from the end if negative; nil: one named label, class or target, else the last
	NoLabel bool // all columns are numbers

	LabelName string // instead of Label: the name of that column in the header
	Numeric   bool   // the label is a number to predict, not a class: Y is float32, and there are no Classes

	// Missing stands for fields that are empty, ?, NA, NaN or null; NaN may be asked for. Nil: such a field is refused.
	Missing *float64
}

// Table is a CSV file: numbers, and the class of each row, or the number to predict from it.
type Table struct {
	X       *lucid.Tensor // (N, F), float32
	Y       *lucid.Tensor // (N), int64: indices into Classes; float32 if labels are numbers; nil without labels
	Classes []string      // sorted, by value if all are numbers; nil if labels are numbers
	Label   string        // name of the label's column; empty without a header
	Columns []string      // names of the columns of X; nil without a header
	Missing int           // fields that were missing
}

// ReadCSV reads a table from a CSV file; gzip is undone. Its first line is a header if none of its fields is a number, or
// one of them is label, class or target, or the option LabelName names a column.
func ReadCSV(path string, opts ...CSVOptions) (t *Table, err error) {
	err = withFile("read_csv", path, func(r io.Reader) (err error) {
		t, err = decodeCSV(r, door.Option("read_csv", opts))
		return err
	})
	return t, err
}

// DecodeCSV reads a table in CSV format to the end of r.
func DecodeCSV(r io.Reader, opts ...CSVOptions) (*Table, error) {
	t, err := decodeCSV(r, door.Option("decode_csv", opts))
	return t, decodeError("decode_csv", "", err)
}

func decodeCSV(r io.Reader, o CSVOptions) (*Table, error) {
	buf := bufio.NewReaderSize(&narrow{r: r}, 1<<16)
	if mark, _ := buf.Peek(3); string(mark) == "\ufeff" { // a byte order mark, as spreadsheets write it
		buf.Discard(3)
	}
	c := csv.NewReader(buf)
	if o.NoLabel && (o.Label != nil || o.LabelName != "" || o.Numeric) {
		return nil, lucid.Errorf(lucid.ErrValue, "decode_csv", "NoLabel with Label, LabelName or Numeric; want one or the other")
	}
	c.ReuseRecord, c.TrimLeadingSpace = true, true
	if c.Comma = o.Comma; c.Comma == 0 {
		c.Comma = guessComma(buf)
	}
	d := csvDecoder{o: o, label: -1}
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return d.table()
		}
		if err != nil {
			return nil, err // says the line itself
		}
		if err := d.take(row); err != nil {
			line, _ := c.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// guessComma looks at the first line.
func guessComma(r *bufio.Reader) rune {
	head, _ := r.Peek(4096)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	best, most := ',', 0
	for _, c := range ",;\t" {
		if n := bytes.Count(line, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

// narrow bounds the length of a line, which csv would read whole.
type narrow struct {
	r io.Reader
	n int
}

func (l *narrow) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		l.n = n - i
	} else if l.n += n; l.n > maxCSVColumns*16 {
		return 0, fmt.Errorf("a line has more than %d bytes", maxCSVColumns*16)
	}
	return n, err
}

// csvDecoder gathers rows.
type csvDecoder struct {
	o       CSVOptions
	rows    int
	missing int
	fields  int // of every row
	label   int // its column, -1 for none
	columns []string
	values  []float32
	classes []string // class of each row
	known   map[string]string
	numbers []float32 // label of each row, if labels are numbers
	name    string    // of the label's column
}

func (d *csvDecoder) take(row []string) error {
	if d.fields == 0 {
		d.fields = len(row)
		if d.fields > maxCSVColumns {
			return fmt.Errorf("has %d fields; want at most %d", d.fields, maxCSVColumns)
		}
		if err := d.findLabel(row); err != nil {
			return err
		}
		if d.o.LabelName != "" || header(row) {
			d.nameColumns(row)
			return nil
		}
	}
	if len(d.values)+len(row) > maxValues/4 {
		return fmt.Errorf("more than %d numbers", maxValues/4)
	}
	for i, s := range row {
		if i == d.label {
			if err := d.takeLabel(s); err != nil {
				return err
			}
			continue
		}
		v, err := d.number(s)
		if err != nil {
			return fmt.Errorf("field %d %w", i+1, err)
		}
		d.values = append(d.values, float32(v))
	}
	d.rows++
	return nil
}

// number reads a field.
func (d *csvDecoder) number(s string) (float64, error) {
	s = strings.TrimSpace(s)
	if slices.Contains([]string{"", "?", "na", "n/a", "nan", "null"}, strings.ToLower(s)) {
		if d.o.Missing == nil {
			return 0, fmt.Errorf("is %q; want a number, or the option Missing", s)
		}
		d.missing++
		return *d.o.Missing, nil
	}
	v, err := strconv.ParseFloat(s, 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("is %.40q; want a number", s)
	}
	return v, nil
}

// header reports whether the first row is names.
func header(row []string) bool {
	words := 0
	for _, s := range row {
		if _, err := strconv.ParseFloat(strings.TrimSpace(s), 32); err != nil {
			words++
		}
	}
	return words == len(row) || slices.ContainsFunc(row, namesLabel)
}

func namesLabel(s string) bool {
	return slices.Contains([]string{"label", "class", "target"}, strings.ToLower(strings.TrimSpace(s)))
}

func (d *csvDecoder) findLabel(row []string) error {
	switch {
	case d.o.NoLabel:
		return nil
	case d.o.LabelName != "" && d.o.Label != nil:
		return errors.New("the options Label and LabelName both say where the label is")
	case d.o.LabelName != "":
		d.label = slices.IndexFunc(row, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), d.o.LabelName) })
		if d.label < 0 {
			return fmt.Errorf("no column is named %q; the first line is %.200q", d.o.LabelName, strings.Join(row, ","))
		}
	case d.o.Label != nil:
		if d.label = *d.o.Label; d.label < 0 {
			d.label += d.fields
		}
		if d.label < 0 || d.label >= d.fields {
			return fmt.Errorf("the label is in column %d of %d", *d.o.Label, d.fields)
		}
	default:
		if d.label = slices.IndexFunc(row, namesLabel); d.label < 0 {
			d.label = d.fields - 1
		}
	}
	if d.fields < 2 {
		return errors.New("has one field; want numbers and a label, or NoLabel")
	}
	return nil
}

func (d *csvDecoder) nameColumns(row []string) {
	for i, s := range row {
		s = strings.Clone(strings.TrimSpace(s))
		if i == d.label {
			d.name = s
		} else {
			d.columns = append(d.columns, s)
		}
	}
}

// takeLabel reads the label of a row: a number, or a class.
func (d *csvDecoder) takeLabel(s string) error {
	if s = strings.TrimSpace(s); s == "" {
		return errors.New("the label is empty")
	}
	if !d.o.Numeric {
		return d.takeClass(s)
	}
	v, err := strconv.ParseFloat(s, 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("the label is %.40q; want a number", s)
	}
	d.numbers = append(d.numbers, float32(v))
	return nil
}

func (d *csvDecoder) takeClass(s string) error {
	if len(s) > maxCSVField {
		return fmt.Errorf("the label has %d bytes; want at most %d", len(s), maxCSVField)
	}
	if d.known == nil {
		d.known = map[string]string{}
	}
	own, ok := d.known[s]
	if !ok {
		own = strings.Clone(s)
		d.known[own] = own
		if len(d.known) > maxCSVClasses {
			return fmt.Errorf("more than %d different labels; name the label's column", maxCSVClasses)
		}
	}
	d.classes = append(d.classes, own)
	return nil
}

func (d *csvDecoder) table() (*Table, error) {
	if d.rows == 0 {
		return nil, errors.New("has no rows")
	}
	t := &Table{Columns: d.columns, Missing: d.missing, Label: d.name}
	t.X = lucid.New(d.values, d.rows, len(d.values)/d.rows)
	if d.label < 0 {
		return t, nil
	}
	if d.o.Numeric {
		t.Y = lucid.New(d.numbers, d.rows)
		return t, nil
	}
	for s := range d.known {
		t.Classes = append(t.Classes, s)
	}
	sortClasses(t.Classes)
	index := map[string]int64{}
	for i, s := range t.Classes {
		index[s] = int64(i)
	}
	y := make([]int64, d.rows)
	for i, s := range d.classes {
		y[i] = index[s]
	}
	t.Y = lucid.New(y, d.rows)
	return t, nil
}

// sortClasses sorts by value if all are numbers, else by name.
func sortClasses(names []string) {
	value := map[string]float64{}
	for _, s := range names {
		if v, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(v) {
			value[s] = v
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(value) == len(names) && value[a] != value[b] {
			if value[a] < value[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
}
