"""Speed of PyTorch for comparison with `go test -tags gpu ./cuda -run xxx -bench 'Factors|Transforms|Samples'`: ms of a call.

Needs a GPU and PyTorch (2.11 was used). Calls are made one behind the other, with one synchronisation at the end.
"""
import sys, time
import torch

torch.set_default_device("cuda")
FEW = 0.15  # seconds of a measurement


def run(name, f):
    try:
        for _ in range(3):
            f()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        f()
        torch.cuda.synchronize()
        n = max(3, min(2000, int(FEW / (time.perf_counter() - begin))))
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            for _ in range(n):
                f()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - begin) / n)
        print(f"{name}: {1e3 * sorted(times)[1]:.4f} ms", flush=True)
    except Exception as e:
        print(f"{name}: {type(e).__name__} {str(e)[:200]}", flush=True)


def factors():
    L = torch.linalg
    definite = lambda x: x @ x.mT + x.shape[-1] * torch.eye(x.shape[-1], dtype=x.dtype)
    x = torch.randn(2048, 2048)
    y = definite(x)
    run("solve 2048", lambda: L.solve(x, x))
    run("inv 2048", lambda: L.inv(x))
    run("lu 2048", lambda: L.lu_factor(x))
    run("qr 2048", lambda: L.qr(x))
    run("cholesky 2048", lambda: L.cholesky(y))
    for d in (torch.float32, torch.float64):
        a = torch.randn(512, 512, dtype=d)
        s = a + a.mT
        run(f"svd 512 {d}", lambda: L.svd(a))
        run(f"eigh 512 {d}", lambda: L.eigh(s))
        run(f"eigvalsh 512 {d}", lambda: L.eigvalsh(s))
    for size in ((64, 64), (128, 128), (256, 256), (8, 256, 256)):
        a = torch.randn(*size, dtype=torch.float64)
        s = a + a.mT
        run(f"eigh {size} float64", lambda: L.eigh(s))
        run(f"eigvalsh {size} float64", lambda: L.eigvalsh(s))
    e = torch.randn(256, 256)
    run("eig 256", lambda: L.eig(e))
    tall, one = torch.randn(2048, 256), torch.randn(2048, 1)
    run("lstsq 2048x256", lambda: L.lstsq(tall, one))
    for n in (4, 16, 32):
        a = torch.randn(4096, n, n)
        p = definite(a)
        run(f"4096 {n}: qr", lambda: L.qr(a))
        run(f"4096 {n}: svd", lambda: L.svd(a))
        run(f"4096 {n}: eigh", lambda: L.eigh(p))
        run(f"4096 {n}: inv", lambda: L.inv(a))
        run(f"4096 {n}: solve", lambda: L.solve(a, a))
        run(f"4096 {n}: cholesky", lambda: L.cholesky(p))


def transforms():
    F = torch.fft
    c = lambda *s: torch.randn(*s, dtype=torch.complex64)
    for s in ((256, 4096), (256, 4093), (65536, 16)):
        x = c(*s)
        run(f"fft {s}", lambda: F.fft(x))
    r = torch.randn(256, 4096)
    run("rfft (256, 4096)", lambda: F.rfft(r))
    h = c(256, 2049)
    run("irfft (256, 2049)", lambda: F.irfft(h))
    m = c(64, 256, 256)
    run("fft2 (64, 256, 256)", lambda: F.fft2(m))
    v = c(128, 128, 128)
    run("fftn (128, 128, 128)", lambda: F.fftn(v))
    w, t = torch.randn(512), torch.randn(16, 160000)
    run("stft (16, 160000)", lambda: torch.stft(t, 512, window=w, return_complex=True))


def samples():
    D = torch.distributions
    n = 1 << 20
    full = lambda v, *s: torch.full(s, v)
    for name, d in {
        "normal": D.Normal(full(0.0, n), full(1.0, n)), "gamma": D.Gamma(full(2.5, n), full(1.0, n)),
        "beta": D.Beta(full(2.5, n), full(1.5, n)), "dirichlet": D.Dirichlet(full(1.5, 65536, 16)),
        "categorical": D.Categorical(logits=torch.randn(16384, 64)), "von_mises": D.VonMises(full(0.0, 65536), full(2.5, 65536)),
    }.items():
        run(name, lambda: d.sample())


for part in sys.argv[1:] or ["factors", "transforms", "samples"]:
    globals()[part]()
