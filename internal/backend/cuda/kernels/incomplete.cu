// Implicit gradients of sampling, computed in double by the formulas of package special.

// Jet is a function's value and its first two derivatives.
struct Jet { double v, d, dd; };
DEV Jet over(Jet u, Jet w) {
    const double q = u.v / w.v, q1 = (u.d - q * w.d) / w.v;
    return {q, q1, (u.dd - 2 * q1 * w.d - q * w.dd) / w.v};
}
// log_rest is m - log(1+m), also for small m.
DEV double log_rest(double m) {
    if (fabs(m) > 0.1) return m - log1p(m);
    const double s = m / (2 + m), q = s * s;
    return s * m - 2 * s * q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q / 13)))));
}
FAR double far_gamma_grad(int order, double a, double x) {
    const double m = (x - a) / a, l = m + 1;
    double h = sqrt(2 * log_rest(m)), lead, next;
    if (m < 0) h = -h;
    if (fabs(m) < 1e-2) {
        lead = l * (1 + m * (-1.0 / 2 + m * (1.0 / 3 + m * (-1.0 / 4 + m * (1.0 / 5 + m * (-1.0 / 6 + m * (1.0 / 7 - m / 8)))))));
        next = -1.0 / 3 + h * (1.0 / 18 + h / 540);
    } else {
        lead = l * log1p(m) / m;
        next = 1 / h - h * l / (m * m);
    }
    if (order == 0) return lead - (h != 0 ? l * h / m : l) * next / (2 * a);
    if (fabs(m) < 1e-4) return -l * (0.5 - m / 3) / a;
    return -l * (m - log1p(m)) / (m * m) / a;
}
// gamma_fraction is eˣ·x⁻ᵃ·Γ(a, x) by Legendre's continued fraction, from the back, with its derivatives by a.
FAR Jet gamma_fraction(double a, double x) {
    double u = x + 1 - a, v = 0;
    int n = 1;
    for (; n < 1 << 20; n++) {
        const double b = x + 1 - a + 2.0 * n, c = n * (a - n);
        u = b + c / u;
        v = 1 / (b + c * v);
        if (!(fabs(u * v - 1) >= 4e-16)) break;
    }
    n += n / 3 + 8;
    Jet f = {x + 1 - a + 2.0 * n, -1, 0};
    for (; n > 0; n--) {
        const Jet q = over(Jet{n * (a - n), (double)n, 0}, f);
        f = {x + 2.0 * n - 1 - a + q.v, q.d - 1, q.dd};
    }
    return over(Jet{1, 0, 0}, f);
}
FAR double gamma_grad(int order, double a, double x) {
    if (a != a || x != x || a <= 0 || x < 0 || a - a != 0 || x - x != 0) return NAN_;
    if (x == 0) return 0;
    if (a > 1e6) return far_gamma_grad(order, a, x);
    if (x <= a + 1 || x <= 1) {
        Jet t = {1, 0, 0}, s = t;
        for (double n = 1; n < 1e6; n++) {
            const double d = 1 / (a + n);
            t = {t.v * x * d, t.d * x * d, t.dd * x * d};
            t.d -= t.v * d;
            t.dd -= 2 * t.d * d;
            s = {s.v + t.v, s.d + t.d, s.dd + t.dd};
            if (!(t.v > 1e-17 * s.v || -t.d > 1e-17 * -s.d || t.dd > 1e-17 * s.dd)) break;
        }
        const double l = log(x) - digamma_(a + 1), g = -(s.d + s.v * l) * x / a;
        return order == 0 ? g : -(s.dd + s.d * l - s.v * polygamma_(1, a + 1)) * x / a - g / a;
    }
    const Jet k = gamma_fraction(a, x);
    const double l = log(x) - digamma_(a);
    return order == 0 ? x * (k.d + k.v * l) : x * (k.dd + k.d * l - k.v * polygamma_(1, a));
}
DEV float op_standard_gamma_grad(int order, float a, float x) { return (float)gamma_grad(order, a, x); }
DEV double op_standard_gamma_grad(int order, double a, double x) { return gamma_grad(order, a, x); }

