package torch

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"unicode/utf8"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
)

const op = "torch file"

// Bounds on what a pickle may build, far above files that exist.
const (
	maxText   = 1 << 20 // bytes of one string
	maxStack  = 1 << 20 // values on the stack
	maxItems  = 1 << 24 // values in all lists, tuples and dicts, and in the memo
	maxOpcode = 1 << 27 // opcodes of a pickle
)

func refuse(format string, args ...any) { fault.Throw(fault.Format, op, format, args...) }

// Values of the machine in addition to nil, bool, int64, float64, string and []byte.
type (
	list  struct{ items []any }
	tuple []any
	dict  struct {
		keys, values []any
		index        map[any]int // of keys that are strings or integers
	}
	big    []byte // an integer of more than 64 bits, little-endian
	global string // module and name, one of the table
	note   string // what is read and not needed, such as a device
	mark   struct{}
)

// source reads a pickle, which raw data may follow.
type source struct {
	r    *bufio.Reader
	at   int64
	end  int64
	left int64 // bytes that pickles may still have

	scratch [8]byte
}

func newSource(r io.ReaderAt, size int64, lim codec.Limits) *source {
	return &source{r: bufio.NewReader(io.NewSectionReader(r, 0, size)), end: size, left: lim.Filled().MaxHeader}
}

// take reads n bytes into memory of their own.
func (s *source) take(n int64) []byte {
	s.claim(n)
	return s.fill(make([]byte, n))
}

// claim checks that the file has n more bytes, and that they are not too many.
func (s *source) claim(n int64) {
	if n < 0 || n > s.end-s.at {
		refuse("the pickle wants %d bytes at byte %d of %d", n, s.at, s.end)
	}
	if s.left -= n; s.left < 0 || n > maxText {
		refuse("the pickle is too large: a value of %d bytes at byte %d", n, s.at)
	}
}

func (s *source) fill(b []byte) []byte {
	if _, err := io.ReadFull(s.r, b); err != nil {
		fault.Rethrow(op, codec.IOError(op, err))
	}
	s.at += int64(len(b))
	return b
}

// small reads at most 8 bytes, which the next call overwrites.
func (s *source) small(n int64) []byte {
	s.claim(n)
	return s.fill(s.scratch[:n])
}

func (s *source) byte() byte     { return s.small(1)[0] }
func (s *source) u16() int64     { return int64(binary.LittleEndian.Uint16(s.small(2))) }
func (s *source) u32() int64     { return int64(binary.LittleEndian.Uint32(s.small(4))) }
func (s *source) i32() int64     { return int64(int32(binary.LittleEndian.Uint32(s.small(4)))) }
func (s *source) u64() int64     { return int64(binary.LittleEndian.Uint64(s.small(8))) }
func (s *source) float() float64 { return math.Float64frombits(binary.BigEndian.Uint64(s.small(8))) }

func (s *source) text(n int64) string {
	b := s.take(n)
	if !utf8.Valid(b) {
		refuse("a string of the pickle at byte %d is no UTF-8", s.at)
	}
	return string(b)
}

func (s *source) line() string {
	var b []byte
	for len(b) < 512 {
		c := s.byte()
		if c == '\n' {
			if !utf8.Valid(b) {
				refuse("a name of the pickle at byte %d is no UTF-8", s.at)
			}
			return string(b)
		}
		b = append(b, c)
	}
	refuse("a name of the pickle at byte %d has no end", s.at)
	return ""
}

// machine runs one pickle.
type machine struct {
	*source
	stack []any
	memo  map[int64]any
	items int
	file  *File // makes storages and tensors
}

