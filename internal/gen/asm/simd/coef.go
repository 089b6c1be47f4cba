package main

// The tables below are printed by fit/fit.py, which says how they are made.

// coefExp: (e^r - 1 - r)/r^2 on |r| <= ln2/2; weighted error 2^-28.3 before and 2^-28.2 after rounding.
var coefExp = []float32{0x1.fffffcp-2, 0x1.55548cp-3, 0x1.55585ap-5, 0x1.123d5cp-7, 0x1.6ab6bep-10}

// coefExpm1: (e^r - 1 - r)/r^2 on |r| <= ln2/2, relative to e^r - 1; weighted error 2^-26.2 before and 2^-26.1 after rounding.
var coefExpm1 = []float32{0x1.fffffep-2, 0x1.5554aap-3, 0x1.555798p-5, 0x1.122bf6p-7, 0x1.6acabap-10}

// coefExp2: (2^r - 1)/r on |r| <= 1/2; weighted error 2^-28.5 before and 2^-27.5 after rounding.
var coefExp2 = []float32{0x1.62e432p-1, 0x1.ebfbe6p-3, 0x1.c6ada8p-5, 0x1.3b21c8p-7, 0x1.5fbddcp-10, 0x1.4bca4ep-13}

// coefLog: (log(1+f) - f + f^2/2)/f^3 on sqrt(1/2)-1 <= f <= sqrt(2)-1; weighted error 2^-27.4 before and 2^-27.1 after rounding.
var coefLog = []float32{0x1.555554p-2, -0x1.000228p-2, 0x1.99a036p-3, -0x1.54721ap-3, 0x1.22d5dep-3, -0x1.0d81e2p-3, 0x1.0571f0p-3, -0x1.38f5b8p-4}

// coefTanh: (tanh(x)/x - 1)/x^2 in x^2 on |x| <= 0.625; weighted error 2^-27.8 before and 2^-27.7 after rounding.
var coefTanh = []float32{-0x1.555532p-2, 0x1.1106f6p-3, -0x1.b835a4p-5, 0x1.51f8cep-6, -0x1.750ce2p-8}

// coefErf: erf(x)/x - 1 in x^2 on |x| <= 1; weighted error 2^-29.6 before and 2^-29.4 after rounding.
var coefErf = []float32{0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6, 0x1.53f224p-8, -0x1.a3515ep-11, 0x1.4771fep-14}

// coefErfc: -log(erfc(x)) on 1 <= x <= 4, weighted by erfc; weighted error 2^-29.9 before and 2^-29.2 after rounding.
var coefErfc = []float32{0x1.72ed60p-12, 0x1.2085b2p+0, 0x1.46c584p-1, 0x1.a60a7ep-4, -0x1.654216p-6, 0x1.814cc0p-9, -0x1.852d1ep-13}

// coefSin: (sin(r)/r - 1)/r^2 in r^2 on |r| <= pi/4; weighted error 2^-28.0 before and 2^-28.0 after rounding.
var coefSin = []float32{-0x1.555546p-3, 0x1.11077ap-7, -0x1.9954a4p-13}

// coefCos: (cos(r) - 1 + r^2/2)/r^4 in r^2 on |r| <= pi/4; weighted error 2^-33.3 before and 2^-33.1 after rounding.
var coefCos = []float32{0x1.55554ap-5, -0x1.6c0c1ap-10, 0x1.99e0eep-16}

// coefGeluP: numerator of Phi(-a) exp(a^2/2) on 0 <= a <= 14.5; weighted error 2^-27.3 before and 2^-25.5 after rounding.
var coefGeluP = []float32{0x1.000000p-1, 0x1.c0d124p-2, 0x1.774518p-3, 0x1.4cdfaap-5, 0x1.0dc632p-8}

// coefGeluQ: denominator of the same; weighted error 2^-27.3 before and 2^-25.5 after rounding.
var coefGeluQ = []float32{0x1.000000p+0, 0x1.acaac2p+0, 0x1.33d7d2p+0, 0x1.e0be6ap-2, 0x1.a138bap-4, 0x1.521ba2p-7}
