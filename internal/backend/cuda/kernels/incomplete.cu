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
        if (fabs(u * v - 1) < 4e-16) break;
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
        if (fabs(u * v - 1) < 4e-16) break;
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
        const double u = 1 / (a + 2 * m - 1), v = 1 / (a + 2 * m), r = m * x * u * v, s = u + v, r1 = -r * s, r2 = r * (s * s + u * u + v * v);
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
