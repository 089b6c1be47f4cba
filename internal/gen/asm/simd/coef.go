package main

// The tables below are printed by fit/fit.py, which says how they are made.

// coefExp: (e^r - 1 - r)/r^2 on |r| <= ln2/2; weighted error 2^-28.3 before and 2^-28.2 after rounding.
var coefExp = []float32{0x1.fffffcp-2, 0x1.55548cp-3, 0x1.55585ap-5, 0x1.123d5cp-7, 0x1.6ab6bep-10}

// coefExpm1: (e^r - 1 - r)/r^2 on |r| <= ln2/2, relative to e^r - 1; weighted error 2^-26.2 before and 2^-26.1 after rounding.
var coefExpm1 = []float32{0x1.fffffep-2, 0x1.5554aap-3, 0x1.555798p-5, 0x1.122bf6p-7, 0x1.6acabap-10}

// coefExp2: (2^r - 1)/r on |r| <= 1/2; weighted error 2^-28.5 before and 2^-27.5 after rounding.
var coefExp2 = []float32{0x1.62e432p-1, 0x1.ebfbe6p-3, 0x1.c6ada8p-5, 0x1.3b21c8p-7, 0x1.5fbcd6p-10, 0x1.4bdbc0p-13}

// coefLog: (log(1+f) - f + f^2/2)/f^3 on -1/4 <= f <= 1/2; weighted error 2^-27.6 before and 2^-27.6 after rounding.
var coefLog = []float32{0x1.5555a4p-2, -0x1.000040p-2, 0x1.99693ap-3, -0x1.54ef66p-3, 0x1.288b5ep-3, -0x1.0d973cp-3, 0x1.ac6e68p-4, -0x1.70aee8p-5}

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

// coefPowLog: log2(1+f)/f on sqrt(1/2)-1 <= f <= sqrt(2)-1; weighted error 2^-40.6 before and 2^-40.6 after rounding.
var coefPowLog = []float64{0x1.71547652b89dfp+0, -0x1.715476528d498p-1, 0x1.ec709dbd24053p-2, -0x1.715476b43f734p-2, 0x1.2776c940c6301p-2, -0x1.ec7061e1c7507p-3, 0x1.a615466bf73c1p-3, -0x1.715b8d4c11d34p-3, 0x1.488d0665cfe7fp-3, -0x1.272ba27350c93p-3, 0x1.087cb5548f364p-3, -0x1.e9fc7423ba9d6p-4, 0x1.024d019af0a96p-3, -0x1.f9f0faee99f6ap-4, 0x1.02cb3179b8a91p-4}

// coefPowExp: 2^r on |r| <= 1/2; weighted error 2^-34.5 before and 2^-34.5 after rounding.
var coefPowExp = []float64{0x1.ffffffffabbccp-1, 0x1.62e42ff11625ap-1, 0x1.ebfbe0a4bea82p-3, 0x1.c6b08aaf33332p-5, 0x1.3b29dc40bbcf7p-7, 0x1.5d8a7083d4df3p-10, 0x1.446a1fede96afp-13, 0x1.fe1789577ef37p-17}

// tabGelu: Phi(-a) exp(a^2/2), rows c, c0, c1 ... as in table16; relative error 2^-26.8 before and 2^-26.9 after rounding.
var tabGelu = [][]float32{
	{0x1.4126d6p+0, 0x1.bf2b10p+0, 0x1.1f1aaep+1, 0x1.5f3b70p+1, 0x1.be4deep+1, 0x1.1f74c6p+2, 0x1.60b42ep+2, 0x1.9fae1ap+2, 0x1.006660p+3, 0x1.40830ap+3, 0x1.808f52p+3, 0x1.bfcac4p+3, 0x1.00a3ccp-3, 0x1.7eb866p-2, 0x1.400830p-1, 0x1.bec098p-1},
	{0x1.d794bep-3, 0x1.7bda4ap-3, 0x1.3b7198p-3, 0x1.0c35b0p-3, 0x1.b50b80p-4, 0x1.5bf574p-4, 0x1.1f94e0p-4, 0x1.ec02bcp-5, 0x1.91cd6ep-5, 0x1.4321bep-5, 0x1.0e1a58p-5, 0x1.d0be5ap-6, 0x1.d09326p-2, 0x1.850b24p-2, 0x1.4b1aa8p-2, 0x1.1edec2p-2},
	{-0x1.c2df34p-4, -0x1.330d34p-4, -0x1.b5f8d0p-5, -0x1.44438ap-5, -0x1.b8cc9cp-6, -0x1.1cd6dep-6, -0x1.89a6dcp-7, -0x1.2219bep-7, -0x1.858db8p-8, -0x1.fa5f6ep-9, -0x1.62cc04p-9, -0x1.070b52p-9, -0x1.5e4cc6p-2, -0x1.071c9cp-2, -0x1.931cbep-3, -0x1.3c68c0p-3},
	{0x1.798b3cp-5, 0x1.beb9bap-6, 0x1.176738p-6, 0x1.6e1de2p-7, 0x1.a67184p-8, 0x1.c1e9eep-9, 0x1.0679fap-9, 0x1.4f5b44p-10, 0x1.747f04p-11, 0x1.892060p-12, 0x1.cf0190p-13, 0x1.284fbap-13, 0x1.a4adbap-3, 0x1.22b4b0p-3, 0x1.9a3cf4p-4, 0x1.29a70ap-4},
	{-0x1.1d6776p-6, -0x1.2a960cp-7, -0x1.4c5034p-8, -0x1.85e53ep-9, -0x1.82f176p-10, -0x1.57e230p-11, -0x1.559870p-12, -0x1.7c6f5cp-13, -0x1.5f69e6p-14, -0x1.2e7610p-15, -0x1.2c2d74p-16, -0x1.4c29fcp-17, -0x1.afee8cp-4, -0x1.16627ap-4, -0x1.6e8768p-5, -0x1.f173f6p-6},
	{0x1.8cffeep-8, 0x1.73e6fcp-9, 0x1.7431b2p-10, 0x1.8a9d2cp-11, 0x1.547aaep-12, 0x1.fe8dd0p-14, 0x1.b28d68p-15, 0x1.a81284p-16, 0x1.4753e2p-17, 0x1.cd56acp-19, 0x1.82fdd2p-20, 0x1.721dc8p-21, 0x1.891fe0p-5, 0x1.dcd7fcp-6, 0x1.278f50p-6, 0x1.7b5e3cp-7},
	{-0x1.039660p-9, -0x1.b7302cp-11, -0x1.8efda2p-12, -0x1.81c4c4p-13, -0x1.2606a6p-14, -0x1.73b982p-16, -0x1.10b072p-17, -0x1.d1dcfcp-19, -0x1.34f43cp-20, -0x1.6255b4p-22, -0x1.f235d2p-24, -0x1.a0a774p-25, -0x1.4466e8p-6, -0x1.767aacp-7, -0x1.b8b644p-8, -0x1.0a831ap-8},
	{0x1.3ff688p-11, 0x1.e46fe6p-13, 0x1.9540fep-14, 0x1.640e98p-15, 0x1.db5958p-17, 0x1.e4c9fcp-19, 0x1.4c4d6ep-20, 0x1.d9ce98p-22, 0x1.1b22b4p-23, 0x1.0bf812p-25, 0x1.307448p-27, 0x1.0e0610p-28, 0x1.48af3ep-7, 0x1.6598c4p-8, 0x1.576d24p-9, -0x1.3df110p-15},
}
