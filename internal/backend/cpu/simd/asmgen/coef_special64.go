package main

// The tables below are printed by fit/special64.py, which says how they are made.

// coefErfcxAll: (1+2x) e^(x^2) erfc(x) in (x-3)/(x+3) on x >= 0; relative error 2^-56.2.
var coefErfcxAll = []float64{
	0x1.40c522d7e4987p+0, -0x1.15c084bb9e8f2p-3, -0x1.85a15c58aa5e6p-5, 0x1.098366a5b466cp-3, -0x1.e88b803a49228p-4,
	0x1.17ca2877f2532p-4, -0x1.8574c40bd189cp-6, 0x1.4b884e41eebcbp-9, 0x1.ef1bdd4ca47a3p-10, -0x1.98db50d72f6fdp-11,
	-0x1.b91279aaf4f8dp-14, 0x1.065a34115a389p-13, 0x1.4c2781340ddffp-18, -0x1.513b482a54a1dp-16, -0x1.88ba0a324beaap-21,
	0x1.d20f41dbcb1c9p-19, 0x1.7f26fd7caec6cp-22, -0x1.4b0fad3f74c42p-21, -0x1.3015c7bf14f85p-23, 0x1.b58741910ab39p-24,
	0x1.67206d83c9b4dp-25, -0x1.c9e3f1cd92f5bp-27, -0x1.24124a7979a5cp-27, 0x1.0fbd1ff90e1c8p-30, 0x1.e750cac4778d3p-31,
}

const lgammaSlope, lgammaSlopeLow = 0x1.b0ee6072093cep-2, 0x1.6cb90701fbfabp-58

// coefLgammaTwo: (log gamma(2+w)/w - slope)/w on |w| <= 1/2; relative error 2^-57.1.
var coefLgammaTwo = []float64{
	0x1.4a34cc4a60fa6p-2, -0x1.13e001a557607p-4, 0x1.51322ac7d8333p-6, -0x1.e404fc218f370p-8, 0x1.7add6eadfcc7bp-9,
	-0x1.38ac5c2c3ba16p-10, 0x1.0b36af5972ed1p-11, -0x1.d3fd4c217341ep-13, 0x1.a127cd91ac95bp-14, -0x1.78de7721ff5a0p-15,
	0x1.5808af19fa483p-16, -0x1.3cb7b3b3125e1p-17, 0x1.2620de1c78d97p-18, -0x1.1235bb6eb9201p-19, 0x1.f038cb2f6a913p-21,
	-0x1.d295ec4df68f0p-22, 0x1.2703c6effc4ebp-22, -0x1.17d0781c44b2ep-23,
}

// coefStirlingRest: the rest of Stirling's formula times x, in 1/x^2 on x >= 5/2; relative error 2^-52.2.
var coefStirlingRest = []float64{
	0x1.5555555555554p-4, -0x1.6c16c16c02ef8p-9, 0x1.a01a013179c33p-11, -0x1.3813437e05b10p-11, 0x1.b93f9b12f201fp-11,
	-0x1.f502df404b751p-10, 0x1.974073ec1445fp-8, -0x1.9d12939e1dd9bp-6, 0x1.b5d744289690fp-4, -0x1.96d6570313276p-2,
	0x1.1c7f743b60ae6p+0, -0x1.fbe47040d5df3p+0, 0x1.a86cf68474097p+0,
}

// coefDigammaOne: digamma(x)/(x - root) in x - 3/2 on 1 <= x <= 2; relative error 2^-58.4.
var coefDigammaOne = []float64{
	0x1.e6f0cbb873616p-1, -0x1.b1cb63005ee98p-2, 0x1.eca189b8e6f6dp-3, -0x1.2feeeb98a78eap-3, 0x1.8512e5903903ep-4,
	-0x1.fb44202a2306bp-5, 0x1.4de9aa1779d23p-5, -0x1.b9f8b11bfd3d0p-6, 0x1.2564717896ec6p-6, -0x1.863563f44f303p-7,
	0x1.03c0adafa529cp-7, -0x1.5a06a5d662cb4p-8, 0x1.cd2011454fd05p-9, -0x1.336dbe66757c8p-9, 0x1.99d3f5c0cad5ep-10,
	-0x1.0fb38d217b800p-10, 0x1.6a3e76070c135p-11, -0x1.fd8e50abf2196p-12, 0x1.53b23429da21bp-12, -0x1.2fae5cb379bf2p-13,
	0x1.94e73cc9821e1p-14, -0x1.75c084e78a4cdp-13, 0x1.f255c4568ac4dp-14,
}

