// Threefry-2x32 with 20 rounds: hash maps a pair of words under a key.

DEV void rounds(u32 &x, u32 &y, int a, int b, int c, int d) {
    x += y; y = __funnelshift_l(y, y, a) ^ x;
    x += y; y = __funnelshift_l(y, y, b) ^ x;
    x += y; y = __funnelshift_l(y, y, c) ^ x;
    x += y; y = __funnelshift_l(y, y, d) ^ x;
}

DEV void hash(u32 k0, u32 k1, u32 &x, u32 &y) {
    const u32 k2 = k0 ^ k1 ^ 0x1BD11BDA;
    x += k0; y += k1;
    rounds(x, y, 13, 15, 26, 6);
    x += k1; y += k2 + 1;
    rounds(x, y, 17, 29, 16, 24);
    x += k2; y += k0 + 2;
    rounds(x, y, 13, 15, 26, 6);
    x += k0; y += k1 + 3;
    rounds(x, y, 17, 29, 16, 24);
    x += k1; y += k2 + 4;
    rounds(x, y, 13, 15, 26, 6);
    x += k2; y += k0 + 5;
}