// beta_term is term n of the continued fraction of the incomplete beta function, with its derivative by a, or for order 1 by b.
DEV Jet beta_term(int order, double a, double b, double x, int n) {
    const double m = n / 2;
    if (n % 2 == 0) {
        const double r = m * x / ((a + 2 * m - 1) * (a + 2 * m)), d = r * (b - m);
        return {d, order == 0 ? -d * (1 / (a + 2 * m - 1) + 1 / (a + 2 * m)) : r, 0};
    }
    const double d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    return {d, order == 0 ? d * (1 / (a + m) + 1 / (a + b + m) - 1 / (a + 2 * m) - 1 / (a + 2 * m + 1)) : d / (a + b + m), 0};
}
DEV int beta_length(double a, double b, double x) {
    double u = 1, v = 0;
    int n = 1;
    for (; n < 1 << 20; n++) {
        const double c = beta_term(1, a, b, x, n).v;
        u = 1 + c / u;
        v = 1 / (1 + c * v);
        if (!(fabs(u * v - 1) >= 4e-16)) break;
    }
    return n + n / 3 + 8;
}
FAR Jet beta_fraction(int order, double a, double b, double x) {
    Jet f = {1, 0, 0};
    for (int n = beta_length(a, b, x); n > 0; n--) {
        const Jet q = over(beta_term(order, a, b, x, n), f);
        f = {1 + q.v, q.d, 0};
    }
    return over(Jet{1, 0, 0}, f);
}
// Jet2 is a function of a and b with its derivatives by a, b, a twice, a and b, b twice.
struct Jet2 { double v, a, b, aa, ab, bb; };
DEV Jet2 over2(Jet2 u, Jet2 w) {
    const double q = u.v / w.v, qa = (u.a - q * w.a) / w.v, qb = (u.b - q * w.b) / w.v;
    return {q, qa, qb, (u.aa - 2 * qa * w.a - q * w.aa) / w.v, (u.ab - qa * w.b - qb * w.a - q * w.ab) / w.v,
            (u.bb - 2 * qb * w.b - q * w.bb) / w.v};
}
DEV Jet2 beta_term2(double a, double b, double x, int n) {
    const double m = n / 2;
    if (n % 2 == 0) {
        const double u = 1 / (a + 2 * m - 1), v = 1 / (a + 2 * m), r = m * x * u * v, s = u + v;
        const double r1 = -r * s, r2 = r * (s * s + u * u + v * v);
        return {r * (b - m), r1 * (b - m), r, r2 * (b - m), r1, 0};
    }
    const double t = 1 / (a + m), u = 1 / (a + 2 * m), v = 1 / (a + 2 * m + 1), w = a + b + m, e = -x * (a + m) * u * v, s = t - u - v;
    const double e1 = e * s, e2 = e * (s * s - t * t + u * u + v * v);
    return {e * w, e1 * w + e, e, e2 * w + 2 * e1, e1, 0};
}
// beta_grad_twice is beta_grad of the orders from 2 on.
FAR double beta_grad_twice(int order, double a, double b, double x) {
    const bool swap = !(x < (a + 1) / (a + b + 2));
    const double p = swap ? b : a, q = swap ? a : b, y = swap ? 1 - x : x, sign = swap ? 1 : -1;
    Jet2 f = {1, 0, 0, 0, 0, 0};
    for (int n = beta_length(p, q, y); n > 0; n--) {
        f = over2(beta_term2(p, q, y, n), f);
        f.v += 1;
    }
    Jet2 r = over2(Jet2{1, 0, 0, 0, 0, 0}, over2(f, Jet2{1 / p, -1 / (p * p), 0, 2 / (p * p * p), 0, 0}));
    if (swap) r = {r.v, r.b, r.a, r.bb, r.ab, r.aa};
    const double total = digamma_(a + b), both = polygamma_(1, a + b);
    const double la = log(x) + total - digamma_(a), lb = log1p(-x) + total - digamma_(b);
    if (order == 2) return sign * (r.aa + r.a * la + r.v * (both - polygamma_(1, a)));
    if (order == 3) return sign * (r.ab + r.b * la + r.v * both);
    if (order == 4) return sign * (r.ab + r.a * lb + r.v * both);
    return sign * (r.bb + r.b * lb + r.v * (both - polygamma_(1, b)));
}
// far_beta_grad is the leading term for large concentrations.
DEV double far_beta_grad(int order, double a, double b, double x) {
    double y = 1 - x, sign = 1;
    if (order == 1 || order > 3) {
        double t = a; a = b; b = t;
        t = x; x = y; y = t;
        sign = -1;
    }
    const double m = (b * x - a * y) / a;
    const bool small = !(fabs(m) > 1e-5);
    const double k = small ? 1 - m / 2 : log1p(m) / m, k1 = small ? -0.5 + 2 * m / 3 : (1 / (1 + m) - k) / m;
    if (order < 2) return sign * k / a;
    if (order == 2 || order == 5) return sign * (-k1 * x * b / a - k) / (a * a);
    return sign * k1 * x / (a * a);
}
FAR double beta_grad(int order, double a, double b, double x) {
    if (a != a || b != b || !(x >= 0 && x <= 1) || a <= 0 || b <= 0 || a - a != 0 || b - b != 0) return NAN_;
    if (a > 1e7 && b > 1e7) return far_beta_grad(order, a, b, x);
    if (order > 1) return beta_grad_twice(order, a, b, x);
    const double total = digamma_(a + b);
    if (x < (a + 1) / (a + b + 2)) {
        const Jet c = beta_fraction(order, a, b, x);
        return -(c.d + c.v * (order == 0 ? log(x) + total - digamma_(a + 1) : log1p(-x) + total - digamma_(b))) / a;
    }
    const Jet c = beta_fraction(1 - order, b, a, 1 - x);
    return (c.d + c.v * (order == 0 ? log(x) + total - digamma_(a) : log1p(-x) + total - digamma_(b + 1))) / b;
}
DEV float op_beta_grad(int order, float a, float b, float x) { return (float)beta_grad(order, a, b, x); }
DEV double op_beta_grad(int order, double a, double b, double x) { return beta_grad(order, a, b, x); }