// coefDigammaFar: x^2 (log x - 1/2x - digamma(x)) in 1/x^2 on x >= 2; relative error 2^-52.1.
var coefDigammaFar = []float64{
	0x1.5555555555554p-4, -0x1.1111111109e62p-7, 0x1.041040eb6b06bp-8, -0x1.1110fff770a6ap-8, 0x1.f075bb607ec82p-8,
	-0x1.593636e943c74p-6, 0x1.5186623adf876p-4, -0x1.a966fb638e1f4p-2, 0x1.344e133fb731dp+1, -0x1.c59f1b96a8f96p+3,
	0x1.318d7f96efe83p+6, -0x1.5ea8e09c8d243p+8, 0x1.45d47e6a504d0p+10, -0x1.d5ccd8a45d646p+11, 0x1.f59444d65bd73p+12,
	-0x1.733d535894f38p+13, 0x1.52f922c7da7ccp+13, -0x1.1eff058434261p+12,
}

// coefTrigammaFar: x^3 (trigamma(x) - 1/x - 1/2x^2) in 1/x^2 on x >= 2; relative error 2^-53.3.
var coefTrigammaFar = []float64{
	0x1.5555555555555p-3, -0x1.111111110f2c6p-5, 0x1.8618617d3e97ap-6, -0x1.11110ce399553p-5, 0x1.364c8315729bbp-4,
	-0x1.031a8162f8258p-2, 0x1.297b18da31bacp+0, -0x1.b9be81b5e2460p+2, 0x1.87aed214432a8p+5, -0x1.76dd2102a8a04p+8,
	0x1.5f181485914a6p+11, -0x1.2ab61eadaba6cp+14, 0x1.b7444a5bf75f7p+16, -0x1.0de2c351a92adp+19, 0x1.0e0ae894ccff1p+21,
	-0x1.ad5c88fe4350ap+22, 0x1.07841366e75a5p+24, -0x1.e00787f071b81p+24, 0x1.30cba1ce589d5p+25, -0x1.e0ecc4185a49bp+24,
	0x1.628937d13a6c4p+23,
}

// coefSinPi: sin(pi x)/x in x^2 on x <= 1/2; relative error 2^-61.5.
var coefSinPi = []float64{
	0x1.921fb54442d18p+1, -0x1.4abbce625be52p+2, 0x1.466bc6775aa7dp+1, -0x1.32d2cce627c86p-1, 0x1.5078348551854p-4,
	-0x1.e3074dfaf87afp-8, 0x1.e8f3675ee37ddp-12, -0x1.6f7acdb8f6580p-16, 0x1.9d462020fcc78p-21,
}

// coefCosPi: (cos(pi x) - 1)/x^2 in x^2 on x <= 1/2; relative error 2^-65.1.
var coefCosPi = []float64{
	-0x1.3bd3cc9be45dep+2, 0x1.03c1f081b5ac4p+2, -0x1.55d3c7e3cbfdap+0, 0x1.e1f50689191cbp-3, -0x1.a6d1f2a05f609p-6,
	0x1.f9d38906e2150p-10, -0x1.b6e1cdea474b9p-14, 0x1.20a61e049e33fp-18, -0x1.2175e33b10f9dp-23,
}

// coefI0eNear: e^-x I0(x)/x^0 in x - 4 on x <= 8; relative error 2^-58.2.
var coefI0eNear = []float64{
	0x1.a7f09f8eedf5ap-3, -0x1.cedda0048620cp-6, 0x1.8322d1d8a3bbbp-8, -0x1.6cb8d0c91588fp-10, 0x1.65c235bfeaa72p-12,
	-0x1.5c028fe647844p-14, 0x1.44b6196a78062p-16, -0x1.1cd73a8e6cd6ep-18, 0x1.d11e10f60db14p-21, -0x1.602411e2b84cbp-23,
	0x1.ee6f564cfa915p-26, -0x1.427b099142586p-28, 0x1.87e867ba41db8p-31, -0x1.bd258ef81b1b7p-34, 0x1.da1a9fb31a327p-37,
	-0x1.daf9ae8ac58f3p-40, 0x1.c0f4afe538061p-43, -0x1.918057560fb50p-46, 0x1.5496c575b16e4p-49, -0x1.12c45b18c205dp-52,
	0x1.a6d2ef17e0495p-56, -0x1.3666062a15f5fp-59, 0x1.b170d36b55864p-63, -0x1.246102354dd25p-66, 0x1.8aa9ed99d4de8p-70,
	-0x1.e70761a76cf5bp-74, 0x1.c35f7ef8ecfc7p-78, -0x1.0e148b0af9254p-81, 0x1.332208b1b9040p-84, -0x1.409665a03765ap-88,
}

