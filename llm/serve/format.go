package serve

import "encoding/json"

// setFormat reads response_format.
func setFormat(q *request, raw json.RawMessage) *failure {
	m, bad := objectOf("response_format", raw, "type", "json_schema")
	if bad != nil {
		return bad
	}
	kind := ""
	if len(m["type"]) > 0 {
		if kind, bad = textOf("response_format.type", m["type"], maxName); bad != nil {
			return bad
		}
	}
	if kind != "text" {
		return wrong("response_format", "the type %.40q is not supported; want text", kind)
	}
	return nil
}