// Incomplete gamma and beta functions, in double by the formulas of package special without its extended exponents.

DEV double stirling_rest(double a) {
    const double z = 1 / a, q = z * z;
    return z * (1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188 - q * (691.0 / 360360 - q / 156))))));
}
// gamma_lead is xᵃ·e⁻ˣ/Γ(a).
FAR double gamma_lead(double a, double x) {
    if (a < 20) return exp(a * log(x) - x) * a / tgamma(a + 1);
    const double m = (x - a) / a;
    return exp(-a * log_rest(m) - stirling_rest(a)) * sqrt(a / TWO_PI);
}
FAR double gamma_temme(double a, double x) {
    const double terms[] = {
        -0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073, 0.0003527336860670194,
        -0.0001787551440329218, 3.919263178522438e-05, -2.185448510679992e-06, -1.85406221071516e-06, 8.296711340953087e-07,
        -1.7665952736826078e-07, 6.707853543401498e-09, 1.0261809784240309e-08, -4.382036018453353e-09, 9.14769958223679e-10,
        -2.5514193994946248e-11, -5.830772132550426e-11, 2.4361948020667415e-11, -5.0276692801141755e-12, 1.1004392031956135e-13,
        3.371763262400985e-13, -1.392388722418162e-13, 2.8534893807047445e-14, -5.139111834242572e-16, -1.9752288294349442e-15,
        8.099521156704561e-16, -0.001851851851851852, -0.003472222222222222, 0.0026455026455026454, -0.0009902263374485596,
        0.00020576131687242798, -4.018775720164609e-07, -1.8098550334489977e-05, 7.64916091608111e-06, -1.6120900894563446e-06,
        4.647127802807434e-09, 1.378633446915721e-07, -5.752545603517705e-08, 1.1951628599778148e-08, -1.7543241719747647e-11,
        -1.0091543710600413e-09, 4.162792991842583e-10, -8.56390702649298e-11, 6.067215101604758e-14, 7.1624989648114856e-12,
        -2.933186643771437e-12, 5.996696365683689e-13, -2.1671786527323313e-16, -4.978339972369262e-14, 2.0291628823713425e-14,
        0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049, 2.0093878600823047e-06, -0.0001073665322636516,
        5.2923448829120125e-05, -1.2760635188618728e-05, 3.423578734096138e-08, 1.3721957309062934e-06, -6.298992138380055e-07,
        1.4280614206064242e-07, -2.0477098421990866e-10, -1.409252991086752e-08, 6.228974084922022e-09, -1.3670488396617114e-09,
        9.428356159014678e-13, 1.2872252400089318e-10, -5.5645956134363323e-11, 1.197593554636698e-11, -4.1689782251838634e-15,
        -1.0940640427884595e-12, 4.662239946390136e-13, 0.0006494341563786008, 0.00022947209362139917, -0.0004691894943952557,
        0.00026772063206283885, -7.561801671883977e-05, -2.396505113867297e-07, 1.1082654115347302e-05, -5.6749528269915965e-06,
        1.4230900732435883e-06, -2.7861080291528143e-11, -1.6958404091930278e-07, 8.099464905388083e-08, -1.9111168485973655e-08,
        2.3928620439808118e-12, 2.0620131815488797e-09, -9.460496661855133e-10, 2.1541049775774907e-10, -1.388823336813903e-14,
        -2.1894761681963938e-11, 9.790998951171684e-12, -0.0008618882909167117, 0.0007840392217200666, -0.0002990724803031902,
        -1.4638452578843418e-06, 6.641498215465122e-05, -3.968365047179435e-05, 1.1375726970678419e-05, 2.507497226237533e-10,
        -1.6954149536558305e-06, 8.907507532205309e-07, -2.292934834000805e-07, 2.956794137544049e-11, 2.8865829742708783e-08,
        -1.4189739437803219e-08, 3.4463580499464896e-09, -2.3024517174528067e-13, -3.9409233028046403e-10, 1.86023389685045e-10,
        -0.00033679855336635813, -6.972813758365857e-05, 0.0002772753244959392, -0.00019932570516188847, 6.797780477937208e-05,
        1.419062920643967e-07, -1.3594048189768693e-05, 8.018470256334202e-06, -2.291481176508095e-06, -3.252473551298454e-10,
        3.4652846491085265e-07, -1.8447187191171344e-07, 4.8240967037894184e-08, -1.7989466721743514e-14, -6.306194500013523e-09,
        3.162417628774568e-09, 0.0005313079364639922, -0.0005921664373536939, 0.0002708782096718045, 7.902353232660328e-07,
        -8.153969367561969e-05, 5.61168275310625e-05, -1.8329116582843375e-05, -3.0796134506033047e-09, 3.465155368803609e-06,
        -2.0291327396058603e-06, 5.788792863149004e-07, 2.338630673826657e-13, -8.828600746330484e-08, 4.7435958880408125e-08,
        0.00034436760689237765, 5.171790908260592e-05, -0.00033493161081142234, 0.0002812695154763237, -0.00010976582244684731,
        -1.2741009095484485e-07, 2.7744451511563645e-05, -1.8263488805711332e-05, 5.7876949497350525e-06, 4.93875893393627e-10,
        -1.0595367014026043e-06, 6.166714376110408e-07, -0.0006526239185953094, 0.0008394987206720873, -0.000438297098541721,
        -6.969091458420552e-07, 0.00016644846642067547, -0.00012783517679769218, 4.629953263691304e-05, 4.557909867922708e-09,
        -1.0595271125805195e-05, 6.783342904865167e-06};
    const int first[] = {0, 26, 50, 72, 92, 110, 126, 140, 152, 162};
    const double e = -a * log_rest((x - a) / a), z = sqrt(fmax(-e, 0.0));
    const double h = x > a ? z * sqrt(2 / a) : -z * sqrt(2 / a);
    double sum = 0;
    for (int k = 8; k >= 0; k--) {
        double c = 0;
        for (int n = first[k + 1] - 1; n >= first[k]; n--) c = c * h + terms[n];
        sum = sum / a + c;
    }
    sum /= sqrt(TWO_PI * a);
    return exp(e) * (0.5 * erfcx(z) + (x > a ? sum : -sum));
}
// incomplete_gamma is the lower or the upper function.
FAR double incomplete_gamma(bool want, double a, double x) {
    if (a != a || x != x || a < 0 || x < 0 || a - a != 0 && x - x != 0 || a == 0 && x == 0) return NAN_;
    if (a == 0 || x - x != 0) return want ? 0 : 1;
    if (x == 0 || a - a != 0) return want ? 1 : 0;
    double v;
    bool upper = false;
    if (a > 30 && fabs(x - a) < 0.3 * a || a > 1e5 && fabs(x - a) < 4.5 * sqrt(a)) {
        v = gamma_temme(a, x);
        upper = x > a;
    } else if (x < 1.1 && want && (a < 1 || x * 2 > a)) {
        const double l = a * log(x) - lgamma(1 + a);
        double t = 1, sum = 0;
        for (double n = 1; n < 40; n++) {
            t *= -x / n;
            sum += t / (a + n);
        }
        v = -expm1(l) - exp(l) * a * sum;
        upper = true;
    } else if (x < 1.1 || x <= a || x <= a + 1 && !want) {
        double t = 1, sum = 1;
        for (double n = 1; n < 1e6; n++) {
            t *= x / (a + n);
            sum += t;
            if (t < 1e-17 * sum) break;
        }
        v = gamma_lead(a, x) / a * sum;
    } else {
        double h = x - a, u = 1 + h, t = 1 / u, sum = t;
        for (double k = 1; fabs(t) > 1e-17 * sum && k < 1e6; k++) {
            const double was = u;
            if (k < a) {
                u = x + 2 * k + 1 - a + k * (a - k) / was;
                h = u - (k + 1);
            } else {
                h = x + (k - a) * h / (k + h);
                u = k + 1 + h;
            }
            t *= k * (k - a) / (u * was);
            sum += t;
        }
        v = gamma_lead(a, x) * sum;
        upper = true;
    }
    return upper == want ? v : 1 - v;
}
BINARY(special_gammainc, (float)incomplete_gamma(false, x, y), incomplete_gamma(false, x, y))
BINARY(special_gammaincc, (float)incomplete_gamma(true, x, y), incomplete_gamma(true, x, y))
FAR double gamma_density_(double a, double x) {
    if (a != a || x != x || a <= 0 || x < 0 || a - a != 0) return NAN_;
    if (x - x != 0) return 0;
    if (x == 0) return a < 1 ? INF : a == 1 ? 1.0 : 0.0;
    return gamma_lead(a, x) / x;
}
BINARY(gamma_density, (float)gamma_density_(x, y), gamma_density_(x, y))