// coefI0eFar: sqrt(x) e^-x I0(x) in 1/x - 1/16 on x >= 8; relative error 2^-57.0.
var coefI0eFar = []float64{
	0x1.9bd428ad249a5p-2, 0x1.b87969bb93b75p-5, 0x1.1daa72b5e650cp-5, 0x1.75e5ee71edd14p-5, 0x1.8e513a1d5e52bp-4, 0x1.3f49a6bcfc2d9p-2,
	0x1.7d0f75812d9bcp+0, 0x1.51ced7b713adcp+3, 0x1.7224b1828e507p+6, 0x1.03896efb09a41p+9, -0x1.ce768f00b5374p+12,
	-0x1.cc90f59ec1228p+17, -0x1.77cc956faaa2fp+20, 0x1.0317d4c7b215ap+25, 0x1.047454ffcb608p+29, -0x1.df1549cddfaf8p+31,
	-0x1.a9411c5b0ad08p+36, 0x1.9bbbfe31d81e9p+38, 0x1.0ab5ef575d285p+44, -0x1.31c908a5dd531p+45, -0x1.e8fd992032bedp+50,
	0x1.42a55974d41b8p+51, 0x1.1ce14787c5bdep+57, -0x1.52109c25bd9ecp+56, -0x1.36e52c10032d7p+62,
}

// coefI1eNear: e^-x I1(x)/x^1 in x - 4 on x <= 8; relative error 2^-58.9.
var coefI1eNear = []float64{
	0x1.6e14eb8e5d319p-5, -0x1.f4bb071a7752bp-7, 0x1.16c390ddb08ecp-8, -0x1.1881379ffb5c2p-10, 0x1.0530f817ffa4ap-12,
	-0x1.c4daa51341c6dp-15, 0x1.6df95e8bdfc8fp-17, -0x1.13d5f358a4edap-19, 0x1.84125b0d2de85p-22, -0x1.fe3d9c01a6736p-25,
	0x1.3a0c1a007877fp-27, -0x1.6ab6a3876ed57p-30, 0x1.89f8a69545405p-33, -0x1.93682690e9b9ap-36, 0x1.8656c1654765cp-39,
	-0x1.65bf65dd72f08p-42, 0x1.37430c18eefeap-45, -0x1.01a43775d9f1cp-48, 0x1.969330fb70d0ep-52, -0x1.3269f669d578fp-55,
	0x1.ba196041625d2p-59, -0x1.317ffb356f636p-62, 0x1.93a99c550319ep-66, -0x1.01b4b419a1fcbp-69, 0x1.46a890c79f1e3p-73,
	-0x1.80875810a1429p-77, 0x1.65dc717d15110p-81, -0x1.95ae4a3a5ec82p-85, 0x1.99db77e00f02dp-88, -0x1.9be8fdf579908p-92,
}

// coefI1eFar: sqrt(x) e^-x I1(x) in 1/x - 1/16 on x >= 8; relative error 2^-56.9.
var coefI1eFar = []float64{
	0x1.8ebe783a84030p-2, -0x1.3f796198ee628p-3, -0x1.cbc54df1ece76p-5, -0x1.f89c23066d278p-5, -0x1.ec8e101744487p-4,
	-0x1.76137e6905189p-2, -0x1.ad8db6e1fecbbp+0, -0x1.727a73a8063a8p+3, -0x1.9180f82a1d429p+6, -0x1.21895bb7ba33fp+9,
	0x1.cd81846fb3ff1p+12, 0x1.e20e7d69649cap+17, 0x1.9f203cf2783b7p+20, -0x1.0630cddd4e099p+25, -0x1.1465ce7d29637p+29,
	0x1.d4345a69bfc30p+31, 0x1.bdc8daed57db9p+36, -0x1.858c7591014bdp+38, -0x1.162964d5f91dbp+44, 0x1.1aee882806184p+45,
	0x1.fce6b32270b52p+50, -0x1.272ae05110368p+51, -0x1.2839623e2341cp+57, 0x1.33e83e12ca3b4p+56, 0x1.432b0a4121172p+62,
}

// coefKI0: I0(x) in x^2 on x <= 1; relative error 2^-61.6.
var coefKI0 = []float64{
	0x1.0000000000000p+0, 0x1.0000000000001p-2, 0x1.ffffffffffe3fp-7, 0x1.c71c71c73884bp-12, 0x1.c71c71ab8cb3cp-18,
	0x1.2345763a40948p-24, 0x1.02dfb0740ef8ep-31, 0x1.577ce313e8736p-39,
}

// coefKI1: I1(x)/x in x^2 on x <= 1; relative error 2^-64.8.
var coefKI1 = []float64{
	0x1.0000000000000p-1, 0x1.0000000000000p-4, 0x1.55555555554f2p-9, 0x1.c71c71c728e82p-15, 0x1.6c16c15fda7dap-21,
	0x1.845c9717fe68bp-28, 0x1.27dd486d33ca8p-35, 0x1.56e49889c94d4p-43,
}

// coefK0Near: K0(x) + log(x) I0(x) in x^2 on x <= 1; relative error 2^-67.4.
var coefK0Near = []float64{
	0x1.dadb014541eb2p-4, 0x1.1dadb014541ebp-2, 0x1.9dadb014541ecp-6, 0x1.bb90e85debe48p-11, 0x1.f4747696e5262p-17,
	0x1.5d6b13a13a103p-23, 0x1.4c2b7bbffef78p-30, 0x1.c9f53132fadcap-38, 0x1.e61b679067c7fp-46,
}