// run evaluates the pickle at the source's position. It panics with a typed error.
func (f *File) run(s *source) any {
	m := &machine{source: s, memo: map[int64]any{}, file: f}
	for range maxOpcode {
		at, code := s.at, s.byte()
		if code == '.' {
			v := m.pop()
			if len(m.stack) != 0 {
				refuse("the pickle leaves %d values", len(m.stack))
			}
			return v
		}
		f, known := opcodes[code]
		if !known {
			fault.Throw(fault.NotImplemented, op, "the pickle has opcode 0x%02x at byte %d, which tensors do not need", code, at)
		}
		f(m)
		if len(m.stack) > maxStack {
			refuse("the pickle has more than %d values on its stack", maxStack)
		}
	}
	refuse("the pickle has more than %d opcodes", maxOpcode)
	return nil
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

func (m *machine) pop() any {
	v := m.top()
	m.stack = m.stack[:len(m.stack)-1]
	return v
}

func (m *machine) top() any {
	if len(m.stack) == 0 {
		refuse("the pickle takes a value at byte %d, and there is none", m.at)
	}
	v := m.stack[len(m.stack)-1]
	if _, is := v.(mark); is {
		refuse("the pickle takes a value at byte %d, and there is a mark", m.at)
	}
	return v
}

// count bounds what is built.
func (m *machine) count(n int) {
	if m.items += n; m.items > maxItems {
		refuse("the pickle builds more than %d values", maxItems)
	}
}

// toMark takes what was pushed since the last mark.
func (m *machine) toMark() []any {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, is := m.stack[i].(mark); is {
			items := append([]any{}, m.stack[i+1:]...)
			m.stack = m.stack[:i]
			m.count(len(items))
			return items
		}
	}
	refuse("the pickle goes back to a mark at byte %d, and there is none", m.at)
	return nil
}

func (m *machine) tuple(n int) {
	t := make(tuple, n)
	for i := n - 1; i >= 0; i-- {
		t[i] = m.pop()
	}
	m.count(n)
	m.push(t)
}

func (m *machine) extend(items []any) {
	l, ok := m.top().(*list)
	if !ok {
		refuse("the pickle appends to %s at byte %d", kindOf(m.top()), m.at)
	}
	l.items = append(l.items, items...)
}

func (m *machine) setItems(items []any) {
	d, ok := m.top().(*dict)
	if !ok || len(items)%2 != 0 {
		refuse("the pickle sets %d items of %s at byte %d", len(items), kindOf(m.top()), m.at)
	}
	for i := 0; i < len(items); i += 2 {
		d.set(items[i], items[i+1])
	}
}

func (d *dict) set(key, v any) {
	switch key.(type) {
	case string, int64:
	default:
		refuse("the pickle has %s as a key; want a string or an integer", kindOf(key))
	}
	if i, there := d.index[key]; there {
		d.values[i] = v
		return
	}
	if d.index == nil {
		d.index = map[any]int{}
	}
	d.index[key] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, v)
}

func (m *machine) put(n int64) {
	if _, there := m.memo[n]; !there {
		m.count(1)
	}
	m.memo[n] = m.top()
}

func (m *machine) get(n int64) {
	v, there := m.memo[n]
	if !there {
		refuse("the pickle reads entry %d of its memo at byte %d, and there is none", n, m.at)
	}
	m.push(v)
}

// long is an integer of n bytes.
func (m *machine) long(n int64) {
	b := m.take(n)
	if n > 8 {
		m.push(big(b))
		return
	}
	var v int64
	if n > 0 && b[n-1] >= 0x80 {
		v = -1
	}
	for i := n - 1; i >= 0; i-- {
		v = v<<8 | int64(b[i])
	}
	m.push(v)
}

func (m *machine) named(module, name string) {
	g := global(module + "." + name)
	if _, known := globals[g]; !known {
		fault.Throw(fault.NotImplemented, op,
			"the pickle names %q, which tensors do not need and which may be code; save a dict of tensors, or as safetensors", string(g))
	}
	m.push(g)
}

// reduce is what a call is in Python: of the few names that have a meaning here.
func (m *machine) reduce() {
	args, ok := m.pop().(tuple)
	g, is := m.pop().(global)
	if !ok || !is {
		refuse("the pickle calls what is no name at byte %d", m.at)
	}
	call := globals[g].call
	if call == nil {
		refuse("the pickle calls %q at byte %d, which is no function", string(g), m.at)
	}
	m.push(call(m.file, g, args))
}

// build sets attributes, which only dicts of parameters have: their versions, which are not needed.
func (m *machine) build() {
	m.pop()
	if _, is := m.top().(*dict); !is {
		refuse("the pickle sets attributes of %s at byte %d; want a dict", kindOf(m.top()), m.at)
	}
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a bool"
	case int64, big:
		return "an integer"
	case float64:
		return "a float"
	case string:
		return "a string"
	case []byte:
		return "bytes"
	case *list:
		return "a list"
	case tuple:
		return "a tuple"
	case *dict:
		return "a dict"
	case global:
		return string(v)
	case *storage:
		return "a storage"
	case *tensor:
		return "a tensor"
	}
	return "a value"
}
