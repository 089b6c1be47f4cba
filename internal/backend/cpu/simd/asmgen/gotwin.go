package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var goType = map[typ]string{f32: "float32", i32: "int32", f64: "float64", i64: "int64", mask: "bool", c64: "complex64", u8: "uint8",
	i8: "int8", u16: "uint16", i16: "int16"}

var goPred = map[int]string{17: "<", 18: "<=", 0: "==", 4: "!=", 30: ">", 29: ">="}

// twin writes a kernel body as Go statements on scalars. Products are converted
// explicitly, which forbids the compiler to fuse them into a following sum.
type twin struct {
	k    *kernel
	out  strings.Builder
	expr map[*val]string
	n    int
	rows [][]float32 // tables of the lookups
}

// tabName is how the tables are called, less an ending.
func (w *twin) tabName() string {
	if w.k.scalar != "" {
		return w.k.scalar
	}
	return lowerFirst(w.k.name)
}

// tables declares the rows that the body looks up.
func (w *twin) tables() string {
	if len(w.rows) == 0 {
		return ""
	}
	s := fmt.Sprintf("var %sTab = [%d][16]float32{\n", w.tabName(), len(w.rows))
	for _, row := range w.rows {
		s += "\t{"
		for i, v := range row {
			if i > 0 {
				s += ", "
			}
			s += strconv.FormatFloat(float64(v), 'x', -1, 32)
		}
		s += "},\n"
	}
	return s + "}\n\n"
}

func (w *twin) name(v *val) string {
	if s, ok := w.expr[v]; ok {
		return s
	}
	if v.op == "const" {
		return goConst(v)
	}
	if v.op == "scalar" {
		return v.name
	}
	if v.op == "bitcast" {
		if c := v.root(); c.op == "const" {
			return goConst(&val{t: v.t, bits: c.bits})
		}
		in := w.name(v.of)
		switch v.t {
		case i32:
			return "int32(math.Float32bits(" + in + "))"
		case f32:
			return "math.Float32frombits(uint32(" + in + "))"
		case i64:
			return "int64(math.Float64bits(" + in + "))"
		}
		return "math.Float64frombits(uint64(" + in + "))"
	}
	panic("no name for " + v.op)
}

func goConst(v *val) string {
	switch v.t {
	case f32:
		f := math.Float32frombits(uint32(v.bits))
		if f != f || math.IsInf(float64(f), 0) || f == 0 && v.bits != 0 {
			return fmt.Sprintf("math.Float32frombits(%#x)", v.bits)
		}
		if s := strconv.FormatFloat(float64(f), 'g', -1, 32); len(s) < 6 {
			return s
		}
		return strconv.FormatFloat(float64(f), 'x', -1, 32)
	case f64:
		f := math.Float64frombits(v.bits)
		if f != f || math.IsInf(f, 0) {
			return fmt.Sprintf("math.Float64frombits(%#x)", v.bits)
		}
		if s := strconv.FormatFloat(f, 'g', -1, 64); len(s) < 6 {
			return s
		}
		return strconv.FormatFloat(f, 'x', -1, 64)
	case i32:
		return strconv.Itoa(int(int32(uint32(v.bits))))
	case u8, u16:
		return strconv.Itoa(int(v.bits))
	case i8:
		return strconv.Itoa(int(int8(v.bits)))
	case i16:
		return strconv.Itoa(int(int16(v.bits)))
	}
	return strconv.Itoa(int(int64(v.bits)))
}

// open lists the operations written with an infix operator and no brackets.
var open = map[string]bool{"load": true, "add": true, "sub": true, "div": true, "and": true, "or": true, "xor": true, "shl": true,
	"sra": true, "cmp": true, "mul": true}

