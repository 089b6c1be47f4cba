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

// tabGelu: Phi(-a) exp(a^2/2), rows c, c0, c1 ... as in table16; relative error 2^-26.8 before and 2^-18.7 after rounding.
var tabGelu = [][]float32{
	{0x1.4126d6p+0, 0x1.bf2b10p+0, 0x1.1f1aaep+1, 0x1.5f3b70p+1, 0x1.be4deep+1, 0x1.1f74c6p+2, 0x1.60b42ep+2, 0x1.9fae1ap+2, 0x1.006660p+3, 0x1.40830ap+3, 0x1.808f52p+3, 0x1.bfcac4p+3, 0x1.00a3ccp-3, 0x1.7eb866p-2, 0x1.400830p-1, 0x1.bec098p-1},
	{0x1.d794bep-3, 0x1.7bda4ap-3, 0x1.3b7198p-3, 0x1.0c35b0p-3, 0x1.b50b80p-4, 0x1.5bf574p-4, 0x1.1f94e0p-4, 0x1.ec02bcp-5, 0x1.91cd6ep-5, 0x1.4321bep-5, 0x1.0e1a58p-5, 0x1.d0be5ap-6, 0x1.d09326p-2, 0x1.850b24p-2, 0x1.4b1aa8p-2, 0x1.1edec2p-2},
	{-0x1.c2df34p-4, -0x1.330d34p-4, -0x1.b5f8d0p-5, -0x1.44438ap-5, -0x1.b8cc9cp-6, -0x1.1cd6dep-6, -0x1.89a6dcp-7, -0x1.2219bep-7, -0x1.858db8p-8, -0x1.fa5f6ep-9, -0x1.62cc04p-9, -0x1.070b52p-9, -0x1.5e4cc6p-2, -0x1.071c9cp-2, -0x1.931cbep-3, -0x1.3c68c0p-3},
	{0x1.798c1cp-5, 0x1.beb9bap-6, 0x1.176788p-6, 0x1.6e1de2p-7, 0x1.a67316p-8, 0x1.c1e9eep-9, 0x1.067b42p-9, 0x1.4f5a26p-10, 0x1.74685cp-11, 0x1.891f42p-12, 0x1.cf04f0p-13, 0x1.284fbap-13, 0x1.a4ac30p-3, 0x1.22b3d2p-3, 0x1.9a3fb6p-4, 0x1.29a816p-4},
	{-0x1.1d686ap-6, -0x1.2a960cp-7, -0x1.4c4f64p-8, -0x1.85e53ep-9, -0x1.82ef86p-10, -0x1.57e230p-11, -0x1.559cc0p-12, -0x1.7c706cp-13, -0x1.5f5e6ap-14, -0x1.2e765ap-15, -0x1.2c3070p-16, -0x1.4c29fcp-17, -0x1.afede8p-4, -0x1.166488p-4, -0x1.6e878ap-5, -0x1.f16bdep-6},
	{0x1.8c3b76p-8, 0x1.73e6f6p-9, 0x1.72fd94p-10, 0x1.89f1d6p-11, 0x1.52d0e2p-12, 0x1.fe8dd0p-14, 0x1.ae861cp-15, 0x1.ac2196p-16, 0x1.52bdf0p-17, 0x1.cf122cp-19, 0x1.7db870p-20, 0x1.715dfap-21, 0x1.8e17dcp-5, 0x1.e274d8p-6, 0x1.1e8202p-6, 0x1.7493fcp-7},
	{-0x1.032faap-9, -0x1.b73168p-11, -0x1.9053f0p-12, -0x1.824836p-13, -0x1.26e2dap-14, -0x1.73b982p-16, -0x1.0d8c24p-17, -0x1.d065a6p-19, -0x1.37d2d2p-20, -0x1.622042p-22, -0x1.ed636ep-24, -0x1.a0d3eep-25, -0x1.453144p-6, -0x1.712be8p-7, -0x1.b5a5e0p-8, -0x1.15215cp-8},
	{0x1.78bbbep-11, 0x1.e479eep-13, 0x1.425e52p-13, 0x1.1167c8p-14, 0x1.43b2c2p-16, 0x1.da49fcp-19, 0x1.a0b720p-19, -0x1.38231ep-22, -0x1.5fb136p-26, -0x1.3a320cp-24, 0x1.13227cp-25, 0x1.7b9e0cp-28, -0x1.252b84p-6, -0x1.51468ep-7, 0x1.c8a828p-6, 0x1.37d5e0p-7},
}
