package pattern

import (
	"unicode"
)

// property returns the set of a name in \p{…}.
func property(name string) ([]span, bool) {
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts, unicode.Properties} {
		if t, ok := tables[name]; ok {
			return ofTable(t), true
		}
	}
	long := map[string]string{"Letter": "L", "Mark": "M", "Number": "N", "Punctuation": "P", "Symbol": "S", "Separator": "Z", "Other": "C"}
	if short, ok := long[name]; ok {
		return ofTable(unicode.Categories[short]), true
	}
	switch name {
	case "Any":
		return []span{{0, unicode.MaxRune}}, true
	case "Alphabetic":
		return alphabetic(), true
	case "Alnum", "Alpha", "Blank", "Cntrl", "Digit", "Graph", "Lower", "Print", "Space", "Upper", "XDigit":
		return posix(string(name[0]|0x20) + lowerASCII(name[1:]))
	case "Word":
		return wordChars(), true
	case "Punct": // without the symbols that the name has in brackets
		return ofTable(unicode.P), true
	}
	return nil, false
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] |= 0x20
	}
	return string(b)
}

// posix returns the set of a name in [[:…:]].
func posix(name string) ([]span, bool) {
	switch name {
	case "alnum":
		return merged(append(alphabetic(), digits()...)), true
	case "alpha":
		return alphabetic(), true
	case "blank":
		return ofTables(blanks, unicode.Zs), true
	case "cntrl":
		return ofTable(unicode.Cc), true
	case "digit":
		return digits(), true
	case "graph":
		return graphic(), true
	case "lower":
		return ofTables(unicode.Ll, unicode.Other_Lowercase), true
	case "print":
		return merged(append(graphic(), ofTable(unicode.Zs)...)), true
	case "punct":
		return ofTables(unicode.P, unicode.S), true
	case "space":
		return spaces(), true
	case "upper":
		return ofTables(unicode.Lu, unicode.Other_Uppercase), true
	case "word":
		return words(), true
	case "xdigit":
		return []span{{'0', '9'}, {'a', 'f'}, {'A', 'F'}}, true
	}
	return nil, false
}

var blanks = &unicode.RangeTable{R16: []unicode.Range16{{Lo: '\t', Hi: '\t', Stride: 1}}}

func ofTables(tables ...*unicode.RangeTable) (out []span) {
	for _, t := range tables {
		out = append(out, ofTable(t)...)
	}
	return merged(out)
}

func spaces() []span { return ofTable(unicode.White_Space) }
func digits() []span { return ofTable(unicode.Nd) }

func alphabetic() []span { return ofTables(unicode.L, unicode.Nl, unicode.Other_Alphabetic) }

func words() []span {
	return ofTables(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc)
}

// wordChars is \w. Oniguruma, which tokenizer.json files are written for, takes six digits and fractions of Latin-1 for parts of
// words there, and not in [[:word:]].
func wordChars() []span {
	return merged(append(words(), span{0xb2, 0xb3}, span{0xb9, 0xb9}, span{0xbc, 0xbe}))
}

// graphic is what is assigned, but for spaces and control characters.
func graphic() []span {
	assigned := ofTables(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf, unicode.Co)
	return intersected(assigned, inverted(spaces()))
}