FAR double beta_ln(double a, double b) {
    if (a > b) { const double t = a; a = b; b = t; }
    const double n = a + b;
    if (!(a > 0) || b - b != 0) return lgamma(a) + lgamma(b) - lgamma(n);
    if (a >= 20)
        return 0.5 * log(TWO_PI / a) + a * log(a / n) + (b - 0.5) * log1p(-a / n) + stirling_rest(a) + stirling_rest(b) - stirling_rest(n);
    if (b >= 20) return lgamma(a) - (b - 0.5) * log1p(a / b) - a * log(n) + a + stirling_rest(b) - stirling_rest(n);
    return log(tgamma(a + 1) / a * (tgamma(b + 1) / b) * (n / tgamma(n + 1)));
}
DEV double gamma_sign(double x) { return x < 0 && fmod(floor(x), 2.0) != 0 ? -1 : 1; }
FAR double beta_(double a, double b) {
    const double n = a + b;
    if (a > 0 && b > 0) return n < 20 ? tgamma(a + 1) / a * (tgamma(b + 1) / b) * (n / tgamma(n + 1)) : exp(beta_ln(a, b));
    return gamma_sign(a) * gamma_sign(b) * gamma_sign(n) * exp(lgamma(a) + lgamma(b) - lgamma(n));
}
BINARY(special_beta, (float)beta_(x, y), beta_(x, y))
BINARY(special_betaln, (float)beta_ln(x, y), beta_ln(x, y))
// beta_lead is xᵃ·(1-x)ᵇ/B(a, b).
FAR double beta_lead(double a, double b, double x) {
    const double n = a + b;
    if (a >= 20 && b >= 20) {
        const double d = n * x - a, e = -a * log_rest(d / a) - b * log_rest(-d / b); // the linear parts cancel
        return exp(e + stirling_rest(n) - stirling_rest(a) - stirling_rest(b)) * sqrt(a / n * b / TWO_PI);
    }
    return exp(a * log(x) + b * log1p(-x) - beta_ln(a, b));
}
FAR double beta_value(double a, double b, double x, double off) {
    // Lentz's method on the even part of the fraction.
    double u = 0, v = 0, f = 0;
    for (double m = 0; m < 1e6; m++) {
        double beta = m + (a + m) * (off + 1 + m * (2 - x)) / (a + 2 * m + 1), alpha = 0;
        if (m > 0) {
            const double r = a + 2 * m - 1;
            alpha = (a + m - 1) / r * (a + b + m - 1) / r * m * (b - m) * x * x;
            beta += m * (b - m) * x / r;
            u = beta + alpha / u;
            v = 1 / (beta + alpha * v);
            f *= u * v;
            if (!(fabs(u * v - 1) >= 4e-16)) break;
        } else {
            u = f = beta;
        }
    }
    return 1 / f;
}
FAR double beta_far(double a, double b, double x, double off) {
    const double n = a + b, e = -a * log_rest(-off / a) - b * log_rest(off / b), z = sqrt(fmax(-e, 0.0)), p = a / n;
    const double h = copysign(z * sqrt(2 / n), -off), root = sqrt(p * (b / n));
    const double c = (fabs(h) > 1e-6 ? 1 / h + root * n / off : (1 - 2 * p) / (3 * root)) / sqrt(TWO_PI * n);
    return off > 0 ? exp(e) * (0.5 * erfcx(z) + c) : 1 - exp(e) * (0.5 * erfcx(z) - c);
}
FAR double betainc_(double a, double b, double x) {
    if (a != a || b != b || !(x >= 0 && x <= 1) || a < 0 || b < 0 || a == 0 && b == 0 || a - a != 0 && b - b != 0) return NAN_;
    if (a == 0 || b - b != 0) return x > 0 || a == 0 ? 1 : 0;
    if (b == 0 || a - a != 0) return x < 1 ? 0 : 1;
    if (x == 0 || x == 1) return x;
    const double off = a - (a + b) * x;
    if (a > 5e6 && b > 5e6) return beta_far(a, b, x, off);
    if (off > -1 && x < (a + 1) / (a + b + 2)) return beta_lead(a, b, x) * beta_value(a, b, x, off);
    const double v = beta_lead(a, b, x) * beta_value(b, a, 1 - x, -off);
    if (v < 0.9 || b >= 1 || x > 0.995) return 1 - v;
    double sum = 0;
    for (double n = ceil(40 / (1 - x)); n > 0; n--) sum = (sum + 1 / (a + n)) * (x * (n - b) / n);
    return beta_lead(a, b, x) * exp(-b * log1p(-x)) * (sum + 1 / a);
}
DEV float op_special_betainc(float a, float b, float x) { return (float)betainc_(a, b, x); }
DEV double op_special_betainc(double a, double b, double x) { return betainc_(a, b, x); }
FAR double beta_density_(double a, double b, double x) {
    if (a != a || b != b || !(x >= 0 && x <= 1) || !(a > 0 && b > 0) || a - a != 0 || b - b != 0) return NAN_;
    if (x == 0 || x == 1) {
        const double c = x == 0 ? a : b, other = x == 0 ? b : a;
        return c < 1 ? INF : c == 1 ? other : 0.0;
    }
    return beta_lead(a, b, x) / (x * (1 - x));
}
DEV float op_beta_density(float a, float b, float x) { return (float)beta_density_(a, b, x); }
DEV double op_beta_density(double a, double b, double x) { return beta_density_(a, b, x); }

