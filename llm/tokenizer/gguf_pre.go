package tokenizer

import "github.com/lucid-go/lucid/llm/tokenizer/internal/pattern"

// preType is what a name in tokenizer.ggml.pre stands for: the normalizer and cuts of the tokenizer.json that the vocabulary
// was made from.
type preType struct {
	nfc          bool
	ignoreMerges bool
	splits       []cut
}

// cut is one step: the matches of an expression apart, or joined.
type cut struct {
	expr string
	act  behavior
}

func (c cut) splitter() preTokenizer {
	p, err := pattern.Compile(c.expr)
	check(err)
	return splitter{find: p, act: c.act}
}

const (
	llama3Expr = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2Expr  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen35Expr = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}` +
		`| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	upperRun    = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	lowerRun    = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	contraction = `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
	cased       = `[^\r\n\p{L}\p{N}]?` + upperRun + `*` + lowerRun + `+`
	casedUpper  = `[^\r\n\p{L}\p{N}]?` + upperRun + `+` + lowerRun + `*`
	casedRest   = ` ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	o200kExpr   = cased + contraction + `|` + casedUpper + contraction + `|\p{N}{1,3}|` + casedRest
	tekkenExpr  = cased + `|` + casedUpper + `|\p{N}|` + casedRest
	deepseek3   = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+" +
		`|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	// Letters of alphabets with two cases.
	casedLetters = `A-Za-z\u00B5\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u01BA\u01BC-\u01BF\u01C4-\u0293\u0295-\u02AF\u0370-\u0373\u0376\u0377` +
		`\u037B-\u037D\u037F\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03F5\u03F7-\u0481\u048A-\u052F\u0531-\u0556` +
		`\u10A0-\u10C5\u13A0-\u13F5\u13F8-\u13FD\u1C90-\u1CBA\u1CBD-\u1CBF\u1D00-\u1D2B\u1D6B-\u1D77\u1D79-\u1D9A` +
		`\u1E00-\u1F15\u1F18-\u1F1D\u1F20-\u1F45\u1F48-\u1F4D\u1F50-\u1F57\u1F59\u1F5B\u1F5D\u1F5F-\u1F7D\u1F80-\u1FB4` +
		`\u1FB6-\u1FBC\u1FBE\u1FC2-\u1FC4\u1FC6-\u1FCC\u1FD0-\u1FD3\u1FD6-\u1FDB\u1FE0-\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFC` +
		`\u2102\u2107\u210A-\u2113\u2115\u2119-\u211D\u2124\u2126\u2128\u212A-\u212D\u212F-\u2134\u2139\u213C-\u213F` +
		`\u2145-\u2149\u214E\u2183\u2184\u2C00-\u2C7B\u2C7E-\u2CE4\u2CEB-\u2CEE\u2CF2\u2CF3\uA640-\uA66D\uA680-\uA69B` +
		`\uA722-\uA76F\uA771-\uA787\uA78B-\uA78E\uAB70-\uABBF\uFB00-\uFB06\uFB13-\uFB17\uFF21-\uFF3A\uFF41-\uFF5A` +
		`\u{10400}-\u{1044F}\u{104B0}-\u{104D3}\u{104D8}-\u{104FB}\u{10C80}-\u{10CB2}\u{10CC0}-\u{10CF2}\u{118A0}-\u{118DF}` +
		`\u{1E900}-\u{1E943}`
	eastAsian = `[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+`
	asciiMark = "[\\p{P}\\$\\+<=>\\^~\\|`]+"
)

var (
	gpt2Pre   = preType{splits: []cut{{gpt2Expr, isolated}}}
	digitsPre = preType{splits: []cut{{`\p{N}`, isolated}, {gpt2Expr, isolated}}}
	llama3Pre = preType{ignoreMerges: true, splits: []cut{{llama3Expr, isolated}}}
	qwen2Pre  = preType{nfc: true, splits: []cut{{qwen2Expr, isolated}}}
	o200kPre  = preType{splits: []cut{{o200kExpr, isolated}}}
	deepV3Pre = preType{splits: []cut{{`\p{N}{1,3}`, isolated}, {`[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+`, isolated},
		{deepseek3, isolated}}}
	falconPre = preType{splits: []cut{{asciiMark, isolated}, {gpt2Expr, isolated}, {`[0-9][0-9][0-9]`, isolated}}}
	deepLLM   = preType{splits: []cut{{`[\r\n]`, isolated}, {`\s?[` + casedLetters + `]+`, isolated},
		{`\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+`, isolated}, {`\s+$`, isolated}, {eastAsian, isolated},
		{`\p{N}+`, isolated}}}
	deepCoder = preType{splits: []cut{{`[\r\n]`, isolated}, {`\s?\p{L}+`, isolated}, {`\s?\p{P}+`, isolated}, {eastAsian,
		isolated}, {`\p{N}`, isolated}}}
	defaultPre = preType{splits: []cut{{`[\p{P}\$\+<=>\^~\|]+`, isolated}, {gpt2Expr, isolated}, {`\p{N}+`, isolated},
		{`[0-9][0-9][0-9]`, isolated}}}
)

// preTypes are the names this package knows.
var preTypes = map[string]preType{
	"default": defaultPre, "gpt-2": gpt2Pre, "phi-2": gpt2Pre, "jina-es": gpt2Pre, "jina-de": gpt2Pre, "jina-v1-en": gpt2Pre,
	"jina-v2-es": gpt2Pre,
	"jina-v2-de": gpt2Pre, "jina-v2-code": gpt2Pre, "roberta-bpe": gpt2Pre, "mpt": withNFC(gpt2Pre), "olmo": withNFC(gpt2Pre),
	"jais":        gpt2Pre,
	"modern-bert": withNFC(gpt2Pre), "llama3": llama3Pre, "llama-v3": llama3Pre, "llama-bpe": llama3Pre, "falcon3": llama3Pre,
	"dbrx":      withMerges(llama3Pre),
	"smaug-bpe": withMerges(llama3Pre), "glm4": withMerges(llama3Pre), "chatglm-bpe": withMerges(llama3Pre), "qwen2": qwen2Pre,
	"deepseek-r1-qwen": qwen2Pre, "megrez": qwen2Pre,
	"stablelm2": {splits: qwen2Pre.splits}, "hunyuan": {splits: qwen2Pre.splits}, "qwen35": {splits: []cut{{qwen35Expr, isolated}}},
	"smollm": digitsPre, "starcoder": digitsPre, "refact": digitsPre, "codeshell": digitsPre, "command-r": withNFC(digitsPre),
	"exaone":     digitsPre,
	"minerva-7b": digitsPre, "gpt-4o": o200kPre, "llama4": o200kPre, "kanana2": o200kPre, "tekken": {ignoreMerges: true,
		splits: []cut{{tekkenExpr, isolated}}},
	"gemma4": {splits: []cut{{`[^\n]+|[\n]+`, isolated}}}, "deepseek-v3": deepV3Pre, "hunyuan-dense": deepV3Pre,
	"deepseek-llm": deepLLM, "deepseek-coder": deepCoder, "falcon": falconPre,
}

func withNFC(p preType) preType { p.nfc = true; return p }

// withMerges takes the merges also where a whole piece is a token.
func withMerges(p preType) preType { p.ignoreMerges = false; return p }
