package main

// The tables below are printed by fit/fit.py, which says how they are made.

// coefExp: (e^r - 1 - r)/r^2 on |r| <= ln2/2; weighted error 2^-28.3 before and 2^-28.2 after rounding.
var coefExp = []float32{0x1.fffffcp-2, 0x1.55548cp-3, 0x1.55585ap-5, 0x1.123d5cp-7, 0x1.6ab6bep-10}
// coefExpm1: (e^r - 1 - r)/r^2 on |r| <= ln2/2, relative to e^r - 1; weighted error 2^-26.2 before and 2^-26.1 after rounding.
var coefExpm1 = []float32{0x1.fffffep-2, 0x1.5554aap-3, 0x1.555798p-5, 0x1.122bf6p-7, 0x1.6acabap-10}