// statement gives v a Go variable, or an expression where it is used only once and is short.
func (w *twin) statement(v *val) {
	a := make([]string, len(v.args))
	for i, x := range v.args {
		a[i] = w.name(x)
		if open[x.op] && strings.Contains(a[i], " ") && v.op != "store" && v.op != "sel" && v.op != "stop" {
			a[i] = "(" + a[i] + ")"
		}
	}
	var e string
	infix := map[string]string{"add": " + ", "sub": " - ", "div": " / ", "and": " & ", "or": " | ", "xor": " ^ "}
	switch v.op {
	case "load":
		e = loadExpr(v)
	case "store":
		fmt.Fprintf(&w.out, "\t%s\n", storeStmt(v, a[0]))
		return
	case "stop":
		var in []string
		for _, s := range w.k.slices[1:] {
			in = append(in, s.name)
		}
		fmt.Fprintf(&w.out, "\tif %s {\n\t\treturn %s(%s)\n\t}\n", a[0], w.k.slow, strings.Join(in, ", "))
		return
	case "add", "sub", "div", "and", "or", "xor":
		if v.t == mask {
			infix = map[string]string{"and": " && ", "or": " || ", "xor": " != "}
		}
		e = a[0] + infix[v.op] + a[1]
	case "round":
		e = map[int]string{toNearest: "math.RoundToEven", down: "math.Floor", up: "math.Ceil", toZero: "math.Trunc"}[v.imm]
		if v.t == f32 {
			e = "float32(" + e + "(float64(" + a[0] + ")))"
		} else {
			e += "(" + a[0] + ")"
		}
	case "toi":
		e = "int32(" + a[0] + ")"
	case "mul":
		e = a[0] + " * " + a[1]
		if v.t == f32 || v.t == f64 {
			e = goType[v.t] + "(" + e + ")"
		}
	case "min":
		e = "lesser(" + a[0] + ", " + a[1] + ")"
		if v.t.narrow() {
			e = "min(" + a[0] + ", " + a[1] + ")"
		}
	case "max":
		e = "greater(" + a[0] + ", " + a[1] + ")"
		if v.t.narrow() {
			e = "max(" + a[0] + ", " + a[1] + ")"
		}
	case "sqrt":
		e = "sqrt(" + a[0] + ")"
		if v.t == f64 {
			e = "math.Sqrt(" + a[0] + ")"
		}
	case "fma", "fnma", "fms":
		if v.op == "fnma" {
			a[0] = "-" + a[0]
		} else if v.op == "fms" {
			a[2] = "-" + a[2]
		}
		e = fmt.Sprintf("%s(%s, %s, %s)", map[typ]string{f32: "fma", f64: "math.FMA"}[v.t], a[0], a[1], a[2])
	case "shl":
		e = fmt.Sprintf("%s << %d", a[0], v.imm)
	case "sra":
		e = fmt.Sprintf("%s >> %d", a[0], v.imm)
	case "srl":
		e = fmt.Sprintf("%s(u%[1]s(%s) >> %d)", goType[v.t], a[0], v.imm)
	case "shlby":
		e = fmt.Sprintf("%s << u%s(%s)", a[0], goType[v.t], a[1])
	case "sraby":
		e = fmt.Sprintf("%s >> u%s(%s)", a[0], goType[v.t], a[1])
	case "srlby":
		e = fmt.Sprintf("%[1]s(u%[1]s(%[2]s) >> u%[1]s(%[3]s))", goType[v.t], a[0], a[1])
	case "timesc":
		e = fmt.Sprintf("timesC64(%s, %s)", a[0], a[1])
	case "tof":
		e = "float32(" + a[0] + ")"
	case "cmp":
		e = a[0] + " " + goPred[v.imm] + " " + a[1]
		if v.imm == 25 {
			e = "!(" + a[0] + " >= " + a[1] + ")"
		}
		if v.imm == 3 {
			e = a[0] + " != " + a[0]
			if a[0] != a[1] {
				e += " || " + a[1] + " != " + a[1]
			}
		}
	case "lookup":
		e = fmt.Sprintf("%sTab[%d][%s&15]", w.tabName(), len(w.rows), a[0])
		w.rows = append(w.rows, v.tab)
	case "sel":
		n := w.fresh(v)
		fmt.Fprintf(&w.out, "\tvar %s %s = %s\n\tif %s {\n\t\t%s = %s\n\t}\n", n, goType[v.t], a[2], a[0], n, a[1])
		return
	default:
		panic("twin of " + v.op)
	}
	if v.uses <= 1 && (len(e) < 16 || v.op == "load" || v.op == "cmp") {
		w.expr[v] = e
		return
	}
	n := w.fresh(v)
	fmt.Fprintf(&w.out, "\t%s := %s\n", n, e)
}

func (w *twin) fresh(v *val) string {
	n := fmt.Sprintf("v%d", w.n)
	w.n++
	w.expr[v] = n
	return n
}

func loadExpr(v *val) string {
	e := v.name + "[i]"
	switch v.mem {
	case "", "f64f32":
		if v.mem != "" {
			return "float64(" + e + ")"
		}
		return e
	case "u8", "i8", "u16", "i16", "u32", "i32":
		return goType[v.t] + "(" + e + ")"
	case "bool":
		return e + " != 0"
	case "f16":
		return "f16to32(" + e + ")"
	}
	panic("load " + v.mem)
}

func storeStmt(v *val, e string) string {
	switch v.mem {
	case "u8":
		return v.name + "[i] = uint8(" + e + ")"
	case "u16":
		return v.name + "[i] = uint16(" + e + ")"
	case "bool":
		if v.imm == 1 {
			e = "!(" + e + ")"
		}
		return v.name + "[i] = toByte(" + e + ")"
	case "i32":
		return v.name + "[i] = int32(" + e + ")"
	case "f16":
		return v.name + "[i] = f32to16(" + e + ")"
	case "f32", "i64f32":
		return v.name + "[i] = float32(" + e + ")"
	}
	return v.name + "[i] = " + e
}

// body returns the statements of the kernel for one element.
func (k *kernel) twinBody() (body, tables string) {
	b := &B{tgt: goTwin}
	k.body(b)
	b.prune()
	w := &twin{k: k, expr: map[*val]string{}}
	if k.scalar != "" {
		// The body becomes a function of its own, from x to the value stored.
		for _, v := range b.code {
			switch v.op {
			case "load":
				w.expr[v] = strings.Replace(loadExpr(v), "[i]", "", 1)
			case "store":
				_, e, _ := strings.Cut(storeStmt(v, w.name(v.args[0])), " = ")
				fmt.Fprintf(&w.out, "\treturn %s\n", e)
			default:
				w.statement(v)
			}
		}
		return w.out.String(), w.tables()
	}
	for _, v := range b.code {
		w.statement(v)
	}
	return w.out.String(), w.tables()
}
