package files

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/codec/codectest"
)

// fileText is a file with one function of a float32 and an int64 matrix, and its last node as the result.
func fileText(nodes ...string) string {
	return fmt.Sprintf(`{"functions":[{"name":"f","inputs":[["float32",2,3],["int64",2,3]],"nodes":[%s],"outputs":[%d]}]}`,
		strings.Join(nodes, ","), 1+len(nodes))
}

// hostileNodes are graphs that would read or write memory that is not theirs, or break the engine's trust.
var hostileNodes = map[string][]string{
	"forward edge":  {`{"op":"neg","version":1,"in":[2],"out":[["float32",2,3]]}`},
	"negative edge": {`{"op":"neg","version":1,"in":[-1],"out":[["float32",2,3]]}`},
	"no inputs":     {`{"op":"add","version":1,"in":[],"out":[["float32",2,3]]}`},
	"one input":     {`{"op":"add","version":1,"in":[0],"out":[["float32",2,3]]}`},
	"three inputs":  {`{"op":"add","version":1,"in":[0,0,0],"out":[["float32",2,3]]}`},
	"mixed dtypes":  {`{"op":"add","version":1,"in":[0,1],"out":[["int64",2,3]]}`},
	"mixed shapes": {`{"op":"slice","version":1,"in":[0],"attr":{"Slice":{"Start":[0,0],"Size":[1,3],"Step":[1,1]}},` +
		`"out":[["float32",1,3]]}`, `{"op":"add","version":1,"in":[0,2],"out":[["float32",2,3]]}`},
	"wrong spec":      {`{"op":"neg","version":1,"in":[0],"out":[["float32",3,2]]}`},
	"wrong dtype":     {`{"op":"neg","version":1,"in":[0],"out":[["float64",2,3]]}`},
	"no spec":         {`{"op":"neg","version":1,"in":[0],"out":[]}`},
	"attribute":       {`{"op":"neg","version":1,"in":[0],"attr":{"Axis":{}},"out":[["float32",2,3]]}`},
	"no attribute":    {`{"op":"sum","version":1,"in":[0],"out":[["float32"]]}`},
	"other attribute": {`{"op":"sum","version":1,"in":[0],"attr":{"Axis":{}},"out":[["float32",3]]}`},
	"axis":            {`{"op":"sum","version":1,"in":[0],"attr":{"Axes":{"Axes":[7]}},"out":[["float32",2,3]]}`},
	"axis twice":      {`{"op":"sum","version":1,"in":[0],"attr":{"Axes":{"Axes":[0,0]}},"out":[["float32",3]]}`},
	"softmax axis":    {`{"op":"softmax","version":1,"in":[0],"attr":{"Axis":{"Axis":2}},"out":[["float32",2,3]]}`},
	"slice past end": {`{"op":"slice","version":1,"in":[0],"attr":{"Slice":{"Start":[0,1],"Size":[2,3],"Step":[1,1]}},` +
		`"out":[["float32",2,3]]}`},
	"slice step": {`{"op":"slice","version":1,"in":[0],"attr":{"Slice":{"Start":[0,0],"Size":[2,3],"Step":[1,` +
		`4611686018427387904]}},"out":[["float32",2,3]]}`},
	"slice back": {`{"op":"slice","version":1,"in":[0],"attr":{"Slice":{"Start":[0,0],"Size":[2,3],"Step":[1,-1]}},` +
		`"out":[["float32",2,3]]}`},
	"reshape":      {`{"op":"reshape","version":1,"in":[0],"attr":{"Shape":{"Dims":[100]}},"out":[["float32",100]]}`},
	"permute":      {`{"op":"permute","version":1,"in":[0],"attr":{"Perm":{"Order":[1,1]}},"out":[["float32",3,3]]}`},
	"broadcast":    {`{"op":"broadcast_to","version":1,"in":[0],"attr":{"Shape":{"Dims":[4,3]}},"out":[["float32",4,3]]}`},
	"strided":      {`{"op":"as_strided","version":1,"in":[0],"attr":{"Strided":{"Dims":[7],"Strides":[1]}},"out":[["float32",7]]}`},
	"strided back": {`{"op":"as_strided","version":1,"in":[0],"attr":{"Strided":{"Dims":[2],"Strides":[-1]}},"out":[["float32",2]]}`},
	"strided overflow": {`{"op":"as_strided","version":1,"in":[0],"attr":{"Strided":{"Dims":[5],"Strides":[4611686018427387904]}},` +
		`"out":[["float32",5]]}`},
	"bitcast": {`{"op":"bitcast","version":1,"in":[0],"attr":{"Bitcast":{"From":"int8","To":"float64"}},"out":[["float64",2,1]]}`},
	"unfold":  {`{"op":"unfold","version":1,"in":[0],"attr":{"Unfold":{"Axis":1,"Size":2}},"out":[["float32",2,2,2]]}`},
	"table": {`{"op":"table","version":1,"in":[],"attr":{"Table":{"DType":"float32","Dims":[9],"Data":"AAAA"}},` +
		`"out":[["float32",9]]}`},
	"matmul":           {`{"op":"matmul","version":1,"in":[0,0],"out":[["float32",2,3]]}`},
	"cat":              {`{"op":"cat","version":1,"in":[0,1],"attr":{"Axis":{}},"out":[["float32",4,3]]}`},
	"gather by floats": {`{"op":"gather","version":1,"in":[0,0],"attr":{"Axis":{}},"out":[["float32",2,3]]}`},
	"scatter":          {`{"op":"scatter","version":1,"in":[0,1,0],"attr":{"Scatter":{"Reduce":9}},"out":[["float32",2,3]]}`},
	"topk": {`{"op":"topk","version":1,"in":[0],"attr":{"TopK":{"Axis":1,"K":4}},"bundle":true,"out":[["float32",2,4],` +
		`["int64",2,4]]}`, `{"item":0,"in":[2]}`},
	"item of no": {`{"item":0,"in":[0]}`},
	"item past end": {`{"op":"topk","version":1,"in":[0],"attr":{"TopK":{"Axis":1,"K":1}},"bundle":true,"out":[["float32",2,1],` +
		`["int64",2,1]]}`, `{"item":2,"in":[2]}`},
	"tuple result": {`{"op":"topk","version":1,"in":[0],"attr":{"TopK":{"Axis":1,"K":1}},"bundle":true,"out":[["float32",2,1],` +
		`["int64",2,1]]}`},
	"tuple operand": {`{"op":"topk","version":1,"in":[0],"attr":{"TopK":{"Axis":1,"K":1}},"bundle":true,"out":[["float32",2,1],` +
		`["int64",2,1]]}`, `{"op":"neg","version":1,"in":[2],"out":[["float32",2,1]]}`},
	"no such tensor": {`{"tensor":2}`},
	"two in one":     {`{"tensor":0,"item":1,"in":[0]}`},
	"nothing":        {`{"in":[0]}`},
	"unknown key":    {`{"tensor":0,"shape":[1]}`},
	"engine's own":   {`{"op":"data","version":1,"in":[],"out":[["float32",2,3]]}`},
	"placeholder":    {`{"op":"placeholder","version":1,"in":[],"out":[["float32",2,3]]}`},
	"custom":         {`{"op":"custom","version":1,"in":[0],"out":[["float32",2,3]]}`},
	"huge": {`{"op":"broadcast_to","version":1,"in":[0],"attr":{"Shape":{"Dims":[1099511627776,2,3]}},"out":[["float32",` +
		`1099511627776,2,3]]}`},
	"overflow": {`{"op":"broadcast_to","version":1,"in":[0],"attr":{"Shape":{"Dims":[4611686018427387904,2,3]}},` +
		`"out":[["float32",4611686018427387904,2,3]]}`},
	"key":  {`{"op":"random_bits","version":1,"in":[0],"attr":{"Bits":{"Width":4,"Dims":[3]}},"out":[["uint32",2,3]]}`},
	"conv": {`{"op":"conv","version":1,"in":[0,0],"attr":{"Conv":{"Groups":0}},"out":[["float32",2,2]]}`},
	"layer_norm": {`{"op":"layer_norm","version":1,"in":[0,0],"attr":{"RowNorm":{"Dims":1}},"bundle":true,"out":[["float32",2,3],` +
		`["float32",2,1],["float32",2,1]]}`, `{"item":0,"in":[2]}`},
	"where": {`{"op":"where","version":1,"in":[0,0,0],"out":[["float32",2,3]]}`},
	"scan of a number": {`{"op":"const","version":1,"in":[],"attr":{"Const":{"DType":"float32","Value":{"Kind":4,"F":1}}},` +
		`"out":[["float32"]]}`, `{"op":"linear_scan","version":1,"in":[0,2],"attr":{"Scan":{}},"out":[["float32",2,3]]}`},
	"const": {`{"op":"const","version":1,"in":[],"attr":{"Const":{"DType":"float32","Value":{"Kind":99}}},"out":[["float32"]]}`},
}

