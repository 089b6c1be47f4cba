package grammar

import "sync"

// JSON is any JSON object or array, with little white space.
var JSON = sync.OnceValue(func() *Grammar {
	b := newBuilder()
	root := b.declare("root")
	b.set(root, b.anyObject(), b.anyArray())
	g, err := b.finish()
	if err != nil {
		panic(err)
	}
	return g
})

// JSONObject is any JSON object.
var JSONObject = sync.OnceValue(func() *Grammar {
	b := newBuilder()
	root := b.declare("root")
	b.set(root, b.anyObject())
	g, err := b.finish()
	if err != nil {
		panic(err)
	}
	return g
})

// once makes a rule the first time it is asked for; later, and within itself, it is a reference.
func (b *builder) once(key string, make func() []sequence) sequence {
	r, ok := b.pairs[key]
	if !ok {
		r = b.declare(key)
		b.pairs[key] = r
		b.set(r, make()...)
	}
	return ref(r)
}

// space is nothing, a blank, or a line end with an indentation: a model cannot write blanks for ever.
func (b *builder) space() sequence {
	return b.once("space", func() []sequence {
		return []sequence{{}, lit(" "), join(lit("\n"), b.many(b.class([2]rune{' ', ' '}, [2]rune{'\t', '\t'}), 0, 20))}
	})
}

// character is one of a JSON text, escaped or not. The two parts of a surrogate pair come together: readers count both as one
// character, and some refuse one alone.
func (b *builder) character() sequence {
	return b.once("character", func() []sequence {
		hex := b.class([2]rune{'0', '9'}, [2]rune{'a', 'f'}, [2]rune{'A', 'F'})
		d := b.class([2]rune{'d', 'd'}, [2]rune{'D', 'D'})
		high := join(d, b.class([2]rune{'8', '9'}, [2]rune{'a', 'b'}, [2]rune{'A', 'B'}), hex, hex)
		low := join(d, b.class([2]rune{'c', 'f'}, [2]rune{'C', 'F'}), hex, hex)
		other := b.class([2]rune{'0', '9'}, [2]rune{'a', 'c'}, [2]rune{'e', 'f'}, [2]rune{'A', 'C'}, [2]rune{'E', 'F'})
		unit := b.either(join(other, hex, hex, hex), join(d, b.class([2]rune{'0', '7'}), hex, hex), join(high, lit(`\u`), low))
		short := b.class([2]rune{'"', '"'}, [2]rune{'\\', '\\'}, [2]rune{'/', '/'}, [2]rune{'b', 'b'}, [2]rune{'f', 'f'}, [2]rune{'n', 'n'},
			[2]rune{'r', 'r'}, [2]rune{'t', 't'})
		return []sequence{b.class(except([][2]rune{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}, {0x7F, 0x7F}})...),
			join(lit(`\`), b.either(short, join(lit("u"), unit)))}
	})
}

func (b *builder) anyString() sequence {
	return b.once("string", func() []sequence { return []sequence{join(lit(`"`), b.many(b.character(), 0, -1), lit(`"`))} })
}

// Numbers are short enough for every reader.
func (b *builder) anyInteger() sequence {
	return b.once("integer", func() []sequence {
		digits := join(b.class([2]rune{'1', '9'}), b.many(b.class([2]rune{'0', '9'}), 0, 14))
		return []sequence{join(b.many(lit("-"), 0, 1), b.either(lit("0"), digits))}
	})
}

func (b *builder) anyNumber() sequence {
	return b.once("number", func() []sequence {
		digit := b.class([2]rune{'0', '9'})
		sign := b.many(b.class([2]rune{'+', '+'}, [2]rune{'-', '-'}), 0, 1)
		return []sequence{join(b.anyInteger(), b.many(join(lit("."), b.many(digit, 1, 16)), 0, 1),
			b.many(join(b.class([2]rune{'e', 'e'}, [2]rune{'E', 'E'}), sign, b.many(digit, 1, 2)), 0, 1))}
	})
}

func (b *builder) anyValue() sequence {
	return b.once("value", func() []sequence {
		return []sequence{b.anyObject(), b.anyArray(), b.anyString(), b.anyNumber(), lit("true"), lit("false"), lit("null")}
	})
}

func (b *builder) anyArray() sequence {
	return b.once("array", func() []sequence { return []sequence{b.listOf(b.anyValue(), 0, -1)} })
}

func (b *builder) anyObject() sequence {
	return b.once("object", func() []sequence { return []sequence{b.mapOf(b.anyValue())} })
}

// listOf is an array of from least to most elements.
func (b *builder) listOf(x sequence, least, most int) sequence {
	open, closed := join(lit("["), b.space()), join(b.space(), lit("]"))
	if most == 0 {
		return join(open, lit("]"))
	}
	rest := -1
	if most > 0 {
		rest = most - 1
	}
	full := join(open, x, b.many(join(b.space(), lit(","), b.space(), x), max(least-1, 0), rest), closed)
	if least > 0 {
		return full
	}
	return b.either(full, join(open, lit("]")))
}

// mapOf is an object of any keys.
func (b *builder) mapOf(x sequence) sequence {
	pair := join(b.anyString(), b.space(), lit(":"), b.space(), x)
	full := join(lit("{"), b.space(), pair, b.many(join(b.space(), lit(","), b.space(), pair), 0, -1), b.space(), lit("}"))
	return b.either(full, join(lit("{"), b.space(), lit("}")))
}