// coefK1Near: (K1(x) - 1/x - log(x) I1(x))/x in x^2 on x <= 1; relative error 2^-62.5.
var coefK1Near = []float64{
	-0x1.3b5b6028a83d6p-2, -0x1.5dadb014541ecp-4, -0x1.303ae729ff27ep-8, -0x1.d802af7a6fbf5p-14, -0x1.a2918212c5226p-20,
	-0x1.e212b2db4be01p-27, -0x1.86258b6d14c27p-34, -0x1.db688ccb14ac9p-42,
}

// coefK0Far: sqrt(x) e^x K0(x) in (x-3)/(x+1) on x >= 1; relative error 2^-59.7.
var coefK0Far = []float64{
	0x1.356417a9f2ee9p+0, 0x1.a932e00d70333p-5, -0x1.287ae72aabd12p-7, 0x1.334777d99b3d9p-9, -0x1.2d44324239e05p-11,
	0x1.55615cf277d43p-13, -0x1.6d1e88c17ed70p-15, 0x1.b4900c8b87158p-17, -0x1.e1ff1ef851ff3p-19, 0x1.2dfa05762dbfbp-20,
	-0x1.4cec3293c6da6p-22, 0x1.badeff7f67c02p-24, -0x1.d362b3ffd4846p-26, 0x1.581b524857541p-27, -0x1.350ac00ec837cp-29,
	0x1.2dd48005da170p-30, -0x1.16b8daac658bap-32, 0x1.55268bc7c3995p-34, 0x1.6764e94a4c525p-34, 0x1.31e87cf7a0747p-34,
	-0x1.7d2c4d7daeb0dp-35, -0x1.a2e4ddf7557ebp-36, 0x1.f3d6a861d1892p-37, 0x1.2ca3b5082f973p-37,
}

// coefK1Far: sqrt(x) e^x K1(x) in (x-3)/(x+1) on x >= 1; relative error 2^-59.7.
var coefK1Far = []float64{
	0x1.65a260862b35ep+0, -0x1.6b98e74488341p-3, 0x1.6595f9d3a06bep-5, -0x1.9e097c3c60608p-7, 0x1.e4076193ae3a0p-9,
	-0x1.276b51f273a61p-10, 0x1.68d7d9152832bp-12, -0x1.c3cd0b4f3509dp-14, 0x1.197da345c08dep-15, -0x1.662201bc91a16p-17,
	0x1.c2c0a34e7d7d8p-19, -0x1.2275eb8103cf0p-20, 0x1.6ebed6e84b280p-22, -0x1.df3c2aa4bc6f6p-24, 0x1.2c8b67baa0c9ap-25,
	-0x1.9360799149c69p-27, 0x1.f8dc8a765a2cdp-29, -0x1.472d550e4fce8p-30, 0x1.40a56d7acc5e1p-32, -0x1.b4d7b8138a480p-33,
	0x1.42a3d35da0ec9p-34, 0x1.26c30c926bbb7p-36, -0x1.01342afd83f07p-37, -0x1.9f48482820e82p-37,
}

const zeroJ0a, zeroJ0aLow = 0x1.33d152e971b40p+1, -0x1.0f539d7da258ep-53

const zeroJ0b, zeroJ0bLow = 0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54

const zeroJ1a, zeroJ1aLow = 0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53

const zeroJ1b, zeroJ1bLow = 0x1.c0ff5f3b47250p+2, -0x1.b226d9d243827p-54

const zeroY0a, zeroY0aLow = 0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54

const zeroY0b, zeroY0bLow = 0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54

const zeroY1a, zeroY1aLow = 0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55

const zeroY1b, zeroY1bLow = 0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52

// coefJ0a: J0(x)/(x^2 - z^2) in x^2 - 8 on x <= 4; relative error 2^-61.6.
var coefJ0a = []float64{
	-0x1.6b2948e843e2bp-4, 0x1.08d902d0bf620p-7, -0x1.17057235d9c2bp-12, 0x1.33fa04134f0abp-18, -0x1.a4b2380ccc120p-25,
	0x1.87a4ac4403e73p-32, -0x1.08c621262a183p-39, 0x1.0fff1f804b5a6p-47, -0x1.b72e5fe144952p-56, 0x1.1e1403c582f38p-64,
	-0x1.3344f418421d9p-73, 0x1.14844882680bfp-82,
}

