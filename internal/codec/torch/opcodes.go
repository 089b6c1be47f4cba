package torch

// opcodes is the closed table, but for STOP.
var opcodes map[byte]func(m *machine)

func init() { // not an initialiser: the functions refer to tables that refer to this one
	opcodes = map[byte]func(m *machine){
		0x80: func(m *machine) { // PROTO
			if v := m.byte(); v < 2 || v > 5 {
				refuse("the pickle has protocol %d; want 2 to 5", v)
			}
		},
		0x95: func(m *machine) { m.take(8) }, // FRAME: a length that readers of streams need
		'(':  func(m *machine) { m.push(mark{}) },

		'N':  func(m *machine) { m.push(nil) },
		0x88: func(m *machine) { m.push(true) },
		0x89: func(m *machine) { m.push(false) },
		'J':  func(m *machine) { m.push(m.i32()) },
		'K':  func(m *machine) { m.push(int64(m.byte())) },
		'M':  func(m *machine) { m.push(m.u16()) },
		0x8a: func(m *machine) { m.long(int64(m.byte())) }, // LONG1
		'G':  func(m *machine) { m.push(m.float()) },
		'X':  func(m *machine) { m.push(m.text(m.u32())) },
		0x8c: func(m *machine) { m.push(m.text(int64(m.byte()))) },
		0x8d: func(m *machine) { m.push(m.text(m.u64())) },
		'U':  func(m *machine) { m.push(m.text(int64(m.byte()))) }, // SHORT_BINSTRING, of Python 2
		'T':  func(m *machine) { m.push(m.text(m.i32())) },
		'C':  func(m *machine) { m.push(m.take(int64(m.byte()))) },
		'B':  func(m *machine) { m.push(m.take(m.u32())) },

		')':  func(m *machine) { m.push(tuple{}) },
		0x85: func(m *machine) { m.tuple(1) },
		0x86: func(m *machine) { m.tuple(2) },
		0x87: func(m *machine) { m.tuple(3) },
		't':  func(m *machine) { m.push(tuple(m.toMark())) },
		']':  func(m *machine) { m.push(&list{}) },
		'l':  func(m *machine) { m.push(&list{items: m.toMark()}) },
		'a':  func(m *machine) { v := m.pop(); m.count(1); m.extend([]any{v}) },
		'e':  func(m *machine) { m.extend(m.toMark()) },
		'}':  func(m *machine) { m.push(&dict{}) },
		's':  func(m *machine) { v, k := m.pop(), m.pop(); m.count(2); m.setItems([]any{k, v}) },
		'u':  func(m *machine) { m.setItems(m.toMark()) },
		'd': func(m *machine) {
			items := m.toMark()
			m.push(&dict{})
			m.setItems(items)
		},

		'q':  func(m *machine) { m.put(int64(m.byte())) },
		'r':  func(m *machine) { m.put(m.u32()) },
		0x94: func(m *machine) { m.put(int64(len(m.memo))) },
		'h':  func(m *machine) { m.get(int64(m.byte())) },
		'j':  func(m *machine) { m.get(m.u32()) },

		'c': func(m *machine) { module := m.line(); m.named(module, m.line()) },
		0x93: func(m *machine) { // STACK_GLOBAL
			name, ok := m.pop().(string)
			module, is := m.pop().(string)
			if !ok || !is {
				refuse("the pickle has a name at byte %d that is no text", m.at)
			}
			m.named(module, name)
		},
		'R': (*machine).reduce,
		'b': (*machine).build,
		'Q': func(m *machine) { m.push(m.file.storage(m.pop())) }, // BINPERSID
	}
}
