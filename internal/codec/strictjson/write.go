package strictjson

import (
	"maps"
	"slices"
)

// AppendString appends s, which must be valid UTF-8, as a JSON string.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// AppendMap appends an object of strings in the order of its keys, so that equal content gives equal bytes.
func AppendMap(b []byte, m map[string]string) []byte {
	b = append(b, '{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, k)
		b = append(b, ':')
		b = AppendString(b, m[k])
	}
	return append(b, '}')
}

// StringMap reads an object whose values are all strings.
func (p *Parser) StringMap() (map[string]string, error) {
	m := map[string]string{}
	err := p.Object(func(key string) (err error) {
		m[key], err = p.String()
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}
