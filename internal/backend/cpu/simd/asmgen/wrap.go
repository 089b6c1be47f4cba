package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

func (k *kernel) comment() string {
	return "// " + strings.ReplaceAll(k.doc, "\n", "\n// ") + "\n"
}

// twins writes the Go versions, always built.
func (f family) twins() []byte {
	var b bytes.Buffer
	for _, k := range f.kernels {
		if k.handWritten || k.cached != "" {
			continue
		}
		if k.rare != nil {
			far := *k
			far.body, far.scalar = k.rare, k.slow
			body, tables := far.twinBody()
			fmt.Fprintf(&b, "%sfunc %s(%s) %s {\n%s}\n\n", tables, k.slow, join(k.slices[1:], ""), k.slices[0].typ, body)
		}
		body, tables := k.twinBody()
		b.WriteString(tables)
		var loop string
		if k.scalar != "" {
			out, in := k.slices[0], k.slices[1:]
			fmt.Fprintf(&b, "func %s(%s) %s {\n%s}\n\n", k.scalar, join(in, ""), out.typ, body)
			args := ""
			for i, p := range in {
				if i > 0 {
					args += ", "
				}
				args += p.name + "[i]"
			}
			loop = fmt.Sprintf("\t%s[i] = %s(%s)\n", out.name, k.scalar, args)
		} else {
			loop = body
		}
		fmt.Fprintf(&b, "func %s(%s) {\n%s\tfor i := range z {\n%s\t}\n}\n\n", k.twinName(), k.params(), k.reslice(), loop)
	}
	return prolog("", b.String())
}

// reslice cuts the inputs to the length of the output.
func (k *kernel) reslice() string {
	if len(k.slices) < 2 {
		return ""
	}
	var l, r []string
	for _, s := range k.slices[1:] {
		l = append(l, s.name)
		r = append(r, s.name+"[:len("+k.slices[0].name+")]")
	}
	return "\t" + strings.Join(l, ", ") + " = " + strings.Join(r, ", ") + "\n"
}

func prolog(tag, body string) []byte {
	s := header
	if tag != "" {
		s += "//go:build " + tag + "\n\n"
	}
	s += "package simd\n\n"
	for line := range strings.Lines(body) {
		if strings.Contains(line, "math.") && !strings.HasPrefix(line, "//") {
			s += "import \"math\"\n\n"
			break
		}
	}
	return []byte(s + body)
}

// dispatch writes the exported functions and declares the assembly.
func (f family) dispatch() []byte {
	var b bytes.Buffer
	for _, k := range f.kernels {
		if k.cached != "" {
			k.streamed(&b)
		} else if !k.handWritten {
			fmt.Fprintf(&b, "%sfunc %s(%s) {\n%s\tswitch {\n\tcase len(z) == 0:\n", k.comment(), k.name, k.params(), k.reslice())
			k.call(&b, avx512)
			if !k.noAVX2 {
				k.call(&b, avx2)
			}
			fmt.Fprintf(&b, "\tdefault:\n\t\t%s(%s)\n\t}\n}\n\n", k.twinName(), k.names("", ""))
		}
		fmt.Fprintf(&b, "//go:noescape\n%s\n\n", k.asmDecl("AVX512"))
		if !k.noAVX2 {
			fmt.Fprintf(&b, "//go:noescape\n%s\n\n", k.asmDecl("AVX2"))
		}
	}
	return prolog("!purego", b.String())
}

// streamed writes the exported function of a kernel with non-temporal stores: they need full, aligned vectors,
// so the ends are left to the kernel with ordinary stores.
func (k *kernel) streamed(b *bytes.Buffer) {
	fmt.Fprintf(b, "%sfunc %s(%s) {\n%s\tlo, hi := aligned(z)\n\tif lo < hi {\n\t\tif useAVX512 {\n", k.comment(), k.name,
		k.params(), k.reslice())
	at := strings.ReplaceAll(k.pointers("hi-lo"), "[0]", "[lo]")
	fmt.Fprintf(b, "\t\t\t%s(%s)\n\t\t} else {\n\t\t\t%s(%s)\n\t\t}\n\t}\n", k.asmName("AVX512"), at, k.asmName("AVX2"), at)
	for _, part := range []string{"[:lo]", "[hi:]"} {
		fmt.Fprintf(b, "\t%s(%s)\n", k.cached, k.namesOf(k.cachedSlices(), "", part))
	}
	b.WriteString("}\n\n")
}

