// Random streams for rejection sampling; included after threefry.cu. Word j of element i is the hash of the pair (i, j), with the
// upper half of i above j. The steps are exactly those of package threefry.

struct Stream { u32 k0, k1, element, next; };
DEV Stream element(u32 k0, u32 k1, u64 i) {
    Stream s;
    s.k0 = k0;
    s.k1 = k1;
    s.element = (u32)i;
    s.next = (u32)(i >> 32) << 16;
    return s;
}
DEV u64 word(Stream &s) {
    u32 x = s.element, y = s.next++;
    hash(s.k0, s.k1, x, y);
    return (u64)x << 32 | y;
}

// below samples an integer below n, one of 64 bits where n is 0.
DEV u64 below(Stream &s, u64 n) {
    u64 w = word(s);
    if (n == 0) return w;
    u64 hi = __umul64hi(w, n), lo = w * n;
    if (lo < n)
        for (const u64 over = (0 - n) % n; lo < over;) {
            w = word(s);
            hi = __umul64hi(w, n);
            lo = w * n;
        }
    return hi;
}