// coefJ0b: J0(x)/(x - z) in x - 6 on 4 <= x <= 8; relative error 2^-56.2.
var coefJ0b = []float64{
	0x1.416dc96e57c0ep-2, -0x1.3d97028754e56p-4, -0x1.63c76276a6e61p-5, 0x1.15618767e6bd2p-7, 0x1.bb360f4dabcebp-10,
	-0x1.307fa1bf6f28fp-12, -0x1.104aed8457de0p-15, 0x1.52a757fbebd2dp-18, 0x1.949f158694f6fp-22, -0x1.cd44e14cb2c70p-25,
	-0x1.950feeadc7d5ap-29, 0x1.aab88a4a153f6p-32, 0x1.246866f28c529p-36, -0x1.1e6ad2a71cf3bp-39, -0x1.3ecb0af8c157bp-44,
	0x1.23d75c9bd0560p-47, 0x1.03d88a290bdf9p-52, -0x1.bfb0b6915c2a0p-56,
}

// coefJ1a: J1(x)/x/(x^2 - z^2) in x^2 - 12 on x <= 5; relative error 2^-56.2.
var coefJ1a = []float64{
	-0x1.0ccd818b490f1p-6, 0x1.19b952392d9cap-10, -0x1.d11c78d859f6cp-16, 0x1.a6d2efb024ecdp-22, -0x1.eb779cddcfe01p-29,
	0x1.8e65992367548p-36, -0x1.dd33af747efaap-44, 0x1.b81b8d6bcf50cp-52, -0x1.42693b1c7286bp-60, 0x1.807b60c1c808ep-69,
	-0x1.7cf677f289c50p-78, 0x1.3b605d8336a99p-87,
}

// coefJ1b: J1(x)/(x - z) in x - 13/2 on 5 <= x <= 8; relative error 2^-61.9.
var coefJ1b = []float64{
	0x1.318ace8aae254p-2, 0x1.d08a4092f3ab2p-6, -0x1.8bedb81f6736dp-5, -0x1.73a59e34c2ed6p-10, 0x1.25bfadb1283aep-9,
	0x1.7a11529a32d36p-16, -0x1.9cbaeed616dadp-15, -0x1.ec064dc6cd5b3p-24, 0x1.53d2ad8d1b695p-21, -0x1.bbc8d1c39765fp-31,
	-0x1.70bb582bd581fp-28, 0x1.23c746562eea2p-36, 0x1.1bfacb73f0f65p-35, -0x1.2504fbf0902b0p-43, -0x1.46bcb58d9fa96p-43,
	0x1.6cb170f948c4bp-51, 0x1.1c418f7875daep-51,
}

// coefY0J: J0(x) 2/pi in x^2 on x <= 2; relative error 2^-60.6.
var coefY0J = []float64{
	0x1.45f306dc9c883p-1, -0x1.45f306dc9c882p-3, 0x1.45f306dc9c86ep-7, -0x1.21bb945251b97p-12, 0x1.21bb94521b7adp-18,
	-0x1.72db9f081b79fp-25, 0x1.49a6bf0f854c5p-32, -0x1.ae8e1ec0a6fb4p-40, 0x1.ae0497c3341bbp-48, -0x1.43967974996d3p-56,
}

// coefY0a: Y0(x) - 2/pi log(x) J0(x) in x^2 on x <= 2; relative error 2^-73.2.
var coefY0a = []float64{
	-0x1.2e4d699cbd01fp-4, 0x1.6bbcb41034286p-3, -0x1.075b1bbf41364p-6, 0x1.1a6206b7b973dp-11, -0x1.3e99794203bb7p-17,
	0x1.bce4a600d3a7ap-24, -0x1.a6ee796b690d8p-31, 0x1.2393d8237e636p-38, -0x1.31085a1e91e48p-46, 0x1.f4eb70dacdb08p-55,
	-0x1.4b2bdcfc0fd66p-63, 0x1.59fd8a1e65a80p-72,
}

// coefY0b: Y0(x)/(x - z) in x - 7/2 on 2 <= x <= 5; relative error 2^-57.6.
var coefY0b = []float64{
	-0x1.a6e9e7cadfd3cp-2, -0x1.92d561103b0bep-8, 0x1.0a63e10535b84p-4, -0x1.4e5d0b2f3f361p-9, -0x1.41bfe11c971a2p-9,
	0x1.27ab9a93a8541p-15, 0x1.11c4660f99655p-14, -0x1.1e91ddedb4e7fp-18, 0x1.dfcf5677d8d97p-25, -0x1.77f468885c34fp-23,
	0x1.e0257ae066202p-25, -0x1.cd2207f5bba99p-27, 0x1.e11ee113fbad0p-29, -0x1.02df77ce2ef32p-30, 0x1.15c0bd3265534p-32,
	-0x1.2cdb9a132f4c2p-34, 0x1.44a09146b05f7p-36, -0x1.47040ca328874p-38, 0x1.6262ba59ada87p-40, -0x1.1572a0b23fb1cp-41,
	0x1.2f6dc86546a94p-43, 0x1.79d1618203973p-48, -0x1.b36fe45213bcdp-50, -0x1.cba791ebdf7d5p-48, 0x1.fa5d230ac7368p-50,
}