// cachedSlices leaves out the slice that is only prefetched.
func (k *kernel) cachedSlices() []param {
	var out []param
	for _, s := range k.slices {
		if !strings.HasPrefix(s.name, "next") {
			out = append(out, s)
		}
	}
	return out
}

// names lists the arguments with something before and after each slice.
func (k *kernel) names(pre, post string) string { return k.namesOf(k.slices, pre, post) }

func (k *kernel) namesOf(slices []param, pre, post string) string {
	var out []string
	for _, s := range slices {
		out = append(out, pre+s.name+post)
	}
	for _, s := range k.scalars {
		out = append(out, s.name)
	}
	return strings.Join(out, ", ")
}

func (k *kernel) pointers(n string) string {
	var out []string
	for _, s := range k.slices {
		out = append(out, "&"+s.name+"[0]")
	}
	out = append(out, n)
	for _, s := range k.scalars {
		out = append(out, s.name)
	}
	return strings.Join(out, ", ")
}

func (k *kernel) call(b *bytes.Buffer, t target) {
	isa, vl := "AVX2", 32
	if t == avx512 {
		isa, vl = "AVX512", 64
	}
	fmt.Fprintf(b, "\tcase use%s:\n", isa)
	k.callVariant(b, isa, vl, k.goTail(t))
}

// callVariant writes the call of the assembly for vectors of vl bytes; the twin does what is left.
func (k *kernel) callVariant(b io.Writer, isa string, vl int, tail bool) {
	fn := k.asmName(isa)
	switch {
	case k.stops:
		// The kernel stops before a vector it cannot do; the twin does that one.
		var all, cut []string
		for _, s := range k.slices {
			all = append(all, s.name)
			cut = append(cut, s.name+"[%s:]")
		}
		list := strings.Join(all, ", ")
		adv := func(n string) string {
			return list + " = " + strings.ReplaceAll(strings.Join(cut, ", "), "%s", n)
		}
		if tail { // full vectors only
			fmt.Fprintf(b, "\t\tfor len(z) >= %d {\n\t\t\tn := %s(%s)\n\t\t\t%s\n\t\t\tn = min(len(z), %d)\n", vl/k.lane, fn,
				k.pointers(fmt.Sprintf("len(z)&^%d", vl/k.lane-1)), adv("n"), vl/k.lane)
			fmt.Fprintf(b, "\t\t\t%s(%s)\n\t\t\t%s\n\t\t}\n\t\t%s(%s)\n", k.twinName(), k.names("", "[:n]"), adv("n"), k.twinName(),
				k.names("", ""))
			return
		}
		fmt.Fprintf(b, "\t\tfor len(z) > 0 {\n\t\t\tn := %s(%s)\n\t\t\t%s\n\t\t\tn = min(len(z), %d)\n", fn, k.pointers("len(z)"),
			adv("n"), vl/k.lane)
		fmt.Fprintf(b, "\t\t\t%s(%s)\n\t\t\t%s\n\t\t}\n", k.twinName(), k.names("", "[:n]"), adv("n"))
	case tail:
		fmt.Fprintf(b, "\t\tn := len(z) &^ %d\n\t\tif n > 0 {\n\t\t\t%s(%s)\n\t\t}\n", vl/k.lane-1, fn, k.pointers("n"))
		fmt.Fprintf(b, "\t\t%s(%s)\n", k.twinName(), k.names("", "[n:]"))
	default:
		fmt.Fprintf(b, "\t\t%s(%s)\n", fn, k.pointers("len(z)"))
	}
}

// noasm writes the exported functions where there is no assembly.
func (f family) noasm() []byte {
	var b bytes.Buffer
	for _, k := range f.kernels {
		if k.handWritten {
			continue
		}
		do := k.twinName()
		if k.cached != "" {
			do = lowerFirst(k.cached) + "Generic"
		}
		fmt.Fprintf(&b, "%sfunc %s(%s) { %s(%s) }\n\n", k.comment(), k.name, k.params(), do, k.namesOf(k.cachedSlices(), "", ""))
	}
	return prolog("purego || !amd64 && !arm64", b.String())
}