// erfcx_derivative_ is derivative n of exp(x²)·erfc(x): for positive x from high orders down.
FAR double erfcx_derivative_(int n, double x) {
    const double lead = 1.12837916709551257390; // 2/√π
    const double sign = n & 1 ? -1 : 1;
    if (x != x) return x;
    if (x == INF) return copysign(0.0, sign);
    if (x < 0.5) {
        double before = erfcx(x), now = 2 * x * before - lead;
        for (int k = 1; k < n; k++) {
            const double next = 2 * x * now + 2 * k * before;
            before = now;
            now = next;
        }
        return now;
    }
    double above = 0, now = 1, wanted = 0;
    for (int k = n + 16 + (int)(200 / (x * x)); k > 1; k--) {
        if (k == n) wanted = now;
        const double next = (above + 2 * x * now) / (2.0 * k);
        above = now;
        now = next;
        if (now < 0x1p-500) { above *= 0x1p500; now *= 0x1p500; wanted *= 0x1p500; }
    }
    if (n == 1) wanted = now;
    const double zero = (above + 2 * x * now) / 2;
    return wanted * lead / (now + 2 * x * zero) * sign;
}
DEV float op_erfcx_derivative(int n, float x) { return (float)erfcx_derivative_(n, x); }
DEV double op_erfcx_derivative(int n, double x) { return erfcx_derivative_(n, x); }