// coefY0c: Y0(x)/(x - z) in x - 13/2 on 5 <= x <= 8; relative error 2^-56.6.
var coefY0c = []float64{
	0x1.2eb455a88c587p-2, 0x1.2ccadea766ed5p-5, -0x1.92d8d1ced6e78p-5, -0x1.0f8a64f3e988cp-9, 0x1.325749a9c3539p-9,
	0x1.19e6b719d2620p-15, -0x1.acb017914b900p-15, -0x1.12e063fa6eacfp-22, 0x1.62192ef17ab9ep-21, -0x1.7001d64bf4659p-32,
	-0x1.79f46ac022d6fp-28, 0x1.7ad44b07f2a0fp-38, 0x1.2e42759146490p-35, -0x1.2fcc02e0e1e8ep-42, -0x1.1e01105a52c55p-43,
	-0x1.f3f31cb3e6819p-49, 0x1.3d770db4feeedp-50,
}

// coefY1J: J1(x)/x 2/pi in x^2 on x <= 1.5; relative error 2^-64.4.
var coefY1J = []float64{
	0x1.45f306dc9c883p-2, -0x1.45f306dc9c883p-5, 0x1.b2995e7b7b5dcp-10, -0x1.21bb945250d31p-15, 0x1.cf9286e87bc12p-22,
	-0x1.ee7a28760e50fp-29, 0x1.78be3443e1e42p-36, -0x1.ae6413a18f560p-44, 0x1.741a8e4f63c65p-52,
}

// coefY1a: (Y1(x) - 2/pi (log(x) J1(x) - 1/x))/x in x^2 on x <= 1.5; relative error 2^-61.4.
var coefY1a = []float64{
	-0x1.91866143cbc8ap-3, 0x1.bd3975c75b4a7p-5, -0x1.835b97894be1fp-9, 0x1.2c7dbffcdc758p-14, -0x1.0a780ac63e958p-20,
	0x1.32e5a41542cb6p-27, -0x1.f0cd9d46fe13fp-35, 0x1.2a2cb97613187p-42, -0x1.0c81cecf5090ap-50,
}

// coefY1b: Y1(x)/(x - z) in x - 11/4 on 1.5 <= x <= 4; relative error 2^-56.3.
var coefY1b = []float64{
	0x1.c7ac9b29f81cfp-2, -0x1.3dd347feacdd3p-3, -0x1.f3c5c509508dbp-6, 0x1.90d7fd22730eap-8, 0x1.a07f588c8f8a5p-9,
	-0x1.e6fa94db185cfp-11, 0x1.9bdbe7ced543dp-13, -0x1.48d261e1c947dp-14, 0x1.051c0f8e6f76bp-15, -0x1.7c628cc79fb66p-17,
	0x1.14db398bd96fap-18, -0x1.94d50ac79c40bp-20, 0x1.27a3ae1a5dc2dp-21, -0x1.af89ef0cf5796p-23, 0x1.3aa0129360d8bp-24,
	-0x1.c7c67ae4a86e8p-26, 0x1.4c0a6445974a2p-27, -0x1.fe387187a5ba8p-29, 0x1.7380c13b0b452p-30, -0x1.6df7a6a92506ap-32,
	0x1.0a7716a1e85a8p-33, -0x1.253161f59ebfdp-33, 0x1.aaa7d6416451cp-35, 0x1.05561f8e661e7p-36, -0x1.7c2bcf38d0075p-38,
	-0x1.5da38178efa89p-38, 0x1.fcb861b6c5200p-40,
}

// coefY1c: Y1(x)/(x - z) in x - 6 on 4 <= x <= 8; relative error 2^-57.1.
var coefY1c = []float64{
	-0x1.3a3a8cefc7efcp-2, 0x1.579152b20729fp-4, 0x1.4739eeba02f84p-5, -0x1.155cf697f3ad2p-7, -0x1.94a78f4d6f6acp-10,
	0x1.266b1555b4109p-12, 0x1.005abac2c9de2p-15, -0x1.4c0230a68a180p-18, -0x1.72fed34aa8a3fp-22, 0x1.b0fa0ea54bea6p-25,
	0x1.a8742ac415f67p-29, -0x1.d368c4f2da926p-32, -0x1.1243cf4bba904p-37, 0x1.55fc9dfa8f7e7p-41, 0x1.50238f0decb31p-42,
	-0x1.a3c3c0dcd4c00p-45, 0x1.d997e937e231cp-48, -0x1.418b041a9ca13p-50, 0x1.369145872be44p-53, -0x1.9f8dabce2bc52p-56,
	0x1.67facc60c7d8ep-57, -0x1.e16f94eb9e737p-60,
}

