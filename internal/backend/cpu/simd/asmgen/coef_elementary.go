package main

// The tables below are printed by fit/elementary.py, which says how they are made.

// coefAtan64: (atan(r)/r - 1)/r^2 in r^2 on r <= tan(pi/8); weighted error 2^-58.2.
var coefAtan64 = []float64{-0x1.5555555555555p-2, 0x1.9999999999953p-3, -0x1.249249248d7dcp-3, 0x1.c71c71c303dbbp-4, -0x1.745d165dc9713p-4,
	0x1.3b1392d519db1p-4, -0x1.110e87b4357d2p-4, 0x1.e19a0bfa3eef9p-5, -0x1.ac7a5a79b3f26p-5, 0x1.74dccfb93fff0p-5, -0x1.1b311bb48c215p-5,
	0x1.0acd9e91a5a35p-6}

// coefAtan32: likewise, for float32; weighted error 2^-33.6.
var coefAtan32 = []float64{-0x1.5555554c099a8p-2, 0x1.99997b10270eap-3, -0x1.248a16707762dp-3, 0x1.c57b9120eab27p-4, -0x1.6143778c10af3p-4,
	0x1.9d86ebba846aap-5}

// coefAsin64: (asin(r)/r - 1)/r^2 in r^2 on r <= 1/2; weighted error 2^-57.3.
var coefAsin64 = []float64{0x1.5555555555556p-3, 0x1.3333333332ec4p-4, 0x1.6db6db6e3292ep-5, 0x1.f1c71c1d4aa0dp-6, 0x1.6e8bb1d89492bp-6,
	0x1.1c4d343fa57f6p-6, 0x1.c9cf3759fd8ffp-7, 0x1.78246f32d075cp-7, 0x1.524ea8b3aad31p-7, 0x1.653a8f8cfd43dp-8, 0x1.1d661531b222ep-6,
	-0x1.e7a24f548c99dp-7, 0x1.d78189767524ep-6}

// coefAsin32: likewise, for float32; weighted error 2^-34.0.
var coefAsin32 = []float64{0x1.5555555c06d99p-3, 0x1.33331ec1202bdp-4, 0x1.6dc0f61ccc6c3p-5, 0x1.efed0c67f5d24p-6, 0x1.82e318947cfa5p-6,
	0x1.5a41fba7de28bp-7, 0x1.fbaa70c46e293p-6}

// coefErf64: erf(r)/r - 1 in r^2 on r <= 1/2; weighted error 2^-55.6.
var coefErf64 = []float64{0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b28p-4, -0x1.b82ce3127f6d1p-6, 0x1.565bcd0aa3ed8p-8,
	-0x1.c02db23c5e7d3p-11, 0x1.f9a2a62fe9253p-14, -0x1.f4bb98aab31bep-17, 0x1.b775c94200bfbp-20, -0x1.39f7b53f1b575p-23}

// coefErf32: likewise, for float32; weighted error 2^-36.2.
var coefErf32 = []float64{0x1.06eba820da2f3p-3, -0x1.8127466f3ae9cp-2, 0x1.ce2ef226efcadp-4, -0x1.b8202c67bc75bp-6, 0x1.54d028f3a9deap-8,
	-0x1.9365f772b7bdep-11}

// coefErfc64: (1+2x) e^(x^2) erfc(x) in (x-3)/(x+3) on 1/2 <= x <= 27.5; weighted error 2^-54.0.
var coefErfc64 = []float64{0x1.40c522d7e4987p+0, -0x1.15c084bb9e8f8p-3, -0x1.85a15c58aa590p-5, 0x1.098366a5b49b4p-3, -0x1.e88b803a49cc2p-4,
	0x1.17ca2877e22b4p-4, -0x1.8574c40b81670p-6, 0x1.4b884e668e66ap-9, 0x1.ef1bdcf6b834dp-10, -0x1.98db568fbb6c0p-11,
	-0x1.b9124292cafa2p-14, 0x1.065abdac74118p-13, 0x1.4c119af44f89fp-18, -0x1.514b70b4d4f82p-16, -0x1.85f74b1065fe0p-21,
	0x1.d33ef59563a7ep-19, 0x1.70fa1e2491069p-22, -0x1.51b9065afea59p-21, -0x1.02e81e7c07ee5p-23, 0x1.dc33e02f2e1dcp-24,
	0x1.81ffb382a1f7ep-26, -0x1.01fd0c659864ap-26}

// coefErfc32: likewise on 1/2 <= x <= 10.5, for float32; weighted error 2^-34.0.
var coefErfc32 = []float64{0x1.40c522d7e362dp+0, -0x1.15c084a0140f1p-3, -0x1.85a15c8668fc1p-5, 0x1.098360331307bp-3, -0x1.e88b7be12ce7cp-4,
	0x1.17cb055e36bdep-4, -0x1.8575674fdc4aap-6, 0x1.4abedb5e8f91cp-9, 0x1.ef28464bdb7f4p-10, -0x1.8de7c0a693585p-11,
	-0x1.b0dfc75f38536p-14, 0x1.7ffe88e40bd80p-14}