IN_DOUBLE(special_erfcinv, erfcinv(x))

// airy_ is Ai or its derivative: Bessel functions of orders 1/3 and 2/3, the Maclaurin series near 0, waves far below.
DEV double airy_k(double v, double z) {
    if (z > 30) {
        const double mu = 4 * v * v;
        double t = 1, sum = 1;
        for (int k = 1; k < 60; k++) {
            const double odd = 2 * k - 1, u = t * (mu - odd * odd) / (k * 8 * z);
            if (fabs(u) >= fabs(t) || fabs(u) < 1e-18) break;
            t = u;
            sum += t;
        }
        return sum * sqrt(PI / (2 * z));
    }
    double sum = 0.5;
    for (int k = 1; k < 512; k++) {
        const double s = sinh(0.0625 * k), e = exp(-2 * z * s * s) * cosh(v * 0.125 * k);
        sum += e;
        if (e < 1e-18 * sum) break;
    }
    return sum * 0.125;
}
FAR double airy_(bool slope, double x) {
    if (x != x || x == -INF && slope) return NAN_;
    if (x - x != 0) return 0;
    const double y = fabs(x), zeta = 2.0 / 3 * y * sqrt(y);
    if (x > 1) {
        if (zeta > 760) return slope ? -0.0 : 0.0;
        return slope ? -x / (PI * sqrt(3.0)) * airy_k(2.0 / 3, zeta) * exp(-zeta) : sqrt(x / 3) / PI * airy_k(1.0 / 3, zeta) * exp(-zeta);
    }
    if (x > -5) {
        const double q = x * x * x;
        double f = slope ? x * x / 2 : 1, g = slope ? 1 : x, sf = f, sg = g;
        for (int k = 1; k < 60; k++) {
            const double m = 3 * k;
            f *= q / (slope ? m * (m + 2) : m * (m - 1));
            g *= q / (slope ? m * (m - 2) : m * (m + 1));
            sf += f;
            sg += g;
        }
        return 0.35502805388781723926 * sf - 0.25881940379280679841 * sg;
    }
    if (x < -1e10) return slope ? NAN_ : 0.0;
    if (x < -9.5) {
        double even = 1, odd = 0, t = 1;
        for (int k = 1; k < 60; k++) {
            const double u = t * (6 * k - 5) * (6 * k - 1) / (72 * k * zeta);
            if (u >= t || u < 1e-18) break;
            t = u;
            const double v = slope ? -t * (6 * k + 1) / (6 * k - 1) : t;
            if (k % 4 == 0) even += v;
            else if (k % 4 == 1) odd += v;
            else if (k % 4 == 2) even -= v;
            else odd -= v;
        }
        double s, c;
        sincos(zeta - PI / 4, &s, &c);
        return slope ? sqrt(sqrt(y) / PI) * (s * even - c * odd) : (c * even + s * odd) / sqrt(PI * sqrt(y));
    }
    // Between: Taylor steps along the differential equation from -5.
    double w = 0.35076100902411431979, w1 = 0.32719281855444313679, at = -5;
    while (at > x) {
        const double h = fmax(x - at, -0.25);
        double c[24];
        c[0] = w;
        c[1] = w1;
        for (int n = 2; n < 24; n++) c[n] = (at * c[n - 2] + (n > 2 ? c[n - 3] : 0)) / (n * (n - 1));
        w = w1 = 0;
        for (int n = 23; n >= 0; n--) w = w * h + c[n];
        for (int n = 23; n >= 1; n--) w1 = w1 * h + n * c[n];
        at += h;
    }
    return slope ? w1 : w;
}
IN_DOUBLE(special_airy_ai, airy_(false, x))
IN_DOUBLE(airy_ai_prime, airy_(true, x))