// coefP0: P of J0 and Y0 in 1/x^2 on x >= 8; relative error 2^-57.8.
var coefP0 = []float64{
	0x1.0000000000000p+0, -0x1.1ffffffffe5fbp-4, 0x1.cb5fffe8ced26p-4, -0x1.251ed77e459fdp-1, 0x1.84b6e1ac85bdep+2,
	-0x1.b75a457f865c8p+6, 0x1.74be8a2fde700p+11, -0x1.9f8175e09f1e0p+16, 0x1.fe16d5457b051p+21, -0x1.1d9db2333be9ep+27,
	0x1.ed51b593c205cp+31, -0x1.13ad48ecc8f38p+36, 0x1.22b44c20d0316p+39,
}

// coefQ0: x Q of J0 and Y0 in 1/x^2 on x >= 8; relative error 2^-56.2.
var coefQ0 = []float64{
	-0x1.0000000000000p-3, 0x1.2bffffffff27ep-4, -0x1.d11dfff7faba2p-3, 0x1.ba4c51de0da16p+0, -0x1.8614b6da853a9p+4,
	0x1.1384537196f42p+9, -0x1.1b3f9c38ff0a0p+14, 0x1.832c520d332cep+19, -0x1.376fc56197233p+25, 0x1.fcd748439201ep+30,
	-0x1.709cd627539fep+36, 0x1.a8447c656119ap+41, -0x1.5e3dbd9d23c93p+46, 0x1.69e637704b723p+50, -0x1.5c372909e604fp+53,
}

// coefP1: P of J1 and Y1 in 1/x^2 on x >= 8; relative error 2^-57.7.
var coefP1 = []float64{
	0x1.0000000000000p+0, 0x1.dffffffffe47ep-4, -0x1.274ffff3bd687p-3, 0x1.5a6a468cdbcffp-1, -0x1.b88b7980b86cfp+2, 0x1.e5a2972c2dbc8p+6,
	-0x1.955f98cefc9bcp+11, 0x1.bf32407aeede0p+16, -0x1.10cee152b48afp+22, 0x1.3074e873ea25dp+27, -0x1.066be6e626b36p+32,
	0x1.24f56427a91cbp+36, -0x1.34b5237c76148p+39,
}

// coefQ1: x Q of J1 and Y1 in 1/x^2 on x >= 8; relative error 2^-55.5.
var coefQ1 = []float64{
	0x1.8000000000000p-2, -0x1.a3fffffffc6d6p-4, 0x1.1c3cfff1360bep-2, -0x1.fe57ffffe6400p+0, 0x1.b3f5ccdf4c332p+4,
	-0x1.2d8ea782b57b1p+9, 0x1.2fde7762873adp+14, -0x1.8fb48277a50afp+19, 0x1.27fb6b1f9c351p+25, -0x1.a315ddb6ce860p+30,
	0x1.ebf4530296e64p+35, -0x1.a6c4c8f19dcbep+40, 0x1.ca91b879ca453p+44, -0x1.d03cbf5a70a98p+47,
}

const zeroAiA, zeroAiALow = -0x1.2b471a873adf9p+1, -0x1.68d7a31cc8091p-55

const zeroAiB, zeroAiBLow = -0x1.05a0f6b48f9c0p+2, -0x1.868651bff05e4p-52

// coefAiDecay: x^(1/4) e^zeta Ai(x) in 1/zeta - 3/4 on x >= 1, zeta = 2/3 x^(3/2); relative error 2^-56.8.
var coefAiDecay = []float64{
	0x1.1580bb5a7c7f5p-2, -0x1.7e7fb5ea66cb5p-7, 0x1.76c16d1e1a18bp-9, -0x1.19852da278096p-10, 0x1.0740c36785cf7p-11,
	-0x1.1a8fcf7593d03p-12, 0x1.4e09827733c7dp-13, -0x1.a87ca7e4be3b4p-14, 0x1.1d6b707c89defp-14, -0x1.91d896474cc92p-15,
	0x1.25d564ecc0f77p-15, -0x1.ba66bca97a47fp-16, 0x1.570bf82e19512p-16, -0x1.26431b4bf0928p-16, 0x1.e8ec7e2168919p-17,
	0x1.50b90e0a6ef73p-19, -0x1.6399992b9babcp-18, -0x1.f0b4bf31fc33fp-14, 0x1.0842a843a080ep-13, 0x1.61323072e9f77p-11,
	-0x1.7d558efc588d8p-11, -0x1.a12a5ebcee16cp-9, 0x1.c1813bf0e4706p-9, 0x1.743190dec9078p-7, -0x1.9113d2751d078p-7,
	-0x1.fcc4495bddf38p-6, 0x1.1209ed7141c52p-5, 0x1.078832dc3b00bp-4, -0x1.1bd120d3962cap-4, -0x1.97235a8842e0ep-4,
	0x1.b652349b09cc3p-4, 0x1.c67f57e416de7p-4, -0x1.e91b5467b9bdep-4, -0x1.5ad442f9abc20p-4, 0x1.750c457261163p-4, 0x1.4448745c10fd0p-5,
	-0x1.5c933d92fdc10p-5, -0x1.194d73a7ab30ap-7, 0x1.2e1a6ffa9d883p-7,
}