// writesText is a file whose function leaves values in the stored tensors, float32 and int64 as its inputs.
func writesText(names, writes string) string {
	return fmt.Sprintf(`{%s"functions":[{"name":"f","inputs":[["float32",2,3],["int64",2,3],["float32",6]],"nodes":[`+
		`{"op":"topk","version":1,"in":[0],"attr":{"TopK":{"Axis":1,"K":1}},"bundle":true,"out":[["float32",2,1],["int64",2,1]]}],`+
		`"outputs":[0],"writes":[%s]}]}`, names, writes)
}

// hostileWrites are files that would give a tensor what it cannot hold, or two tensors one name.
var hostileWrites = map[string]string{
	"no such tensor":   writesText("", "[2,0]"),
	"negative tensor":  writesText("", "[-1,0]"),
	"no such value":    writesText("", "[0,4]"),
	"negative value":   writesText("", "[0,-1]"),
	"tuple":            writesText("", "[0,3]"),
	"other dtype":      writesText("", "[0,1]"),
	"other shape":      writesText("", "[0,2]"),
	"twice":            writesText("", "[0,0],[0,0]"),
	"one number":       writesText("", "[0]"),
	"three numbers":    writesText("", "[0,0,0]"),
	"overflow":         writesText("", "[0,9223372036854775808]"),
	"no list":          writesText("", "0,0"),
	"name of none":     writesText(`"names":{"a":2},`, ""),
	"negative name":    writesText(`"names":{"a":-1},`, ""),
	"two names":        writesText(`"names":{"a":0,"b":0},`, ""),
	"name twice":       writesText(`"names":{"a":0,"a":1},`, ""),
	"name by default":  writesText(`"names":{"tensor.1":0},`, ""),
	"empty name":       writesText(`"names":{"":0},`, ""),
	"names in a list":  writesText(`"names":["a"],`, ""),
	"names of numbers": writesText(`"names":{"a":"b"},`, ""),
}

