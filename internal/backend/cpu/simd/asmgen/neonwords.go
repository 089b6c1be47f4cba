package main

import "fmt"

// neonWords are the encodings, for four lanes of 32 bits, less the registers: bits 0 to 4 are the result, 5 to 9 the first
// operand, 16 to 20 the second.
var neonWords = map[string]uint32{
	"FADD": 0x4E20D400, "FSUB": 0x4EA0D400, "FMUL": 0x6E20DC00, "FDIV": 0x6E20FC00, "FMLA": 0x4E20CC00, "FMLS": 0x4EA0CC00,
	"FCMEQ": 0x4E20E400, "FCMGE": 0x6E20E400, "FCMGT": 0x6EA0E400, "FSQRT": 0x6EA1F800, "FNEG": 0x6EA0F800, "SCVTF": 0x4E21D800,
	"FCVTZS": 0x4EA1B800,
	"FRINTN": 0x4E218800, "FRINTM": 0x4E219800, "FRINTP": 0x4EA18800, "FRINTZ": 0x4EA19800,
	"FABS": 0x4EA0F800, "FMAX": 0x4E20F400, "FMIN": 0x4EA0F400,
	"ADD": 0x4EA08400, "SUB": 0x6EA08400, "MUL": 0x4EA09C00, "CMEQ": 0x6EA08C00, "CMGT": 0x4EA03400, "SMAX": 0x4EA06400, "SMIN": 0x4EA06C00,
	"UMAX": 0x6EA06400, "UMIN": 0x6EA06C00,
	"ZIP1": 0x4E803800, "ZIP2": 0x4E807800, "TRN1": 0x4E802800, "TRN2": 0x4E806800, "UZP1": 0x4E801800, "UZP2": 0x4E805800,
	// These do not look at lanes. BSL chooses by the bits of the result, BIT and BIF by those of the second operand.
	"AND": 0x4E201C00, "ORR": 0x4EA01C00, "EOR": 0x6E201C00, "BSL": 0x6E601C00, "BIT": 0x6EA01C00, "BIF": 0x6EE01C00,
	"BIC": 0x4E601C00, "ORN": 0x4EE01C00, "NOT": 0x6E205800, "TBL4": 0x4E006000,
	// The largest lane, as 32 bits in the first.
	"UMAXV": 0x6EB0A800,
	// Both operands one after the other, from byte 4 or 8 on.
	"EXT4": 0x6E002000, "EXT8": 0x6E004000,
	// Wider from narrower and back, by two: 8, 16 and 32 bits. The number is the bits of the narrower.
	"UXTL8": 0x2F08A400, "UXTL16": 0x2F10A400, "XTN8": 0x0E212800, "XTN16": 0x0E612800, "XTN32": 0x0EA12800, "UXTL32": 0x2F20A400,
	"FCVTL16": 0x0E217800, "FCVTL32": 0x0E617800, "FCVTN16": 0x0E216800, "FCVTN32": 0x0E616800, "CMEQ0": 0x4EA09800,
	// Against zero.
	"FCMEQ0": 0x4EA0D800, "FCMLT0": 0x4EA0E800, "CMTST": 0x4EA08C00, "SXTL8": 0x0F08A400, "SXTL16": 0x0F10A400, "SXTL32": 0x0F20A400,
	"SXTL2": 0x4F20A400,
	// These have a count in bits 16 to 22.
	"SHL": 0x4F005400, "USHR": 0x6F000400, "SSHR": 0x4F000400,
}

// neonWord is an instruction of lanes of a size, 0 where that does not matter; m is negative if there is one operand.
func neonWord(name string, size, d, n, m int) string {
	w, ok := neonWords[name]
	if !ok {
		panic("no word for " + name)
	}
	w |= uint32(d) | uint32(n)<<5
	note := fmt.Sprintf("%s V%d, V%d", name, d, n)
	if m >= 0 {
		w |= uint32(m) << 16
		note += fmt.Sprintf(", V%d", m)
	}
	switch size {
	case 8:
		w |= 1 << 22
		note += ", 64 bits"
	case 1, 2:
		w = w&^(3<<22) | uint32(size-1)<<22
		note += fmt.Sprintf(", %d bits", 8*size)
	}
	return fmt.Sprintf("WORD $0x%08x // %s", w, note)
}

func neonShift(name string, size, d, n, count int) string {
	field := 8*size + count
	if name != "SHL" {
		field = 16*size - count
	}
	return fmt.Sprintf("WORD $0x%08x // %s V%d, V%d, %d", neonWords[name]|uint32(field)<<16|uint32(n)<<5|uint32(d), name, d, n, count)
}

// neonImmediates set all lanes, of floats or of bytes, to the number in their name.
var neonImmediates = map[string]uint32{
	"FMOV1": 0x4F03F600, "FMOV2": 0x4F00F400, "FMOV4": 0x4F00F600, "FMOV5": 0x4F00F680, "FMOV8": 0x4F01F400, "MOVI1": 0x4F00E420,
}

// neonDouble is neonImmediate for lanes of 64 bits.
func neonDouble(name string, d int) string {
	return fmt.Sprintf("WORD $0x%08x // %s V%d, 64 bits", neonImmediates[name]|1<<29|uint32(d), name, d)
}

func neonImmediate(name string, d int) string {
	return fmt.Sprintf("WORD $0x%08x // %s V%d", neonImmediates[name]|uint32(d), name, d)
}