// coefAiMiddle: Ai(x) in x on -1.25 <= x <= 1; relative error 2^-58.3.
var coefAiMiddle = []float64{
	0x1.6b8c7962715b8p-2, -0x1.0907f42b70f8bp-2, 0x1.0538efe1b27e6p-54, 0x1.e4bb4c8341d30p-5, -0x1.615ff039ec119p-6,
	-0x1.c8d568305102dp-48, 0x1.028606ac7003dp-9, -0x1.0d3ce7ca33a1dp-11, -0x1.5a2dc0bf49492p-44, 0x1.cb98ef3712b25p-16,
	-0x1.7eea874c3dd7ep-18, 0x1.fc59c9437bfe2p-42, 0x1.bdab626c8fb76p-23, -0x1.3a318673f566ep-25, 0x1.65487b9ff7035p-42,
	0x1.0fd21ac3cbf78p-30, -0x1.4f7809eae6201p-33, -0x1.80f7fabd87bf5p-42, 0x1.ca6b397ca653fp-39, -0x1.8e3061fb35a70p-42,
}

// coefAiA: Ai(x)/(x - z) in x + 9/4 on -3.25 <= x <= -1.25; relative error 2^-57.2.
var coefAiA = []float64{
	0x1.65f48d9c83780p-1, -0x1.7e9f283123cb2p-5, -0x1.0690b2330a710p-2, 0x1.191a972d36018p-4, 0x1.a8765f12bd441p-6,
	-0x1.c088e5ee55178p-7, 0x1.21bcbcc94435bp-12, 0x1.0825a6ee5a726p-10, -0x1.a1e04debe734bp-13, -0x1.6ebfe78d5d60ep-16,
	0x1.bb7971a5422fdp-17, -0x1.32a4f9e0c8501p-20, -0x1.61c5c41f46e93p-22, 0x1.747b1d68f708ep-24, -0x1.0a2cf76720b79p-29,
	-0x1.2cd87d70bad71p-29, 0x1.6f85f17a65f6ep-32, 0x1.d248281c2fcf4p-37, -0x1.21ad18430c376p-37,
}

// coefAiB: Ai(x)/(x - z) in x + 33/8 on -5 <= x <= -3.25; relative error 2^-56.8.
var coefAiB = []float64{
	-0x1.9ace8ac3d9efap-1, -0x1.4e3a34b5078c9p-5, 0x1.1b7c7419272edp-1, -0x1.9979ccc1490cfp-5, -0x1.de0d78018f746p-4,
	0x1.9c86bb1475829p-6, 0x1.523649919ab0dp-7, -0x1.01f92eedd6021p-8, -0x1.003912f05dc47p-12, 0x1.35aaaa2942b57p-12,
	-0x1.bd46280773154p-16, -0x1.745e90fd8cef6p-17, 0x1.5c3195ed95b8ap-19, 0x1.c8b0d241236b3p-24, -0x1.be0eedfd46c9cp-24,
	0x1.32682a9f165ecp-27, 0x1.0f40d1c867e02p-29, -0x1.d232826e7ce11p-32, -0x1.881b70abd2c87p-40,
}

// coefAiP: P of Ai(-x) in 1/zeta^2 on x >= 5; relative error 2^-57.0.
var coefAiP = []float64{
	0x1.0000000000000p+0, -0x1.30329161f4d1cp-5, 0x1.d8431d328d4e0p-5, -0x1.2a96ca30f24f1p-2, 0x1.8a1f3991c2d0ap+1,
	-0x1.bbbe9b5e59f1bp+5, 0x1.74a0ffb31c0a1p+10, -0x1.9261122f1e769p+15, 0x1.cf4d8a4e4ae06p+20, -0x1.d8e3fe6d81adbp+25,
	0x1.6d410653c94c0p+30, -0x1.69100980a9c98p+34, 0x1.4e9755fb67fb3p+37,
}

// coefAiQ: zeta Q of Ai(-x) in 1/zeta^2 on x >= 5; relative error 2^-52.3.
var coefAiQ = []float64{
	0x1.1c71c71c71c71p-4, -0x1.373d384daf0a1p-5, 0x1.db8ab0e5d2f23p-4, -0x1.c15d5a22c944ep-1, 0x1.8ae3b06a37bbap+3,
	-0x1.15d85262371d2p+8, 0x1.19677a698ee8ep+13, -0x1.6b66d36b1a743p+18, 0x1.feafaf1a8fdd2p+23, -0x1.4c69cf191a9b5p+29,
	0x1.5f0c15bdca016p+34, -0x1.0bd8706617e00p+39, 0x1.ffe7300965b2dp+42, -0x1.c66f029c3e4bap+45,
}
