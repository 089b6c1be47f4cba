package main

// The tables below are printed by fit/special.py, which says how they are made.

// coefLgamma: log gamma(2+w)/w on |w| <= 1/2; relative error 2^-34.0.
var coefLgamma = []float64{
	0x1.b0ee6072093cep-2, 0x1.4a34cc4eac480p-2, -0x1.13e001ad433ddp-4, 0x1.5132155e09a75p-6, -0x1.e404d4a1b2af2p-8, 0x1.7aec51918c322p-9,
	-0x1.38ba16b3c5394p-10, 0x1.091dc75bb4395p-11, -0x1.d01f28d52f22cp-13, 0x1.e2458007cf618p-14, -0x1.b4e37f8fecb99p-15,
}

// coefStirling: the rest of Stirling's formula times x, in 1/x^2 on x >= 5/2; relative error 2^-32.7.
var coefStirling = []float64{
	0x1.555555547fc02p-4, -0x1.6c16922879152p-9, 0x1.9fe22a778d534p-11, -0x1.31cc67e5ed152p-11, 0x1.6158959fedc52p-11,
	-0x1.470937114bc43p-11,
}

// coefDigamma: digamma(x)/(x - root) in x - 3/2 on 1 <= x <= 2; relative error 2^-30.4.
var coefDigamma = []float64{
	0x1.e6f0cbb359415p-1, -0x1.b1cb62f991d8ep-2, 0x1.eca1a0a5664dep-3, -0x1.2feefae001d2ep-3, 0x1.850a9b11ed80ep-4,
	-0x1.fb3912e2595f9p-5, 0x1.4f00033578b98p-5, -0x1.bb6bba9c1d8b7p-6, 0x1.1523973099fbep-6, -0x1.708afcc34f540p-7,
	0x1.6fc2a8cc1ee58p-7, -0x1.ea009c96737f3p-8,
}

// coefI0Near: I0(x)/x^0 in x^2 on x <= 8; relative error 2^-32.2.
var coefI0Near = []float64{
	0x1.fffffffdcb230p-1, 0x1.00000013da385p-2, 0x1.fffffe2793d6dp-7, 0x1.c71c82f3c8de1p-12, 0x1.c71bcce4be7eep-18,
	0x1.23490ba397e17p-24, 0x1.02ce550ab2805p-31, 0x1.531e4c09647c9p-39, 0x1.4c3cc00f7d4adp-47, 0x1.234c94c56c434p-55,
	0x1.b83220c1e48a2p-65, 0x1.5d383bc4c1e51p-72,
}

// coefI0Far: sqrt(x) e^-x I0(x) in 1/x on x >= 8; relative error 2^-32.5.
var coefI0Far = []float64{
	0x1.9884533c5b2d0p-2, 0x1.9884703d9d977p-5, 0x1.cb6efb3b38706p-6, 0x1.e8183aee4cb84p-6, 0x1.be3d123ddf20fp-6, 0x1.7dca9a040000ap-2,
	-0x1.0f54b47679631p+1, 0x1.20ede94d34bdep+3,
}

// coefI1Near: I1(x)/x^1 in x^2 on x <= 8; relative error 2^-30.5.
var coefI1Near = []float64{
	0x1.000000034c843p-1, 0x1.ffffff387ec97p-5, 0x1.55555d1c6eaf7p-9, 0x1.c71bf8e510adbp-15, 0x1.6c1a82ea5b362p-21,
	0x1.8439c7af2b532p-28, 0x1.28acc2350b458p-35, 0x1.4c70245695e98p-43, 0x1.4752353989712p-51, 0x1.13a0ec2b9da4fp-60,
	0x1.e0770f883a07ap-68,
}

// coefI1Far: sqrt(x) e^-x I1(x) in 1/x on x >= 8; relative error 2^-32.5.
var coefI1Far = []float64{
	0x1.9884533e4dcbap-2, -0x1.326346bea4432p-3, -0x1.7ee65c9994e77p-5, -0x1.5475b34b8c3cdp-5, -0x1.34024855fa564p-5,
	-0x1.b8f9d99a38077p-2, 0x1.3087c27c418abp+1, -0x1.452e4764e49e5p+3,
}

// coefErfinvNear: the quantile over 2p-1 in w - 1, w = -log(4p(1-p)), on w <= 5; weighted error 2^-27.4 before and 2^-27.2 after
// rounding.
var coefErfinvNear = []float32{
	0x1.209b9cp+0, -0x1.8f0a00p-27, 0x1.fb8fd0p-3, 0x1.1691f6p-8, -0x1.377c9ap-9, 0x1.a49d20p-14, 0x1.40bf82p-15, -0x1.2796b8p-18,
	-0x1.19a41ap-21, 0x1.310676p-23, -0x1.2e9d1ap-27,
}