func TestImportHostile(t *testing.T) {
	if _, err := newFunction(withText([]byte(fileText(`{"op":"neg","version":1,"in":[0],"out":[["float32",2,3]]}`)))); err != nil {
		t.Fatal(err)
	}
	for what, nodes := range hostileNodes {
		_, err := newFunction(withText([]byte(fileText(nodes...))))
		if !errors.Is(err, lucid.ErrFormat) && !errors.Is(err, lucid.ErrNotImplemented) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, c := range []struct {
		node string
		kind error
		text string
	}{
		{`{"op":"neg","version":2,"in":[0],"out":[["float32",2,3]]}`, lucid.ErrVersion, `version 2 of op "neg"`},
		{`{"op":"neg","version":0,"in":[0],"out":[["float32",2,3]]}`, lucid.ErrVersion, `"neg"`},
		{`{"op":"warp","version":1,"in":[0],"out":[["float32",2,3]]}`, lucid.ErrNotImplemented, `"warp"`},
	} {
		_, err := newFunction(withText([]byte(fileText(c.node))))
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Error(err)
		}
	}
	c := withText([]byte(fileText()))
	c.Schema[functionSchema] = functionVersion + 1
	if _, err := newFunction(c); !errors.Is(err, lucid.ErrVersion) {
		t.Error(err)
	}
	for what, text := range hostileWrites {
		if _, err := newFunction(withText([]byte(text))); !errors.Is(err, lucid.ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if f, err := newFunction(withText([]byte(writesText(`"names":{"s":1},`, `[0,0],[1,1]`)))); err != nil || f.State().Names()[1] != "s" {
		t.Error(err)
	}
	for _, text := range []string{`{"functions":[{"outputs":[0]}]}`, `{"functions":3}`, `{"function":[]}`, `[]`, ``,
		`{"functions":[{"inputs":[["float32",-1]]}]}`,
		`{"functions":[{"inputs":[[]]}]}`, `{"functions":[{"inputs":[["float32",` + strings.Repeat("1,", 16) + `1]]}]}`,
		strings.Repeat("[", 100)} {
		if _, err := newFunction(withText([]byte(text))); !errors.Is(err, lucid.ErrFormat) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

// small reports whether a function of unknown origin can be run in a test.
func small(s lucid.Signature) bool {
	n := s.Bytes
	for _, in := range s.Inputs {
		size := float64(in.DType.Size())
		for _, d := range in.Shape {
			size *= float64(d)
		}
		if size > 1<<14 {
			return false
		}
	}
	return n < 1<<16
}

// FuzzImport changes the text of a file whose checksums are right. What passes the checks must run: it may fail with
// a typed error, but neither crash nor read what is not its own.
func FuzzImport(f *testing.F) {
	for _, what := range slices.Sorted(maps.Keys(hostileNodes)) {
		f.Add(fileText(hostileNodes[what]...))
	}
	for _, text := range goldenTexts(f) {
		f.Add(text)
	}
	for _, what := range slices.Sorted(maps.Keys(hostileWrites)) {
		f.Add(hostileWrites[what])
	}
	f.Add(writesText(`"names":{"s":1},`, `[0,0],[1,1]`))
	f.Fuzz(func(t *testing.T, text string) {
		g, err := newFunction(withText([]byte(text)))
		if err != nil {
			if !codectest.Typed(err) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		runSmall(t, g, text)
	})
}
