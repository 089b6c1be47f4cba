// Random streams for rejection sampling; included after threefry.cu. Every element has words of its own, as many as it
// needs. The first is the hash of its index, and the key of the others. The steps are exactly those of package threefry.

struct Stream { u32 k0, k1, next; };
DEV Stream element(u32 k0, u32 k1, u64 i) {
    Stream s;
    s.k0 = (u32)i;
    s.k1 = (u32)(i >> 32);
    hash(k0, k1, s.k0, s.k1);
    s.next = 0;
    return s;
}
DEV u64 word(Stream &s) {
    u32 x = s.k0, y = s.k1;
    if (s.next > 0) {
        x = s.next;
        y = 0;
        hash(s.k0, s.k1, x, y);
    }
    s.next++;
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