// coefErfinvFar: likewise in sqrt(w) - 3 on 5 <= w <= 16; weighted error 2^-27.4 before and 2^-26.8 after rounding.
var coefErfinvFar = []float32{
	0x1.6a9efcp+1, -0x1.813d88p-26, 0x1.006dc8p+0, 0x1.358462p-7, -0x1.f4b3b8p-8, 0x1.746bdap-8, -0x1.d5c1d0p-9, 0x1.889d4cp-10,
	-0x1.573b6ep-14, -0x1.503844p-12, 0x1.1583eep-13,
}

// coefNdtriNear: the quantile over 2p-1 in w - 1, w = -log(4p(1-p)), on w <= 5; weighted error 2^-27.4 before and 2^-27.2 after rounding.
var coefNdtriNear = []float32{
	0x1.982734p+0, -0x1.d43b98p-26, 0x1.66e67ep-2, 0x1.89f522p-8, -0x1.b88168p-9, 0x1.296898p-13, 0x1.c579aep-15, -0x1.a14270p-18,
	-0x1.901008p-21, 0x1.b04d62p-23, -0x1.acb4d8p-27,
}

// coefNdtriFar: likewise in sqrt(w) - 3 on 5 <= w <= 16; weighted error 2^-27.4 before and 2^-27.2 after rounding.
var coefNdtriFar = []float32{
	0x1.00696cp+2, -0x1.f7285ep-23, 0x1.6aa526p+0, 0x1.b5b8c6p-7, -0x1.620062p-7, 0x1.075dcep-7, -0x1.4c9886p-8, 0x1.154086p-9,
	-0x1.b738b8p-14, -0x1.d8948cp-12, 0x1.7aa544p-13,
}

// coefNdtriFarthest: likewise in sqrt(w) - 7 on 16 <= w; weighted error 2^-28.3 before and 2^-27.6 after rounding.
var coefNdtriFarthest = []float32{
	0x1.36db3ap+3, -0x1.579a3ap-22, 0x1.6d268ep+0, -0x1.7c0be2p-11, 0x1.2f56e8p-17, 0x1.1bd8cap-17, -0x1.3f541ep-19, 0x1.003216p-21,
	-0x1.e63f86p-25, 0x1.fc1502p-28, -0x1.f0ef7ep-29, 0x1.4ad140p-31,
}

// coefErfcx: (1+2x) e^(x^2) erfc(x) in (x-3)/(x+3) on x >= 0; relative error 2^-32.2.
var coefErfcx = []float64{
	0x1.40c522d7d0caep+0, -0x1.15c084b38d18bp-3, -0x1.85a15b64b26fap-5, 0x1.0983638d90973p-3, -0x1.e88b88130cedep-4,
	0x1.17ca8c6b90548p-4, -0x1.8573fc93b8d00p-6, 0x1.4b3bed0743198p-9, 0x1.eef4682a6d424p-10, -0x1.95550f3b1878dp-11,
	-0x1.b4b7a743bb692p-14, 0x1.e0cafaa803123p-14, 0x1.02f6240e04eeap-18, -0x1.81428c9a26dcap-17,
}

// temme has the coefficients of ηⁿ/aᵏ of the incomplete gamma functions; scripts/special/temme.py prints more of them.
var temme = [][]float64{
	{-0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073, 0.0003527336860670194,
		-0.0001787551440329218, 3.919263178522438e-05, -2.185448510679992e-06, -1.85406221071516e-06, 8.296711340953087e-07,
		-1.7665952736826078e-07, 6.707853543401498e-09, 1.0261809784240309e-08, -4.382036018453353e-09, 9.14769958223679e-10,
		-2.5514193994946248e-11},
	{-0.001851851851851852, -0.003472222222222222, 0.0026455026455026454, -0.0009902263374485596, 0.00020576131687242798,
		-4.018775720164609e-07, -1.8098550334489977e-05, 7.64916091608111e-06, -1.6120900894563446e-06, 4.647127802807434e-09,
		1.378633446915721e-07, -5.752545603517705e-08, 1.1951628599778148e-08, -1.7543241719747647e-11},
	{0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049, 2.0093878600823047e-06, -0.0001073665322636516,
		5.2923448829120125e-05, -1.2760635188618728e-05, 3.423578734096138e-08, 1.3721957309062934e-06, -6.298992138380055e-07,
		1.4280614206064242e-07, -2.0477098421990866e-10},
	{0.0006494341563786008, 0.00022947209362139917, -0.0004691894943952557, 0.00026772063206283885, -7.561801671883977e-05,
		-2.396505113867297e-07, 1.1082654115347302e-05, -5.6749528269915965e-06, 1.4230900732435883e-06, -2.7861080291528143e-11},
	{-0.0008618882909167117, 0.0007840392217200666, -0.0002990724803031902, -1.4638452578843418e-06, 6.641498215465122e-05,
		-3.968365047179435e-05, 1.1375726970678419e-05, 2.507497226237533e-10},
}
