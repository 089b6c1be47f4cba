package dtype

// Promote returns the dtype two tensors of dtypes a and b compute in, and
// false where there is none: uint64 with a signed integer, which needs a cast.
//
// The results are PyTorch's, with unsigned against signed going to the next
// signed size, and complex taking the width of the wider real type.
func Promote(a, b DType) (DType, bool) {
	if a == b {
		return a, true
	}
	if a > b {
		a, b = b, a // a is now the lower in declaration order, so of the lower kind or narrower
	}
	ka, kb := a.Kind(), b.Kind()
	switch {
	case ka == KindBool:
		return b, true
	case ka == KindUint && kb == KindInt:
		return mixSigned(a, b)
	case kb == KindComplex:
		if a == Float64 || a == Complex128 || b == Complex128 {
			return Complex128, true
		}
		return Complex64, true
	case a == Float16 && b == BFloat16:
		return Float32, true
	}
	return b, true // same kind: the wider; lower kind: the higher
}

func mixSigned(u, s DType) (DType, bool) {
	if u == Uint64 {
		return Invalid, false
	}
	need := u.Size() * 2
	if s.Size() >= need {
		return s, true
	}
	switch need {
	case 2:
		return Int16, true
	case 4:
		return Int32, true
	}
	return Int64, true
}

// CanCast reports whether a value of dtype from may be stored as to without changing its kind downwards.
func CanCast(from, to DType) bool {
	kf, kt := from.Kind(), to.Kind()
	if kf == KindUint {
		kf = KindInt
	}
	if kt == KindUint {
		kt = KindInt
	}
	return kf <= kt
}
